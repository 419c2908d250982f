#include "call.hpp"

#include <cstring>
#include <mutex>
#include <utility>

#include "events.hpp"

namespace bifold::python {

namespace {

constexpr std::size_t max_element = 64;
constexpr std::size_t max_results = 8;

PyObject* int_ptr() {
  static PyObject* name = PyUnicode_InternFromString("int_ptr");
  return name;
}

bool is_open(const std::shared_ptr<Handle>& handle) { return handle && handle->get(); }

}  // namespace

/// What lasts for a call only.
struct Call::Resources {
  std::array<bifold_event*, 2 * max_events + 1> events;  // Adopted ones first.
  std::size_t adopted_count = 0;
  std::array<bifold_buffer*, max_arrays> buffers{};  // Of each array, owned where adopted.
  std::array<bool, max_arrays> adopted{};
  std::shared_ptr<Handle> queue, device, op, map;
  std::array<std::shared_ptr<Handle>, max_results> maps;  // Of a call with many reductions.
  std::shared_ptr<Turn> turn;                             // Where the call takes turns.
  std::shared_ptr<Left> left;
  bifold_event* done = nullptr;
  void* native_done = nullptr;
  const char* failed = nullptr;  // The function.

  bool adopt_event(bool of_cuda, void* event) {
    if (adopted_count == max_events) return false;
    bifold_event** place = &events[adopted_count];
    const bifold_status status =
        of_cuda ? api().cuda_adopt_event(event, place) : api().opencl_adopt_event(event, place);
    if (status == BIFOLD_OK) ++adopted_count;
    return status == BIFOLD_OK;
  }

  /// The events of an array of PyOpenCL. False: there are too many or some that are none.
  bool adopt_events(const Seen& seen) {
    for (Py_ssize_t i = 0; i < seen.event_count; ++i) {
      PyObject* event = PyList_GetItem(seen.events.ptr(), i);
      if (event && left && left->has(event)) continue;
      const nb::object number = nb::steal(event ? PyObject_GetAttr(event, int_ptr()) : nullptr);
      void* pointer = number.is_valid() ? PyLong_AsVoidPtr(number.ptr()) : nullptr;
      PyErr_Clear();
      if (!pointer || !adopt_event(false, pointer)) return false;
    }
    return true;
  }

  bifold_status adopt(const Seen& seen, const Part& part, std::uint64_t count, bool read) {
    const int i = part.array;
    if (buffers[i]) return BIFOLD_OK;
    if (seen.kind == Kind::own) {
      buffers[i] = at_address<bifold_buffer*>(seen.memory);
      return BIFOLD_OK;
    }
    adopted[i] = true;
    if (seen.kind == Kind::host) {
      failed = "bifold_buffer_create";
      const auto* on = static_cast<const bifold_device*>(device->get());
      const bifold_status status = api().buffer_create(on, count * part.size, &buffers[i]);
      if (status != BIFOLD_OK || !read) return status;
      failed = "bifold_upload";
      return api().upload(static_cast<bifold_queue*>(queue->get()),
                          at_address<const void*>(seen.memory), {buffers[i], part.type, 0, count});
    }
    if (seen.kind == Kind::opencl) {
      failed = "bifold_opencl_adopt_buffer";
      return api().opencl_adopt_buffer(at_address<void*>(seen.memory), &buffers[i]);
    }
    failed = "bifold_cuda_adopt_buffer";
    const std::uint64_t start = seen.memory + static_cast<std::uint64_t>(part.low);
    const std::uint64_t bytes = count == part.count ? part.bytes : count * part.size;
    // PyTorch has tensors within their memory, and the key of a call has the device.
    const auto adopting =
        seen.kind == Kind::torch ? api().cuda_adopt_known_buffer : api().cuda_adopt_buffer;
    return adopting(start, bytes, &buffers[i]);
  }

