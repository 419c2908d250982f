#include "function.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace bifold::python {

namespace {

constexpr std::size_t max_entries = 256;  // Of a function. An entry takes about 1 KiB.

constexpr std::uint64_t absent = ~std::uint64_t{0};  // Of an array, in a key.

thread_local Unknown* unknown = nullptr;

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

PyObject* event_class = nullptr;

bool is_event(PyObject* object) {
  return reinterpret_cast<PyObject*>(Py_TYPE(object)) == event_class;
}

/// The events of a wait list that are the package's own and open. False: there are others.
bool take_events(PyObject* list, Operands& operands) {
  const bool is_tuple = PyTuple_CheckExact(list);
  if (!is_tuple && !PyList_CheckExact(list)) return false;
  const Py_ssize_t count = is_tuple ? PyTuple_Size(list) : PyList_Size(list);
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject* event = is_tuple ? PyTuple_GetItem(list, i) : PyList_GetItem(list, i);
    if (!event || !is_event(event)) return false;
    const nb::object own = nb::steal(PyObject_GetAttrString(event, "_own"));
    if (own.is_none()) continue;  // It stands for no work.
    const Owner* owner = own.is_valid() ? owner_of(own) : nullptr;
    if (!owner || !owner->handle || !owner->handle->get()) return false;
    if (operands.wait.size() == max_events) return false;
    operands.wait.push_back(owner->handle);
  }
  return true;
}

}  // namespace

