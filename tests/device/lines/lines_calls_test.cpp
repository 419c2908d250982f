// Lines in every call of the family, in plans with workspaces, and on two queues at once.
#include <doctest/doctest.h>

#include <bifold/bifold.hpp>
#include <cmath>
#include <functional>
#include <limits>

#include "device/lines/shapes.hpp"
#include "support/cases/lines.hpp"
#include "support/environment.hpp"
#include "support/errors.hpp"

namespace app {
struct Stats {
  float sum;
  float highest;
  std::uint32_t positive;
};
}  // namespace app
BIFOLD_STRUCT_NAMED(app::Stats, Stats, sum, highest, positive);

namespace bifold {

using test::LineCall;

namespace {

constexpr std::uint64_t most = 150'000;

/// What fills a Stats, with an initial value of the sum.
std::vector<Reduction> stats() {
  return {{plus, Type::f32, {}, Value(0.25F)},
          {maximum, Type::f32, {}, {}},
          {plus, Type::u32, "x > 0 ? 1 : 0", {}}};
}

/// Few different values, so that extremes are met again and again; NaN and zeros of both signs.
LineCall<float> ties() {
  LineCall<float> call = test::line_call(test::sums<float>());
  call.draw = [](test::Random& random) {
    if (random.one_in(3000)) return std::numeric_limits<float>::quiet_NaN();
    const auto x = static_cast<float>(random.between(-20, 20));
    return random.one_in(2) && test::same_bits(x, 0.0F) ? -0.0F : x;
  };
  call.other = -std::numeric_limits<float>::infinity();
  return call;
}

using Into =
    std::function<void(Queue&, const ErasedView&, const ErasedView&, const ReduceOptions&)>;

/// Results of lines by one call, against those of the call on each line copied out.
template <class Out>
void check(const LineCall<float>& call, const Into& into, const std::vector<Lines>& shapes,
           Out before) {
  Queue queue(test::device());
  std::uint64_t turn = 0;
  for (const Lines& lines : shapes) {
    test::DrawnLines<float> input(queue, call, lines, ++turn % 5);
    test::LineMemory<Out> result(queue, Lines::values(lines.count()), before, turn % 3);
    ReduceOptions options;
    options.lines = lines;
    into(queue, erase(input.memory.view()), erase(result.view()), options);
    // One by one is slow: some lines are enough. The others are what they are.
    const std::vector<Out> got = queue.download(result.view());
    auto alone = queue.allocate<Out>(1);
    const std::uint64_t step = std::max<std::uint64_t>(1, lines.count() / 12);
    for (std::uint64_t line = 0; line < lines.count(); ++line) {
      result.at(line, 0) = got[line];
      if (line % step != 0 && line + 1 != lines.count()) continue;
      const std::vector<float> elements = input.line(line);
      const auto copy = queue.upload(std::span<const float>(elements));
      into(queue, erase(copy), erase(alone), {});
      result.at(line, 0) = queue.download(alone)[0];
    }
    const std::string problem = result.difference();
    CHECK_MESSAGE(problem.empty(), test::text_of(lines), ": ", problem);
  }
}

/// Rows and columns of few sizes, and some that lie otherwise.
std::vector<Lines> shapes() {
  std::vector<Lines> all = test::line_shapes(most, 11);
  all.push_back({4, 50, 3, 500, -3, 160});
  all.push_back({3, 41, 2, 0, 5, -1});
  return all;
}

}  // namespace

TEST_SUITE_BEGIN("lines_calls");

TEST_CASE("a line is planned for its own length, however large the view is") {
  Queue queue(test::device());
  constexpr std::uint64_t large = 8'000'000;
  constexpr std::uint64_t length = 1000;
  Buffer<float> input(test::device(), large);
  Buffer<float> output(test::device(), length);
  queue.fill(input, 1.0F);
  ScanOptions scanned;
  scanned.lines = Lines{1, length, 1, 0, 1, 0};
  inclusive_scan(queue, input, output, plus, scanned);
  CHECK(queue.download(output.view(length - 1, 1))[0] == static_cast<float>(length));
  ReduceOptions reduced;
  reduced.lines = scanned.lines;
  CHECK(reduce(queue, input, plus, reduced) == static_cast<float>(length));
}

TEST_CASE("the least and the greatest element, with their indices in the line") {
  const Indexed<float> none{-1, 77};
  check<Indexed<float>>(
      ties(),
      [](Queue& queue, const ErasedView& in, const ErasedView& out, const ReduceOptions& options) {
        argmin_into(queue, in, out, options);
      },
      shapes(), none);
  check<Indexed<float>>(
      ties(),
      [](Queue& queue, const ErasedView& in, const ErasedView& out, const ReduceOptions& options) {
        argmax_into(queue, in, out, options);
      },
      shapes(), none);
  check<MinMax<float>>(
      ties(),
      [](Queue& queue, const ErasedView& in, const ErasedView& out, const ReduceOptions& options) {
        minmax_into(queue, in, out, options);
      },
      shapes(), MinMax<float>{-1, 77});
}

TEST_CASE("how many elements of a line hold") {
  check<std::uint64_t>(
      ties(),
      [](Queue& queue, const ErasedView& in, const ErasedView& out, const ReduceOptions& options) {
        count_if_into(queue, in, out, "x > 3.0f || i % 5ul == 2ul", options);
      },
      shapes(), std::uint64_t{99});
}

TEST_CASE("products of elements of two arrays, which lie differently") {
  Queue queue(test::device());
  const auto call = test::line_call(test::sums<float>());
  std::uint64_t turn = 0;
  for (const Lines& lines : shapes()) {
    for (const bool alike : {true, false}) {
      const Lines other = alike ? lines
                                : Lines{lines.outer,
                                        lines.length,
                                        lines.inner,
                                        1,
                                        static_cast<std::int64_t>(lines.count()),
                                        -static_cast<std::int64_t>(lines.outer)};
      test::DrawnLines<float> first(queue, call, lines, ++turn % 5);
      test::DrawnLines<float> second(queue, call, other, turn % 3);
      test::LineMemory<float> result(queue, Lines::values(lines.count()), 0.0F);
      ReduceOptions options;
      options.lines = lines;
      if (!alike) options.second_lines = other;
      transform_reduce_into(queue, first.memory.view(), second.memory.view(), result.view(), plus,
                            Value(0.5F), "x * y + (f32)(i % 3ul)", options);
      for (std::uint64_t line = 0; line < lines.count(); ++line) {
        std::vector<float> x = first.line(line);
        const std::vector<float> y = second.line(line);
        for (std::size_t i = 0; i < x.size(); ++i) x[i] = x[i] * y[i] + static_cast<float>(i % 3);
        result.at(line, 0) = call.reduced(x, 0.5F);
      }
      const std::string problem = result.difference();
      CHECK_MESSAGE(problem.empty(), test::text_of(lines), ", second ", test::text_of(other), ": ",
                    problem);
    }
  }
}

TEST_CASE("several results of each line, which is read once") {
  const LineCall<float> call = test::line_call(test::sums<float>());
  check<app::Stats>(
      call,
      [](Queue& queue, const ErasedView& in, const ErasedView& out, const ReduceOptions& options) {
        reduce_many_into(queue, in, out, stats(), options);
        // Of one array these are the results that reduce_many() returns.
        if (options.lines) return;
        const std::vector<Value> alone = reduce_many(queue, in, stats());
        const View<const app::Stats> there(out.memory, out.byte_offset, 1);
        const app::Stats found = queue.download(there)[0];
        CHECK(test::same_bits(found.sum, alone[0].as<float>()));
        CHECK(test::same_bits(found.highest, alone[1].as<float>()));
        CHECK(found.positive == alone[2].as<std::uint32_t>());
      },
      shapes(), app::Stats{-1, -2, 77});
}

TEST_CASE("several results accumulate call by call") {
  Queue queue(test::device());
  const auto call = test::line_call(test::sums<float>());
  const Lines lines = Lines::rows(30, 500);
  test::DrawnLines<float> input(queue, call, lines, 1);
  auto result = queue.allocate<app::Stats>(30);
  ReduceOptions options;
  options.lines = lines;
  reduce_many_into(queue, input.memory.view(), result, stats(), options);
  const std::vector<app::Stats> once = queue.download(result);
  options.init_from = erase(result);
  reduce_many_into(queue, input.memory.view(), result, stats(), options);
  const std::vector<app::Stats> twice = queue.download(result);
  for (std::uint64_t line = 0; line < lines.count(); ++line) {
    CHECK(test::same_bits(twice[line].sum, call.reduced(input.line(line), once[line].sum)));
    CHECK(test::same_bits(twice[line].highest, once[line].highest));
    CHECK(twice[line].positive == 2 * once[line].positive);
  }
}

TEST_CASE("inner products of lines of two arrays") {
  Queue queue(test::device());
  const auto call = test::line_call(test::sums<float>());
  std::uint64_t turn = 0;
  for (const Lines& lines : shapes()) {
    test::DrawnLines<float> first(queue, call, lines, ++turn % 5);
    const Lines turned{1, lines.length, lines.count(), 0, static_cast<std::int64_t>(lines.count()),
                       1};
    test::DrawnLines<float> second(queue, call, turned, turn % 3);
    test::LineMemory<float> result(queue, Lines::values(lines.count()), 0.0F);
    ReduceOptions options;
    options.lines = lines;
    options.second_lines = turned;
    const bool fits = lines.outer == 1 || lines.inner == 1;  // Else the first has no one stride.
    if (!fits) options.second_lines->inner = lines.inner;
    if (!fits) options.second_lines->outer = lines.outer;
    if (!fits) options.second_lines->outer_stride = static_cast<std::int64_t>(lines.inner);
    inner_product_into(queue, first.memory.view(), second.memory.view(), result.view(), Value(0.5F),
                       options);
    for (std::uint64_t line = 0; line < lines.count(); ++line) {
      std::vector<float> x = first.line(line);
      const std::vector<float> y = second.line(line);
      for (std::size_t i = 0; i < x.size(); ++i) x[i] = x[i] * y[i];
      result.at(line, 0) = call.reduced(x, 0.5F);
    }
    const std::string problem = result.difference();
    CHECK_MESSAGE(problem.empty(), test::text_of(lines), ": ", problem);
  }
  // Signed integers wrap around, and products are of the elements' width at least.
  const std::vector<std::int32_t> bounds{INT32_MIN, -1, 65'536, 65'536, 3, -4};
  const auto x = queue.upload(std::span<const std::int32_t>(bounds));
  auto wide = queue.allocate<std::int64_t>(3);
  ReduceOptions options;
  options.lines = Lines::rows(3, 2);
  inner_product_into(queue, x, x, wide, {}, options);
  CHECK(queue.download(wide) ==
        std::vector<std::int64_t>{(std::int64_t{1} << 62) + 1, std::int64_t{1} << 33, 25});
}

TEST_CASE("several results, compensated sums and inner products of one line anywhere") {
  Queue queue(test::device());
  const auto call = test::line_call(test::sums<float>());
  for (const Lines& lines : {Lines{1, 5000, 1, 0, 3, 0}, Lines{1, 777, 1, 0, -2, 0}}) {
    test::DrawnLines<float> input(queue, call, lines, 1);
    const std::vector<float> elements = input.line(0);
    const auto alone = queue.upload(std::span<const float>(elements));
    const ErasedView there = erase(input.memory.view());
    const ErasedView copy = erase(alone);
    ReduceOptions options;
    options.lines = lines;
    const std::vector<Reduction> reductions{{plus, Type::f32}, {maximum, Type::f32}};
    CHECK(reduce_many(queue, there, reductions, options) == reduce_many(queue, copy, reductions));
    CHECK(sum_compensated(queue, there, Value(0.5F), options) ==
          sum_compensated(queue, copy, Value(0.5F)));
    CHECK(inner_product(queue, there, there, Value(0.5F), options) ==
          inner_product(queue, copy, copy, Value(0.5F)));
  }
}

TEST_CASE("plans with workspaces that are as small as they say") {
  Queue queue(test::device());
  const auto call = test::line_call(test::sums<float>());
  ReduceShape reduce_shape{Type::f32, Type::f32, plus};
  reduce_shape.lines = true;
  ScanShape scan_shape{Type::f32, Type::f32, Type::f32, ScanKind::inclusive, plus};
  scan_shape.lines = true;
  const ReducePlan reducing(test::device(), reduce_shape);
  const ScanPlan scanning(test::device(), scan_shape);
  for (const Lines& lines : test::line_shapes(most, 5)) {
    test::DrawnLines<float> input(queue, call, lines, 0);
    const auto memory = [&](std::uint64_t bytes) {
      auto bytes_there = queue.allocate<std::uint8_t>(bytes);
      queue.fill(bytes_there, 0xa5);
      return bytes_there;
    };
    auto for_reducing = memory(reducing.workspace_bytes(lines));
    auto for_scanning = memory(scanning.workspace_bytes(lines));
    const Workspace raw(for_reducing.view());
    Workspace prepared(for_scanning.view());
    prepared.prepare(queue);
    test::LineMemory<float> result(queue, Lines::values(lines.count()), 0.0F);
    test::LineMemory<float> output(queue, lines, 0.0F);
    ReduceOptions options{.workspace = &raw};
    options.lines = lines;
    ScanOptions scan_options{.workspace = &prepared};
    scan_options.lines = lines;
    for (int round = 0; round < 2; ++round) {
      reducing.run(queue, erase(input.memory.view()), erase(result.view()), {}, options);
      scanning.run(queue, erase(input.memory.view()), erase(output.view()), {}, scan_options);
    }
    for (std::uint64_t line = 0; line < lines.count(); ++line) {
      const std::vector<float> elements = input.line(line);
      result.at(line, 0) = call.reduced(elements, {});
      const auto want = call.scanned(elements, ScanKind::inclusive, false, {});
      for (std::uint64_t k = 0; k < lines.length; ++k) output.at(line, k) = want[k];
    }
    CHECK_MESSAGE(result.difference().empty(), test::text_of(lines));
    CHECK_MESSAGE(output.difference().empty(), test::text_of(lines));
    prepared.release();
  }
}

TEST_CASE("a workspace for lines serves as many shorter ones") {
  ReduceShape shape{Type::f32, Type::f32, plus};
  shape.lines = true;
  ScanShape scan_shape{Type::f32, Type::f32, Type::f32, ScanKind::inclusive, plus};
  scan_shape.lines = true;
  const ReducePlan reducing(test::device(), shape);
  const ScanPlan scanning(test::device(), scan_shape);
  for (const std::uint64_t rows : {1ULL, 7ULL, 1000ULL, 1'000'000ULL}) {
    std::uint64_t reduce_before = 0;
    std::uint64_t scan_before = 0;
    for (const std::uint64_t columns : {0ULL, 1ULL, 100ULL, 4097ULL, 70'001ULL, 5'000'000ULL}) {
      for (const Lines& lines : {Lines::rows(rows, columns), Lines::columns(columns, rows)}) {
        CHECK(reducing.workspace_bytes(lines) >= reduce_before);
        CHECK(scanning.workspace_bytes(lines) >= scan_before);
      }
      reduce_before = reducing.workspace_bytes(Lines::rows(rows, columns));
      scan_before = scanning.workspace_bytes(Lines::rows(rows, columns));
    }
  }
}

TEST_CASE("two queues at once, and events between them") {
  Queue one(test::device());
  Queue other(test::device());
  const auto call = test::line_call(test::sums<float>());
  const Lines rows = Lines::rows(60, 900);
  const Lines columns = Lines::columns(60, 900);
  test::DrawnLines<float> input(one, call, rows, 0);
  auto along_rows = one.allocate<float>(std::uint64_t{60} * 900);
  auto along_columns = one.allocate<float>(std::uint64_t{60} * 900);
  auto both = one.allocate<float>(std::uint64_t{60} * 900);
  const auto with = [](const Lines& lines) {
    ScanOptions options;
    options.lines = lines;
    return options;
  };
  for (int round = 0; round < 5; ++round) {
    Event done;
    ScanOptions first = with(rows);
    first.done = &done;
    inclusive_scan(one, input.memory.view(), along_rows, plus, first);
    inclusive_scan(other, input.memory.view(), along_columns, plus, with(columns));
    ScanOptions then = with(columns);
    then.wait = {done};
    inclusive_scan(other, along_rows, both, plus, then);
    one.wait_for(std::vector<Event>{other.record()});
  }
  // Of a dense matrix, scanned along rows and then along columns.
  const std::vector<float> got_rows = one.download(along_rows);
  const std::vector<float> got_columns = other.download(along_columns);
  const std::vector<float> got_both = other.download(both);
  bool right = true;
  for (std::uint64_t row = 0; row < 60; ++row) {
    const auto want = call.scanned(input.line(row), ScanKind::inclusive, false, {});
    for (std::size_t i = 0; i < 900; ++i) {
      right &= test::same_bits(got_rows[row * 900 + i], want[i]);
    }
  }
  for (std::size_t column = 0; column < 900; ++column) {
    std::vector<float> elements;
    std::vector<float> sums;
    for (std::uint64_t row = 0; row < 60; ++row) {
      elements.push_back(input.memory.at(row, column));
      sums.push_back(got_rows[row * 900 + column]);
    }
    const auto want = call.scanned(elements, ScanKind::inclusive, false, {});
    const auto want_both = call.scanned(sums, ScanKind::inclusive, false, {});
    for (std::size_t row = 0; row < 60; ++row) {
      right &= test::same_bits(got_columns[row * 900 + column], want[row]);
      right &= test::same_bits(got_both[row * 900 + column], want_both[row]);
    }
  }
  CHECK(right);
}

TEST_SUITE_END();

}  // namespace bifold
