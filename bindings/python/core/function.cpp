#include "function.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "events.hpp"

namespace bifold::python {

namespace {

constexpr std::size_t max_entries = 256;  // Of a function. An entry takes about 1 KiB.

constexpr std::uint64_t absent = ~std::uint64_t{0};  // Of an array, in a key.

PyObject* workspace_class = nullptr;

bool is_workspace(PyObject* object) {
  return reinterpret_cast<PyObject*>(Py_TYPE(object)) == workspace_class;
}

/// Whether an axis is the one that an array has.
bool is_only_axis(PyObject* axis, const Seen& seen) {
  if (seen.dimensions != 1 || !PyLong_CheckExact(axis)) return false;
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(axis, &overflow);
  return overflow == 0 && (value == 0 || value == -1);
}

/// Where an argument is named: most names are the very objects that the function has.
template <class Parameters>
int index_of(const Parameters& parameters, PyObject* name) {
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i].name == name) return static_cast<int>(i);
  }
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (PyUnicode_Compare(parameters[i].name, name) == 0) return static_cast<int>(i);
  }
  return -1;
}

}  // namespace

Function::Role Function::role_of(std::string_view name) {
  constexpr std::pair<std::string_view, Role> roles[] = {
      {"self", Role::self},
      {"x", Role::array},
      {"y", Role::array},
      {"out", Role::array},
      {"out_beside", Role::beside},
      {"init", Role::init},
      {"total", Role::beside},
      {"count_from", Role::beside},
      {"map", Role::map},
      {"predicate", Role::map},
      {"reductions", Role::reductions},
      {"scalars", Role::scalars},
      {"queue", Role::queue},
      {"wait", Role::wait},
      {"workspace", Role::workspace},
      {"done", Role::done},
  };
  for (const auto& [text, role] : roles) {
    if (text == name) return role;
  }
  return Role::value;
}

Function::Function(nb::object full, const nb::tuple& names, int positional,
                   const nb::dict& defaults)
    : full_(std::move(full)), positional_(positional) {
  for (nb::handle name : names) {
    const std::string_view text = nb::cast<const char*>(name);
    const Role role = role_of(text);
    const int index = static_cast<int>(parameters_.size());
    if (text == "x") in_ = index;
    if (text == "out") out_ = index;
    if (text == "out_beside") out_beside_ = index;
    if (text == "total") total_ = index;
    if (text == "y") second_ = index;
    if (role == Role::map) map_ = index;
    if (role == Role::self) is_method_ = true;
    if (text == "axis") axis_ = index;
    if (text == "keepdims") keepdims_ = index;
    PyObject* fallback = PyDict_GetItemWithError(defaults.ptr(), name.ptr());
    Py_XINCREF(fallback);
    parameters_.push_back({PyUnicode_InternFromString(text.data()), fallback, role});
  }
}

bool Function::take(PyObject* arguments, PyObject* named, Given& given) const {
  const Py_ssize_t count = PyTuple_Size(arguments);
  if (count > positional_ || parameters_.size() > given.size()) return false;
  given.fill(nullptr);
  for (Py_ssize_t i = 0; i < count; ++i) given[i] = PyTuple_GetItem(arguments, i);
  if (named) {
    PyObject* name = nullptr;
    PyObject* value = nullptr;
    Py_ssize_t position = 0;
    while (PyDict_Next(named, &position, &name, &value)) {
      const int index = index_of(parameters_, name);
      if (index < 0 || given[index]) return false;
      given[index] = value;
    }
  }
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    if (!given[i]) given[i] = parameters_[i].fallback;
    if (!given[i]) return false;
  }
  return true;
}

bool Function::look_at_one(PyObject* array, Role role, Operands& operands) {
  int index = operands.of(array);
  if (index < 0) {
    index = operands.count;
    if (!look_at(array, operands.seen[index])) return false;
    ++operands.count;
  } else if (role != Role::array && operands.seen[index].kind == Kind::host) {
    return false;  // It has a buffer for each of its roles.
  }
  if (role != Role::array) operands.beside[index] = true;
  return true;
}

bool Function::totals_are_apart(const Given& given, const Operands& operands) const {
  const int index = total_ < 0 || given[total_] == Py_None ? -1 : operands.of(given[total_]);
  if (index < 0 || operands.seen[index].kind != Kind::host) return true;
  // With gaps there is a copy, whose memory tells nothing.
  const auto gaps = [](const Seen& seen) { return seen.gaps; };
  if (std::any_of(operands.seen.begin(), operands.seen.begin() + operands.count, gaps))
    return false;
  const Py_buffer& total = operands.seen[index].host;
  const auto start = operands.seen[index].memory;
  for (int i = 0; i < operands.count; ++i) {
    const Seen& seen = operands.seen[i];
    if (i == index || seen.kind != Kind::host) continue;
    const auto end = seen.memory + static_cast<std::uint64_t>(seen.host.len);
    if (start < end && seen.memory < start + static_cast<std::uint64_t>(total.len)) return false;
  }
  return true;
}

