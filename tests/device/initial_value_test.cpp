// Initial values of another type than the accumulator's, in typed, erased and planned calls.
#include <doctest/doctest.h>

#include <bifold/bifold.hpp>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "support/environment.hpp"
#include "support/errors.hpp"

namespace bifold {

namespace {

template <class T>
struct Stage {
  Queue queue{test::device()};
  Buffer<T> input = queue.upload(std::span<const T>(std::vector<T>{1, 2, 3}));
  Buffer<T> output = queue.upload(std::span<const T>(std::vector<T>{9, 9, 9}));

  void refused(const std::function<void()>& call) {
    const auto failure = test::failure_of(call);
    INFO(failure.what);
    CHECK(failure.category == ErrorCategory::invalid_argument);
    CHECK(failure.mentions("initial value"));
    CHECK(queue.download(output) == std::vector<T>{9, 9, 9});
  }
  T first() { return queue.download(output)[0]; }
};

}  // namespace

TEST_SUITE_BEGIN("semantics");

TEST_CASE("typed calls take what the accumulator's type holds, and refuse the rest") {
  Stage<std::int8_t> bytes;
  auto one = bytes.output.view(0, 1);
  bytes.refused([&] { inclusive_scan(bytes.queue, bytes.input, bytes.output, plus, 1000L); });
  bytes.refused([&] { exclusive_scan(bytes.queue, bytes.input, bytes.output, plus, -129); });
  bytes.refused(
      [&] { transform_inclusive_scan(bytes.queue, bytes.input, bytes.output, plus, 1000L, "x"); });
  bytes.refused(
      [&] { transform_exclusive_scan(bytes.queue, bytes.input, bytes.output, plus, 1000L, "x"); });
  bytes.refused([&] { reduce_into(bytes.queue, bytes.input, one, plus, 1000L); });
  bytes.refused([&] { transform_reduce_into(bytes.queue, bytes.input, one, plus, 1000L, "x"); });
  // Of an operator whose kind only the call knows, the type does not decide.
  const Operator sum = plus;
  bytes.refused([&] { inclusive_scan(bytes.queue, bytes.input, bytes.output, sum, 1.9); });
  inclusive_scan(bytes.queue, bytes.input, bytes.output, plus, 100L);
  CHECK(bytes.first() == 101);
  exclusive_scan(bytes.queue, bytes.input, bytes.output, logical_or, 0.5);
  CHECK(bytes.first() == 1);
  // A wider accumulator holds more than the output's type.
  auto wide = bytes.queue.allocate<std::int32_t>(3);
  exclusive_scan(bytes.queue, bytes.input, wide, plus, (std::int64_t{1} << 32) + 5,
                 {.accumulate = Type::u64});
  CHECK(bytes.queue.download(wide) == std::vector<std::int32_t>{5, 6, 8});

  Stage<float> floats;
  floats.refused([&] { inclusive_scan(floats.queue, floats.input, floats.output, plus, 0.1); });
  floats.refused(
      [&] { reduce_into(floats.queue, floats.input, floats.output.view(0, 1), plus, 16'777'217); });
  inclusive_scan(floats.queue, floats.input, floats.output, plus, 0.25);
  CHECK(floats.first() == 1.25F);
  reduce_into(floats.queue, floats.input, floats.output.view(0, 1), plus, 4);
  CHECK(floats.first() == 10.0F);
}

TEST_CASE("so do erased calls, plans and reductions of many") {
  Stage<std::int32_t> ints;
  auto& [queue, input, output] = ints;
  auto one = output.view(0, 1);
  const ReducePlan reduction(test::device(), {});
  const ScanPlan scans(test::device(), {});
  for (const Value& wrong : {Value(std::int64_t{1} << 31), Value(1.0), Value(f16(1.0F))}) {
    ints.refused(
        [&] { scan(queue, ScanKind::inclusive, erase(input), erase(output), plus, wrong); });
    ints.refused([&] { reduce_into(queue, erase(input), erase(one), plus, wrong); });
    ints.refused([&] { reduction.run(queue, input, one, wrong); });
    ints.refused([&] { scans.run(queue, input, output, wrong); });
    ints.refused([&] {
      (void)reduce_many(queue, erase(input), {Reduction{plus, Type::i32, {}, wrong}});
    });
  }
  const Value right(std::int64_t{4});
  reduce_into(queue, erase(input), erase(one), plus, right);
  CHECK(ints.first() == 10);
  reduction.run(queue, input, one, Value(std::uint8_t{5}));
  CHECK(ints.first() == 11);
  scans.run(queue, input, output, right);
  CHECK(ints.first() == 5);
  const auto many = reduce_many(queue, erase(input), {Reduction{plus, Type::i32, {}, right}});
  CHECK(many[0] == Value(10));
}

TEST_SUITE_END();

}  // namespace bifold
