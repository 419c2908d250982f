#include "data/together.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace bench {
struct Together {
  std::int32_t sum;
  std::int32_t smallest;
  std::int32_t largest;
};
}  // namespace bench
BIFOLD_STRUCT_NAMED(bench::Together, Together, sum, smallest, largest);

namespace bench {
namespace {

bifold::ErasedView element_of(const bifold::Buffer<std::uint8_t>& result) {
  bifold::ErasedView view = result.view();
  view.type = bifold::type_of<Together>();
  view.count = 1;
  view.writable = true;
  return view;
}

}  // namespace

void reduce_together(bifold::Queue& queue, const bifold::ErasedView& input,
                     const bifold::Buffer<std::uint8_t>& result, std::string_view variant) {
  static const auto op = bifold::Operator::fieldwise(
      bifold::type_of<Together>(), {bifold::plus, bifold::minimum, bifold::maximum});
  static const bifold::Map each("make_Together(x, x, x)");
  bifold::ReduceOptions options;
  options.variant = variant;
  bifold::transform_reduce_into(queue, input, element_of(result), op,
                                op.identity(bifold::type_of<Together>()), each, options);
}

void poison_together(bifold::Queue& queue, bifold::Buffer<std::uint8_t>& result) {
  queue.fill(element_of(result), Together{-1, 1, -1});  // The smallest is no larger than others.
}

std::optional<Mismatch> check_together(bifold::Queue& queue, bifold::Buffer<std::uint8_t>& result,
                                       const HostData& data, std::uint64_t n) {
  Together got{};
  queue.download_bytes(element_of(result), &got, 1);
  const auto* const input = reinterpret_cast<const std::int32_t*>(data.input());
  const auto [smallest, largest] = std::minmax_element(input, input + n);
  const std::array<std::int32_t, together_count> expected{data.inclusive(n - 1).as<std::int32_t>(),
                                                          *smallest, *largest};
  const std::array<std::int32_t, together_count> found{got.sum, got.smallest, got.largest};
  for (std::size_t field = 0; field < together_count; ++field) {
    if (expected[field] != found[field]) {
      return Mismatch{field, bifold::Value(expected[field]), bifold::Value(found[field])};
    }
  }
  return std::nullopt;
}

}  // namespace bench
