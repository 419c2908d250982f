#include "core/group/fold.hpp"

#include <algorithm>
#include <bifold/error.hpp>
#include <bifold/reference.hpp>
#include <bit>
#include <cstring>
#include <limits>
#include <mutex>
#include <numeric>
#include <string>

#include "core/device/state.hpp"
#include "core/plan/launch.hpp"
#include "core/plan/part_choices.hpp"
#include "core/plan/planning.hpp"
#include "core/slices/device_array.hpp"

namespace bifold::core {

namespace {

// Values that a fold from the left takes at once.
constexpr std::uint32_t turn = 16;

// The application may have set this thread's processor otherwise.
bool host_keeps_ieee() noexcept {
  volatile float least = (std::numeric_limits<float>::min)();
  volatile float half = least * 0.5F;
  volatile float whole = half + half;
  volatile float one = 1.0F;
  volatile float tie = std::numeric_limits<float>::epsilon() / 2;
  volatile float more = tie * 1.5F;
  volatile float even = one + tie;
  volatile float above = one + more;
  volatile float below = -one - more;
  return whole >= least && even <= one && above > one && below < -one;
}

bool on_host(const Operator& op, Type accumulator) {
  if (op.kind() == OperatorKind::user || accumulator.is_struct()) return false;
  return !is_floating(accumulator) || host_keeps_ieee();
}

template <class T>
void fold_on_host(OperatorKind kind, std::span<const std::uint32_t> merges, FoldRecords& records) {
  records.results.clear();
  records.stack.resize(merges.size() * sizeof(T));
  std::size_t depth = 0;
  for (std::size_t i = 0; i < merges.size() && records.results.size() < records.wanted.size();
       ++i) {
    T top;
    std::memcpy(&top, records.values.data() + i * sizeof(T), sizeof(T));
    for (std::uint32_t merge = 0; merge < merges[i]; ++merge) {
      T below;
      std::memcpy(&below, records.stack.data() + --depth * sizeof(T), sizeof(T));
      top = reference::combine(kind, below, top);
    }
    std::memcpy(records.stack.data() + depth++ * sizeof(T), &top, sizeof(T));
    if (records.wanted[records.results.size()] == i) records.results.emplace_back(top);
  }
}

PlannedKernel build_fold(const Device& device, const Operator& op, Type accumulator) {
  // Local memory for values and their codes.
  const std::uint64_t chunk = std::clamp<std::uint64_t>(
      std::bit_floor(std::uint64_t{8192} / size_of(accumulator)), 128, 1024);
  KernelSpec spec;
  spec.family = spec.entry = "fold_values";
  spec.input = spec.accumulator = spec.output = accumulator;
  spec.op = op;
  spec.defines = {{"FOLD_CHUNK", static_cast<std::uint32_t>(chunk)}, {"FOLD_TURN", turn}};
  std::uint32_t group = std::min(std::uint32_t{128}, device.capabilities().max_group_size);
  for (;;) {
    spec.group_size = group;
    spec.parts.clear();
    add_parts(device, spec);
    try {
      return build_kernel(device, spec);
    } catch (const GroupTooLarge& refused) {
      group = refused.next(group);
      if (group == 0) {
        throw Error(ErrorCategory::unsupported, "the device takes no group that folds values");
      }
    }
  }
}

FoldKernel& kernel_of(std::vector<FoldKernel>& known, const Device& device, const Operator& op,
                      Type type) {
  for (FoldKernel& one : known) {
    if (one.device.state() == device.state() && one.accumulator == type && one.op == op) {
      return one;
    }
  }
  known.push_back({device, op, type, build_fold(device, op, type), {}, {}, {}, {}});
  return known.back();
}

// Loops of some devices end early.
void check_loops(const Device& device, std::size_t values) {
  const std::uint64_t turns = device.capabilities().loop_turns;
  if (turns == 0 || values * 2 <= turns) return;
  throw Error(ErrorCategory::unsupported, std::to_string(values) +
                                              " values of ranks are too many for this device, "
                                              "whose loops end after " +
                                              std::to_string(turns) + " turns");
}

void fold_on_device(FoldKernel& known, const Queue& queue, CallMemory& memory,
                    std::span<const std::uint32_t> merges, FoldRecords& records) {
  const std::size_t count = merges.size();
  if (!known.fold || !std::ranges::equal(known.merges, merges) || known.wanted != records.wanted) {
    known.fold.reset();
    FoldSteps steps{{}, {merges.begin(), merges.end()}, records.wanted};
    steps.places.resize(count);
    std::iota(steps.places.begin(), steps.places.end(), std::uint64_t{0});
    known.stack = DeviceArray(queue.device(), count, known.accumulator);
    known.fold.emplace(queue, known.kernel, steps);
    known.merges = std::move(steps.merges);
    known.wanted = std::move(steps.wanted);
  }
  const Type type = known.accumulator;
  upload(queue, known.stack.view(), records.values);
  const ErasedView results = memory.take_results(records.wanted.size(), type);
  known.fold->enqueue(queue, known.stack, results);
  const std::span<const std::byte> bytes = memory.fetch(results);
  records.results.clear();
  for (std::size_t i = 0; i < records.wanted.size(); ++i) {
    records.results.push_back(Value::from_bytes(type, bytes.data() + i * size_of(type)));
  }
}

}  // namespace

DeviceFold::DeviceFold(const Queue& queue, const Operator& op, Type accumulator,
                       const FoldSteps& steps)
    : DeviceFold(queue, build_fold(queue.device(), op, accumulator), steps) {}

DeviceFold::DeviceFold(const Queue& queue, PlannedKernel kernel, const FoldSteps& steps)
    : kernel_(std::move(kernel)),
      count_(steps.merges.size()),
      steps_(queue.device(), 2 * count_, Type::u32) {
  check_loops(queue.device(), steps.merges.size());
  const std::uint64_t furthest = std::max(steps.places.front(), steps.places.back());
  if (furthest > (std::numeric_limits<std::uint32_t>::max)()) {
    throw Error(ErrorCategory::unsupported, "ranks give more values than 32 bits count");
  }
  std::vector<std::uint32_t> codes(2 * count_);
  for (std::size_t i = 0; i < count_; ++i) {
    codes[2 * i] = static_cast<std::uint32_t>(steps.places[i]);
    codes[2 * i + 1] = 2 * steps.merges[i];
  }
  for (const std::uint64_t one : steps.wanted) ++codes[2 * one + 1];
  // Runs that fold from the left. A code has 16 bits: a tree is no deeper than 64 levels.
  std::uint32_t run = 0;
  for (std::size_t i = count_; i-- > 0;) {
    std::uint32_t& code = codes[2 * i + 1];
    run = code == 2 ? std::min(run + 1, std::uint32_t{0xffff}) : 0;
    code |= run << 16;
  }
  const auto bytes = std::as_bytes(std::span<const std::uint32_t>(codes));
  upload(queue, steps_.view(), {bytes.begin(), bytes.end()});
}

void DeviceFold::enqueue(const Queue& queue, const DeviceArray& values,
                         const ErasedView& results) const {
  const std::lock_guard lock(queue.state().mutex);
  launch(*queue.state().backend, kernel_, 1, values.view().memory, steps_.view().memory, count_,
         Range{results.memory, results.byte_offset / size_of(results.type)});
}

void add_fold(MemoryNeeds& needs, const Operator& op, Type accumulator, std::size_t wanted) {
  if (!on_host(op, accumulator)) needs.add_results(wanted, accumulator);
}

void fold(std::vector<FoldKernel>& known, const Queue& queue, CallMemory& memory,
          const Operator& op, Type accumulator, std::span<const std::uint32_t> merges,
          FoldRecords& records) {
  records.results.clear();
  if (records.wanted.empty()) return;
  if (!on_host(op, accumulator)) {
    FoldKernel& kernel = kernel_of(known, queue.device(), op, accumulator);
    return fold_on_device(kernel, queue, memory, merges, records);
  }
  visit_type(accumulator,
             [&](auto zero) { fold_on_host<decltype(zero)>(op.kind(), merges, records); });
}

}  // namespace bifold::core
