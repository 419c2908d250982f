#include "commands/check/segments.hpp"

#include <algorithm>
#include <span>
#include <vector>

#include "base/format.hpp"
#include "commands/check/calls.hpp"
#include "commands/check/struct_cases.hpp"
#include "core/gallery/gallery_support.hpp"
#include "measure/timing.hpp"

namespace bench {
namespace {

using bifold::gallery::Variant;

/// About what one, a few and 32 work-items take, leaves and several of them; with many that are
/// short in front.
std::vector<std::uint32_t> lengths_of(bool large) {
  std::vector<std::uint32_t> lengths;
  for (std::uint32_t s = 0; s < 300; ++s) lengths.push_back(s * 7 % 23);
  for (const std::uint32_t length : {0U, 33U, 65U, 129U, 300U, 1025U, 4097U, 1U, 9000U}) {
    lengths.push_back(length);
  }
  if (large) lengths.insert(lengths.end(), {2U, 300'000U, 8193U, 70'001U, 3U});
  return lengths;
}

}  // namespace

bifold::gallery::Support supports_segments(const bifold::Device& device, const Variant& row,
                                           bifold::Type type, const bifold::Operator& op) {
  bifold::core::PlanShape shape{
      .input = type, .accumulator = bifold::accumulator_of(type), .output = type, .op = op};
  shape.lines = bifold::core::LineLayout::segments;
  shape.segments = {bifold::Type::u32, false};
  return bifold::core::supports_shape({device, shape}, row);
}

template <class T>
std::string check_segments(bifold::Queue& queue, const Variant& row, const Case<T>& what,
                           std::uint64_t& calls) {
  using Acc = bifold::accumulator_t<T>;
  const auto sample = std::find_if(what.samples.begin(), what.samples.end(),
                                   [&](const Sample<T>& one) { return can_judge(row, one.exact); });
  if (sample == what.samples.end()) return {};
  const bifold::Type type = bifold::type_of<T>();
  bifold::ReduceShape shape{type, bifold::accumulator_of(type), what.op, row.name, what.map};
  shape.result = type;
  shape.segments = {bifold::Type::u32, false};
  if (what.pairs) shape.second = type;
  const bifold::ReducePlan plan(queue.device(), shape);
  for (const bool large : {false, true}) {
    const std::vector<std::uint32_t> lengths = lengths_of(large);
    std::vector<std::uint32_t> offsets{0};
    for (const std::uint32_t length : lengths) offsets.push_back(offsets.back() + length);
    const std::uint64_t n = offsets.back();
    std::vector<T> elements;
    for (std::uint64_t i = 0; i <= n; ++i) elements.push_back(sample->at(i));
    const auto input = queue.upload(std::span<const T>(elements));
    const auto bounds = queue.upload(std::span<const std::uint32_t>(offsets));
    auto output = queue.allocate<T>(lengths.size());
    queue.fill(output, foreign<T>());
    bifold::ReduceOptions options;
    options.segments = bifold::Segments::of_offsets(bounds);
    const bifold::Value init(sample->init);
    if (what.pairs) {
      plan.run(queue, input.view(0, n), input.view(1, n), output, init, options);
    } else {
      plan.run(queue, input.view(0, n), output, init, options);
    }
    ++calls;
    queue.finish(10 * wait_limit);
    const std::vector<T> found = queue.download(output);
    for (std::size_t s = 0; s < found.size(); ++s) {
      std::vector<Acc> lifted;
      for (std::uint64_t k = 0; k < lengths[s]; ++k) {
        const std::uint64_t i = offsets[s] + k;
        lifted.push_back(what.lift(elements[i], elements[i + 1], k));
      }
      const T wanted = static_cast<T>(expected_reduction<T>(
          row, what, sample->exact, std::span<const Acc>(lifted), sample->init));
      if (same_result(found[s], wanted)) continue;
      return formatted("{} {}, {}, segment {} of {} elements: {} instead of {}",
                       bifold::name_of(type), what.name, sample->name, s, lengths[s],
                       exact_text(found[s]), exact_text(wanted));
    }
  }
  return {};
}

#define BENCH_INSTANTIATE(T)                                                          \
  template std::string check_segments(bifold::Queue&, const Variant&, const Case<T>&, \
                                      std::uint64_t&);
BENCH_INSTANTIATE(std::int32_t)
BENCH_INSTANTIATE(std::uint32_t)
BENCH_INSTANTIATE(std::uint8_t)
BENCH_INSTANTIATE(std::int64_t)
BENCH_INSTANTIATE(std::uint64_t)
BENCH_INSTANTIATE(float)
BENCH_INSTANTIATE(double)
BENCH_INSTANTIATE(bifold::f16)
BENCH_INSTANTIATE(bifold::bf16)
BENCH_INSTANTIATE(ThreeBytes)
BENCH_INSTANTIATE(AffineMap)
BENCH_INSTANTIATE(ThreeWords)
BENCH_INSTANTIATE(TwoWide)
BENCH_INSTANTIATE(EightWide)
#undef BENCH_INSTANTIATE

}  // namespace bench