  void give_back(bool keeps_done) {
    for (int i = 0; i < max_arrays; ++i) {
      if (adopted[i]) api().buffer_destroy(std::exchange(buffers[i], nullptr));
      adopted[i] = false;
    }
    for (std::size_t i = 0; i < adopted_count; ++i) api().event_destroy(events[i]);
    adopted_count = 0;
    if (!keeps_done) api().event_destroy(std::exchange(done, nullptr));
  }
};

Call::Call(std::string name, std::uintptr_t function, Form form, const bifold_options& options)
    : name_(std::move(name)),
      function_(function),
      form_(form),
      options_(options),
      scalars_(options) {
  scalars_.declare(options_);
  options_.struct_size = sizeof options_;
  if (options.variant) {
    variant_ = options.variant;
    options_.variant = variant_.c_str();
  }
  if (options.result_map) {
    result_map_ = options.result_map;
    options_.result_map = result_map_.c_str();
  }
  outputs_.assign(options.more_outputs, options.more_outputs + options.more_output_count);
  output_maps_.reserve(outputs_.size());
  for (bifold_output& output : outputs_) {
    output.view = {};
    if (output.result_map) output.result_map = output_maps_.emplace_back(output.result_map).c_str();
  }
  options_.more_outputs = nullptr;
  if (options.accumulate) {
    accumulate_ = *options.accumulate;
    options_.accumulate = &accumulate_;
  }
  const bifold_lines** all[] = {&options_.lines, &options_.output_lines, &options_.second_lines};
  for (int i = 0; i < 3; ++i) {
    if (*all[i]) *all[i] = &(lines_[i] = **all[i]);
  }
  options_.wait = nullptr;
  options_.wait_count = 0;
  options_.done = nullptr;
  options_.workspace = nullptr;
  options_.count_from = options_.init_from = options_.total = options_.lines_from = nullptr;
}

bifold_status Call::enqueue(const Operands& operands, Resources& used, bifold_options options,
                            std::byte* elements) const {
  std::array<bifold_view, max_arrays> views;
  std::array<bifold_output, max_arrays> outputs;
  std::copy(outputs_.begin(), outputs_.end(), outputs.begin());
  std::size_t beside = 0;
  options.more_outputs = outputs.data();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Part& part = parts[i];
    const Seen& seen = operands.seen[part.array];
    const std::uint64_t count = count_of(part, operands);
    const bifold_status status = used.adopt(seen, part, count, !part.written());
    if (status != BIFOLD_OK) return status;
    const std::int64_t first = seen.kind == Kind::opencl
                                   ? seen.first_byte / static_cast<std::int64_t>(part.size)
                                   : seen.first;
    views[i] = {used.buffers[part.array], part.type,
                static_cast<std::uint64_t>(first + part.offset), count};
    if (part.use == Use::init) options.init_from = &views[i];
    if (part.use == Use::total) options.total = &views[i];
    if (part.use == Use::count) options.count_from = &views[i];
    if (part.use == Use::output_beside) outputs[beside++].view = views[i];
  }
  auto* end = used.events.data() + used.adopted_count;
  for (const auto& event : operands.wait) *end++ = static_cast<bifold_event*>(event->get());
  if (used.turn && used.turn->last()) *end++ = used.turn->last();
  options.wait = used.events.data();
  options.wait_count = static_cast<std::size_t>(end - used.events.data());
  used.failed = name_.c_str();
  return call(used, views.data(), elements, options);
}

bifold_status Call::call(const Resources& used, const bifold_view* views, std::byte* elements,
                         const bifold_options& options) const {
  auto* on = static_cast<bifold_queue*>(used.queue->get());
  const void* first = used.op ? used.op->get() : builtin;
  const auto* by = static_cast<const bifold_operator*>(first);
  const auto* plan = static_cast<const bifold_plan*>(first);
  const auto* mapped = static_cast<const bifold_map*>(used.map ? used.map->get() : nullptr);
  const void* start = init.empty() ? nullptr : init.data();
  switch (form_) {
    case Form::into:
      return at_address<decltype(&bifold_reduce_into)>(function_)(on, views[0], views[1], by, start,
                                                                  &options);
    case Form::map_into:
      return at_address<decltype(&bifold_transform_reduce_into)>(function_)(
          on, views[0], views[1], by, mapped, start, &options);
    case Form::pairs_into:
      return at_address<decltype(&bifold_transform_reduce_pairs_into)>(function_)(
          on, views[0], views[1], views[2], by, mapped, start, &options);
    case Form::reduce:
      return at_address<decltype(&bifold_reduce)>(function_)(on, views[0], by, type, start,
                                                             elements, &options);
    case Form::map_reduce:
      return at_address<decltype(&bifold_transform_reduce)>(function_)(
          on, views[0], by, mapped, type, start, elements, &options);
    case Form::pairs_reduce:
      return at_address<decltype(&bifold_transform_reduce_pairs)>(function_)(
          on, views[0], views[1], by, mapped, type, start, elements, &options);
    case Form::sum:
      return at_address<decltype(&bifold_sum_compensated)>(function_)(on, views[0], type, start,
                                                                      elements, &options);
    case Form::product:
      return at_address<decltype(&bifold_inner_product)>(function_)(on, views[0], views[1], type,
                                                                    start, elements, &options);
    case Form::count: {
      auto* count = reinterpret_cast<std::uint64_t*>(elements);
      return at_address<decltype(&bifold_count_if)>(function_)(on, views[0], mapped, count,
                                                               &options);
    }
    case Form::found_into:
      return at_address<decltype(&bifold_argmin_into)>(function_)(on, views[0], views[1], &options);
    case Form::count_into:
      return at_address<decltype(&bifold_count_if_into)>(function_)(on, views[0], views[1], mapped,
                                                                    &options);
    case Form::sum_into:
      return at_address<decltype(&bifold_sum_compensated_into)>(function_)(on, views[0], views[1],
                                                                           start, &options);
    case Form::two:
      return at_address<decltype(&bifold_minmax)>(function_)(on, views[0], elements,
                                                             elements + max_element, &options);
    case Form::many: return reduce_many(used, views[0], elements, options);
    case Form::plan:
      return at_address<decltype(&bifold_plan_run)>(function_)(plan, on, views[0], views[1], start,
                                                               &options);
    case Form::plan_pairs:
      return at_address<decltype(&bifold_plan_run_pairs)>(function_)(plan, on, views[0], views[1],
                                                                     views[2], start, &options);
  }
  return BIFOLD_INVALID_ARGUMENT;
}

