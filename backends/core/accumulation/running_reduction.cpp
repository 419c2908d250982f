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
#include "core/text/expression_text.hpp"

namespace bifold::core {

namespace {

// Of each level of the tree two pairs of siblings; of totals three pairs lie in the same memory.
constexpr std::uint64_t levels = 64;
constexpr std::uint64_t values_of_level = 4;
// A value on its way.
constexpr std::uint64_t spare = levels * values_of_level;

[[noreturn]] void refuse(const std::string& why,
                         ErrorCategory category = ErrorCategory::invalid_argument) {
  throw Error(category, "an accumulation " + why);
}

const ReduceShape& checked(const ReduceShape& shape, bool indexed) {
  if (shape.variant != "production") refuse("runs production alone");
  if (shape.lines) refuse("has no lines");
  if (shape.on_device.any()) refuse("takes no values from device memory");
  if (!shape.result_map.is_identity()) refuse("has no result map", ErrorCategory::unsupported);
  if (shape.second) refuse("has no second array", ErrorCategory::unsupported);
  if (!indexed && uses_word(shape.map.expression(), "i")) {
    refuse("by a map that names i: it would be the index in the chunk", ErrorCategory::unsupported);
  }
  return shape;
}

Map behind(Type indexed) {
  return "make_" + std::string(name_of(indexed)) + "(x.value, x.index + y)";
}

}  // namespace

RunningReduction::RunningReduction(Queue queue, const ReduceShape& shape,
                                   const std::optional<Value>& init,
                                   const AccumulationOptions& options, bool indexed)
    : queue_(std::move(queue)),
      shape_(checked(shape, indexed)),
      indexed_(indexed),
      one_total_(indexed || shape.order == Order::any ||
                 operator_for(shape.op, shape.accumulator).exact(shape.accumulator)),
      unit_(one_total_ ? 1
                       : unit_of_reduction(operator_for(shape.op, shape.accumulator),
                                           shape.accumulator, shape.order)),
      pieces_(shape.input, {}, options.piece_bytes, unit_) {
  const Operator& op = operator_for(shape_.op, shape_.accumulator);
  if (init) init_ = initial_value(op, *init, shape_.accumulator);
  at(terms_, Term::version) = saved_version();
  at(terms_, Term::order) = static_cast<std::uint64_t>(shape_.order);
  at(terms_, Term::input) = digest_of(shape_.input);
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
  plan(shape_.input, shape_.map, shape_.accumulator);
  plan(shape_.accumulator, {}, result_type());
  if (result_type() != shape_.accumulator) {
    plan(shape_.accumulator, {}, shape_.accumulator);
    plan(shape_.input, shape_.map, result_type());
  }
  memory_ = new_memory();
  if (indexed_) {
    moved_ = behind(shape_.accumulator);
    plan(shape_.accumulator, moved_, shape_.accumulator, Type::u64);
    base_ = DeviceArray(queue_.device(), 1, Type::u64);
  }
}

RunningReduction::Memory RunningReduction::new_memory() const {
  Memory memory;
  memory.values = DeviceArray(queue_.device(), spare + 1, shape_.accumulator);
  if (one_total_) return memory;
  for (DeviceArray& tail : memory.tails) tail = DeviceArray(queue_.device(), unit_, shape_.input);
  return memory;
}

std::uint64_t RunningReduction::count() {
  const auto turn = guard_.enter(queue_);
  return position_.n;
}

void RunningReduction::check_count(std::uint64_t more) const {
  if (more > ~position_.n) refuse("of more elements than 64 bits count");
}

void RunningReduction::feed(const ErasedView& chunk) {
  const auto turn = guard_.enter(queue_);
  check_view(queue_.device(), chunk, Access::read, "input");
  if (chunk.type != shape_.input) {
    refuse("of " + std::string(name_of(shape_.input)) + " is fed " +
           std::string(name_of(chunk.type)));
  }
  check_count(chunk.count);
  Position now = position_;
  take(now, chunk);
  position_ = now;
}

void RunningReduction::feed_host(const void* elements, std::uint64_t count) {
  const auto turn = guard_.enter(queue_);
  check_count(count);
  if (count == 0) return;
  Position now = position_;
  try {
    pieces_.run(queue_, now.n, {static_cast<const std::byte*>(elements), nullptr, count},
                [&](const ErasedView& piece, const ErasedView&) { take(now, piece); });
  } catch (...) {
    if (pieces_.loss()) guard_.lose(pieces_.loss());
    throw;
  }
  position_ = now;
}

void RunningReduction::reduce(const ErasedView& input, const Map& map, const ErasedView& result,
                              const std::optional<Value>& init,
                              const std::optional<ErasedView>& second) {
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
            none.lines, none.result_lines, none.second_lines, none.lines_from});
}

