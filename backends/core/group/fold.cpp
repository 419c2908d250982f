#include "core/group/fold.hpp"

#include <bifold/error.hpp>
#include <bifold/reference.hpp>
#include <cstring>
#include <limits>
#include <mutex>
#include <string>

#include "core/device/state.hpp"
#include "core/group/device_array.hpp"
#include "core/plan/launch.hpp"
#include "core/plan/part_choices.hpp"
#include "core/plan/planning.hpp"

namespace bifold::core {

namespace {

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
  check_loops(device, merges.size());
  const PlannedKernel& kernel = kernel_of(known, device, op, accumulator);
  std::vector<std::uint32_t> codes;
  codes.reserve(merges.size());
  for (const std::uint32_t count : merges) codes.push_back(2 * count);
  for (const std::uint64_t one : wanted) ++codes[one];
  const DeviceArray stack(device, merges.size(), accumulator);
  const DeviceArray coded(device, codes.size(), Type::u32);
  const DeviceArray results(device, wanted.size(), accumulator);
  upload(queue, stack.view(), {values.begin(), values.end()});
  const auto code_bytes = std::as_bytes(std::span<const std::uint32_t>(codes));
  upload(queue, coded.view(), {code_bytes.begin(), code_bytes.end()});
  {
    const std::lock_guard lock(queue.state().mutex);
    launch(*queue.state().backend, kernel, 1, stack.view().memory, coded.view().memory,
           std::uint64_t{merges.size()}, results.view().memory);
  }
  const std::vector<std::byte> bytes = download(queue, results.view());
  std::vector<Value> found;
  found.reserve(wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    found.push_back(Value::from_bytes(accumulator, bytes.data() + i * size_of(accumulator)));
  }
  return found;
}

}  // namespace

PlannedKernel build_fold(const Device& device, const Operator& op, Type accumulator) {
  KernelSpec spec;
  spec.family = spec.entry = "fold_values";
  spec.input = spec.accumulator = spec.output = accumulator;
  spec.op = op;
  add_parts(device, spec);
  return build_kernel(device, spec);
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