bool Function::look_at_arrays(const Given& given, Operands& operands) const {
  for (const int index : {out_, out_beside_, total_}) {
    if (index >= 0 && is_exported(given[index])) return false;
  }
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const Role role = parameters_[i].role;
    if ((role != Role::array && role != Role::beside) || given[i] == Py_None) continue;
    if (!look_at_one(given[i], role, operands)) return false;
    const Seen& seen = operands.seen[operands.of(given[i])];
    const int index = static_cast<int>(i);
    const bool written = index == out_ || index == out_beside_ || index == total_;
    if (written && seen.read_only) return false;
  }
  if (operands.count == 0 || !totals_are_apart(given, operands)) return false;
  // A second array of the host and an output have a buffer each.
  const bool twice = out_ >= 0 && second_ >= 0 && given[out_] == given[second_];
  const int index = twice ? operands.of(given[out_]) : -1;
  return index <= 0 || operands.seen[index].kind != Kind::host;
}

bool Function::look_at_init(PyObject* init, Operands& operands, Key& key) {
  if (init == Py_None || !is_array(init)) return key.add_value(init);
  // Of the host it is a value that is read now.
  if (!look_at_one(init, Role::init, operands)) return false;
  const int index = operands.of(init);
  key.add(absent - 1 - static_cast<std::uint64_t>(index));  // As no value begins.
  return operands.seen[index].kind != Kind::host;
}

std::uint64_t Function::relation_of(const Given& given, const Operands& operands) const {
  const bool along = axis_ >= 0 && given[axis_] != Py_None;
  if (along && !is_only_axis(given[axis_], operands.seen[0])) return 0;
  if (keepdims_ >= 0 && given[keepdims_] != Py_False) return 0;
  if (is_method_) {
    // A plan of lines is given all extents.
    static PyObject* name = PyUnicode_InternFromString("lines");
    const nb::object lines = nb::steal(PyObject_GetAttr(given[0], name));
    PyErr_Clear();
    if (lines.ptr() != Py_False) return 0;
  }
  const Seen& x = operands.seen[0];
  std::uint64_t relation = 1;
  for (int i = 0; i < operands.count; ++i) {
    const Seen& seen = operands.seen[i];
    const bool main = seen.array == given[in_] || (out_ >= 0 && seen.array == given[out_]) ||
                      (second_ >= 0 && seen.array == given[second_]);
    if (!main) continue;
    if (!seen.flat) return 0;
    if (out_ >= 0 && seen.array == given[out_]) {
      if (seen.dimensions == 1 && seen.size == x.size) relation |= 2;
      if (seen.size == 1) relation |= 4;
      if (relation == 1) return 0;
      // Along an axis, a result has no dimension.
      if (along && seen.dimensions == 0) relation |= 8;
    } else if (seen.dimensions != x.dimensions ||
               !std::equal(x.shape.begin(), x.shape.begin() + x.dimensions, seen.shape.begin())) {
      return 0;
    }
  }
  return relation;
}

bool Function::look(const Given& given, Operands& operands, Key& key) const {
  if (!look_at_arrays(given, operands)) return false;
  const std::uint64_t relation = relation_of(given, operands);
  operands.any_size = relation != 0;
  key.add(relation);
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    PyObject* value = given[i];
    switch (parameters_[i].role) {
      case Role::array:
      case Role::beside: {
        const int index = operands.of(value);
        key.add(index < 0 ? absent : static_cast<std::uint64_t>(index));
        break;
      }
      case Role::init:
        if (!look_at_init(value, operands, key)) return false;
        break;
      case Role::self:
        // Not kept: an entry knows by its handle whether it is still the same object.
        key.add(reinterpret_cast<std::uintptr_t>(value));
        break;
      case Role::reductions:
        if (!key.add_all(value)) return false;
        break;
      case Role::scalars:
        if (!key.add_scalars(value, operands.scalars)) return false;
        break;
      case Role::map:
      case Role::value:
        if (!key.add_value(value)) return false;
        break;
      case Role::queue:
        if (!key.add_place(value)) return false;
        break;
      case Role::wait:
        if (!take_events(value, operands)) return false;
        break;
      case Role::done:
        if (value == Py_None) break;
        if (!is_event(value)) return false;
        operands.done = value;
        break;
      case Role::workspace: {
        if (value == Py_None) break;
        const Owner* owner = is_workspace(value) ? owner_of(value) : nullptr;
        if (!owner || !owner->handle || !owner->handle->get()) return false;
        operands.workspace = owner->handle;
        break;
      }
    }
  }
  for (int i = 0; i < operands.count; ++i) {
    key.add(operands.seen[i], operands.any_size && !operands.beside[i]);
  }
  return key.fits();
}

Function::Place* Function::place_of(const Key& key) {
  const auto [first, last] = places_.equal_range(key.hash());
  for (auto one = first; one != last; ++one) {
    if (key.is(one->second->words, one->second->texts)) return &one->second;
  }
  return nullptr;
}

std::shared_ptr<Call> Function::find(const Key& key) {
  const Place* place = place_of(key);
  if (!place) return nullptr;
  entries_.splice(entries_.begin(), entries_, *place);
  return (*place)->call;
}