void RunningReduction::take(Position& now, ErasedView chunk) {
  if (chunk.count == 0) return;
  if (one_total_) return take_total(now, chunk);
  if (const std::uint64_t before = unfinished(now); before > 0) {
    const std::uint64_t count = std::min(unit_ - before, chunk.count);
    append(now, part(chunk, 0, count));
    chunk = part(chunk, count, chunk.count - count);
    now.n += count;
    if (unfinished(now) > 0) return;
    put(now, {0, now.n / unit_ - 1}, memory_.tails[now.tail].view());
    now.tail = 1 - position_.tail;
  }
  while (chunk.count >= unit_) {
    // The largest node that begins here and lies in the chunk.
    const std::uint64_t first = now.n / unit_;
    std::uint64_t units = std::bit_floor(chunk.count / unit_);
    if (first > 0) units = std::min(units, std::uint64_t{1} << std::countr_zero(first));
    const std::uint64_t count = unit_ * units;
    const auto level = static_cast<std::uint32_t>(std::countr_zero(units));
    put(now, {level, first / units}, part(chunk, 0, count));
    chunk = part(chunk, count, chunk.count - count);
    now.n += count;
  }
  if (chunk.count == 0) return;
  append(now, chunk);
  now.n += chunk.count;
}

void RunningReduction::append(const Position& now, const ErasedView& elements) {
  copy_any(queue_, elements, memory_.tails[now.tail].view(unfinished(now), elements.count));
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

void RunningReduction::put(Position& now, Node node, const ErasedView& elements) {
  std::uint64_t place = place_of(now, node);
  reduce(elements, shape_.map, memory_.values.view(place, 1));
  while (node.index % 2 == 1) {
    const ErasedView siblings = memory_.values.view(place - 1, 2);
    node = {node.level + 1, node.index / 2};
    place = place_of(now, node);
    reduce(siblings, {}, memory_.values.view(place, 1));
  }
}

void RunningReduction::take_total(Position& now, const ErasedView& chunk) {
  unsigned next = 0;
  while (next == now.total || next == position_.total) ++next;
  const auto place = [this](unsigned total, std::uint64_t side, std::uint64_t count = 1) {
    return memory_.values.view(std::uint64_t{2} * total + side, count);
  };
  const ErasedView own = now.n > 0 ? place(now.total, 1) : place(next, 0);
  if (indexed_ && now.n > 0) {
    const ErasedView found = memory_.values.view(spare, 1);
    reduce(chunk, shape_.map, found);
    queue_.fill(base_.view(), now.n);
    reduce(found, moved_, own, {}, base_.view());
  } else {
    reduce(chunk, shape_.map, own);
  }
  if (now.n > 0) reduce(place(now.total, 0, 2), {}, place(next, 0));
  now.total = next;
  now.n += chunk.count;
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
    const ErasedView elements = memory_.tails[position_.tail].view();
    return reduce({elements.memory, 0, rest, shape_.input, false}, shape_.map, result, init_);
  }
  if (rest > 0) {
    reduce(memory_.tails[position_.tail].view(0, rest), shape_.map,
           memory_.values.view(left.back() + 1, 1));
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
    saved.elements = download(queue_, memory_.tails[position_.tail].view(0, unfinished(position_)));
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
    if (there.values.size() != wanted.size() * size ||
        there.elements.size() != rest * size_of(shape_.input)) {
      refuse("cannot go on from the saved state, which has a wrong number of values or elements");
    }
    Memory memory = new_memory();
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const auto from = there.values.begin() + static_cast<std::ptrdiff_t>(i * size);
      upload(queue_, memory.values.view(wanted[i], 1),
             {from, from + static_cast<std::ptrdiff_t>(size)});
    }
    if (rest > 0) upload(queue_, memory.tails[0].view(0, rest), there.elements);
    memory_ = std::move(memory);
  } catch (...) {
    position_ = before;
    throw;
  }
  guard_.begin_anew();
}

}  // namespace bifold::core