bifold_status Call::reduce_many(const Resources& used, const bifold_view& input,
                                std::byte* elements, const bifold_options& options) const {
  std::array<bifold_reduction, max_results> table;
  for (std::size_t i = 0; i < reductions.size(); ++i) {
    const Reduced& one = reductions[i];
    table[i] = {static_cast<const bifold_operator*>(one.builtin),
                static_cast<const bifold_map*>(used.maps[i] ? used.maps[i]->get() : nullptr),
                one.init.empty() ? nullptr : one.init.data(), elements + i * max_element, one.type};
  }
  return at_address<decltype(&bifold_reduce_many)>(function_)(
      static_cast<bifold_queue*>(used.queue->get()), input, table.data(), reductions.size(),
      &options);
}

bifold_status Call::enqueue_in_turn(const Operands& operands, Resources& used,
                                    const bifold_options& options, std::byte* elements) const {
  if (!used.turn) {
    const bifold_status status = enqueue(operands, used, options, elements);
    return status == BIFOLD_OK ? hand_on(operands, used) : status;
  }
  const std::lock_guard lock(*used.turn);
  bifold_status status = enqueue(operands, used, options, elements);
  bool doubtful = !used.turn->last();
  // Not of an array of the host, whose elements no graph takes.
  const bool refused = status == BIFOLD_UNSUPPORTED && used.failed == name_.c_str();
  if (refused && !doubtful) {
    // Into a graph, maybe, which takes no event from outside, and orders its launches itself.
    const std::shared_ptr<Turn> taken = std::exchange(used.turn, nullptr);
    status = enqueue(operands, used, options, elements);
    used.turn = taken;
    doubtful = true;
  }
  if (status == BIFOLD_OK) status = hand_on(operands, used);
  if (status == BIFOLD_OK && used.done && !(doubtful && is_in_graph(used.done))) {
    status = pass_turn(operands, used);
  }
  return status;
}

bifold_status Call::check_not_captured(const Operands& operands, Resources& used) const {
  bool fetched = false;
  for (const Part& part : parts) {
    if (operands.seen[part.array].kind != Kind::host) continue;
    if (!part.written()) return BIFOLD_OK;  // Its upload is refused.
    fetched = true;
  }
  if (!on_cuda || !fetched) return BIFOLD_OK;
  used.failed = "bifold_queue_record";
  bifold_event* now = nullptr;
  bifold_status status = api().queue_record(static_cast<bifold_queue*>(used.queue->get()), &now);
  if (status != BIFOLD_OK) return status;
  used.failed = "bifold_event_complete";
  bool complete = false;
  status = api().event_complete(now, &complete);
  api().event_destroy(now);
  return status;
}

bifold_status Call::hand_on(const Operands& operands, Resources& used) const {
  for (const Part& part : parts) {
    if (!part.written()) continue;
    const Seen& seen = operands.seen[part.array];
    if (seen.kind == Kind::host) {
      used.failed = "bifold_download";
      const bifold_status status =
          api().download(static_cast<bifold_queue*>(used.queue->get()),
                         {used.buffers[part.array], part.type, 0, count_of(part, operands)},
                         at_address<void*>(seen.memory));
      if (status != BIFOLD_OK) return status;
    }
    if (seen.kind == Kind::opencl && used.done && !used.native_done) {
      used.failed = "bifold_opencl_native_event";
      const bifold_status status = api().opencl_native_event(used.done, &used.native_done);
      if (status != BIFOLD_OK) return status;
    }
  }
  return BIFOLD_OK;
}

bifold_status Call::pass_turn(const Operands& operands, Resources& used) {
  if (!operands.done) {
    used.turn->put(std::exchange(used.done, nullptr));
    return BIFOLD_OK;
  }
  // One of its own, as users may close theirs.
  used.failed = "bifold_queue_record";
  bifold_event* last = nullptr;
  const bifold_status status =
      api().queue_record(static_cast<bifold_queue*>(used.queue->get()), &last);
  if (status == BIFOLD_OK) used.turn->put(last);
  return status;
}

