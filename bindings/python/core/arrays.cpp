#include "arrays.hpp"

#include <algorithm>
#include <vector>

#include "handle.hpp"

namespace bifold::python {

namespace {

// Names of attributes, interned.
struct Names {
  PyObject *queue, *dlpack_device, *dtype, *shape, *strides, *own_strides, *offset, *own_offset,
      *buffer, *events, *base_data, *int_ptr, *interface, *dlpack, *data, *ptr, *device_id, *stride,
      *data_ptr, *layout, *copy, *itemsize, *get_device, *requires_grad, *is_neg, *is_conj,
      *typestr, *stream, *mask;
};
Names names{};

struct Known {
  nb::object type;
  Kind kind;
};
// Programs have few classes of arrays; one that makes them on the fly loses what is known.
constexpr std::size_t max_classes = 32;
std::vector<Known>* known = nullptr;

nb::object get(PyObject* object, PyObject* name) {
  return nb::steal(PyObject_GetAttr(object, name));
}

nb::object result_of(PyObject* object, PyObject* name) {
  PyObject* arguments[] = {object};
  return nb::steal(PyObject_VectorcallMethod(name, arguments, 1, nullptr));
}

bool number(const nb::object& object, std::uint64_t& value) {
  if (!object.is_valid()) return false;
  value = PyLong_AsUnsignedLongLong(object.ptr());
  return value != static_cast<std::uint64_t>(-1) || !PyErr_Occurred();
}

bool number(const nb::object& object, std::int64_t& value) {
  if (!object.is_valid()) return false;
  value = PyLong_AsLongLong(object.ptr());
  return value != -1 || !PyErr_Occurred();
}

/// The integers of a tuple; their count, or -1.
int integers(const nb::object& tuple, std::array<std::int64_t, max_dimensions>& values) {
  if (!tuple.is_valid() || !PyTuple_Check(tuple.ptr())) return -1;
  const Py_ssize_t count = PyTuple_Size(tuple.ptr());
  if (count > max_dimensions) return -1;
  for (Py_ssize_t i = 0; i < count; ++i) {
    values[i] = PyLong_AsLongLong(PyTuple_GetItem(tuple.ptr(), i));
    if (values[i] == -1 && PyErr_Occurred()) return -1;
  }
  return static_cast<int>(count);
}

bool layout_of(Seen& seen, const nb::object& shape, const nb::object& strides) {
  seen.dimensions = integers(shape, seen.shape);
  return seen.dimensions >= 0 && integers(strides, seen.strides) == seen.dimensions;
}

/// What an Array's attributes tell, as long as it has the same ones: it takes this away with the
/// first that changes. Objects are borrowed from it.
struct Layout {
  PyObject *queue, *dtype;
  std::weak_ptr<Handle> memory;
  std::int64_t first;
  int dimensions;
  std::array<std::int64_t, max_dimensions> shape, strides;
};
PyObject* layout_type = nullptr;

bool read_layout(PyObject* array, Layout& layout) {
  Seen seen;
  const nb::object buffer = get(array, names.buffer);
  const nb::object queue = get(array, names.queue);
  const nb::object dtype = get(array, names.dtype);
  if (!buffer.is_valid() || !queue.is_valid() || !dtype.is_valid()) return false;
  const Owner* owner = owner_of(buffer);
  if (!owner || !owner->handle || !number(get(array, names.own_offset), layout.first)) return false;
  if (!layout_of(seen, get(array, names.shape), get(array, names.own_strides))) return false;
  layout.queue = queue.ptr();
  layout.dtype = dtype.ptr();
  layout.memory = owner->handle;
  layout.dimensions = seen.dimensions;
  layout.shape = seen.shape;
  layout.strides = seen.strides;
  return true;
}

bool look_at_own(PyObject* array, Seen& seen) {
  nb::object kept = get(array, names.layout);
  if (!kept.is_valid()) return false;
  if (reinterpret_cast<PyObject*>(Py_TYPE(kept.ptr())) != layout_type) {
    Layout layout{};
    if (!read_layout(array, layout)) return false;
    kept = nb::cast(std::move(layout));
    if (PyObject_GenericSetAttr(array, names.layout, kept.ptr()) != 0) return false;
  }
  const Layout& layout = *nb::inst_ptr<Layout>(kept);
  const std::shared_ptr<Handle> memory = layout.memory.lock();
  if (!memory) return false;
  seen.memory = reinterpret_cast<std::uintptr_t>(memory->get());
  seen.place = reinterpret_cast<std::uintptr_t>(layout.queue);
  seen.dtype = nb::borrow(layout.dtype);
  seen.first = layout.first;
  seen.dimensions = layout.dimensions;
  std::copy_n(layout.shape.begin(), layout.dimensions, seen.shape.begin());
  std::copy_n(layout.strides.begin(), layout.dimensions, seen.strides.begin());
  return seen.memory != 0;
}

bool look_at_opencl(PyObject* array, Seen& seen) {
  const nb::object queue = get(array, names.queue);
  if (!queue.is_valid() || queue.is_none()) return false;
  seen.owner = get(array, names.base_data);
  seen.dtype = get(array, names.dtype);
  seen.events = get(array, names.events);
  if (!seen.events.is_valid() || !PyList_CheckExact(seen.events.ptr())) return false;
  seen.event_count = PyList_Size(seen.events.ptr());
  // Shared virtual memory has no int_ptr.
  return seen.owner.is_valid() && seen.dtype.is_valid() &&
         number(get(queue.ptr(), names.int_ptr), seen.place) &&
         number(get(seen.owner.ptr(), names.int_ptr), seen.memory) &&
         number(get(array, names.offset), seen.first_byte) &&
         number(get(seen.dtype.ptr(), names.itemsize), seen.step) &&
         layout_of(seen, get(array, names.shape), get(array, names.strides));
}

PyObject* item(const nb::object& dict, PyObject* name) {
  return PyDict_GetItemWithError(dict.ptr(), name);
}

bool device_of(Seen& seen) {
  std::uint32_t index = 0;
  if (seen.memory == 0 || api().cuda_device_index(seen.memory, &index) != BIFOLD_OK) return false;
  seen.place = index;
  return true;
}

bool look_at_interface(PyObject* array, Seen& seen) {
  const nb::object interface = get(array, names.interface);
  if (!interface.is_valid() || !PyDict_Check(interface.ptr())) return false;
  PyObject* data = item(interface, names.data);
  PyObject* shape = item(interface, names.shape);
  PyObject* typestr = item(interface, names.typestr);
  PyObject* strides = item(interface, names.strides);
  PyObject* stream = item(interface, names.stream);
  PyObject* mask = item(interface, names.mask);
  if (!data || !PyTuple_Check(data) || PyTuple_Size(data) != 2 || !shape || !typestr ||
      !PyUnicode_CheckExact(typestr) || (mask && mask != Py_None)) {
    return false;
  }
  // Without a stream it is DLPack that orders the work.
  if (!stream && PyObject_HasAttr(array, names.dlpack)) return false;
  if (stream && stream != Py_None && (!number(nb::borrow(stream), seen.stream) || !seen.stream)) {
    return false;
  }
  // Structs are told apart by more than that.
  if (PyUnicode_FindChar(typestr, 'V', 0, 2, 1) >= 0) return false;
  seen.dtype = nb::borrow(typestr);
  PyObject* interned = seen.dtype.release().ptr();
  PyUnicode_InternInPlace(&interned);
  seen.dtype = nb::steal(interned);
  const int read_only = PyObject_IsTrue(PyTuple_GetItem(data, 1));
  if (read_only < 0) return false;
  seen.read_only = read_only != 0;
  seen.dimensions = integers(nb::borrow(shape), seen.shape);
  seen.dense = !strides || strides == Py_None;
  const int steps = seen.dense ? seen.dimensions : integers(nb::borrow(strides), seen.strides);
  return seen.dimensions >= 0 && steps == seen.dimensions &&
         number(nb::borrow(PyTuple_GetItem(data, 0)), seen.memory) && device_of(seen);
}

/// A function of a module that is imported already, found once.
PyObject* find(PyObject*& kept, const char* module, const char* part, const char* name) {
  if (kept) return kept;
  const nb::object whole = nb::steal(PyImport_ImportModule(module));
  if (!whole.is_valid()) return nullptr;
  const nb::object inner = nb::steal(PyObject_GetAttrString(whole.ptr(), part));
  if (inner.is_valid()) kept = PyObject_GetAttrString(inner.ptr(), name);
  return kept;
}

bool look_at_host(PyObject* array, Seen& seen) {
  seen.dtype = get(array, names.dtype);
  if (!seen.dtype.is_valid()) return false;
  if (PyObject_GetBuffer(array, &seen.host, PyBUF_STRIDES) != 0) return false;
  seen.memory = reinterpret_cast<std::uintptr_t>(seen.host.buf);
  seen.gaps = PyBuffer_IsContiguous(&seen.host, 'C') == 0;
  seen.read_only = seen.host.readonly != 0 || seen.gaps;
  seen.dimensions = seen.host.ndim;
  if (seen.dimensions > max_dimensions) return false;
  std::copy_n(seen.host.shape, seen.dimensions, seen.shape.begin());
  seen.dense = true;
  // The default queue is the thread's own.
  seen.place = thread_number();
  return true;
}

/// Memory of the host that DLPack exports, as NumPy imports it.
bool look_at_exported(PyObject* array, Seen& seen) {
  static PyObject* from_dlpack = nullptr;
  if (!from_dlpack) {
    const nb::object numpy = nb::steal(PyImport_ImportModule("numpy"));
    if (!numpy.is_valid()) return false;
    from_dlpack = PyObject_GetAttrString(numpy.ptr(), "from_dlpack");
    if (!from_dlpack) return false;
  }
  const nb::object device = result_of(array, names.dlpack_device);
  std::array<std::int64_t, max_dimensions> where;
  if (integers(device, where) != 2 || where[0] != 1) return false;
  seen.kind = Kind::host;
  seen.owner = nb::steal(PyObject_CallFunctionObjArgs(from_dlpack, array, nullptr));
  return seen.owner.is_valid() && look_at_host(seen.owner.ptr(), seen);
}

PyObject* stream_of_cupy = nullptr;
PyObject* stream_of_torch = nullptr;

bool look_at_cupy(PyObject* array, Seen& seen) {
  PyObject* current = find(stream_of_cupy, "cupy", "cuda", "get_current_stream");
  seen.owner = get(array, names.data);
  seen.dtype = get(array, names.dtype);
  if (!current || !seen.owner.is_valid() || !seen.dtype.is_valid()) return false;
  const nb::object stream = nb::steal(PyObject_CallNoArgs(current));
  if (!stream.is_valid() || !number(get(stream.ptr(), names.ptr), seen.stream)) return false;
  if (seen.stream == 0) seen.stream = 1;
  return number(get(seen.owner.ptr(), names.ptr), seen.memory) &&
         number(get(seen.owner.ptr(), names.device_id), seen.place) &&
         number(get(seen.dtype.ptr(), names.itemsize), seen.step) &&
         layout_of(seen, get(array, names.shape), get(array, names.strides));
}

bool look_at_torch(PyObject* array, Seen& seen) {
  const nb::object index = result_of(array, names.get_device);
  std::int64_t device = -1;
  if (!number(index, device)) return false;
  if (get(array, names.requires_grad).ptr() != Py_False) return false;
  for (PyObject* other_value : {names.is_neg, names.is_conj}) {
    if (result_of(array, other_value).ptr() != Py_False) return false;
  }
  if (device < 0) return look_at_exported(array, seen);
  PyObject* current = find(stream_of_torch, "torch", "_C", "_cuda_getCurrentRawStream");
  if (!current) return false;
  PyObject* arguments[] = {index.ptr()};
  const nb::object stream = nb::steal(PyObject_Vectorcall(current, arguments, 1, nullptr));
  seen.dtype = get(array, names.dtype);
  seen.place = static_cast<std::uint64_t>(device);
  // Of strides in elements, which no other class with these types of elements has.
  return seen.dtype.is_valid() && number(stream, seen.stream) &&
         number(result_of(array, names.data_ptr), seen.memory) &&
         layout_of(seen, get(array, names.shape), result_of(array, names.stride));
}

void measure(Seen& seen) {
  seen.size = 1;
  // Strides of an interface are not known to be multiples of an element.
  seen.flat = seen.kind != Kind::interface || seen.dense;
  for (int i = seen.dimensions - 1; i >= 0; --i) {
    const std::int64_t extent = seen.shape[i];
    if (!seen.dense && extent != 1 && seen.strides[i] != seen.step * seen.size) seen.flat = false;
    seen.size *= extent;
  }
  if (seen.size <= 0) seen.flat = false;
}

bool look(PyObject* array, Seen& seen) {
  switch (seen.kind) {
    case Kind::own: return look_at_own(array, seen);
    case Kind::opencl: return look_at_opencl(array, seen);
    case Kind::interface: return look_at_interface(array, seen);
    case Kind::cupy: return look_at_cupy(array, seen);
    case Kind::torch: return look_at_torch(array, seen);
    case Kind::host: return look_at_host(array, seen);
    // What has an is_neg() may export its elements with another sign.
    case Kind::exported:
      return !PyObject_HasAttr(array, names.is_neg) && look_at_exported(array, seen);
  }
  return false;
}

}  // namespace

void put_kind(nb::handle type, Kind kind) {
  for (const Known& one : *known) {
    if (one.type.is(type)) return;
  }
  if (known->size() == max_classes) known->clear();
  known->push_back({nb::borrow(type), kind});
}

bool is_array(PyObject* object) {
  auto* type = reinterpret_cast<PyObject*>(Py_TYPE(object));
  return std::any_of(known->begin(), known->end(),
                     [type](const Known& one) { return one.type.ptr() == type; });
}

bool look_at(PyObject* array, Seen& seen) {
  auto* type = reinterpret_cast<PyObject*>(Py_TYPE(array));
  for (const Known& one : *known) {
    if (one.type.ptr() != type) continue;
    seen.array = array;
    seen.kind = one.kind;
    if (look(array, seen)) {
      measure(seen);
      return true;
    }
    PyErr_Clear();
    return false;
  }
  return false;
}

bool look_at_made(PyObject* array, const Seen& like, const nb::object& shape, Seen& seen) {
  if (like.kind != Kind::torch || Py_TYPE(array) != Py_TYPE(like.array)) {
    return look_at(array, seen);
  }
  seen.array = array;
  seen.kind = like.kind;
  seen.place = like.place;
  seen.stream = like.stream;
  seen.dense = true;
  seen.dimensions = integers(shape, seen.shape);
  if (seen.dimensions < 0 || !number(result_of(array, names.data_ptr), seen.memory)) {
    PyErr_Clear();
    return false;
  }
  measure(seen);
  return true;
}

bool is_exported(PyObject* object) {
  auto* type = reinterpret_cast<PyObject*>(Py_TYPE(object));
  return std::any_of(known->begin(), known->end(), [type](const Known& one) {
    return one.type.ptr() == type && one.kind == Kind::exported;
  });
}

bool close_gaps(Seen& seen) {
  PyObject* whole = seen.owner.is_valid() ? seen.owner.ptr() : seen.array;
  const nb::object copy = result_of(whole, names.copy);
  Py_buffer memory{};
  if (!copy.is_valid() || PyObject_GetBuffer(copy.ptr(), &memory, PyBUF_C_CONTIGUOUS) != 0) {
    PyErr_Clear();
    return false;
  }
  PyBuffer_Release(&seen.host);
  seen.host = memory;
  seen.memory = reinterpret_cast<std::uintptr_t>(memory.buf);
  seen.gaps = false;
  return true;
}

void define_arrays(nb::module_& module) {
  layout_type = nb::class_<Layout>(module, "Layout").release().ptr();
  known = new std::vector<Known>;  // Not destroyed: the interpreter ends earlier.
  const std::pair<PyObject**, const char*> all[] = {{&names.queue, "queue"},
                                                    {&names.dtype, "dtype"},
                                                    {&names.shape, "shape"},
                                                    {&names.strides, "strides"},
                                                    {&names.own_strides, "_strides"},
                                                    {&names.offset, "offset"},
                                                    {&names.own_offset, "_offset"},
                                                    {&names.buffer, "_buffer"},
                                                    {&names.layout, "_layout"},
                                                    {&names.copy, "copy"},
                                                    {&names.events, "events"},
                                                    {&names.base_data, "base_data"},
                                                    {&names.int_ptr, "int_ptr"},
                                                    {&names.interface, "__cuda_array_interface__"},
                                                    {&names.dlpack, "__dlpack__"},
                                                    {&names.dlpack_device, "__dlpack_device__"},
                                                    {&names.data, "data"},
                                                    {&names.ptr, "ptr"},
                                                    {&names.device_id, "device_id"},
                                                    {&names.stride, "stride"},
                                                    {&names.data_ptr, "data_ptr"},
                                                    {&names.get_device, "get_device"},
                                                    {&names.requires_grad, "requires_grad"},
                                                    {&names.is_neg, "is_neg"},
                                                    {&names.is_conj, "is_conj"},
                                                    {&names.typestr, "typestr"},
                                                    {&names.stream, "stream"},
                                                    {&names.itemsize, "itemsize"},
                                                    {&names.mask, "mask"}};
  for (const auto& [name, text] : all) *name = PyUnicode_InternFromString(text);
}

}  // namespace bifold::python
