#include "arrays.hpp"

#include <algorithm>
#include <vector>

#include "handle.hpp"

namespace bifold::python {

namespace {

// Names of attributes, interned.
PyObject *queue_, *dtype_, *shape_, *strides_, *own_strides_, *offset_, *own_offset_, *buffer_,
    *events_, *base_data_, *int_ptr_, *interface_, *dlpack_, *data_, *ptr_, *device_id_, *stride_,
    *data_ptr_, *itemsize_, *get_device_, *requires_grad_, *is_neg_, *typestr_, *stream_, *mask_;

struct Known {
  nb::object type;
  Kind kind;
};
// Programs have few classes of arrays; one that makes them on the fly loses what is known.
constexpr std::size_t MAX_CLASSES = 32;
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

/** The integers of a tuple; their count, or -1. */
int integers(const nb::object& tuple, std::array<std::int64_t, MAX_DIMENSIONS>& values) {
  if (!tuple.is_valid() || !PyTuple_Check(tuple.ptr())) return -1;
  const Py_ssize_t count = PyTuple_Size(tuple.ptr());
  if (count > MAX_DIMENSIONS) return -1;
  for (Py_ssize_t i = 0; i < count; ++i) {
    values[i] = PyLong_AsLongLong(PyTuple_GetItem(tuple.ptr(), i));
    if (values[i] == -1 && PyErr_Occurred()) return -1;
  }
  return static_cast<int>(count);
}

bool layout(Seen& seen, const nb::object& shape, const nb::object& strides) {
  seen.dimensions = integers(shape, seen.shape);
  return seen.dimensions >= 0 && integers(strides, seen.strides) == seen.dimensions;
}

bool look_at_own(PyObject* array, Seen& seen) {
  const nb::object buffer = get(array, buffer_);
  const nb::object queue = get(array, queue_);
  seen.dtype = get(array, dtype_);
  if (!buffer.is_valid() || !queue.is_valid() || !seen.dtype.is_valid()) return false;
  const Owner* owner = owner_of(buffer);
  if (!owner || !owner->handle) return false;
  seen.memory = reinterpret_cast<std::uintptr_t>(owner->handle->get());
  seen.place = reinterpret_cast<std::uintptr_t>(queue.ptr());
  return seen.memory != 0 && number(get(array, own_offset_), seen.first) &&
         layout(seen, get(array, shape_), get(array, own_strides_));
}

bool look_at_opencl(PyObject* array, Seen& seen) {
  const nb::object queue = get(array, queue_);
  if (!queue.is_valid() || queue.is_none()) return false;
  const nb::object base = get(array, base_data_);
  seen.dtype = get(array, dtype_);
  seen.events = get(array, events_);
  // Shared virtual memory has no int_ptr.
  return base.is_valid() && seen.dtype.is_valid() && seen.events.is_valid() &&
         PyList_CheckExact(seen.events.ptr()) && number(get(queue.ptr(), int_ptr_), seen.place) &&
         number(get(base.ptr(), int_ptr_), seen.memory) &&
         number(get(array, offset_), seen.first_byte) &&
         number(get(seen.dtype.ptr(), itemsize_), seen.step) &&
         layout(seen, get(array, shape_), get(array, strides_));
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
  const nb::object interface = get(array, interface_);
  if (!interface.is_valid() || !PyDict_Check(interface.ptr())) return false;
  PyObject* data = item(interface, data_);
  PyObject* shape = item(interface, shape_);
  PyObject* typestr = item(interface, typestr_);
  PyObject* strides = item(interface, strides_);
  PyObject* stream = item(interface, stream_);
  PyObject* mask = item(interface, mask_);
  if (!data || !PyTuple_Check(data) || PyTuple_Size(data) != 2 || !shape || !typestr ||
      !PyUnicode_CheckExact(typestr) || (mask && mask != Py_None)) {
    return false;
  }
  // Without a stream it is DLPack that orders the work.
  if (!stream && PyObject_HasAttr(array, dlpack_)) return false;
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

/** A function of a module that is imported already, found once. */
PyObject* find(PyObject*& kept, const char* module, const char* part, const char* name) {
  if (kept) return kept;
  const nb::object whole = nb::steal(PyImport_ImportModule(module));
  if (!whole.is_valid()) return nullptr;
  const nb::object inner = nb::steal(PyObject_GetAttrString(whole.ptr(), part));
  if (inner.is_valid()) kept = PyObject_GetAttrString(inner.ptr(), name);
  return kept;
}

PyObject* stream_of_cupy = nullptr;
PyObject* stream_of_torch = nullptr;

bool look_at_cupy(PyObject* array, Seen& seen) {
  PyObject* current = find(stream_of_cupy, "cupy", "cuda", "get_current_stream");
  const nb::object data = get(array, data_);
  seen.dtype = get(array, dtype_);
  if (!current || !data.is_valid() || !seen.dtype.is_valid()) return false;
  const nb::object stream = nb::steal(PyObject_CallNoArgs(current));
  if (!stream.is_valid() || !number(get(stream.ptr(), ptr_), seen.stream)) return false;
  if (seen.stream == 0) seen.stream = 1;
  return number(get(data.ptr(), ptr_), seen.memory) &&
         number(get(data.ptr(), device_id_), seen.place) &&
         number(get(seen.dtype.ptr(), itemsize_), seen.step) &&
         layout(seen, get(array, shape_), get(array, strides_));
}

bool look_at_torch(PyObject* array, Seen& seen) {
  PyObject* current = find(stream_of_torch, "torch", "_C", "_cuda_getCurrentRawStream");
  const nb::object index = result_of(array, get_device_);
  std::int64_t device = -1;
  if (!current || !number(index, device) || device < 0) return false;
  if (get(array, requires_grad_).ptr() != Py_False) return false;
  if (result_of(array, is_neg_).ptr() != Py_False) return false;
  PyObject* arguments[] = {index.ptr()};
  const nb::object stream = nb::steal(PyObject_Vectorcall(current, arguments, 1, nullptr));
  seen.dtype = get(array, dtype_);
  seen.place = static_cast<std::uint64_t>(device);
  // Of strides in elements, which no other class with these types of elements has.
  return seen.dtype.is_valid() && number(stream, seen.stream) &&
         number(result_of(array, data_ptr_), seen.memory) &&
         layout(seen, get(array, shape_), result_of(array, stride_));
}

bool look_at_host(PyObject* array, Seen& seen) {
  seen.dtype = get(array, dtype_);
  if (!seen.dtype.is_valid()) return false;
  if (PyObject_GetBuffer(array, &seen.host, PyBUF_C_CONTIGUOUS) != 0) return false;
  seen.memory = reinterpret_cast<std::uintptr_t>(seen.host.buf);
  seen.read_only = seen.host.readonly != 0;
  seen.dimensions = seen.host.ndim;
  if (seen.dimensions > MAX_DIMENSIONS) return false;
  std::copy_n(seen.host.shape, seen.dimensions, seen.shape.begin());
  seen.dense = true;
  // The default queue is the thread's own.
  seen.place = static_cast<std::uint64_t>(PyThread_get_thread_ident());
  return true;
}

void measure(Seen& seen) {
  seen.size = 1;
  seen.flat = true;
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
  }
  return false;
}

}  // namespace

void put_kind(nb::handle type, Kind kind) {
  for (const Known& one : *known) {
    if (one.type.is(type)) return;
  }
  if (known->size() == MAX_CLASSES) known->clear();
  known->push_back({nb::borrow(type), kind});
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

void define_arrays(nb::module_&) {
  known = new std::vector<Known>;  // Not destroyed: the interpreter ends earlier.
  const std::pair<PyObject**, const char*> names[] = {{&queue_, "queue"},
                                                      {&dtype_, "dtype"},
                                                      {&shape_, "shape"},
                                                      {&strides_, "strides"},
                                                      {&own_strides_, "_strides"},
                                                      {&offset_, "offset"},
                                                      {&own_offset_, "_offset"},
                                                      {&buffer_, "_buffer"},
                                                      {&events_, "events"},
                                                      {&base_data_, "base_data"},
                                                      {&int_ptr_, "int_ptr"},
                                                      {&interface_, "__cuda_array_interface__"},
                                                      {&dlpack_, "__dlpack__"},
                                                      {&data_, "data"},
                                                      {&ptr_, "ptr"},
                                                      {&device_id_, "device_id"},
                                                      {&stride_, "stride"},
                                                      {&data_ptr_, "data_ptr"},
                                                      {&get_device_, "get_device"},
                                                      {&requires_grad_, "requires_grad"},
                                                      {&is_neg_, "is_neg"},
                                                      {&typestr_, "typestr"},
                                                      {&stream_, "stream"},
                                                      {&itemsize_, "itemsize"},
                                                      {&mask_, "mask"}};
  for (const auto& [name, text] : names) *name = PyUnicode_InternFromString(text);
}

}  // namespace bifold::python
