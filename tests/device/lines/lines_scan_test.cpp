// Scans of lines, forwards and in reverse: each line's outputs have the bits of the line alone.
#include <doctest/doctest.h>

#include <bifold/bifold.hpp>
#include <cmath>
#include <limits>

#include "core/call/scan.hpp"
#include "device/lines/shapes.hpp"
#include "support/cases/group_sizes.hpp"
#include "support/cases/lines.hpp"
#include "support/cases/workload.hpp"
#include "support/environment.hpp"
#include "support/errors.hpp"
#include "support/values/arithmetic.hpp"

namespace bifold {

using test::LineCall;
using test::LineTrial;

namespace {

constexpr std::uint64_t most = 300'000;

template <class Out, class In, class Acc>
void check(Queue& queue, const LineCall<In, Acc>& call, const LineTrial& trial) {
  const std::string problem = test::scan_difference<Out>(queue, call, trial);
  CHECK_MESSAGE(problem.empty(), call.op.name(), " of ", name_of(type_of<In>()), ", ",
                test::text_of(trial), ": ", problem);
}

/// Exclusive scans with an initial value and totals, and inclusive ones without, in place where
/// that can be. More ways would be more kernels, which take a CPU longest.
template <class Out, class In, class Acc>
void check(const LineCall<In, Acc>& call, const std::vector<Lines>& shapes, bool reverse) {
  for (const Type type : {type_of<In>(), type_of<Acc>(), type_of<Out>()}) {
    if (!test::device().supports(type)) return;
  }
  Queue queue(test::device());
  std::uint64_t turn = 0;
  for (const Lines& lines : shapes) {
    ++turn;
    LineTrial trial{.lines = lines, .shift = turn % 5, .kind = ScanKind(turn % 2)};
    trial.init = trial.total = trial.kind == ScanKind::exclusive;
    trial.reverse = reverse;
    trial.in_place = std::is_same_v<In, Out> && turn % 3 == 0;
    check<Out>(queue, call, trial);
  }
}

/// The left one of two: nothing is neutral.
LineCall<std::int32_t> first_call() {
  LineCall<std::int32_t> call = test::integer_sums<std::int32_t>();
  call.op = Operator::user("first", "a", Type::i32);
  call.combine = [](std::int32_t a, std::int32_t) { return a; };
  call.nothing.reset();
  return call;
}

}  // namespace

TEST_SUITE_BEGIN("lines_scan");

TEST_CASE("few shapes of floats and of structs") {
  const std::vector<Lines> shapes{Lines::rows(5, 3),      Lines::rows(3, 129),
                                  Lines::rows(2, 4097),   Lines::columns(33, 40),
                                  Lines::columns(300, 2), Lines::columns(3, 0)};
  check<float>(test::line_call(test::sums<float>()), shapes, false);
  check<app::Map32>(test::line_call(test::maps<app::Map32>()), shapes, true);
}

TEST_CASE("floating sums along rows and columns of every size") {
  check<float>(test::line_call(test::sums<float>()), test::line_shapes(most), false);
}

TEST_CASE("the same in reverse") {
  check<float>(test::line_call(test::sums<float>()), test::line_shapes(most, 3), true);
}

TEST_CASE("kinds of scans with and without an initial value and totals") {
  Queue queue(test::device());
  const auto call = test::line_call(test::sums<float>());
  for (const Lines& lines : {Lines::rows(40, 130), Lines::columns(5000, 6)}) {
    for (unsigned ways = 0; ways < 8; ++ways) {
      LineTrial trial{.lines = lines, .kind = ScanKind(ways % 2)};
      trial.init = ways / 2 % 2 != 0;
      trial.total = ways / 4 != 0;
      check<float>(queue, call, trial);
    }
  }
}

TEST_CASE("each row of lines gives the same bits, wherever lines lie") {
  const LineCall<float> call = test::line_call(test::sums<float>());
  // Short lines, warp tiles, tiles, and lines of several, with elements side by side and apart.
  std::vector<Lines> shapes{Lines::rows(70, 4), Lines::rows(9, 513),
                            Lines{3, 1025, 2, 4200, 2, 2051}};
  if (!test::simulated()) {
    for (const Lines& lines :
         {Lines::rows(3, 8192), Lines::rows(3, 8193), Lines::rows(2, 290'001),
          Lines{2, 20'000, 3, 120'001, 3, 1}, Lines{2, 9000, 2, 18'100, 1, 9001},
          Lines{1, 40'000, 3, 0, -2, 80'001}, Lines::columns(16'400, 3), Lines::columns(270'001, 2),
          Lines{2, 9000, 40, 360'000, 40, 1}, Lines{3, 280'001, 2, 560'002, 2, 1}}) {
      shapes.push_back(lines);
    }
  }
  Queue queue(test::device());
  for (const std::string_view name : {"lines_v1", "lines_chunks_v1", "lines_v1_lookback"}) {
    const gallery::Variant* row = gallery::find(Algorithm::scan, name);
    REQUIRE(row != nullptr);
    if (!gallery::supports(test::device(), *row, Type::f32, plus)) continue;
    for (const Lines& lines : shapes) {
      for (const bool reverse : {false, true}) {
        const LineTrial trial{.lines = lines,
                              .init = true,
                              .shift = 1,
                              .kind = ScanKind(lines.length % 2),
                              .reverse = reverse,
                              .total = true,
                              .variant = name};
        const std::string problem = test::scan_difference<float>(queue, call, trial);
        CHECK_MESSAGE(problem.empty(), name, ", ", test::text_of(trial), ": ", problem);
      }
    }
  }
}

TEST_CASE("totals that stay missing are computed by who needs them, and epochs wrap") {
  const gallery::Variant* row = gallery::find(Algorithm::scan, "lines_v1_lookback");
  REQUIRE(row != nullptr);
  if (!gallery::supports(test::device(), *row, Type::f32, plus)) return;
  const core::Tuning tuning = test::default_tuning_of(test::workload_of(*row, Type::f32, plus));
  const std::uint64_t length = test::simulated() ? 17'000 : 300'000;
  const ScanShape shape{.input = Type::f32,
                        .output = Type::f32,
                        .accumulator = Type::f32,
                        .variant = row->name,
                        .lines = true};
  Queue queue(test::device());
  test::Random random(test::seed());
  std::vector<float> values(3 * length);
  for (float& x : values) x = static_cast<float>(random.between(-1000, 1000)) / 7.0F;
  const auto input = queue.upload(std::span<const float>(values));
  Buffer<float> output(test::device(), values.size());
  for (const Lines& lines : {Lines::rows(3, length), Lines::columns(length, 3)}) {
    ScanOptions options;
    options.lines = lines;
    options.variant = "lines_v1";
    inclusive_scan(queue, input, output, plus, options);
    const std::vector<float> expected = queue.download(output);
    for (const core::TestHooks& hooks : {core::TestHooks{.epoch_limit = 2}, {.spin_limit = 0}}) {
      const ScanPlan plan = core::make_plan(test::device(), shape, tuning, hooks);
      for (int round = 0; round < 4; ++round) {
        queue.fill(output, -1.0F);
        plan.run(queue, erase(input), erase(output), std::nullopt, {.lines = lines});
        CHECK(test::difference<float>(queue.download(output), expected).empty());
      }
    }
  }
}

TEST_SUITE_END();

TEST_SUITE_BEGIN("lines_scan_types");

TEST_CASE("doubles, and integers to wider outputs") {
  check<double>(test::line_call(test::sums<double>()), test::line_shapes(most, 7), false);
  check<std::int32_t>(test::integer_sums<std::uint8_t, std::int32_t>(), test::line_shapes(most, 5),
                      true);
}

TEST_CASE("integers that are narrower than a word") {
  std::vector<Lines> shapes{{3, 64, 7, 7 * 65, 1, 65}, {2, 500, 3, 5000, 1, 1000}};
  for (const std::uint64_t n : {1U, 16U, 17U, 64U, 511U, 700U, 1023U, 1025U}) {
    shapes.push_back(Lines::rows(9, n));
  }
  check<std::int8_t>(test::integer_sums<std::int8_t>(), shapes, false);
  check<std::uint16_t>(test::integer_sums<std::uint16_t>(), shapes, false);
}

TEST_CASE("an operator that does not commute, on structs") {
  for (const bool reverse : {false, true}) {
    check<app::Map32>(test::line_call(test::maps<app::Map32>()), test::line_shapes(100'000, 3),
                      reverse);
  }
}

TEST_CASE("an operator without a neutral element") {
  std::vector<Lines> shapes = test::line_shapes(most, 5);
  check<std::int32_t>(first_call(), shapes, true);
}

TEST_CASE("a map sees the index of an element in its line, and in reverse the same one") {
  LineCall<float> call = test::line_call(test::sums<float>());
  call.map = "x * (f32)(i % 7ul)";
  call.lift = [](float x, std::uint64_t i) { return x * static_cast<float>(i % 7); };
  check<float>(call, test::line_shapes(most, 7), true);
}

TEST_CASE("elements and outputs of 16 bits are rounded once") {
  LineCall<f16, float> call{plus,
                            [](float a, float b) { return a + b; },
                            [](test::Random& random) { return f16(test::any_real<float>(random)); },
                            0.3F,
                            0.0F,
                            f16(std::numeric_limits<float>::quiet_NaN())};
  check<f16>(call, test::line_shapes(most, 7), false);
}

TEST_SUITE_END();

TEST_SUITE_BEGIN("lines_scan");

TEST_CASE("the bits are those of a call on the line copied out") {
  Queue queue(test::device());
  const auto call = test::line_call(test::sums<float>());
  for (const Lines& lines : {Lines::rows(40, 1000), Lines::columns(9000, 7), Lines::rows(3, 70'001),
                             Lines{4, 500, 3, 5000, -3, 1600}}) {
    for (const bool reverse : {false, true}) {
      test::DrawnLines<float> input(queue, call, lines, 1);
      test::LineMemory<float> output(queue, lines, 0.0F);
      ScanOptions options;
      options.reverse = reverse;
      ScanOptions with_lines = options;
      with_lines.lines = lines;
      inclusive_scan(queue, input.memory.view(), output.view(), plus, 0.25F, with_lines);
      for (std::uint64_t line = 0; line < lines.count(); ++line) {
        const std::vector<float> elements = input.line(line);
        auto alone = queue.upload(std::span<const float>(elements));
        inclusive_scan(queue, alone, alone, plus, 0.25F, options);
        const std::vector<float> want = queue.download(alone);
        for (std::uint64_t k = 0; k < lines.length; ++k) output.at(line, k) = want[k];
      }
      const std::string problem = output.difference();
      CHECK_MESSAGE(problem.empty(), test::text_of(lines), ", reverse ", reverse, ": ", problem);
    }
  }
}

TEST_CASE("a line has the same bits whatever the batch is") {
  Queue queue(test::device());
  for (const std::uint64_t length : {3ULL, 100ULL, 1000ULL, 5000ULL}) {
    const std::uint64_t batch = std::min<std::uint64_t>(1000, 2 * most / length);
    const auto host = test::drawn(test::sums<float>(), batch * length);
    const auto data = queue.upload(std::span<const float>(host));
    auto output = queue.allocate<float>(batch * length);
    ScanOptions options;
    options.lines = Lines::rows(batch, length);
    inclusive_scan(queue, data, output, plus, options);
    const std::vector<float> all = queue.download(output);
    for (const std::uint64_t first : {std::uint64_t{0}, batch / 2, batch - 1}) {
      options.lines = Lines::rows(1, length);
      inclusive_scan(queue, data.view(first * length, length), output.view(0, length), plus,
                     options);
      const std::vector<float> one = queue.download(output.view(0, length));
      const std::string problem = test::difference<float>(
          std::span(all).subspan(first * length, length), std::span<const float>(one));
      CHECK_MESSAGE(problem.empty(), "length ", length, ", line ", first, ": ", problem);
    }
  }
}

TEST_CASE("NaN in one line is in its outputs alone") {
  Queue queue(test::device());
  for (const auto& [rows, columns] : {std::pair(50ULL, 60ULL), {7ULL, 5000ULL}, {5000ULL, 7ULL}}) {
    for (const bool along_rows : {true, false}) {
      const Lines lines = along_rows ? Lines::rows(rows, columns) : Lines::columns(rows, columns);
      const test::LinePlaces places(lines);
      auto host = test::drawn(test::sums<float>(), rows * columns);
      const std::uint64_t line = lines.count() / 2;
      const std::uint64_t from = lines.length / 3;
      host[places.at(line, from)] = NAN;
      auto data = queue.upload(std::span<const float>(host));
      ScanOptions options;
      options.lines = lines;
      inclusive_scan(queue, data, data, plus, options);
      const std::vector<float> got = queue.download(data);
      bool right = true;
      for (std::uint64_t i = 0; i < lines.count(); ++i) {
        for (std::uint64_t k = 0; k < lines.length; ++k) {
          right &= std::isnan(got[places.at(i, k)]) == (i == line && k >= from);
        }
      }
      CHECK_MESSAGE(right, test::text_of(lines));
    }
  }
}

TEST_SUITE_END();

TEST_SUITE_BEGIN("reverse");

namespace {

/// Scans of arrays without lines, backwards.
template <class T>
void check_arrays(const LineCall<T>& call, const std::vector<std::uint64_t>& lengths) {
  if (!test::device().supports(type_of<T>())) return;
  Queue queue(test::device());
  for (const std::uint64_t n : lengths) {
    const std::uint64_t shift = n % 5;
    test::DrawnLines<T> input(queue, call, Lines{1, n, 1, 0, 1, 0}, shift);
    test::LineMemory<T> output(queue, input.lines, T{}, shift + 1);
    test::LineMemory<T> total(queue, Lines::values(1), T{});
    ScanOptions with_total{.total = erase(total.view())};
    with_total.reverse = true;
    scan(queue, ScanKind::exclusive, erase(input.memory.view()), erase(output.view()), call.op,
         Value(call.init), with_total);
    const auto before = call.scanned(input.line(0), ScanKind::exclusive, true, call.init);
    for (std::uint64_t k = 0; k < n; ++k) output.at(0, k) = before[k];
    total.at(0, 0) = before.back();
    const std::string problem = output.difference() + total.difference();
    CHECK_MESSAGE(problem.empty(), call.op.name(), " of ", name_of(type_of<T>()), ", n ", n, ": ",
                  problem);
    ScanOptions options;
    options.reverse = true;
    scan(queue, ScanKind::inclusive, erase(input.memory.view()), erase(input.memory.view()),
         call.op, {}, options);
    const auto want = call.scanned(input.line(0), ScanKind::inclusive, true, {});
    for (std::uint64_t k = 0; k < n; ++k) input.memory.at(0, k) = want[k];
    CHECK_MESSAGE(input.memory.difference().empty(), "in place, n ", n);
  }
}

}  // namespace

TEST_CASE("scans of short arrays") {
  const std::vector<std::uint64_t> lengths{0, 1, 2, 31, 33, 129, 1025, 8193};
  check_arrays(test::line_call(test::sums<float>()), lengths);
  check_arrays(test::line_call(test::maps<app::Map32>()), lengths);
}

TEST_CASE("scans of every length about a border") {
  std::vector<std::uint64_t> lengths{3,    4,    5,      127,    255,    1023,   2047,
                                     8191, 8192, 16'383, 16'385, 65'537, 70'001, 262'143};
  if (test::simulated()) std::erase_if(lengths, [](std::uint64_t n) { return n > 5000; });
  check_arrays(test::line_call(test::sums<float>()), lengths);
  check_arrays(test::integer_sums<std::uint8_t>(), lengths);
  check_arrays(test::line_call(test::maps<app::Map64>()), lengths);
  check_arrays(first_call(), lengths);
}

TEST_CASE("n in device memory counts from the first element on") {
  Queue queue(test::device());
  const auto call = test::line_call(test::sums<float>());
  for (const std::uint64_t n : {0U, 1U, 1000U, 20'000U, 30'000U, 31'000U}) {
    test::DrawnLines<float> input(queue, call, Lines{1, 30'000, 1, 0, 1, 0}, 1);
    test::LineMemory<float> output(queue, input.lines, 0.0F);
    const std::uint64_t count = std::min<std::uint64_t>(n, 30'000);
    const auto counted = queue.upload(std::span(&n, 1));
    const auto init = queue.upload(std::span(&call.init, 1));
    ScanOptions options{.count_from = erase(counted), .init_from = erase(init)};
    options.reverse = true;
    exclusive_scan(queue, input.memory.view(), output.view(), plus, options);
    const auto want = call.scanned(input.line(0, count), ScanKind::exclusive, true, call.init);
    for (std::uint64_t k = 0; k < count; ++k) output.at(0, k) = want[k];
    const std::string problem = output.difference();
    CHECK_MESSAGE(problem.empty(), "n ", n, ": ", problem);
  }
}

TEST_SUITE_END();

}  // namespace bifold
