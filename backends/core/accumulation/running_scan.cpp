#include "core/accumulation/running_scan.hpp"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

#include "core/call/find_plan.hpp"
#include "core/call/run_plan.hpp"
#include "core/operators/initial_value.hpp"
#include "core/operators/op.hpp"
#include "core/slices/split.hpp"

namespace bifold::core {

namespace {

[[noreturn]] void refuse(const std::string& why,
                         ErrorCategory category = ErrorCategory::invalid_argument) {
  throw Error(category, "an accumulation " + why);
}

const ScanShape& checked(const ScanShape& shape) {
  if (shape.variant != "production") refuse("runs production alone");
  if (shape.lines) refuse("has no lines");
  if (shape.reverse) refuse("goes from the first element to the last");
  if (shape.on_device.any()) refuse("takes no values from device memory");
  if (!shape.result_map.is_identity()) refuse("has no result map", ErrorCategory::unsupported);
  if (!shape.map.scalars().empty() || !shape.op.scalars().empty()) {
    refuse("takes no scalars", ErrorCategory::unsupported);
  }
  if (!shape.more_outputs.empty()) refuse("has one output", ErrorCategory::unsupported);
  if (!shape.more_inputs.empty()) refuse("of scans takes one array", ErrorCategory::unsupported);
  return shape;
}

}  // namespace

RunningScan::RunningScan(Queue queue, const ScanShape& shape, const std::optional<Value>& init,
                         const AccumulationOptions& options)
    : queue_(std::move(queue)),
      shape_(checked(shape)),
      one_total_(shape.order == Order::any ||
                 operator_for(shape.op, shape.accumulator).exact(shape.accumulator)),
      gives_of_nothing_(
          OperatorAccess::gives_of_nothing(operator_for(shape.op, shape.accumulator))),
      unit_(
          unit_of_scan(operator_for(shape.op, shape.accumulator), shape.accumulator, shape.order)),
      map_(part_map(shape.map)),
      pieces_(shape.input, {}, shape.output, options.piece_bytes, unit_) {
  const Operator& op = operator_for(shape_.op, shape_.accumulator);
  if (init) init_ = initial_value(op, *init, shape_.accumulator);
  if (!init && !gives_of_nothing_ && shape_.kind == ScanKind::exclusive) {
    refuse("that is an exclusive scan by operator " + std::string(op.name()) +
           ", which has no identity, needs an initial value");
  }
  at(terms_, Term::version) = saved_version();
  at(terms_, Term::kind) = 1 + static_cast<std::uint64_t>(shape_.kind);
  at(terms_, Term::order) = static_cast<std::uint64_t>(shape_.order);
  at(terms_, Term::input) = digest_of(shape_.input);
  at(terms_, Term::accumulator) = digest_of(shape_.accumulator);
  at(terms_, Term::output) = digest_of(shape_.output);
  at(terms_, Term::op) = op.id();
  at(terms_, Term::map) = shape_.map.is_identity() ? 0 : shape_.map.id();
  at(terms_, Term::init) = digest_of(init_);
  const auto turn = guard_.enter_anew(queue_);
  guard_.begin_anew();
  memory_ = new_memory();
  if (init_) position_.carry = 0;
  // What is wrong with the shape is told first, also of the chunks behind one that leaves a carry.
  const std::optional<unsigned> first = position_.carry;
  for (const std::optional<unsigned> carry : {first, std::optional(0U)}) {
    position_.carry = carry;
    check({{}, 0, 0, shape_.input, false}, {{}, 0, 0, shape_.output, true});
  }
  position_.carry = first;
}

// With the initial value as the first carry.
RunningScan::Memory RunningScan::new_memory() {
  Memory memory;
  memory.carries = DeviceArray(queue_.device(), 3, shape_.accumulator);
  if (init_) queue_.fill(memory.carries.view(0, 1), *init_);
  return memory;
}

std::uint64_t RunningScan::count() {
  const auto turn = guard_.enter(queue_);
  return position_.n;
}

void RunningScan::check_count(std::uint64_t more) const {
  if (more > ~position_.n) refuse("of more elements than 64 bits count");
}

void RunningScan::check(const ErasedView& chunk, const ErasedView& output) {
  const bool alone = from_nothing(position_);
  const auto plan = find_plan(queue_.device(), Algorithm::scan, "production",
                              {.input = shape_.input,
                               .accumulator = shape_.accumulator,
                               .output = shape_.output,
                               .kind = shape_.kind,
                               .op = shape_.op,
                               .map = map_.map,
                               .on_device = {{}, position_.carry.has_value(), !alone, {}},
                               .order = shape_.order},
                              Caller{queue_.state(), chunk.count});
  ScanOptions options;
  if (position_.carry) options.init_from = memory_.carries.view(*position_.carry, 1);
  if (!alone) options.total = memory_.carries.view(free_place(position_), 1);
  options.scalars = map_.from(0);
  const std::optional<ErasedView> none;
  check_plan(*plan, queue_.device(), {chunk, none, output}, {},
             {options.wait, options.done, options.workspace, options.count_from, options.init_from,
              options.total, options.lines, options.output_lines, options.lines, options.lines_from,
              backend::Ordering::events, options.scalars});
}

void RunningScan::feed(const ErasedView& chunk, const ErasedView& output) {
  const auto turn = guard_.enter(queue_);
  check(chunk, output);
  check_count(chunk.count);
  Position now = position_;
  take(now, chunk, output);
  position_ = now;
}

void RunningScan::feed_host(const void* elements, void* outputs, std::uint64_t count) {
  const auto turn = guard_.enter(queue_);
  check_count(count);
  const auto* const from = static_cast<const std::byte*>(elements);
  auto* const to = static_cast<std::byte*>(outputs);
  const std::uint64_t size = size_of(shape_.input);
  const std::uint64_t output_size = size_of(shape_.output);
  const std::less<> before;
  const bool in_place = from == to && size == output_size;
  if (!in_place && before(from, to + count * output_size) && before(to, from + count * size)) {
    refuse("is fed elements in host memory that its outputs overlap");
  }
  if (count == 0) return;
  Position now = position_;
  try {
    pieces_.run(queue_, now.n, {from, nullptr, to, count},
                [&](const DevicePiece& piece) { take(now, piece.elements, piece.outputs); });
  } catch (...) {
    if (pieces_.loss()) guard_.lose(pieces_.loss());
    throw;
  }
  // A carry from before may have been dropped.
  guard_.waited(queue_, [this] { return queue_.finish(), true; });
  position_ = now;
}

unsigned RunningScan::free_place(const Position& now) const {
  unsigned place = 0;
  while (place == now.carry || place == position_.carry) ++place;
  return place;
}

const DeviceArray& RunningScan::tail(unsigned which) {
  DeviceArray& tail = memory_.tails.at(which);
  if (tail.view().count == 0) tail = DeviceArray(queue_.device(), unit_, shape_.input);
  if (outputs_.view().count == 0) outputs_ = DeviceArray(queue_.device(), unit_, shape_.output);
  return tail;
}

void RunningScan::append(const Position& now, const ErasedView& elements) {
  copy_any(queue_, elements, tail(now.tail).view(unfinished(now), elements.count));
}

// Scans from the carry, and leaves the total of all in a place, which it returns.
unsigned RunningScan::scan(const Position& now, const ErasedView& input, const ErasedView& output) {
  const unsigned place = free_place(now);
  const ErasedView total = memory_.carries.view(place, 1);
  ScanOptions options;
  options.accumulate = shape_.accumulator;
  options.order = shape_.order;
  options.scalars = map_.from(now.n - unfinished(now));
  if (from_nothing(now)) {
    // Such a scan leaves no total. It is the last inclusive value.
    const DeviceArray all(queue_.device(), input.count, shape_.accumulator);
    transform_scan(queue_, ScanKind::inclusive, input, all.view(), shape_.op, {}, map_.map,
                   options);
    queue_.copy(all.view(input.count - 1, 1), total);
  } else {
    if (now.carry) options.init_from = memory_.carries.view(*now.carry, 1);
    options.total = total;
  }
  transform_scan(queue_, shape_.kind, input, output, shape_.op, {}, map_.map, options);
  return place;
}

void RunningScan::take(Position& now, ErasedView chunk, ErasedView output) {
  const auto behind = [&](std::uint64_t count) {
    chunk = part(chunk, count, chunk.count - count);
    output = part(output, count, output.count - count);
    now.n += count;
  };
  if (const std::uint64_t before = unfinished(now); before > 0 && chunk.count > 0) {
    const std::uint64_t count = std::min(unit_ - before, chunk.count);
    append(now, part(chunk, 0, count));
    const unsigned total =
        scan(now, tail(now.tail).view(0, before + count), outputs_.view(0, before + count));
    copy_any(queue_, outputs_.view(before, count), part(output, 0, count));
    behind(count);
    if (unfinished(now) > 0) return;
    now.carry = total;
    now.tail = 1 - position_.tail;
  }
  while (chunk.count >= unit_) {
    const std::uint64_t units = chunk.count / unit_;
    const bool first_alone = from_nothing(now);
    const std::uint64_t count = first_alone ? unit_ : units * unit_;
    now.carry = scan(now, part(chunk, 0, count), part(output, 0, count));
    behind(count);
  }
  if (chunk.count == 0) return;
  append(now, chunk);
  static_cast<void>(scan(now, chunk, output));
  now.n += chunk.count;
}

Value RunningScan::total() {
  const auto turn = guard_.enter(queue_);
  if (position_.n == 0) {
    if (init_) return *init_;
    const Operator& op = operator_for(shape_.op, shape_.accumulator);
    if (!gives_of_nothing_) {
      refuse("of nothing by operator " + std::string(op.name()) + ", which has no identity");
    }
    return op.of_nothing(shape_.accumulator);
  }
  unsigned place = position_.carry.value_or(0);
  if (const std::uint64_t rest = unfinished(position_); rest > 0) {
    place = scan(position_, tail(position_.tail).view(0, rest), outputs_.view(0, rest));
  }
  const std::vector<std::byte> bytes =
      guard_.waited(queue_, [&] { return download(queue_, memory_.carries.view(place, 1)); });
  return Value::from_bytes(shape_.accumulator, bytes.data());
}

std::vector<std::byte> RunningScan::save() {
  const auto turn = guard_.enter(queue_);
  return encode(guard_.waited(queue_, [&] {
    SavedState saved{terms_, position_.n, {}, {}};
    if (position_.carry) {
      saved.values = download(queue_, memory_.carries.view(*position_.carry, 1));
    }
    const std::uint64_t rest = unfinished(position_);
    if (rest > 0) saved.elements = download(queue_, tail(position_.tail).view(0, rest));
    return saved;
  }));
}

void RunningScan::resume(std::span<const std::byte> saved) {
  const auto turn = guard_.enter_anew(queue_);
  const SavedState there = decode(saved, terms_);
  Position position{.n = there.n};
  const std::uint64_t values = carries_value(there.n) ? size_of(shape_.accumulator) : 0;
  const std::uint64_t rest = unfinished(position);
  if (there.values.size() != values || there.elements.size() != rest * size_of(shape_.input)) {
    refuse("cannot go on from the saved state, which has a wrong number of values or elements");
  }
  Memory memory = new_memory();
  if (values > 0) {
    position.carry = 0;
    upload(queue_, memory.carries.view(0, 1), std::vector(there.values));
  }
  std::swap(memory_, memory);
  try {
    if (rest > 0) upload(queue_, tail(0).view(0, rest), std::vector(there.elements));
  } catch (...) {
    std::swap(memory_, memory);
    throw;
  }
  position_ = position;
  guard_.begin_anew();
}

}  // namespace bifold::core