Function::Function(nb::object full, const nb::tuple& names, int positional,
                   const nb::dict& defaults)
    : full_(std::move(full)), positional_(positional) {
  for (nb::handle name : names) {
    const std::string_view text = nb::cast<const char*>(name);
    Role role = Role::value;
    if (text == "x" || text == "y" || text == "out") role = Role::array;
    if (text == "map" || text == "predicate") role = Role::map;
    if (text == "queue") role = Role::queue;
    if (text == "wait") role = Role::wait;
    if (text == "done") role = Role::done;
    if (text == "total") role = Role::other;
    const int index = static_cast<int>(parameters_.size());
    if (text == "out") out_ = index;
    if (text == "y") second_ = index;
    if (role == Role::map) map_ = index;
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

bool Function::look_at_arrays(const Given& given, Operands& operands) const {
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    if (parameters_[i].role != Role::array || given[i] == Py_None) continue;
    int index = operands.of(given[i]);
    if (index < 0) {
      index = operands.count;
      if (!look_at(given[i], operands.seen[index])) return false;
      ++operands.count;
    }
    if (static_cast<int>(i) == out_ && operands.seen[index].read_only) return false;
  }
  if (operands.count == 0) return false;
  // A second array of the host and an output have a buffer each.
  const bool twice = out_ >= 0 && second_ >= 0 && given[out_] == given[second_];
  const int index = twice ? operands.of(given[out_]) : -1;
  return index <= 0 || operands.seen[index].kind != Kind::host;
}

std::uint64_t Function::relation_of(const Given& given, const Operands& operands) const {
  if (given[axis_] != Py_None || (keepdims_ >= 0 && given[keepdims_] != Py_False)) return 0;
  const Seen& x = operands.seen[0];
  std::uint64_t relation = 1;
  for (int i = 0; i < operands.count; ++i) {
    const Seen& seen = operands.seen[i];
    if (!seen.flat) return 0;
    if (out_ >= 0 && seen.array == given[out_]) {
      if (seen.dimensions == 1 && seen.size == x.size) relation |= 2;
      if (seen.size == 1) relation |= 4;
      if (relation == 1) return 0;
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
      case Role::array: {
        const int index = operands.of(value);
        key.add(index < 0 ? absent : static_cast<std::uint64_t>(index));
        break;
      }
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
      case Role::other:
        if (value != Py_None) return false;
        break;
    }
  }
  for (int i = 0; i < operands.count; ++i) key.add(operands.seen[i], operands.any_size);
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
  const nb::object shape = call.any_size ? nb::make_tuple(x.size) : call.shape;
  const nb::object made = call.make(nb::handle(x.array), shape);
  Seen& seen = operands.seen[operands.count];
  if (!look_at(made.ptr(), seen)) return false;
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
  Unknown here{known ? &operands : nullptr, text_map, nullptr, unknown};
  unknown = &here;
  nb::object answer = nb::steal(PyObject_Call(full_.ptr(), arguments, named));
  unknown = here.outer;
  if (!answer.is_valid()) throw nb::python_error();
  if (known && here.learned) store(key, std::move(here.learned));
  return answer;
}

namespace {

std::shared_ptr<Handle> handle_in(nb::handle object) {
  const Owner* owner = owner_of(object);
  return owner ? owner->handle : nullptr;
}

/// Whether the package is asked for a call that may become known.
bool wanted() { return unknown != nullptr; }

/// Has the call that the package was asked for become known: as the package made it just now.
void learn(const char* name, std::uintptr_t function, std::uintptr_t options, const nb::list& parts,
           nb::handle queue, nb::handle turn, int form, nb::handle op, nb::handle map,
           nb::handle init, bifold_type type, const nb::list& results, nb::handle finish,
           nb::handle make, nb::handle shape) {
  if (!unknown) return;
  for (nb::handle part : parts) {
    // Classes are known from here on, calls on arrays of them from the next one on.
    const nb::object array = part[0];
    put_kind(nb::handle(reinterpret_cast<PyObject*>(Py_TYPE(array.ptr()))),
             static_cast<Kind>(nb::cast<int>(nb::object(part[1]))));
  }
  if (!unknown->operands) return;
  const auto& asked = *at_address<const bifold_options*>(options);
  const bool any_size = unknown->operands->any_size;
  if (any_size && asked.lines) return;
  auto call = std::make_shared<Call>(name, function, static_cast<Form>(form), asked);
  call->any_size = any_size;
  for (nb::handle part : parts) {
    const nb::object array = part[0];
    Part made{
        unknown->operands->of(array.ptr()),           nb::cast<bifold_type>(nb::object(part[2])),
        nb::cast<std::int64_t>(nb::object(part[3])),  nb::cast<std::uint64_t>(nb::object(part[4])),
        nb::cast<std::uint64_t>(nb::object(part[5])), nb::cast<std::int64_t>(nb::object(part[6])),
        nb::cast<std::uint64_t>(nb::object(part[7]))};
    if (made.array < 0) {
      // The output, which was made for the call.
      Operands& operands = *unknown->operands;
      if (make.is_none() || operands.count == max_arrays) return;
      made.array = operands.count;
      Seen& output = operands.seen[made.array];
      if (!look_at(array.ptr(), output)) return;
      ++operands.count;
      if (operands.any_size && (!output.flat || output.dimensions != 1)) return;
    }
    const Seen& seen = unknown->operands->seen[made.array];
    const auto size = static_cast<std::int64_t>(made.size);
    made.offset -= seen.kind == Kind::opencl ? seen.first_byte / size : seen.first;
    call->parts.push_back(made);
  }
  call->queue = handle_in(queue);
  call->device = handle_in(nb::object(queue.attr("device")));
  call->has_turn = !turn.is_none();
  if (call->has_turn) call->turn = nb::inst_ptr<SharedTurn>(turn)->turn;
  if (nb::isinstance<nb::int_>(op)) {
    call->builtin = at_address<const void*>(nb::cast<std::uintptr_t>(op));
  } else if (!op.is_none()) {
    call->has_op = true;
    call->op = handle_in(op);
  }
  call->has_map = !map.is_none();
  if (call->has_map) {
    const std::shared_ptr<Handle> handle = handle_in(map);
    call->map = handle;
    if (unknown->text_map) call->kept_map = handle;
  }
  if (!init.is_none()) {
    const auto bytes = nb::cast<nb::bytes>(init);
    const auto* data = reinterpret_cast<const std::byte*>(bytes.c_str());
    call->init.assign(data, data + bytes.size());
  }
  call->type = type;
  for (nb::handle result : results) {
    const auto data = nb::cast<std::uintptr_t>(nb::object(result[1]));
    call->results.push_back({nb::object(result[0]), at_address<void*>(data),
                             nb::cast<std::size_t>(nb::object(result[2]))});
  }
  if (!finish.is_none()) call->finish = nb::borrow(finish);
  if (!make.is_none()) call->make = nb::borrow(make);
  call->shape = nb::borrow(shape);
  unknown->learned = std::move(call);
}

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
PyObject* get_function(PyObject* self, PyObject*, PyObject*) {
  Py_INCREF(self);
  return self;
}

PyType_Slot function_slots[] = {{Py_tp_call, reinterpret_cast<void*>(call_function)},
                                {Py_tp_descr_get, reinterpret_cast<void*>(get_function)},
                                {0, nullptr}};

}  // namespace

void define_functions(nb::module_& module) {
  nb::class_<Function>(module, "Function", nb::type_slots(function_slots), nb::dynamic_attr(),
                       nb::is_weak_referenceable())
      .def(nb::init<nb::object, nb::tuple, int, nb::dict>())
      .def("__reduce__", [](nb::handle self) { return nb::object(self.attr("__qualname__")); })
      .def("clear", &Function::clear)
      .def_prop_ro("known", &Function::size);
  module.def("learn", &learn, nb::arg("name"), nb::arg("function"), nb::arg("options"),
             nb::arg("parts"), nb::arg("queue"), nb::arg("turn").none(), nb::arg("form"),
             nb::arg("op").none(), nb::arg("map").none(), nb::arg("init").none(), nb::arg("type"),
             nb::arg("results"), nb::arg("finish").none(), nb::arg("make").none(),
             nb::arg("shape").none());
  module.def("wanted", &wanted);
  module.def("put_kind",
             [](nb::handle type, int kind) { put_kind(type, static_cast<Kind>(kind)); });
  module.def("put_handles", &put_handles);
  module.def("put_place", &put_place);
  module.def("put_dtypes", &put_dtypes);
  module.def("put_event", [](nb::handle type) { event_class = type.inc_ref().ptr(); });
}

}  // namespace bifold::python
