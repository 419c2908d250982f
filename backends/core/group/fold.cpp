#include "core/group/fold.hpp"

#include <bifold/reduce.hpp>
#include <bifold/reference.hpp>
#include <cstring>
#include <limits>

#include "core/group/device_array.hpp"

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

// Each merge is a reduction of the right value with the left one in front of it.
std::vector<Value> fold_on_device(Queue queue, const Operator& op, Type accumulator,
                                  std::span<const std::byte> values,
                                  std::span<const std::uint32_t> merges,
                                  std::span<const std::uint64_t> wanted) {
  std::vector<Value> results;
  const DeviceArray array(queue.device(), merges.size(), accumulator);
  queue.upload_bytes(array.view(), values.data(), merges.size());
  std::vector<std::uint64_t> stack;  // Where the values lie.
  ReduceOptions options;
  for (std::uint64_t i = 0; i < merges.size() && results.size() < wanted.size(); ++i) {
    stack.push_back(i);
    for (std::uint32_t merge = 0; merge < merges[i]; ++merge) {
      const ErasedView right = array.view(stack.back(), 1);
      stack.pop_back();
      const ErasedView left = array.view(stack.back(), 1);
      options.init_from = left;
      reduce_into(queue, right, left, op, {}, options);
    }
    if (wanted[results.size()] != i) continue;
    std::array<std::byte, max_element_bytes> bytes{};
    queue.download_bytes(array.view(stack.back(), 1), bytes.data(), 1);
    results.push_back(Value::from_bytes(accumulator, bytes.data()));
  }
  return results;
}

}  // namespace

std::vector<Value> fold(const Queue& queue, const Operator& op, Type accumulator,
                        std::span<const std::byte> values, std::span<const std::uint32_t> merges,
                        std::span<const std::uint64_t> wanted) {
  if (wanted.empty()) return {};
  if (!on_host(op, accumulator)) {
    return fold_on_device(queue, op, accumulator, values, merges, wanted);
  }
  return visit_type(accumulator, [&](auto zero) {
    return fold_on_host<decltype(zero)>(op.kind(), values, merges, wanted);
  });
}

}  // namespace bifold::core
