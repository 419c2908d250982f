// Lines that lie anywhere: every axis of arrays of four dimensions, odd, negative and zero strides,
// and outputs that lie otherwise than the input.
#include <doctest/doctest.h>

#include <bifold/bifold.hpp>
#include <numeric>

#include "support/cases/affordable.hpp"
#include "support/cases/lines.hpp"
#include "support/environment.hpp"

namespace bifold {

using test::LineCall;
using test::LineTrial;

namespace {

template <class Out, class In, class Acc>
void check_reduce(Queue& queue, const LineCall<In, Acc>& call, const LineTrial& trial) {
  const std::string problem = test::reduce_difference<Out>(queue, call, trial);
  CHECK_MESSAGE(problem.empty(), "reduce, ", test::text_of(trial), ": ", problem);
}

template <class Out, class In, class Acc>
void check_scan(Queue& queue, const LineCall<In, Acc>& call, const LineTrial& trial) {
  const std::string problem = test::scan_difference<Out>(queue, call, trial);
  CHECK_MESSAGE(problem.empty(), "scan, ", test::text_of(trial), ": ", problem);
}

/// Reduces and scans lines of the input, with outputs that lie densely.
template <class T>
void check_reading(Queue& queue, const LineCall<T>& call, const Lines& lines, std::uint64_t turn) {
  LineTrial trial{.lines = lines, .init = turn % 2 == 0, .shift = turn % 7};
  check_reduce<T>(queue, call, trial);
  trial.to = Lines{lines.outer,
                   lines.length,
                   lines.inner,
                   static_cast<std::int64_t>(lines.length * lines.inner),
                   static_cast<std::int64_t>(lines.inner),
                   1};
  trial.kind = ScanKind(turn % 2);
  trial.init = trial.total = trial.reverse = trial.kind == ScanKind::exclusive;
  check_scan<T>(queue, call, trial);
}

/// The lines along each axis of an array, which lies as the dimensions in `order` say, densely or
/// with gaps, each axis in either direction.
template <class T>
void check_axes(const LineCall<T>& call, bool with_gaps) {
  Queue queue(test::device());
  const std::vector<std::uint64_t> shape = test::simulated()
                                               ? std::vector<std::uint64_t>{2, 5, 3, 4}
                                               : std::vector<std::uint64_t>{3, 37, 5, 130};
  std::vector<std::size_t> order{0, 1, 2, 3};
  std::uint64_t turn = 0;
  int folded = 0;
  do {
    if (turn++ % 3 != 0) continue;
    std::vector<std::int64_t> strides(4);
    std::int64_t next = 1;
    for (std::size_t k = order.size(); k > 0; --k) {
      const std::size_t place = order[k - 1];
      strides[place] = (turn + place) % 2 == 0 ? next : -next;
      next *= static_cast<std::int64_t>(shape[place]);
      // A gap behind one of the dimensions.
      if (with_gaps && place == turn % 4) next += 7;
    }
    for (const std::size_t& axis : order) {
      auto lines = Lines::fold(shape, strides, std::span(&axis, 1));
      if (lines) ++folded;
      if (!lines) {
        // Of three dimensions, those that are no axis are at most two.
        std::vector<std::uint64_t> part = shape;
        part[(axis + 1 + turn % 3) % 4] = 1;
        lines = Lines::fold(part, strides, std::span(&axis, 1));
      }
      REQUIRE(lines.has_value());
      check_reading<T>(queue, call, *lines, turn + axis);
    }
  } while (std::next_permutation(order.begin(), order.end()));
  CHECK(folded >= 3);
}

}  // namespace

TEST_SUITE_BEGIN("lines_layouts");

TEST_CASE("few layouts") {
  Queue queue(test::device());
  const auto floats = test::line_call(test::sums<float>());
  const auto bytes = test::integer_sums<std::uint8_t>();
  std::uint64_t turn = 0;
  for (const Lines& lines :
       {Lines{3, 40, 2, 200, 2, 1}, Lines{2, 33, 5, -170, -5, 1}, Lines{4, 9, 3, 0, 3, -1}}) {
    check_reading(queue, floats, lines, ++turn);
    check_reading(queue, bytes, lines, turn);
  }
}

TEST_CASE("every axis of arrays of four dimensions, in both directions") {
  check_axes(test::line_call(test::sums<float>()), false);
  check_axes(test::integer_sums<std::uint8_t>(), false);
}

TEST_CASE("every axis of arrays with gaps") {
  check_axes(test::line_call(test::sums<float>()), true);
}

TEST_CASE("odd, negative and zero strides along every index") {
  Queue queue(test::device());
  const auto floats = test::line_call(test::sums<float>());
  const auto bytes = test::integer_sums<std::uint8_t, std::int32_t>();
  std::uint64_t turn = 0;
  for (const std::int64_t stride : {1, -1, 3, -5, 0, 17}) {
    for (const std::int64_t inner : {1, -1, 7, 0, -300}) {
      for (const std::int64_t outer : {1, 0, -1001, 4099}) {
        if (++turn % 2 == 0 && !test::simulated()) continue;
        const std::uint64_t length = test::simulated() ? 9 : 1 + turn * 37 % 400;
        const Lines lines{1 + turn % 4, length, 1 + turn % 9, outer, stride, inner};
        check_reading(queue, floats, lines, turn);
        check_reduce<std::int32_t>(queue, bytes, {.lines = lines, .shift = turn % 5});
      }
    }
  }
}

TEST_CASE("outputs that split lines otherwise") {
  Queue queue(test::device());
  const auto floats = test::line_call(test::sums<float>());
  std::uint64_t turn = 0;
  for (const Lines& lines :
       {Lines{4, 70, 6, 500, 6, 1}, Lines{4, 9, 6, 54, 1, 9}, Lines{1, 50, 24, 0, 24, 1},
        Lines{24, 50, 1, 50, 1, 0}, Lines{3, 40, 8, -40, 3, -120}, Lines{0, 5, 3, 1, 1, 1}}) {
    const std::uint64_t count = lines.count();
    for (const std::uint64_t inner : {std::uint64_t{1}, std::uint64_t{8}, count}) {
      const std::uint64_t outer = count / std::max<std::uint64_t>(1, inner);
      for (const std::int64_t stride : {1, -2}) {
        const auto step = static_cast<std::int64_t>(inner) * stride;
        LineTrial trial{.lines = lines,
                        .to = Lines{outer, 1, inner, step, 1, stride},
                        .init = true,
                        .shift = ++turn % 5};
        check_reduce<float>(queue, floats, trial);
        trial.total = trial.reverse = turn % 2 == 0;
        const auto far = static_cast<std::int64_t>(lines.length + 1);
        trial.to = Lines{outer, lines.length, inner, far * step, -1, far * stride};
        check_scan<float>(queue, floats, trial);
      }
    }
    if (count == 0) continue;
    // The other way round: the input has one stride, the output two.
    const Lines dense = Lines::rows(count, lines.length);
    check_scan<float>(queue, floats,
                      {.lines = dense, .to = Lines{4, lines.length, 6, 7000, 6, 1}, .total = true});
    check_reduce<float>(queue, floats, {.lines = dense, .to = Lines{4, 1, 6, 1, 1, 4}});
  }
}

TEST_CASE("in place by other indices of the same lines") {
  Queue queue(test::device());
  const auto call = test::integer_sums<std::int32_t>();
  const Lines lines = Lines::rows(12, 300);
  for (const Lines& to : {Lines{1, 300, 12, 0, 1, 300}, Lines{3, 300, 4, 1200, 1, 300}}) {
    test::DrawnLines<std::int32_t> data(queue, call, lines, 1);
    ScanOptions options;
    options.lines = lines;
    options.output_lines = to;
    inclusive_scan(queue, data.memory.view(), data.memory.view(), plus, options);
    for (std::uint64_t line = 0; line < lines.count(); ++line) {
      const auto want = call.scanned(data.line(line), ScanKind::inclusive, false, {});
      for (std::uint64_t k = 0; k < lines.length; ++k) data.memory.at(line, k) = want[k];
    }
    CHECK_MESSAGE(data.memory.difference().empty(), test::text_of(to));
  }
}

TEST_CASE("long lines of every stride") {
  if (test::too_long_here()) return;
  Queue queue(test::device());
  const auto floats = test::line_call(test::sums<float>());
  for (const Lines& lines :
       {Lines{1, 70'001, 1, 0, 3, 0}, Lines{1, 70'001, 2, 0, -2, 1}, Lines{2, 50'003, 1, 1, 2, 0},
        Lines{2, 40'001, 3, -120'007, 3, -1}, Lines{3, 30'000, 1, 0, 0, 0}}) {
    check_reading(queue, floats, lines, lines.length);
    check_reading(queue, floats, lines, lines.length + 1);
  }
}

TEST_CASE("outputs between others' elements, which stay as they are") {
  Queue queue(test::device());
  const auto floats = test::line_call(test::sums<float>());
  const auto bytes = test::integer_sums<std::uint8_t>();
  const auto maps = test::line_call(test::maps<app::Map32>());
  const auto check_all = [&](LineTrial trial) {
    for (const ScanKind kind : {ScanKind::inclusive, ScanKind::exclusive}) {
      trial.kind = kind;
      trial.reverse = kind == ScanKind::exclusive;
      check_scan<float>(queue, floats, trial);
      check_scan<std::uint8_t>(queue, bytes, trial);
      check_scan<app::Map32>(queue, maps, trial);
    }
  };
  std::uint64_t shift = 0;
  for (const auto& [rows, columns] :
       {std::pair(5LL, 300LL), std::pair(130LL, 40LL), std::pair(2LL, 5000LL)}) {
    if (test::simulated() && rows * columns > 2000) continue;
    const Lines from =
        Lines::rows(static_cast<std::uint64_t>(rows), static_cast<std::uint64_t>(columns));
    for (const Lines& to : {
             Lines{from.outer, from.length, 1, columns + 3, 1, 0},    // Rows with gaps,
             Lines{from.outer, from.length, 1, 3 * columns, 3, 0},    // between elements,
             Lines{from.outer, from.length, 1, 1, rows + 1, 0},       // as columns,
             Lines{from.outer, from.length, 1, -columns - 1, -1, 0},  // from the end,
             Lines{from.outer, from.length, 1, 2, -2 * rows, 0},      // and both.
         }) {
      check_all({.lines = from, .to = to, .init = true, .shift = ++shift % 5, .total = true});
    }
    LineTrial within{.lines = Lines{from.outer, from.length, 1, 2 * columns + 1, 2, 0}};
    within.in_place = true;
    check_all(within);
    within.lines = Lines{1, from.outer, from.length, 0, -(columns + 5), -1};
    check_all(within);
  }
}

TEST_CASE("results between others' elements, which stay as they are") {
  Queue queue(test::device());
  const auto floats = test::line_call(test::sums<float>());
  const auto bytes = test::integer_sums<std::uint8_t>();
  const auto maps = test::line_call(test::maps<app::Map32>());
  std::uint64_t shift = 0;
  for (const Lines& lines : {Lines{7, 200, 5, 1000, 5, 1}, Lines{70, 3, 2, 6, 1, 3},
                             Lines{3, 5000, 1, 5000, 1, 0}, Lines{2, 0, 5, 0, 1, 0}}) {
    const auto inner = static_cast<std::int64_t>(lines.inner);
    const auto outer = static_cast<std::int64_t>(lines.outer);
    for (const auto& [outer_stride, inner_stride] :
         {std::pair(2 * inner, std::int64_t{2}), std::pair(std::int64_t{1}, outer),
          std::pair(-inner - 3, std::int64_t{1}), std::pair(3 * inner, std::int64_t{-3})}) {
      const Lines to{lines.outer, 1, lines.inner, outer_stride, 1, inner_stride};
      const LineTrial trial{.lines = lines, .to = to, .init = true, .shift = ++shift % 5};
      check_reduce<float>(queue, floats, trial);
      check_reduce<std::uint8_t>(queue, bytes, trial);
      check_reduce<app::Map32>(queue, maps, trial);
    }
  }
}

TEST_SUITE_END();

}  // namespace bifold
