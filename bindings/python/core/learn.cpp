// A call of the package becomes one that is known.
#include <utility>

#include "function.hpp"

namespace bifold::python {

namespace {

std::shared_ptr<Handle> handle_in(nb::handle object) {
  const Owner* owner = owner_of(object);
  return owner ? owner->handle : nullptr;
}

std::vector<std::byte> bytes_of(nb::handle init) {
  if (init.is_none()) return {};
  const auto bytes = nb::cast<nb::bytes>(init);
  const auto* data = reinterpret_cast<const std::byte*>(bytes.c_str());
  return {data, data + bytes.size()};
}

template <class T>
T at(nb::handle tuple, int index) {
  return nb::cast<T>(nb::object(tuple[index]));
}

/// Classes are known from here on, calls on arrays of them from the next one on.
void put_kinds(const nb::list& parts) {
  for (nb::handle part : parts) {
    const nb::object array = part[0];
    put_kind(nb::handle(reinterpret_cast<PyObject*>(Py_TYPE(array.ptr()))),
             static_cast<Kind>(at<int>(part, 1)));
  }
}

/// What each array contributes. False: a call on others like them would not be the same.
bool put_parts(Call& call, const nb::list& parts, bool makes, Operands& operands) {
  for (nb::handle part : parts) {
    const nb::object array = part[0];
    Part made{operands.of(array.ptr()),   static_cast<Use>(at<int>(part, 2)),
              at<bifold_type>(part, 3),   at<std::int64_t>(part, 4),
              at<std::uint64_t>(part, 5), at<std::uint64_t>(part, 6),
              at<std::int64_t>(part, 7),  at<std::uint64_t>(part, 8)};
    if (made.array < 0) {
      // The output, which was made for the call.
      if (!makes || made.use != Use::output || operands.count == max_arrays) return false;
      made.array = operands.count;
      Seen& output = operands.seen[made.array];
      if (!look_at(array.ptr(), output)) return false;
      ++operands.count;
      // It is as long as the input, or one element.
      if (operands.any_size && (!output.flat || output.dimensions > 1)) return false;
    }
    const Seen& seen = operands.seen[made.array];
    const auto size = static_cast<std::int64_t>(made.size);
    made.offset -= seen.kind == Kind::opencl ? seen.first_byte / size : seen.first;
    call.parts.push_back(made);
  }
  return true;
}

/// The reductions of reduce_many().
void put_reductions(Call& call, const nb::list& reductions) {
  for (nb::handle one : reductions) {
    const nb::object map = one[1];
    const std::shared_ptr<Handle> handle = map.is_none() ? nullptr : handle_in(map);
    const bool keeps = at<bool>(one, 2);
    call.reductions.push_back({at_address<const void*>(at<std::uintptr_t>(one, 0)), handle,
                               keeps ? handle : nullptr, handle != nullptr,
                               bytes_of(nb::object(one[3])), at<bifold_type>(one, 4)});
  }
}

/// Has the call that the package was asked for become known: as the package made it just now.
void learn(const char* name, std::uintptr_t function, std::uintptr_t options, const nb::list& parts,
           nb::handle queue, nb::handle turn, int form, nb::handle op, nb::handle map,
           nb::handle init, const nb::list& results, const nb::list& reductions, nb::handle finish,
           nb::handle make, nb::handle shape) {
  Unknown* const unknown = asked_for();
  if (!unknown) return;
  put_kinds(parts);
  if (!unknown->operands) return;
  const auto& asked = *at_address<const bifold_options*>(options);
  auto call = std::make_shared<Call>(name, function, static_cast<Form>(form), asked);
  call->any_size = unknown->operands->any_size;
  if (call->any_size && asked.lines) return;
  if (!put_parts(*call, parts, !make.is_none(), *unknown->operands)) return;
  call->queue = handle_in(queue);
  const nb::object device = queue.attr("device");
  call->device = handle_in(device);
  const nb::object backend = device.attr("info").attr("backend");
  call->on_cuda = PyUnicode_CompareWithASCIIString(backend.ptr(), "cuda") == 0;
  call->has_turn = !turn.is_none();
  if (call->has_turn) call->turn = nb::inst_ptr<SharedTurn>(turn)->turn;
  const nb::object left = queue.attr("left");
  if (!left.is_none()) call->left = nb::inst_ptr<SharedLeft>(left)->left;
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
  call->init = bytes_of(init);
  for (nb::handle result : results) {
    call->type = at<bifold_type>(result, 3);
    call->results.push_back({nb::object(result[0]),
                             at_address<void*>(at<std::uintptr_t>(result, 1)),
                             at<std::size_t>(result, 2)});
  }
  put_reductions(*call, reductions);
  if (!finish.is_none()) call->finish = nb::borrow(finish);
  if (!make.is_none()) call->make = nb::borrow(make);
  const bool as_long = call->any_size && !shape.is_none() && nb::len(shape) == 1;
  call->shape = as_long ? nb::none() : nb::borrow(shape);
  unknown->learned = std::move(call);
}

}  // namespace

void define_learning(nb::module_& module) {
  nb::class_<SharedLeft>(module, "Left").def(nb::init<>());
  module.def("wanted", [] { return asked_for() != nullptr; });
  module.def("learn", &learn, nb::arg("name"), nb::arg("function"), nb::arg("options"),
             nb::arg("parts"), nb::arg("queue"), nb::arg("turn").none(), nb::arg("form"),
             nb::arg("op").none(), nb::arg("map").none(), nb::arg("init").none(),
             nb::arg("results"), nb::arg("reductions"), nb::arg("finish").none(),
             nb::arg("make").none(), nb::arg("shape").none());
}

}  // namespace bifold::python