bool Call::take(Operands& operands, Resources& used) const {
  used.queue = queue.lock();
  used.op = op.lock();
  used.map = map.lock();
  used.left = left.lock();
  if (!is_open(used.queue) || (has_op && !is_open(used.op)) || (has_map && !is_open(used.map))) {
    return false;
  }
  // Nobody else works in a workspace, whatever stream is behind the number.
  if (has_turn && !operands.workspace) {
    used.turn = turn.lock();
    if (!used.turn) return false;
  }
  for (std::size_t i = 0; i < reductions.size(); ++i) {
    used.maps[i] = reductions[i].map.lock();
    if (reductions[i].has_map && !is_open(used.maps[i])) return false;
  }
  for (const Part& part : parts) {
    const Seen& seen = operands.seen[part.array];
    if (seen.first_byte % static_cast<std::int64_t>(part.size) != 0) return false;
  }
  for (int i = 0; i < operands.count; ++i) {
    if (operands.seen[i].gaps && !close_gaps(operands.seen[i])) return false;
    if (operands.seen[i].kind == Kind::host && !used.device) {
      used.device = device.lock();
      if (!is_open(used.device)) return false;
    }
    if (!used.adopt_events(operands.seen[i])) return false;
  }
  for (const Foreign& event : operands.foreign) {
    if (!used.adopt_event(event.of_cuda, event.event)) return false;
  }
  return true;
}

bool Call::run(Operands& operands, PyObject* output, nb::object& answer) const {
  Resources used;
  if (!take(operands, used)) {
    used.give_back(false);
    return false;
  }
  alignas(16) std::array<std::byte, max_results * max_element> elements;
  bifold_options options = options_;
  PutScalars scalars;
  if (!scalars_.empty() && !scalars_.put(operands.scalars, scalars, options)) {
    used.give_back(false);
    return false;
  }
  bool wanted = used.turn || operands.done;
  for (const Part& part : parts) {
    if (part.written() && operands.seen[part.array].kind == Kind::opencl) wanted = true;
  }
  if (wanted) options.done = &used.done;
  if (operands.workspace) {
    options.workspace = static_cast<const bifold_workspace*>(operands.workspace->get());
  }
  bifold_status status = BIFOLD_OK;
  if (used.turn) used.turn->renew();
  {
    const Released released;
    status = check_not_captured(operands, used);
    if (status == BIFOLD_OK) status = enqueue_in_turn(operands, used, options, elements.data());
    if (status == BIFOLD_OK) used.give_back(operands.done != nullptr);
  }
  if (status != BIFOLD_OK) {
    try {
      raise(status, used.failed);
    } catch (...) {
      const Released released;  // Memory may be waited for.
      used.give_back(false);
      throw;
    }
  }
  if (operands.done) {
    // The Event destroys it from here on.
    const auto done = reinterpret_cast<std::uintptr_t>(std::exchange(used.done, nullptr));
    nb::handle(operands.done).attr("_put")(done);
  }
  if (used.native_done) {
    const nb::object event = event_of_opencl(used.native_done);
    for (const Part& part : parts) {
      const Seen& seen = operands.seen[part.array];
      if (part.written() && seen.kind == Kind::opencl) put_event(seen, event);
    }
    if (used.left) used.left->put(event);
  }
  answer = results.empty() ? answer_of(output) : answer_of(elements.data());
  return true;
}

nb::object Call::answer_of(PyObject* output) const {
  if (!finish.is_valid()) return nb::borrow(output);
  nb::object answer = nb::steal(PyObject_Vectorcall(finish.ptr(), &output, 1, nullptr));
  if (!answer.is_valid()) throw nb::python_error();
  return answer;
}

nb::object Call::answer_of(const std::byte* elements) const {
  std::array<nb::object, max_results> scalars;
  std::array<PyObject*, max_results> given;
  for (std::size_t i = 0; i < results.size(); ++i) {
    std::memcpy(results[i].data, elements + i * max_element, results[i].bytes);
    scalars[i] = nb::steal(PySequence_GetItem(results[i].array.ptr(), 0));
    if (!scalars[i].is_valid()) throw nb::python_error();
    given[i] = scalars[i].ptr();
  }
  if (!finish.is_valid()) return std::move(scalars[0]);
  nb::object answer =
      nb::steal(PyObject_Vectorcall(finish.ptr(), given.data(), results.size(), nullptr));
  if (!answer.is_valid()) throw nb::python_error();
  return answer;
}

}  // namespace bifold::python
