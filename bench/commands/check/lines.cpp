#include "commands/check/lines.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "base/format.hpp"
#include "commands/check/calls.hpp"
#include "commands/check/struct_cases.hpp"
#include "measure/timing.hpp"

namespace bench {
namespace {

using bifold::Algorithm;
using bifold::Lines;
using bifold::ScanKind;
using bifold::gallery::Variant;

constexpr std::uint64_t lines_of_each = 37;

/// Rows and columns of short and of long lines, with gaps between lines.
constexpr std::array<Lines, 4> all_lines{
    Lines{lines_of_each, 13, 1, 16, 1, 0}, Lines{lines_of_each, 301, 1, 303, 1, 0},
    Lines{1, 13, lines_of_each, 0, 40, 1}, Lines{1, 301, lines_of_each, 0, 41, 1}};

std::uint64_t place_of(const Lines& lines, std::uint64_t line, std::uint64_t k) {
  const bool rows = lines.inner == 1;
  const auto step = static_cast<std::uint64_t>(rows ? lines.outer_stride : lines.inner_stride);
  return line * step + k * static_cast<std::uint64_t>(lines.stride);
}

std::uint64_t elements_of(const Lines& lines) {
  return place_of(lines, lines.count() - 1, lines.length - 1) + 1;
}

/// Makes the call; of a scan the output lies as the input, of a reduction every third element is a
/// result.
template <class T>
void enqueue(bifold::Queue& queue, const Variant& row, const Case<T>& what, ScanKind kind,
             const Lines& lines, const Lines& to, const bifold::ErasedView& input,
             const bifold::ErasedView& output, const bifold::Value& init) {
  const bifold::Type type = bifold::type_of<T>();
  const bifold::Type accumulator = bifold::accumulator_of(type);
  if (row.algorithm == Algorithm::scan) {
    bifold::ScanShape shape{type, type, accumulator, kind, what.op, row.name};
    shape.lines = true;
    bifold::ScanOptions options;
    options.lines = lines;
    options.output_lines = to;
    bifold::ScanPlan(queue.device(), shape).run(queue, input, output, init, options);
    return;
  }
  bifold::ReduceShape shape{type, accumulator, what.op, row.name};
  shape.result = type;
  shape.lines = true;
  bifold::ReduceOptions options;
  options.lines = lines;
  options.result_lines = to;
  bifold::ReducePlan(queue.device(), shape).run(queue, input, output, init, options);
}

/// What the call should leave in memory that had nothing but foreign() elements.
template <class T>
std::vector<T> expected(const Variant& row, const Case<T>& what, ScanKind kind,
                        const Sample<T>& sample, const std::vector<T>& input, const Lines& lines,
                        const Lines& to) {
  using Acc = bifold::accumulator_t<T>;
  std::vector<T> output(elements_of(to), foreign<T>());
  for (std::uint64_t line = 0; line < lines.count(); ++line) {
    std::vector<Acc> lifted;
    for (std::uint64_t k = 0; k < lines.length; ++k) {
      const T x = input[place_of(lines, line, k)];
      lifted.push_back(what.lift(x, x, k));
    }
    const std::span<const Acc> alone(lifted);
    if (row.algorithm == Algorithm::reduce) {
      output[place_of(to, line, 0)] =
          static_cast<T>(expected_reduction<T>(row, what, sample.exact, alone, sample.init));
      continue;
    }
    const auto prefixes = expected_prefixes<T>(row, what.combine, alone, sample.init);
    for (std::uint64_t k = 0; k < lines.length; ++k) {
      output[place_of(to, line, k)] =
          static_cast<T>(prefixes[k + (kind == ScanKind::inclusive ? 1 : 0)]);
    }
  }
  return output;
}

}  // namespace

template <class T>
std::string check_lines(bifold::Queue& queue, const Variant& row, const Case<T>& what,
                        ScanKind kind, std::uint64_t& calls) {
  const auto sample = std::find_if(what.samples.begin(), what.samples.end(),
                                   [&](const Sample<T>& one) { return can_judge(row, one.exact); });
  if (sample == what.samples.end()) return {};
  for (const Lines& lines : all_lines) {
    const Lines to =
        row.algorithm == Algorithm::scan ? lines : Lines{lines.outer, 1, lines.inner, 3, 1, 3};
    std::vector<T> elements(elements_of(lines), foreign<T>());
    for (std::uint64_t line = 0; line < lines.count(); ++line) {
      for (std::uint64_t k = 0; k < lines.length; ++k) {
        elements[place_of(lines, line, k)] = sample->at(line * lines.length + k);
      }
    }
    const std::vector<T> wanted = expected(row, what, kind, *sample, elements, lines, to);
    const auto input = queue.upload(std::span<const T>(elements));
    auto output = queue.allocate<T>(wanted.size());
    queue.fill(output, foreign<T>());
    enqueue(queue, row, what, kind, lines, to, input, output, bifold::Value(sample->init));
    ++calls;
    queue.finish(10 * wait_limit);
    const std::vector<T> found = queue.download(output);
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (same_result(found[i], wanted[i])) continue;
      return formatted("{} {}, {}, {} lines of {}: element {} is {} instead of {}",
                       bifold::name_of(bifold::type_of<T>()), what.name, sample->name,
                       lines.count(), lines.length, i, exact_text(found[i]), exact_text(wanted[i]));
    }
  }
  return {};
}

#define BENCH_INSTANTIATE(T)                                                                 \
  template std::string check_lines(bifold::Queue&, const Variant&, const Case<T>&, ScanKind, \
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
