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
#include "core/group/device_array.hpp"
#include "core/plan/launch.hpp"
#include "core/plan/part_choices.hpp"
#include "core/plan/planning.hpp"

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
std::vector<Value> fold_on_host(OperatorKind kind, std::span<const std::byte> values,
                                std::span<const std::uint32_t> merges,
                                std::span<const std::uint64_t> wanted) {
  std::vector<Value> results;
  std::vector<T> stack;
  for (std::size_t i = 0; i < merges.size() && results.size() < wanted.size(); ++i) {
    T top;
    std::memcpy(&top, values.data() + i * sizeof(T), sizeof(T));
    for (std::uint32_t merge = 0; merge < merges[i]; ++merge) {
      top = reference::combine(kind, stack.back(), top);
      stack.pop_back();
    }
    stack.push_back(top);
    if (wanted[results.size()] == i) results.emplace_back(top);
  }
  return results;
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

const PlannedKernel& kernel_of(std::vector<FoldKernel>& known, const Device& device,
                               const Operator& op, Type type) {
  for (const FoldKernel& one : known) {
    if (one.device.state() == device.state() && one.accumulator == type && one.op == op) {
      return one.kernel;
    }
  }
  known.push_back({device, op, type, build_fold(device, op, type)});
  return known.back().kernel;
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

std::vector<Value> fold_on_device(std::vector<FoldKernel>& known, const Queue& queue,
                                  const Operator& op, Type accumulator,
                                  std::span<const std::byte> values,
                                  std::span<const std::uint32_t> merges,
                                  std::span<const std::uint64_t> wanted) {
  const Device& device = queue.device();
  FoldSteps steps{{}, {merges.begin(), merges.end()}, {wanted.begin(), wanted.end()}};
  steps.places.resize(merges.size());
  std::iota(steps.places.begin(), steps.places.end(), std::uint64_t{0});
  const DeviceFold device_fold(queue, kernel_of(known, device, op, accumulator), steps);
  const DeviceArray stack(device, merges.size(), accumulator);
  const DeviceArray results(device, wanted.size(), accumulator);
  upload(queue, stack.view(), {values.begin(), values.end()});
  device_fold.enqueue(queue, stack, results.view());
  const std::vector<std::byte> bytes = download(queue, results.view());
  std::vector<Value> found;
  found.reserve(wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    found.push_back(Value::from_bytes(accumulator, bytes.data() + i * size_of(accumulator)));
  }
  return found;
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

std::vector<Value> fold(std::vector<FoldKernel>& known, const Queue& queue, const Operator& op,
                        Type accumulator, std::span<const std::byte> values,
                        std::span<const std::uint32_t> merges,
                        std::span<const std::uint64_t> wanted) {
  if (wanted.empty()) return {};
  if (!on_host(op, accumulator)) {
    return fold_on_device(known, queue, op, accumulator, values, merges, wanted);
  }
  return visit_type(accumulator, [&](auto zero) {
    return fold_on_host<decltype(zero)>(op.kind(), values, merges, wanted);
  });
}

}  // namespace bifold::core
