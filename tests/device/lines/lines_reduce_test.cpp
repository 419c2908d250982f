// Reductions of lines: each result has the bits of the line alone.
#include <doctest/doctest.h>

#include <bifold/bifold.hpp>
#include <cmath>
#include <limits>

#include "device/lines/shapes.hpp"
#include "support/cases/lines.hpp"
#include "support/environment.hpp"
#include "support/errors.hpp"

namespace bifold {

using test::failure_of;
using test::LineCall;
using test::LineTrial;

namespace {

constexpr std::uint64_t most = 300'000;

template <class Out, class In, class Acc>
void check(const LineCall<In, Acc>& call, const std::vector<Lines>& shapes) {
  for (const Type type : {type_of<In>(), type_of<Acc>(), type_of<Out>()}) {
    if (!test::device().supports(type)) return;
  }
  Queue queue(test::device());
  std::uint64_t turn = 0;
  for (const Lines& lines : shapes) {
    ++turn;
    const LineTrial trial{.lines = lines, .init = turn % 3 != 0, .shift = turn % 5};
    const std::string problem = test::reduce_difference<Out>(queue, call, trial);
    CHECK_MESSAGE(problem.empty(), call.op.name(), " of ", name_of(type_of<In>()), ", ",
                  test::text_of(trial), ": ", problem);
  }
}

/// Results of lines by one call.
template <class T>
std::vector<T> results(Queue& queue, const Buffer<T>& input, const Lines& lines) {
  auto result = queue.allocate<T>(lines.count());
  ReduceOptions options;
  options.lines = lines;
  reduce_into(queue, input, result, plus, options);
  return queue.download(result);
}

LineCall<f16, float> half_sums() {
  return {plus,
          [](float a, float b) { return a + b; },
          [](test::Random& random) { return f16(test::any_real<float>(random)); },
          0.3F,
          0.0F,
          f16(std::numeric_limits<float>::quiet_NaN())};
}

/// The longer of two, without a neutral element.
LineCall<std::int32_t> bound_call() {
  LineCall<std::int32_t> call = test::integer_sums<std::int32_t>();
  call.op = Operator::user("bound", "max(a, b)", Type::i32, Commutativity::commutative);
  call.combine = [](std::int32_t a, std::int32_t b) { return std::max(a, b); };
  call.nothing.reset();
  call.other = std::numeric_limits<std::int32_t>::max();
  return call;
}

template <class T>
void check_narrow_rows() {
  std::vector<Lines> shapes{Lines::rows(5, 129), Lines::rows(40, 1), {3, 64, 7, 7 * 65, 1, 65}};
  // In turn with and without an initial value, at several offsets.
  for (int turn = 0; turn < 3; ++turn) {
    for (const std::uint64_t n : {16U, 64U, 700U, 5000U}) shapes.push_back(Lines::rows(7, n));
  }
  for (const OperatorKind kind : {OperatorKind::plus, OperatorKind::bit_and, OperatorKind::bit_xor,
                                  OperatorKind::minimum, OperatorKind::maximum}) {
    LineCall<T> call = test::integer_sums<T>();
    call.op = Operator(kind);
    call.combine = [kind](T a, T b) { return reference::combine(kind, a, b); };
    call.nothing = call.op.identity(type_of<T>()).template as<T>();
    check<T>(call, shapes);
  }
}

}  // namespace

TEST_SUITE_BEGIN("lines_reduce");

TEST_CASE("few shapes of floats and of structs") {
  const std::vector<Lines> shapes{Lines::rows(5, 3),      Lines::rows(3, 129),
                                  Lines::rows(2, 4097),   Lines::columns(33, 40),
                                  Lines::columns(300, 2), Lines::columns(3, 0)};
  check<float>(test::line_call(test::sums<float>()), shapes);
  check<app::Map32>(test::line_call(test::maps<app::Map32>()), shapes);
}

TEST_CASE("floating sums along rows and columns of every size") {
  check<float>(test::line_call(test::sums<float>()), test::line_shapes(most));
  check<double>(test::line_call(test::sums<double>()), test::line_shapes(most, 3));
}

TEST_CASE("columns so many that a work-item takes all of a leaf, or a part") {
  std::vector<Lines> shapes;
  for (const std::uint64_t lines : {300U, 600U, 1200U, 2400U}) {
    for (const std::uint64_t n : {20U, 64U, 127U, 129U, 300U}) {
      shapes.push_back(Lines::columns(n, test::simulated() ? lines / 100 : lines));
    }
  }
  check<float>(test::line_call(test::sums<float>()), shapes);
  check<std::int32_t>(test::integer_sums<std::uint8_t, std::int32_t>(), shapes);
}

TEST_CASE("integers, and wider accumulators than elements") {
  check<std::int32_t>(test::integer_sums<std::int32_t>(), test::line_shapes(most, 3));
  check<std::int32_t>(test::integer_sums<std::uint8_t, std::int32_t>(), test::line_shapes(most, 5));
}

TEST_CASE("narrow integers along rows, several of them in a word") {
  check_narrow_rows<std::int8_t>();
  check_narrow_rows<std::uint8_t>();
  check_narrow_rows<std::int16_t>();
}

TEST_CASE("products, and the least element with NaN among them") {
  check<float>(test::line_call(test::products<float>()), test::line_shapes(most, 5));
  LineCall<float> least = test::line_call(test::sums<float>());
  least.op = minimum;
  least.combine = [](float a, float b) { return reference::combine(OperatorKind::minimum, a, b); };
  least.nothing = std::numeric_limits<float>::infinity();
  least.other = -std::numeric_limits<float>::infinity();
  least.draw = [](test::Random& random) {
    return random.one_in(5000) ? std::numeric_limits<float>::quiet_NaN()
                               : test::any_real<float>(random);
  };
  check<float>(least, test::line_shapes(most, 5));
}

TEST_CASE("an operator that does not commute, on structs") {
  check<app::Map32>(test::line_call(test::maps<app::Map32>()), test::line_shapes(100'000, 2));
}

TEST_CASE("an operator without a neutral element") {
  std::vector<Lines> shapes = test::line_shapes(most, 3);
  std::erase_if(shapes, [](const Lines& lines) { return lines.length == 0; });
  check<std::int32_t>(bound_call(), shapes);
}

TEST_CASE("a map sees the index of an element in its line") {
  LineCall<float> call = test::line_call(test::sums<float>());
  call.map = "x * (f32)(i % 7ul)";
  call.lift = [](float x, std::uint64_t i) { return x * static_cast<float>(i % 7); };
  check<float>(call, test::line_shapes(most, 4));
  LineCall<std::int32_t, std::uint64_t> places{
      plus,
      [](std::uint64_t a, std::uint64_t b) { return a + b; },
      [](test::Random& random) { return static_cast<std::int32_t>(random.next()); },
      5,
      0,
      -1,
      "x > 0 ? i : 0ul",
      [](std::int32_t x, std::uint64_t i) { return x > 0 ? i : 0; }};
  check<std::uint64_t>(places, test::line_shapes(most, 6));
}

TEST_CASE("elements and results of 16 bits are rounded once") {
  check<f16>(half_sums(), test::line_shapes(most, 5));
}

TEST_CASE("narrow elements of lines side by side, whether neighbours or not") {
  std::vector<Lines> shapes;
  for (const std::int64_t inner : {2, 3, 4, 5, 8, 33, 130}) {
    for (const std::int64_t length : {5, 40, 129, 700, 4100}) {
      const auto elements = static_cast<std::uint64_t>(length * inner);
      if (elements > (test::simulated() ? 1'000U : 50'000U)) continue;
      const auto n = static_cast<std::uint64_t>(length);
      const auto side = static_cast<std::uint64_t>(inner);
      shapes.push_back({3, n, side, length * (inner + 3) + 1, inner + 3, 1});
      shapes.push_back({2, n, side, length * 2 * inner, 2 * inner, 2});
      shapes.push_back({2, n, side, length * (inner + 4), inner + 4, -1});
    }
  }
  check<std::int32_t>(test::integer_sums<std::uint8_t, std::int32_t>(), shapes);
  check<f16>(half_sums(), shapes);
}

TEST_CASE("the bits are those of a call on the line copied out") {
  Queue queue(test::device());
  const auto call = test::line_call(test::sums<float>());
  for (const Lines& lines : {Lines::rows(40, 1000), Lines::columns(9000, 7), Lines::rows(3, 70'001),
                             Lines{4, 500, 3, 5000, -3, 1600}}) {
    test::DrawnLines<float> input(queue, call, lines, 1);
    auto result = queue.allocate<float>(lines.count());
    ReduceOptions options;
    options.lines = lines;
    reduce_into(queue, input.memory.view(), result, plus, 0.25F, options);
    const std::vector<float> got = queue.download(result);
    for (std::uint64_t line = 0; line < lines.count(); ++line) {
      const std::vector<float> elements = input.line(line);
      const auto alone = queue.upload(std::span<const float>(elements));
      CHECK_MESSAGE(test::same_bits(got[line], reduce(queue, alone, plus, 0.25F)),
                    test::text_of(lines), ", line ", line);
    }
  }
}

TEST_CASE("a line has the same bits whatever the batch is") {
  Queue queue(test::device());
  for (const std::uint64_t length : {3ULL, 100ULL, 1000ULL, 5000ULL}) {
    const std::uint64_t batch = std::min<std::uint64_t>(1000, 2 * most / length);
    const auto host = test::drawn(test::sums<float>(), batch * length);
    const auto data = queue.upload(std::span<const float>(host));
    const std::vector<float> all = results(queue, data, Lines::rows(batch, length));
    const std::vector<float> one = results(queue, data, Lines::rows(1, length));
    const std::vector<float> few = results(queue, data, Lines::rows(3, length));
    CHECK(test::same_bits(one[0], all[0]));
    for (std::size_t line = 0; line < few.size(); ++line) {
      CHECK_MESSAGE(test::same_bits(few[line], all[line]), "length ", length, ", line ", line);
    }
    // The last lines as the first ones of a view that begins there.
    auto last = queue.allocate<float>(2);
    ReduceOptions options;
    options.lines = Lines::rows(2, length);
    reduce_into(queue, data.view((batch - 2) * length, 2 * length), last, plus, options);
    const std::vector<float> got = queue.download(last);
    CHECK(test::same_bits(got[0], all[batch - 2]));
    CHECK(test::same_bits(got[1], all[batch - 1]));
  }
}

TEST_CASE("NaN in one line is in its result alone") {
  Queue queue(test::device());
  for (const auto& [rows, columns] : {std::pair(50ULL, 60ULL), {7ULL, 5000ULL}, {5000ULL, 7ULL}}) {
    for (const bool along_rows : {true, false}) {
      const Lines lines = along_rows ? Lines::rows(rows, columns) : Lines::columns(rows, columns);
      auto host = test::drawn(test::sums<float>(), rows * columns);
      const std::uint64_t line = lines.count() / 2;
      host[test::LinePlaces(lines).at(line, lines.length - 1)] = NAN;
      const auto data = queue.upload(std::span<const float>(host));
      const std::vector<float> got = results(queue, data, lines);
      for (std::uint64_t i = 0; i < got.size(); ++i) {
        CHECK_MESSAGE(std::isnan(got[i]) == (i == line), test::text_of(lines), ", line ", i);
      }
    }
  }
}

TEST_CASE("each row of lines gives the same bits, wherever lines lie") {
  const LineCall<float> call = test::line_call(test::sums<float>());
  std::vector<Lines> shapes{
      // Short lines: of eight columns at a time, of some that have one more, of powers of two.
      Lines::columns(100, 30), Lines::columns(5, 40), Lines::rows(40, 16), Lines::rows(9, 100),
      // Lines between others, backwards, overlapping, and one behind the other with gaps.
      Lines{2, 40, 3, 300, 7, 2}, Lines{1, 60, 33, 0, 33, -1}, Lines{1, 50, 20, 0, 2, 1},
      Lines{30, 70, 1, 75, 1, 0}};
  if (!test::simulated()) {
    // Strips of which a work-item keeps some columns at a time, with whole rows of leaves and
    // without, and leaves of long lines.
    for (const Lines& lines :
         {Lines::columns(300, 400), Lines::columns(1100, 250), Lines::columns(4100, 200),
          Lines{2, 1030, 200, 463'500, 450, 2}, Lines{3, 9000, 2, 18100, -1, 9001},
          Lines::columns(70'001, 3), Lines::rows(2, 140'001)}) {
      shapes.push_back(lines);
    }
  }
  Queue queue(test::device());
  for (const std::string_view name : {"lines_v1", "lines_chunks_v1"}) {
    const gallery::Variant* row = gallery::find(Algorithm::reduce, name);
    REQUIRE(row != nullptr);
    if (!gallery::supports(test::device(), *row, Type::f32, plus)) continue;
    for (const Lines& lines : shapes) {
      const LineTrial trial{.lines = lines, .init = true, .shift = 1, .variant = name};
      const std::string problem = test::reduce_difference<float>(queue, call, trial);
      CHECK_MESSAGE(problem.empty(), name, ", ", test::text_of(trial), ": ", problem);
    }
  }
}

TEST_CASE("an index is that of an element in a long line of any row") {
  LineCall<std::int32_t, std::uint64_t> places{
      plus,
      [](std::uint64_t a, std::uint64_t b) { return a + b; },
      [](test::Random& random) { return static_cast<std::int32_t>(random.next()); },
      5,
      0,
      -1,
      "x > 0 ? i : 0ul",
      [](std::int32_t x, std::uint64_t i) { return x > 0 ? i : 0; }};
  // The last leaf has one row or less.
  check<std::uint64_t>(places, test::simulated() ? std::vector<Lines>{Lines::columns(70, 5)}
                                                 : std::vector<Lines>{Lines::columns(4097, 9),
                                                                      Lines::columns(4160, 40),
                                                                      Lines::rows(3, 4100)});
}

TEST_CASE("the fastest order takes lines, too") {
  Queue queue(test::device());
  const auto call = test::integer_sums<std::int32_t>();
  for (const Lines& lines : test::line_shapes(100'000, 9)) {
    test::DrawnLines<std::int32_t> input(queue, call, lines, 0);
    auto result = queue.allocate<std::int32_t>(lines.count());
    ReduceOptions options{.order = Order::any};
    options.lines = lines;
    reduce_into(queue, input.memory.view(), result, plus, options);
    const auto got = queue.download(result);
    for (std::uint64_t line = 0; line < lines.count(); ++line) {
      CHECK(got[line] == call.reduced(input.line(line), {}));
    }
  }
}

TEST_CASE("a call that returns one value takes one line") {
  Queue queue(test::device());
  const auto host = test::drawn(test::sums<float>(), 3000);
  const auto data = queue.upload(std::span<const float>(host));
  ReduceOptions options;
  options.lines = Lines{1, 1000, 1, 0, 3, 0};
  const auto alone = [&] {
    std::vector<float> elements;
    for (std::size_t i = 0; i < 3000; i += 3) elements.push_back(host[i]);
    return queue.upload(std::span<const float>(elements));
  }();
  CHECK(
      test::same_bits(reduce(queue, data, plus, 0.5F, options), reduce(queue, alone, plus, 0.5F)));
  for (const Lines& lines : {Lines::rows(3, 1000), Lines::rows(0, 1000)}) {
    options.lines = lines;
    const auto refused = [&](auto&& call) {
      CHECK(failure_of(call).category == ErrorCategory::invalid_argument);
    };
    refused([&] { (void)reduce(queue, data, plus, 0.5F, options); });
    refused([&] { (void)transform_reduce(queue, data, plus, 0.5F, "x * x", options); });
    refused([&] { (void)argmin(queue, data, options); });
    refused([&] { (void)minmax(queue, data, options); });
    refused([&] { (void)count_if(queue, data, "x > 0.0f", options); });
    refused([&] { (void)inner_product(queue, data, data, 0.0F, options); });
    refused([&] { (void)sum_compensated(queue, data, 0.0F, options); });
  }
}

TEST_SUITE_END();

}  // namespace bifold
