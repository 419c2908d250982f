#include "core/accumulation/running_reduction.hpp"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "core/call/find_plan.hpp"
#include "core/call/run_plan.hpp"
#include "core/device/ranges.hpp"
#include "core/operators/initial_value.hpp"
#include "core/operators/op.hpp"

namespace bifold::core {

namespace {

// Of each level of the tree two pairs of siblings; of totals three pairs lie in the same memory.
constexpr std::uint64_t levels = 64;
constexpr std::uint64_t values_of_level = 4;

FedElements part(const FedElements& fed, std::uint64_t offset, std::uint64_t count) {
  FedElements elements{core::part(fed.x, offset, count)};
  if (fed.y) elements.y = core::part(*fed.y, offset, count);
  return elements;
}

[[noreturn]] void refuse(const std::string& why,
                         ErrorCategory category = ErrorCategory::invalid_argument) {
  throw Error(category, "an accumulation " + why);
}

const ReduceShape& checked(const ReduceShape& shape) {
  if (shape.variant != "production") refuse("runs production alone");
  if (shape.lines) refuse("has no lines");
  if (shape.segments || shape.keys) refuse("has no segments or keys");
  if (shape.on_device.any()) refuse("takes no values from device memory");
  if (!shape.result_map.is_identity()) refuse("has no result map", ErrorCategory::unsupported);
  if (!shape.map.scalars().empty() || !shape.op.scalars().empty()) {
    refuse("takes no scalars", ErrorCategory::unsupported);
  }
  if (!shape.more_outputs.empty()) refuse("has one output", ErrorCategory::unsupported);
  if (!shape.more_inputs.empty()) refuse("takes no more_inputs", ErrorCategory::unsupported);
  return shape;
}

}  // namespace

RunningReduction::RunningReduction(Queue queue, const ReduceShape& shape,
                                   const std::optional<Value>& init,
                                   const AccumulationOptions& options, bool indexed)
    : queue_(std::move(queue)),
      shape_(checked(shape)),
      one_total_(indexed || shape.order == Order::any ||
                 operator_for(shape.op, shape.accumulator).exact(shape.accumulator)),
      unit_(one_total_ ? 1
                       : unit_of_reduction(operator_for(shape.op, shape.accumulator),
                                           shape.accumulator, shape.order)),
      map_(part_map(shape.map)),
      pieces_(shape.input, shape.second, {}, options.piece_bytes, unit_) {
  const Operator& op = operator_for(shape_.op, shape_.accumulator);
  if (init) init_ = initial_value(op, *init, shape_.accumulator);
  at(terms_, Term::version) = saved_version();
  at(terms_, Term::order) = static_cast<std::uint64_t>(shape_.order);
  at(terms_, Term::input) = digest_of(shape_.input);
  at(terms_, Term::second) = digest_of(shape_.second);
  at(terms_, Term::accumulator) = digest_of(shape_.accumulator);
  at(terms_, Term::output) = digest_of(result_type());
  at(terms_, Term::op) = op.id();
  at(terms_, Term::map) = shape_.map.is_identity() ? 0 : shape_.map.id();
  at(terms_, Term::init) = digest_of(init_);
  const auto turn = guard_.enter_anew(queue_);
  guard_.begin_anew();
  // What is wrong with the shape is told first.
  const auto plan = [&](Type input, const Map& map, Type result, std::optional<Type> second = {}) {
    static_cast<void>(find_plan(queue_.device(), Algorithm::reduce, "production",
                                {.input = input,
                                 .accumulator = shape_.accumulator,
                                 .output = result,
                                 .op = shape_.op,
                                 .map = map,
                                 .order = shape_.order,
                                 .second = second},
                                Caller{queue_.state(), 1}));
  };
  plan(shape_.input, map_.map, shape_.accumulator, shape_.second);
  plan(shape_.accumulator, {}, result_type());
  if (result_type() != shape_.accumulator) {
    plan(shape_.accumulator, {}, shape_.accumulator);
    plan(shape_.input, map_.map, result_type(), shape_.second);
  }
  memory_ = new_memory();
}

RunningReduction::Memory RunningReduction::new_memory() const {
  Memory memory;
  memory.values = DeviceArray(queue_.device(), levels * values_of_level, shape_.accumulator);
  if (one_total_) return memory;
  for (DeviceArray& tail : memory.tails) tail = DeviceArray(queue_.device(), unit_, shape_.input);
  if (!shape_.second) return memory;
  for (DeviceArray& tail : memory.second_tails) {
    tail = DeviceArray(queue_.device(), unit_, *shape_.second);
  }
  return memory;
}

std::uint64_t RunningReduction::count() {
  const auto turn = guard_.enter(queue_);
  return position_.n;
}

void RunningReduction::check_count(std::uint64_t more) const {
  if (more > ~position_.n) refuse("of more elements than 64 bits count");
}

void RunningReduction::check_second(bool given) const {
  if (given == shape_.second.has_value()) return;
  refuse(given ? "of one array is fed two" : "of two arrays is fed one");
}

void RunningReduction::feed(const FedElements& chunk) {
  const auto turn = guard_.enter(queue_);
  const auto check = [this](const ErasedView& view, Type wanted, const char* role) {
    check_view(queue_.device(), view, Access::read, role);
    if (view.type == wanted) return;
    refuse("of " + std::string(name_of(wanted)) + " is fed " + std::string(name_of(view.type)));
  };
  check(chunk.x, shape_.input, "input");
  check_second(chunk.y.has_value());
  if (chunk.y && shape_.second) {
    check(*chunk.y, *shape_.second, "second");
    if (chunk.y->count != chunk.x.count) {
      refuse("is fed " + std::to_string(chunk.x.count) + " elements, and of the second array " +
             std::to_string(chunk.y->count));
    }
  }
  check_count(chunk.x.count);
  Position now = position_;
  take(now, chunk);
  position_ = now;
}

void RunningReduction::feed_host(const void* elements, const void* seconds, std::uint64_t count) {
  const auto turn = guard_.enter(queue_);
  check_second(seconds != nullptr || (count == 0 && shape_.second));
  check_count(count);
  if (count == 0) return;
  Position now = position_;
  const HostArrays arrays{static_cast<const std::byte*>(elements),
                          static_cast<const std::byte*>(seconds), nullptr, count};
  try {
    pieces_.run(queue_, now.n, arrays, [&](const DevicePiece& piece) {
      FedElements fed{piece.elements};
      if (shape_.second) fed.y = piece.second;
      take(now, fed);
    });
  } catch (...) {
    if (pieces_.loss()) guard_.lose(pieces_.loss());
    throw;
  }
  position_ = now;
}

void RunningReduction::reduce(const ErasedView& input, const Map& map, const ErasedView& result,
                              const std::optional<Value>& init,
                              const std::optional<ErasedView>& second,
                              const std::vector<Scalar>& scalars) {
  std::optional<Type> second_type;
  if (second) second_type = second->type;
  const auto plan = find_plan(queue_.device(), Algorithm::reduce, "production",
                              {.input = input.type,
                               .accumulator = shape_.accumulator,
                               .output = result.type,
                               .op = shape_.op,
                               .map = map,
                               .order = shape_.order,
                               .second = second_type},
                              Caller{queue_.state(), input.count});
  const ReduceOptions none;
  run_plan(*plan, queue_, {input, second, result}, init,
           {none.wait, none.done, none.workspace, none.count_from, none.init_from, none.init_from,
            none.lines, none.result_lines, none.second_lines, none.lines_from,
            backend::Ordering::events, scalars});
}

// Elements of the array from number `first` on.
void RunningReduction::reduce_fed(std::uint64_t first, const FedElements& elements,
                                  const ErasedView& result, const std::optional<Value>& init) {
  reduce(elements.x, map_.map, result, init, elements.y, map_.from(first));
}

void RunningReduction::take(Position& now, FedElements chunk) {
  if (chunk.x.count == 0) return;
  const auto behind = [&](std::uint64_t count) {
    chunk = part(chunk, count, chunk.x.count - count);
  };
  if (one_total_) {
    take_total(now, chunk);
    return;
  }
  if (const std::uint64_t before = unfinished(now); before > 0) {
    const std::uint64_t count = std::min(unit_ - before, chunk.x.count);
    append(now, part(chunk, 0, count));
    behind(count);
    now.n += count;
    if (unfinished(now) > 0) return;
    put(now, {0, now.n / unit_ - 1}, tail(now, unit_));
    now.tail = 1 - position_.tail;
  }
  while (chunk.x.count >= unit_) {
    // The largest node that begins here and lies in the chunk.
    const std::uint64_t first = now.n / unit_;
    std::uint64_t units = std::bit_floor(chunk.x.count / unit_);
    if (first > 0) units = std::min(units, std::uint64_t{1} << std::countr_zero(first));
    const std::uint64_t count = unit_ * units;
    const auto level = static_cast<std::uint32_t>(std::countr_zero(units));
    now.n += count;
    put(now, {level, first / units}, part(chunk, 0, count));
    behind(count);
  }
  if (chunk.x.count == 0) return;
  append(now, chunk);
  now.n += chunk.x.count;
}

void RunningReduction::append(const Position& now, const FedElements& elements) {
  const std::uint64_t at = unfinished(now);
  copy_any(queue_, elements.x, memory_.tails[now.tail].view(at, elements.x.count));
  if (!elements.y) return;
  copy_any(queue_, *elements.y, memory_.second_tails[now.tail].view(at, elements.y->count));
}

// The elements of the unfinished unit.
FedElements RunningReduction::tail(const Position& now, std::uint64_t count) const {
  const auto of = [count](const DeviceArray& array, Type type) {
    return count > 0 ? array.view(0, count) : ErasedView{{}, 0, 0, type, false};
  };
  FedElements elements{of(memory_.tails[now.tail], shape_.input)};
  if (shape_.second) elements.y = of(memory_.second_tails[now.tail], *shape_.second);
  return elements;
}

// A left node takes the pair that none waits in, neither now nor before the call.
std::uint64_t RunningReduction::place_of(Position& now, const Node& node) const {
  const std::uint64_t bit = std::uint64_t{1} << node.level;
  if (node.index % 2 == 0 && waits(position_, node.level)) {
    now.pairs = (now.pairs & ~bit) | (~position_.pairs & bit);
  }
  const std::uint64_t pair = (now.pairs & bit) != 0 ? 1 : 0;
  return values_of_level * node.level + 2 * pair + node.index % 2;
}

// The node's elements are the last ones so far.
void RunningReduction::put(Position& now, Node node, const FedElements& elements) {
  std::uint64_t place = place_of(now, node);
  reduce_fed(now.n - elements.x.count, elements, memory_.values.view(place, 1));
  while (node.index % 2 == 1) {
    const ErasedView siblings = memory_.values.view(place - 1, 2);
    node = {node.level + 1, node.index / 2};
    place = place_of(now, node);
    reduce(siblings, {}, memory_.values.view(place, 1));
  }
}

void RunningReduction::take_total(Position& now, const FedElements& chunk) {
  unsigned next = 0;
  while (next == now.total || next == position_.total) ++next;
  const auto place = [this](unsigned total, std::uint64_t side, std::uint64_t count = 1) {
    return memory_.values.view(std::uint64_t{2} * total + side, count);
  };
  const ErasedView own = now.n > 0 ? place(now.total, 1) : place(next, 0);
  reduce_fed(now.n, chunk, own);
  if (now.n > 0) reduce(place(now.total, 0, 2), {}, place(next, 0));
  now.total = next;
  now.n += chunk.x.count;
}

// Where values wait, in the order of their elements.
std::vector<std::uint64_t> RunningReduction::places() const {
  std::vector<std::uint64_t> places;
  if (one_total_) {
    if (position_.n > 0) places.push_back(std::uint64_t{2} * position_.total);
    return places;
  }
  for (auto level = static_cast<std::uint32_t>(levels); level-- > 0;) {
    if (!waits(position_, level)) continue;
    places.push_back(values_of_level * level + 2 * (position_.pairs >> level & 1));
  }
  return places;
}

// The list is folded from the right: each value's right sibling is what comes behind it.
void RunningReduction::enqueue_value(const ErasedView& result) {
  std::vector<std::uint64_t> left = places();
  const std::uint64_t rest = one_total_ ? 0 : unfinished(position_);
  if (left.empty()) {
    return reduce_fed(position_.n - rest, tail(position_, rest), result, init_);
  }
  if (rest > 0) {
    reduce_fed(position_.n - rest, tail(position_, rest), memory_.values.view(left.back() + 1, 1));
  } else if (left.size() > 1) {
    const ErasedView last = memory_.values.view(left.back(), 1);
    left.pop_back();
    queue_.copy(last, memory_.values.view(left.back() + 1, 1));
  } else {
    return reduce(memory_.values.view(left.back(), 1), {}, result, init_);
  }
  for (; left.size() > 1; left.pop_back()) {
    reduce(memory_.values.view(left.back(), 2), {},
           memory_.values.view(left[left.size() - 2] + 1, 1));
  }
  reduce(memory_.values.view(left.back(), 2), {}, result, init_);
}

void RunningReduction::value_into(const ErasedView& result) {
  const auto turn = guard_.enter(queue_);
  check_view(queue_.device(), result, Access::write, "result");
  if (result.type != result_type() || result.count != 1) {
    refuse("has one result, of " + std::string(name_of(result_type())));
  }
  enqueue_value(result);
}

Value RunningReduction::value() {
  const auto turn = guard_.enter(queue_);
  const DeviceArray result(queue_.device(), 1, result_type());
  enqueue_value(result.view());
  const std::vector<std::byte> bytes =
      guard_.waited(queue_, [&] { return download(queue_, result.view()); });
  return Value::from_bytes(result_type(), bytes.data());
}

std::vector<std::byte> RunningReduction::save() {
  const auto turn = guard_.enter(queue_);
  return encode(guard_.waited(queue_, [&] {
    SavedState saved{terms_, position_.n, {}, {}};
    const std::vector<std::byte> values = download(queue_, memory_.values.view());
    const std::size_t size = size_of(shape_.accumulator);
    for (const std::uint64_t place : places()) {
      const auto from = values.begin() + static_cast<std::ptrdiff_t>(place * size);
      saved.values.insert(saved.values.end(), from, from + static_cast<std::ptrdiff_t>(size));
    }
    if (one_total_ || unfinished(position_) == 0) return saved;
    const FedElements rest = tail(position_, unfinished(position_));
    saved.elements = download(queue_, rest.x);
    if (!rest.y) return saved;
    const std::vector<std::byte> second = download(queue_, *rest.y);
    saved.elements.insert(saved.elements.end(), second.begin(), second.end());
    return saved;
  }));
}

void RunningReduction::resume(std::span<const std::byte> saved) {
  const auto turn = guard_.enter_anew(queue_);
  const SavedState there = decode(saved, terms_);
  const Position before = std::exchange(position_, {.n = there.n});
  try {
    const std::vector<std::uint64_t> wanted = places();
    const std::uint64_t rest = one_total_ ? 0 : unfinished(position_);
    const std::size_t size = size_of(shape_.accumulator);
    const std::size_t size_of_second = shape_.second ? size_of(*shape_.second) : 0;
    if (there.values.size() != wanted.size() * size ||
        there.elements.size() != rest * (size_of(shape_.input) + size_of_second)) {
      refuse("cannot go on from the saved state, which has a wrong number of values or elements");
    }
    Memory memory = new_memory();
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const auto from = there.values.begin() + static_cast<std::ptrdiff_t>(i * size);
      upload(queue_, memory.values.view(wanted[i], 1),
             {from, from + static_cast<std::ptrdiff_t>(size)});
    }
    if (rest > 0) {
      const auto middle =
          there.elements.begin() + static_cast<std::ptrdiff_t>(rest * size_of(shape_.input));
      upload(queue_, memory.tails[0].view(0, rest), {there.elements.begin(), middle});
      if (shape_.second) {
        upload(queue_, memory.second_tails[0].view(0, rest), {middle, there.elements.end()});
      }
    }
    memory_ = std::move(memory);
  } catch (...) {
    position_ = before;
    throw;
  }
  guard_.begin_anew();
}

}  // namespace bifold::core
