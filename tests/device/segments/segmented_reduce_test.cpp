// Reductions of segments: each result has the bits of the segment alone.
#include <doctest/doctest.h>

#include <bifold/bifold.hpp>
#include <cmath>

#include "device/segments/segments.hpp"
#include "support/environment.hpp"
#include "support/errors.hpp"

namespace bifold {

using test::Bounds;
using test::LineCall;
using test::one_behind_the_other;
using test::SegmentTrial;

namespace {

template <class Out, class Bound = std::uint32_t, class In, class Acc>
void check(const LineCall<In, Acc>& call, const SegmentTrial& trial) {
  for (const Type type : {type_of<In>(), type_of<Acc>(), type_of<Out>()}) {
    if (!test::device().supports(type)) return;
  }
  Queue queue(test::device());
  const std::string problem = test::segments_difference<Out, Bound>(queue, call, trial);
  CHECK_MESSAGE(problem.empty(), call.op.name(), " of ", name_of(type_of<In>()), ", ",
                trial.bounds.size(), " segments of ", trial.n, trial.init ? " with init" : "",
                ", shift ", trial.shift, ": ", problem);
}

// Lengths about those that one, four, sixteen and 32 work-items, a warp and a group take.
std::vector<std::uint64_t> lengths_of_classes() {
  return {0,     1,     2,     3,     4,      5,    7,       8,    9,      15,   16,   17,
          31,    32,    33,    63,    64,     65,   127,     128,  129,    255,  256,  257,
          1023,  2047,  2048,  2049,  0,      4095, 4096,    4097, 8191,   8192, 8193, 1,
          16385, 32767, 32768, 32769, 70'001, 3,    131'073, 5,    270'001};
}

std::uint64_t sum_of(const std::vector<std::uint64_t>& lengths) {
  std::uint64_t sum = 0;
  for (const std::uint64_t length : lengths) sum += length;
  return sum;
}

SegmentTrial trial_of(const std::vector<std::uint64_t>& lengths) {
  return {.n = sum_of(lengths), .bounds = one_behind_the_other(lengths)};
}

// Most are short, and one in a hundred has thousands of elements.
std::vector<std::uint64_t> many_lengths(std::uint64_t count, std::uint64_t seed) {
  test::Random random(seed);
  std::vector<std::uint64_t> lengths;
  for (std::uint64_t s = 0; s < count; ++s) {
    const std::uint64_t most = random.one_in(100) ? 6000 : random.one_in(10) ? 150 : 12;
    lengths.push_back(random.next() % most);
  }
  return lengths;
}

}  // namespace

TEST_SUITE_BEGIN("segmented_reduce");

TEST_CASE("floating sums of segments of every class") {
  SegmentTrial trial = trial_of(lengths_of_classes());
  for (std::uint64_t turn = 0; turn < 4; ++turn) {
    trial.init = turn % 2 == 1;
    trial.shift = turn;
    check<float>(test::line_call(test::sums<float>()), trial);
    check<double, std::uint64_t>(test::line_call(test::sums<double>()), trial);
  }
}

TEST_CASE("more segments than a group has at once") {
  for (const std::uint64_t count : {1U, 255U, 257U, 5000U}) {
    const SegmentTrial trial = trial_of(many_lengths(count, count));
    check<float>(test::line_call(test::sums<float>()), trial);
    check<std::int32_t, std::uint64_t>(test::integer_sums<std::int32_t>(), trial);
  }
}

TEST_CASE("narrow elements, and wider accumulators than elements") {
  SegmentTrial trial = trial_of(lengths_of_classes());
  check<std::uint8_t>(test::integer_sums<std::uint8_t>(), trial);
  trial.shift = 3;
  check<std::uint8_t>(test::integer_sums<std::uint8_t>(), trial);
  check<std::int32_t>(test::integer_sums<std::int8_t, std::int32_t>(), trial);
}

TEST_CASE("an operator that does not commute, on structs") {
  SegmentTrial trial = trial_of(lengths_of_classes());
  check<app::Map32>(test::line_call(test::maps<app::Map32>()), trial);
  trial.init = true;
  trial.shift = 1;
  check<app::Map32, std::uint64_t>(test::line_call(test::maps<app::Map32>()), trial);
  check<app::Map32>(test::line_call(test::maps<app::Map32>()), trial_of(many_lengths(700, 5)));
}

TEST_CASE("an operator without identity wants an initial value, and is right about empty ones") {
  LineCall<std::int32_t> call = test::integer_sums<std::int32_t>();
  call.op = Operator::user("bound", "max(a, b)", Type::i32, Commutativity::commutative);
  call.combine = [](std::int32_t a, std::int32_t b) { return std::max(a, b); };
  SegmentTrial trial = trial_of(lengths_of_classes());
  trial.init = true;
  check<std::int32_t>(call, trial);
  Queue queue(test::device());
  auto input = queue.allocate<std::int32_t>(10);
  const std::vector<std::uint32_t> bounds{0, 10};
  auto offsets = queue.upload(std::span<const std::uint32_t>(bounds));
  auto result = queue.allocate<std::int32_t>(1);
  ReduceOptions options;
  options.segments = Segments::of_offsets(offsets);
  const test::Failure failure = test::failure_of(
      [&] { reduce_into(queue, erase(input), erase(result), call.op, {}, options); });
  CHECK(failure.category == ErrorCategory::invalid_argument);
  CHECK(failure.mentions("no identity"));
}

TEST_CASE("bounds out of order and out of the array read nothing outside, and are counted") {
  const std::uint64_t n = 9000;
  const Bounds bounds{{0, 10},           {20, 10}, {8990, 9001},       {9000, 9000}, {9001, 9005},
                      {0, 1'000'000},    {5, 5},   {4'000'000'000, 3}, {8000, 9000}, {9000, 9001},
                      {7, 4'294'967'295}};
  for (const bool init : {false, true}) {
    const SegmentTrial trial{.n = n, .bounds = bounds, .init = init, .faults = true, .shift = 2};
    check<float>(test::line_call(test::sums<float>()), trial);
    check<float, std::uint64_t>(test::line_call(test::sums<float>()), trial);
  }
}

TEST_CASE("segments that overlap, more than there is room to list") {
  const std::uint64_t n = 40'000;
  Bounds bounds;
  for (std::uint64_t s = 0; s < 600; ++s) bounds.emplace_back(s % 7, n - s % 11);
  const SegmentTrial trial{.n = n, .bounds = bounds};
  check<float>(test::line_call(test::sums<float>()), trial);
  // The counters are 0 again.
  check<float>(test::line_call(test::sums<float>()), trial_of(lengths_of_classes()));
}

TEST_CASE("no segments, and none of an empty array") {
  check<float>(test::line_call(test::sums<float>()), {.n = 100});
  check<float>(test::line_call(test::sums<float>()), {.n = 0});
  check<float>(test::line_call(test::sums<float>()), {.n = 0, .bounds = Bounds(5, {0, 0})});
  check<float>(test::line_call(test::sums<float>()),
               {.n = 0, .bounds = Bounds(300, {0, 3}), .init = true, .faults = true});
}

TEST_SUITE_END();

}  // namespace bifold
