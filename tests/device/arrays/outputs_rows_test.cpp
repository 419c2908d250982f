// Several outputs of a call, on every row that writes them.
#include "device/arrays/outputs.hpp"
#include "support/cases/rows.hpp"

namespace bifold {

using app::Ramp;
using test::check;
using test::first_of;
using test::lengths;
using test::line_sums;
using test::numbers;
using test::to_line;
using test::Wanted;

TEST_SUITE_BEGIN("outputs_rows");

TEST_CASE("scans and reductions on every row that writes several arrays") {
  Queue queue(test::device());
  const auto host = numbers(70'010);
  const auto data = queue.upload(std::span<const float>(host));
  std::size_t rows = 0;
  for (const std::size_t outputs : {std::size_t{2}, std::size_t{4}}) {
    const std::vector<Wanted> wanted = first_of(outputs);
    core::PlanShape shape{.input = Type::f32,
                          .accumulator = type_of<Ramp>(),
                          .output = wanted[0].type,
                          .op = line_sums(),
                          .map = to_line,
                          .result_map = wanted[0].text};
    for (std::size_t k = 1; k < outputs; ++k) {
      shape.more_outputs.push_back({wanted[k].type, wanted[k].text});
    }
    for (const auto& row : gallery::variants()) {
      if (!test::takes(row, shape)) continue;
      ++rows;
      CAPTURE(row.name);
      for (const std::size_t n : lengths()) {
        CAPTURE(n);
        const ErasedView input = erase(data.view(n % 5, n));
        if (row.algorithm == Algorithm::scan) {
          ScanOptions options;
          options.variant = row.name;
          check<ScanOptions>(queue, wanted, n, options,
                             [&](const ErasedView& to, const ScanOptions& with) {
                               transform_scan(queue, ScanKind::exclusive, input, to, line_sums(),
                                              Value(Ramp{2, -3}), to_line, with);
                             });
        } else {
          ReduceOptions options;
          options.variant = row.name;
          check<ReduceOptions>(queue, wanted, 1, options,
                               [&](const ErasedView& to, const ReduceOptions& with) {
                                 transform_reduce_into(queue, input, to, line_sums(),
                                                       Value(Ramp{2, -3}), to_line, with);
                               });
        }
      }
    }
  }
  CHECK(rows >= 8);
}

TEST_CASE("many lines of every length class, on each row over lines") {
  Queue queue(test::device());
  for (const auto& row : gallery::variants()) {
    if (!row.lines || row.name == "production") continue;
    CAPTURE(row.name);
    for (const Lines& lines :
         {Lines::rows(70, 1), Lines::rows(70, 3), Lines::rows(9, 300), Lines::rows(3, 9001),
          Lines::columns(1, 70), Lines::columns(3, 70), Lines::columns(300, 9),
          Lines::columns(9001, 3), Lines{3, 40, 2, 200, 2, 1}, Lines{4, 9, 3, 0, 3, -1}}) {
      CAPTURE(lines.length);
      CAPTURE(lines.inner);
      const std::uint64_t n = 12 * lines.count() * lines.length + 700;
      const auto host = numbers(n);
      const auto data = queue.upload(std::span<const float>(host));
      const std::vector<Wanted> wanted = first_of(lines.length % 2 == 0 ? 3 : 2);
      core::PlanShape shape{.input = Type::f32,
                            .accumulator = type_of<Ramp>(),
                            .output = wanted[0].type,
                            .op = line_sums(),
                            .map = to_line,
                            .lines = core::LineLayout::any,
                            .result_map = wanted[0].text};
      for (std::size_t k = 1; k < wanted.size(); ++k) {
        shape.more_outputs.push_back({wanted[k].type, wanted[k].text});
      }
      if (!test::takes(row, shape)) continue;
      const std::uint64_t results = lines.count() * lines.length;
      if (row.algorithm == Algorithm::scan) {
        ScanOptions options;
        options.variant = row.name;
        options.lines = lines;
        options.output_lines = lines.inner_stride == 1 || lines.inner == 1
                                   ? Lines::rows(lines.count(), lines.length)
                                   : Lines::columns(lines.length, lines.count());
        check<ScanOptions>(queue, wanted, results, options,
                           [&](const ErasedView& to, const ScanOptions& with) {
                             transform_scan(queue, ScanKind::inclusive, erase(data), to,
                                            line_sums(), {}, to_line, with);
                           });
      } else {
        ReduceOptions options;
        options.variant = row.name;
        options.lines = lines;
        check<ReduceOptions>(queue, wanted, lines.count(), options,
                             [&](const ErasedView& to, const ReduceOptions& with) {
                               transform_reduce_into(queue, erase(data), to, line_sums(), {},
                                                     to_line, with);
                             });
      }
    }
  }
}

TEST_SUITE_END();

}  // namespace bifold