void Function::forget(const Key& key) {
  const auto [first, last] = places_.equal_range(key.hash());
  for (auto one = first; one != last; ++one) {
    if (!key.is(one->second->words, one->second->texts)) continue;
    // Last, as what an entry keeps may run anything when it is let go.
    std::list<Entry> gone;
    gone.splice(gone.begin(), entries_, one->second);
    places_.erase(one);
    return;
  }
}

void Function::store(const Key& key, std::shared_ptr<Call> call) {
  forget(key);
  entries_.push_front({key.hash(), key.words(), key.texts(), key.objects(), std::move(call)});
  places_.emplace(key.hash(), entries_.begin());
  if (entries_.size() <= max_entries) return;
  std::list<Entry> gone;
  const auto oldest = std::prev(entries_.end());
  const auto [first, last] = places_.equal_range(oldest->hash);
  for (auto one = first; one != last; ++one) {
    if (one->second != oldest) continue;
    places_.erase(one);
    break;
  }
  gone.splice(gone.begin(), entries_, oldest);
}

void Function::clear() {
  places_.clear();
  std::list<Entry> gone;
  gone.swap(entries_);
}

bool Function::repeat(const Call& call, Operands& operands, PyObject* given, nb::object& answer) {
  if (!call.make.is_valid()) return call.run(operands, given, answer);
  const Seen& x = operands.seen[0];
  const nb::object shape = call.shape.is_none() ? nb::make_tuple(x.size) : call.shape;
  const nb::object made = call.make(nb::handle(x.array), shape);
  Seen& seen = operands.seen[operands.count];
  if (!look_at_made(made.ptr(), x, shape, seen)) return false;
  ++operands.count;
  if (call.run(operands, made.ptr(), answer)) return true;
  // The package makes another one.
  --operands.count;
  std::destroy_at(&seen);
  std::construct_at(&seen);
  return false;
}

nb::object Function::call(PyObject* arguments, PyObject* named) {
  Given given;
  Operands operands;
  Key key;
  const bool known = take(arguments, named, given) && look(given, operands, key);
  if (known) {
    nb::object answer;
    if (const std::shared_ptr<Call> found = find(key)) {
      if (repeat(*found, operands, out_ < 0 ? Py_None : given[out_], answer)) return answer;
      forget(key);
    }
  }
  const bool text_map = known && map_ >= 0 && PyUnicode_CheckExact(given[map_]);
  Unknown here{known ? &operands : nullptr, text_map, nullptr, asked_for()};
  asked_for() = &here;
  nb::object answer = nb::steal(PyObject_Call(full_.ptr(), arguments, named));
  asked_for() = here.outer;
  if (!answer.is_valid()) throw nb::python_error();
  if (known && here.learned) store(key, std::move(here.learned));
  return answer;
}

namespace {

PyObject* call_function(PyObject* self, PyObject* arguments, PyObject* named) {
  try {
    return nb::inst_ptr<Function>(self)->call(arguments, named).release().ptr();
  } catch (nb::python_error& failure) {
    failure.restore();
  } catch (const std::exception& failure) {
    PyErr_SetString(PyExc_RuntimeError, failure.what());
  }
  return nullptr;
}

// As functions that C has made cached: help() and inspect take it for a routine.
PyObject* get_function(PyObject* self, PyObject* object, PyObject*) {
  if (object && nb::inst_ptr<Function>(self)->is_method()) {
    static PyObject* method_type = nullptr;
    if (!method_type) {
      const nb::object types = nb::steal(PyImport_ImportModule("types"));
      method_type = types.is_valid() ? PyObject_GetAttrString(types.ptr(), "MethodType") : nullptr;
      if (!method_type) return nullptr;
    }
    PyObject* arguments[] = {self, object};
    return PyObject_Vectorcall(method_type, arguments, 2, nullptr);
  }
  Py_INCREF(self);
  return self;
}

PyType_Slot function_slots[] = {{Py_tp_call, reinterpret_cast<void*>(call_function)},
                                {Py_tp_descr_get, reinterpret_cast<void*>(get_function)},
                                {0, nullptr}};

}  // namespace

Unknown*& asked_for() {
  thread_local Unknown* unknown = nullptr;
  return unknown;
}

void define_functions(nb::module_& module) {
  nb::class_<Function>(module, "Function", nb::type_slots(function_slots), nb::dynamic_attr(),
                       nb::is_weak_referenceable())
      .def(nb::init<nb::object, nb::tuple, int, nb::dict>())
      .def("__reduce__", [](nb::handle self) { return nb::object(self.attr("__qualname__")); })
      .def("clear", &Function::clear)
      .def_prop_ro("known", &Function::size);
  module.def("put_kind",
             [](nb::handle type, int kind) { put_kind(type, static_cast<Kind>(kind)); });
  module.def("put_handles", &put_handles);
  module.def("put_place", &put_place);
  module.def("put_dtypes", &put_dtypes);
  module.def("put_names", &put_names);
  module.def("put_record", &put_record);
  module.def("put_workspace", [](nb::handle type) { workspace_class = type.inc_ref().ptr(); });
}

}  // namespace bifold::python
