#include "call.hpp"

#include <cstring>
#include <utility>

namespace bifold::python {

namespace {

constexpr std::size_t max_element = 64;

PyObject* int_ptr() {
  static PyObject* name = PyUnicode_InternFromString("int_ptr");
  return name;
}

/// Gives an array of PyOpenCL the completion of the call that writes it.
void put_event(PyObject* array, void* event) {
  static PyObject* from_int_ptr = nullptr;
  if (!from_int_ptr) {
    nb::object found = nb::module_::import_("pyopencl").attr("Event").attr("from_int_ptr");
    from_int_ptr = found.release().ptr();
  }
  const auto pointer = reinterpret_cast<std::uintptr_t>(event);
  nb::handle(array).attr("add_event")(nb::handle(from_int_ptr)(pointer, false));
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
  std::shared_ptr<Turn> turn;
  bifold_event* done = nullptr;
  void* native_done = nullptr;
  const char* failed = nullptr;  // The function.

  /// The events of an array of PyOpenCL. False: there are too many or some that are none.
  bool adopt_events(const Seen& seen) {
    if (!seen.events.is_valid()) return true;
    const Py_ssize_t count = PyList_Size(seen.events.ptr());
    for (Py_ssize_t i = 0; i < count; ++i) {
      PyObject* event = PyList_GetItem(seen.events.ptr(), i);
      const nb::object number = nb::steal(PyObject_GetAttr(event, int_ptr()));
      void* pointer = number.is_valid() ? PyLong_AsVoidPtr(number.ptr()) : nullptr;
      PyErr_Clear();
      if (!pointer || adopted_count == max_events ||
          api().opencl_adopt_event(pointer, &events[adopted_count]) != BIFOLD_OK) {
        return false;
      }
      ++adopted_count;
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
    return api().cuda_adopt_buffer(start, bytes, &buffers[i]);
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
    : name_(std::move(name)), function_(function), form_(form), options_(options) {
  if (options.variant) {
    variant_ = options.variant;
    options_.variant = variant_.c_str();
  }
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
}

bifold_status Call::enqueue(const Operands& operands, Resources& used, bifold_options& options,
                            std::byte* elements) const {
  std::array<bifold_view, max_arrays> views;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Part& part = parts[i];
    const Seen& seen = operands.seen[part.array];
    const bool read = !results.empty() || i + 1 < parts.size();
    const std::uint64_t count = count_of(part, operands);
    const bifold_status status = used.adopt(seen, part, count, read);
    if (status != BIFOLD_OK) return status;
    const std::int64_t first = seen.kind == Kind::opencl
                                   ? seen.first_byte / static_cast<std::int64_t>(part.size)
                                   : seen.first;
    views[i] = {used.buffers[part.array], part.type,
                static_cast<std::uint64_t>(first + part.offset), count};
  }
  auto* end = used.events.data() + used.adopted_count;
  for (const auto& event : operands.wait) *end++ = static_cast<bifold_event*>(event->get());
  if (used.turn && used.turn->last()) *end++ = used.turn->last();
  options.wait = used.events.data();
  options.wait_count = static_cast<std::size_t>(end - used.events.data());

  used.failed = name_.c_str();
  auto* on = static_cast<bifold_queue*>(used.queue->get());
  const auto* by = static_cast<const bifold_operator*>(used.op ? used.op->get() : builtin);
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
    case Form::two:
      return at_address<decltype(&bifold_minmax)>(function_)(on, views[0], elements,
                                                             elements + max_element, &options);
  }
  return BIFOLD_INVALID_ARGUMENT;
}

bifold_status Call::hand_on(const Operands& operands, PyObject* output, Resources& used) const {
  const int written = operands.of(output);
  if (written >= 0 && operands.seen[written].kind == Kind::host) {
    used.failed = "bifold_download";
    const Part& part = parts.back();
    const bifold_status status =
        api().download(static_cast<bifold_queue*>(used.queue->get()),
                       {used.buffers[written], part.type, 0, count_of(part, operands)},
                       at_address<void*>(operands.seen[written].memory));
    if (status != BIFOLD_OK) return status;
  }
  if (!used.done) return BIFOLD_OK;
  if (written >= 0 && operands.seen[written].kind == Kind::opencl) {
    used.failed = "bifold_opencl_native_event";
    return api().opencl_native_event(used.done, &used.native_done);
  }
  if (!has_turn) return BIFOLD_OK;
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

bool Call::run(Operands& operands, PyObject* output, nb::object& answer) const {
  Resources used;
  used.queue = queue.lock();
  if (!is_open(used.queue)) return false;
  used.op = op.lock();
  used.map = map.lock();
  used.turn = turn.lock();
  if (has_op && !is_open(used.op)) return false;
  if (has_map && !is_open(used.map)) return false;
  if (has_turn && !used.turn) return false;
  bool wanted = has_turn || operands.done;
  for (const Part& part : parts) {
    const Seen& seen = operands.seen[part.array];
    if (seen.first_byte % static_cast<std::int64_t>(part.size) != 0) return false;
    if (seen.kind == Kind::opencl && seen.array == output) wanted = true;
  }
  bool host = false;
  for (int i = 0; i < operands.count; ++i) {
    if (operands.seen[i].kind == Kind::host) host = true;
    if (!used.adopt_events(operands.seen[i])) {
      used.give_back(false);
      return false;
    }
  }
  if (host) used.device = device.lock();
  if (host && !is_open(used.device)) {
    used.give_back(false);
    return false;
  }
  alignas(16) std::array<std::byte, 2 * max_element> elements;
  bifold_options options = options_;
  if (wanted) options.done = &used.done;
  bifold_status status = BIFOLD_OK;
  if (has_turn) used.turn->renew();
  {
    const Released released;
    if (has_turn) used.turn->lock();
    status = enqueue(operands, used, options, elements.data());
    if (status == BIFOLD_OK) status = hand_on(operands, output, used);
    if (has_turn) used.turn->unlock();
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
  if (used.native_done) put_event(output, used.native_done);
  if (results.empty()) {
    answer = nb::borrow(output);
    return true;
  }
  std::array<nb::object, 2> scalars;
  for (std::size_t i = 0; i < results.size(); ++i) {
    std::memcpy(results[i].data, elements.data() + i * max_element, results[i].bytes);
    scalars[i] = nb::steal(PySequence_GetItem(results[i].array.ptr(), 0));
    if (!scalars[i].is_valid()) throw nb::python_error();
  }
  if (!finish.is_valid()) {
    answer = std::move(scalars[0]);
  } else {
    answer = results.size() == 1 ? finish(scalars[0]) : finish(scalars[0], scalars[1]);
  }
  return true;
}

}  // namespace bifold::python
