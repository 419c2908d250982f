// Reductions by key: each result has the bits of its run alone.
#include <doctest/doctest.h>

#include <bifold/bifold.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "device/keys/keys.hpp"
#include "device/selection/selections.hpp"
#include "support/environment.hpp"

namespace bifold {

using test::KeyTrial;
using test::LineCall;
using test::uploaded;

namespace {

template <class Out, class Key = std::int64_t, class Count = std::uint64_t, class In, class Acc>
void check(const LineCall<In, Acc>& call, const KeyTrial& trial) {
  for (const Type type : {type_of<In>(), type_of<Acc>(), type_of<Out>(), type_of<Key>()}) {
    if (!test::device().supports(type)) return;
  }
  Queue queue(test::device());
  const std::string problem = test::keys_difference<Out, Key, Count>(queue, call, trial);
  CHECK_MESSAGE(problem.empty(), call.op.name(), " of ", name_of(type_of<In>()), ", ",
                trial.lengths.size(), " runs", trial.init ? " with init" : "", ", shift ",
                trial.shift, ": ", problem);
}

std::vector<std::uint64_t> lengths_of_classes() {
  return {1, 2,    3,    8, 9,      33, 65,     255, 257,    1023, 2047,    2048, 2049,
          1, 4096, 8193, 1, 16'385, 1,  32'769, 2,   70'001, 3,    131'073, 5,    1};
}

}  // namespace

TEST_SUITE_BEGIN("by_key");

TEST_CASE("floating sums of runs of every class") {
  KeyTrial trial{.lengths = lengths_of_classes()};
  for (std::uint64_t turn = 0; turn < 4; ++turn) {
    trial.init = turn % 2 == 1;
    trial.shift = turn;
    check<float>(test::line_call(test::sums<float>()), trial);
    check<double, std::int32_t, std::uint32_t>(test::line_call(test::sums<double>()), trial);
  }
}

TEST_CASE("many runs, keys of other sizes, and as many runs as elements") {
  for (const std::uint64_t count : {1U, 2U, 4096U, 70'000U}) {
    const KeyTrial trial{.lengths = test::run_lengths(count, count)};
    check<float, std::uint8_t>(test::line_call(test::sums<float>()), trial);
    check<std::int32_t, float>(test::integer_sums<std::int32_t>(), trial);
    check<std::int32_t, std::int16_t, std::uint32_t>(test::integer_sums<std::int32_t>(), trial);
  }
  const KeyTrial apart{.lengths = std::vector<std::uint64_t>(20'000, 1)};
  check<std::int32_t>(test::integer_sums<std::int32_t>(), apart);
  check<float, std::int32_t, std::uint32_t>(test::line_call(test::sums<float>()), apart);
}

TEST_CASE("an operator that does not commute, on structs") {
  KeyTrial trial{.lengths = test::run_lengths(50'000, 5)};
  check<app::Map32>(test::line_call(test::maps<app::Map32>()), trial);
  trial.init = true;
  trial.shift = 1;
  check<app::Map32, std::int32_t, std::uint32_t>(test::line_call(test::maps<app::Map32>()), trial);
}

TEST_CASE("an operator without identity, as no run is empty") {
  LineCall<std::int32_t> call = test::integer_sums<std::int32_t>();
  call.op = Operator::user("bound", "max(a, b)", Type::i32, Commutativity::commutative);
  call.combine = [](std::int32_t a, std::int32_t b) { return std::max(a, b); };
  check<std::int32_t>(call, {.lengths = lengths_of_classes()});
  check<std::int32_t>(call, {.lengths = test::run_lengths(9000, 3)});
}

TEST_CASE("a run of 50000 of 65536 f64 has the host's bits, a thousand times") {
  if (!test::device().supports(Type::f64)) return;
  Queue queue(test::device());
  const auto call = test::line_call(test::sums<double>());
  test::Random random(3);
  std::vector<double> host(65'536);
  for (double& x : host) x = call.draw(random);
  const std::vector<std::uint64_t> lengths{7'001, 50'000, 8'535};
  const auto keys = uploaded(queue, test::keys_of<std::int32_t>(lengths));
  const auto input = uploaded(queue, host);
  auto unique = queue.allocate<std::int32_t>(3);
  auto sums = queue.allocate<double>(3);
  auto runs = queue.allocate<std::uint64_t>(1);
  const std::span<const double> elements(host);
  const std::vector<double> want{call.reduced(elements.first(7'001), {}),
                                 call.reduced(elements.subspan(7'001, 50'000), {}),
                                 call.reduced(elements.subspan(57'001), {})};
  int equal = 0;
  for (int turn = 0; turn < 1000; ++turn) {
    queue.fill(sums, 0.0);
    reduce_by_key(queue, keys, input, unique, sums, runs, plus);
    if (queue.download(sums) == want) ++equal;
  }
  CHECK(equal == 1000);
}

TEST_CASE("runs without a place are counted, and nothing is stored of them") {
  KeyTrial trial{.lengths = test::run_lengths(30'000, 9)};
  const std::uint64_t runs = trial.lengths.size();
  for (const std::uint64_t room : {std::uint64_t{0}, std::uint64_t{1}, runs - 1, runs + 5}) {
    trial.room = room;
    check<float>(test::line_call(test::sums<float>()), trial);
    check<std::int32_t, std::int32_t, std::uint32_t>(test::integer_sums<std::int32_t>(), trial);
  }
}

TEST_CASE("lengths of runs, of keys of any type") {
  Queue queue(test::device());
  const auto lengths = test::run_lengths(100'000, 11);
  const auto host = test::keys_of<std::int64_t>(lengths);
  const auto keys = uploaded(queue, host);
  auto unique = queue.allocate<std::int64_t>(lengths.size());
  auto runs = queue.allocate<std::uint32_t>(1);
  auto counts = queue.allocate<std::uint64_t>(lengths.size());
  run_length_encode(queue, keys, unique, counts, runs);
  CHECK(queue.download(runs)[0] == lengths.size());
  CHECK(queue.download(counts) == lengths);
  auto narrow = queue.allocate<std::int32_t>(lengths.size());
  auto wide_runs = queue.allocate<std::uint64_t>(1);
  count_by_key(queue, keys, unique, narrow, wide_runs);
  CHECK(queue.download(wide_runs)[0] == lengths.size());
  CHECK(queue.download(narrow) == std::vector<std::int32_t>(lengths.begin(), lengths.end()));
}

TEST_CASE("each NaN is a run, -0 goes on with +0, and a text may say otherwise") {
  Queue queue(test::device());
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const auto keys = uploaded<float>(queue, {1, 1, nan, nan, -0.0F, 0, 2, 2.25F, 2.5F, 3});
  const auto input = uploaded<std::int32_t>(queue, {1, 2, 4, 8, 16, 32, 64, 128, 256, 512});
  auto unique = queue.allocate<float>(10);
  auto sums = queue.allocate<std::int32_t>(10);
  auto runs = queue.allocate<std::uint64_t>(1);
  reduce_by_key(queue, keys, input, unique, sums, runs, plus);
  CHECK(queue.download(runs)[0] == 8);
  auto got = queue.download(sums);
  got.resize(8);
  CHECK(got == std::vector<std::int32_t>{3, 4, 8, 48, 64, 128, 256, 512});
  CHECK(std::signbit(queue.download(unique)[3]));
  const Keys floors = Keys::of(keys, unique, runs, "floor(x) == floor(y)");
  reduce_by_key(queue, floors, input, sums, plus);
  CHECK(queue.download(runs)[0] == 6);
  got = queue.download(sums);
  got.resize(6);
  CHECK(got == std::vector<std::int32_t>{3, 4, 8, 48, 448, 512});
  reduce_by_key(queue, floors, input, sums, plus, 1000);
  CHECK(queue.download(sums)[4] == 1448);
}

TEST_SUITE_END();

}  // namespace bifold
