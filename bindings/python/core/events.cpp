#include "events.hpp"

#include <utility>
#include <vector>

namespace bifold::python {

namespace {

PyObject* event_class = nullptr;
PyObject* own_name = nullptr;

/// A class of another library's events, and what it calls an event's number.
struct Known {
  nb::object type;
  nb::object attribute;
  bool of_cuda;
};
constexpr std::size_t max_classes = 32;
// Not destroyed: the interpreter ends earlier.
auto* classes = new std::vector<Known>;

bool take_foreign(PyObject* event, Operands& operands) {
  auto* type = reinterpret_cast<PyObject*>(Py_TYPE(event));
  for (const Known& one : *classes) {
    if (one.type.ptr() != type) continue;
    const bool of_cuda = one.of_cuda;  // Before anything runs that may make more classes known.
    const nb::object number = nb::steal(PyObject_GetAttr(event, one.attribute.ptr()));
    void* native = number.is_valid() && PyLong_CheckExact(number.ptr())
                       ? PyLong_AsVoidPtr(number.ptr())
                       : nullptr;
    PyErr_Clear();
    // PyTorch's have none before they are recorded.
    if (!native) return false;
    operands.foreign.push_back({of_cuda, native, nb::borrow(event)});
    return true;
  }
  return false;
}

bool take_own(PyObject* event, Operands& operands) {
  const nb::object own = nb::steal(PyObject_GetAttr(event, own_name));
  if (own.is_none()) return true;  // It stands for no work.
  const Owner* owner = own.is_valid() ? owner_of(own) : nullptr;
  PyErr_Clear();
  if (!owner || !owner->handle || !owner->handle->get()) return false;
  operands.wait.push_back(owner->handle);
  return true;
}

void put_foreign(const nb::object& type, const nb::object& attribute, bool of_cuda) {
  for (const Known& one : *classes) {
    if (one.type.is(type)) return;
  }
  if (classes->size() == max_classes) classes->clear();
  classes->push_back({type, attribute, of_cuda});
}

}  // namespace

bool is_event(PyObject* object) {
  return reinterpret_cast<PyObject*>(Py_TYPE(object)) == event_class;
}

bool take_events(PyObject* list, Operands& operands) {
  const bool is_tuple = PyTuple_CheckExact(list);
  if (!is_tuple && !PyList_CheckExact(list)) return false;
  const Py_ssize_t count = is_tuple ? PyTuple_Size(list) : PyList_Size(list);
  for (Py_ssize_t i = 0; i < count; ++i) {
    // Kept, as asking it for its number may run anything.
    const auto event = nb::borrow(is_tuple ? PyTuple_GetItem(list, i) : PyList_GetItem(list, i));
    if (!event.is_valid() || operands.wait.size() + operands.foreign.size() == max_events) {
      PyErr_Clear();
      return false;
    }
    const bool taken = is_event(event.ptr()) ? take_own(event.ptr(), operands)
                                             : take_foreign(event.ptr(), operands);
    if (!taken) return false;
  }
  return true;
}

nb::object event_of_opencl(void* event) {
  static PyObject* from_int_ptr = nullptr;
  if (!from_int_ptr) {
    nb::object found = nb::module_::import_("pyopencl").attr("Event").attr("from_int_ptr");
    from_int_ptr = found.release().ptr();
  }
  return nb::handle(from_int_ptr)(reinterpret_cast<std::uintptr_t>(event), false);
}

void put_event(const Seen& seen, const nb::object& event) {
  PyObject* list = seen.events.ptr();
  if (PyList_Size(list) == seen.event_count) {
    const nb::object only = nb::steal(PyList_New(1));
    PyList_SetItem(only.ptr(), 0, nb::object(event).release().ptr());
    if (PyList_SetSlice(list, 0, seen.event_count, only.ptr()) != 0) throw nb::python_error();
  } else {
    nb::handle(seen.array).attr("add_event")(event);
  }
}

bool is_in_graph(const bifold_event* event) {
  bool complete = false;
  return api().event_complete(event, &complete) == BIFOLD_UNSUPPORTED;
}

void define_events(nb::module_& module) {
  own_name = PyUnicode_InternFromString("_own");
  module.def("put_event", [](nb::handle type) { event_class = type.inc_ref().ptr(); });
  module.def("put_foreign_event", &put_foreign);
}

}  // namespace bifold::python
