// f16 and bf16 in calls: what is converted to what, what is given back, what is refused.
#include <doctest/doctest.h>

#include <bifold/bifold.hpp>
#include <cmath>

#include "support/cases/rows.hpp"
#include "support/environment.hpp"
#include "support/errors.hpp"

namespace app {
struct Moments {
  float sum;
  float squares;
};
}  // namespace app
BIFOLD_STRUCT_NAMED(app::Moments, Moments, sum, squares);

namespace bifold {

using test::failure_of;

namespace {

template <class T>
struct Uploaded {
  explicit Uploaded(std::vector<T> values) : host(std::move(values)) {
    data = queue.upload(std::span<const T>(host));
  }
  Queue queue{test::device()};
  std::vector<T> host;
  Buffer<T> data;
};

}  // namespace

TEST_SUITE_BEGIN("half");

TEST_CASE_TEMPLATE("calls accumulate in float and give what they are asked for", T, f16, bf16) {
  Uploaded<T> input(std::vector<T>(3000, T(1.5F)));
  Queue& queue = input.queue;
  const auto single = reduce(queue, input.data, plus, 0.25F);
  static_assert(std::is_same_v<decltype(single), const float>);
  CHECK(single == 4500.25F);
  CHECK(reduce(queue, input.data, plus, T(0.25F)).bits() == T(4500.25F).bits());
  CHECK(reduce(queue, input.data, plus).bits() == T(4500.0F).bits());
  CHECK(transform_reduce(queue, input.data, plus, 0.0F, "x * x * 0.5f") == 3375.0F);
  CHECK(transform_reduce(queue, input.data, plus, 0, "(i32)(x * 2.0f)") == 9000);
  CHECK(transform_reduce(queue, input.data, plus, T(0), "i < 2 ? x : 0.0f") == 3);
  const auto floats = queue.upload(std::span<const float>(std::vector<float>(3000, 0.25F)));
  CHECK(transform_reduce(queue, input.data, floats, plus, 0.0F, "x * y") == 1125);
  CHECK(transform_reduce(queue, floats, input.data, maximum, T(0), "x + y") == 1.75F);
  const auto both = transform_reduce(queue, input.data,
                                     Operator::fieldwise(type_of<app::Moments>(), {plus, plus}),
                                     app::Moments{0, 0}, "make_Moments(x, x * x)");
  CHECK(both.sum == 4500);
  CHECK(both.squares == 6750);
  if (test::device().supports(Type::f64)) {
    CHECK(reduce(queue, input.data, plus, 0x1p-40) == 4500 + 0x1p-40);
  }
  CHECK(reduce(queue, input.data, logical_and, 1) == 1);

  auto result = queue.template allocate<T>(1);
  // The initial value has bits that 16 do not hold.
  reduce_into(queue, std::as_const(input.data).view(0, 1), result, plus, 2049.25F);
  CHECK(queue.download(result)[0].bits() == T(2050.75F).bits());
  reduce_into(queue, input.data, result, maximum);
  CHECK(queue.download(result)[0] == 1.5F);
  transform_reduce_into(queue, input.data, result, plus, T(1), "x - 1.0f");
  CHECK(queue.download(result)[0].bits() == T(1501.0F).bits());

  auto output = queue.template allocate<T>(3);
  exclusive_scan(queue, std::as_const(input.data).view(0, 3), output, plus, T(-1));
  CHECK(queue.download(output) == std::vector<T>{T(-1), T(0.5F), T(2)});
  transform_inclusive_scan(queue, std::as_const(input.data).view(0, 3), output, plus, 1, "x * x");
  CHECK(queue.download(output) == std::vector<T>{T(3.25F), T(5.5F), T(7.75F)});
  inclusive_scan(queue, std::as_const(input.data).view(0, 3), output, multiplies, 2);
  CHECK(queue.download(output) == std::vector<T>{T(3), T(4.5F), T(6.75F)});
}

TEST_CASE_TEMPLATE("the reductions with a struct for an accumulator take elements as f32", T, f16,
                   bf16) {
  Uploaded<T> input({T(2), T(-0.5F), T(7), T(7), T(-0.5F)});
  Queue& queue = input.queue;
  CHECK(argmin(queue, input.data) == Indexed<float>{-0.5F, 1});
  CHECK(argmax(queue, input.data) == Indexed<float>{7, 2});
  CHECK(minmax(queue, input.data) == MinMax<float>{-0.5F, 7});
  CHECK(count_if(queue, input.data, "x > 1.5f && i > 0") == 2);
  CHECK(inner_product(queue, input.data, input.data, 0.25F) == 102.75F);
  CHECK(sum_compensated(queue, input.data, 0.0F) == 15);
  const auto [sum, most] = reduce_many(queue, input.data, plus, maximum);
  static_assert(std::is_same_v<decltype(sum), const T>);
  CHECK(sum == 15);
  CHECK(most == 7);
}

TEST_CASE("a user operator combines f16 as f32, in index order") {
  // The last operand that is not zero.
  const Operator last = Operator::user("last", "b != 0.0f ? b : a", Value(0.0F));
  Uploaded<f16> input(std::vector<f16>(5003));
  input.host[4000] = f16(3);
  input.host[4001] = f16(2.5F);
  input.queue.upload(std::span<const f16>(input.host), input.data);
  CHECK(reduce(input.queue, input.data, last) == 2.5F);
  CHECK(reduce(input.queue, input.data, last, 7.0F) == 2.5F);
  auto output = input.queue.allocate<f16>(input.host.size());
  exclusive_scan(input.queue, input.data, output, last, 0.1F);
  const auto got = input.queue.download(output);
  CHECK(got[4000].bits() == f16(0.1F).bits());
  CHECK(got[4001] == 3);
  CHECK(got[5002] == 2.5F);
}

TEST_CASE_TEMPLATE("sums in f64 are rounded once", T, f16, bf16) {
  if (!test::device().supports(Type::f64)) return;
  const std::size_t turn = type_of<T>() == Type::f16 ? 2 : 5;
  // Just above the middle of 1 and its successor: a float in between would fall on the middle.
  const float half_step = std::is_same_v<T, f16> ? 0x1p-11F : 0x1p-8F;
  Uploaded<T> input({T(1), T(half_step), T(0x1p-24F)});
  auto shrunk =
      input.queue.upload(std::span<const double>(std::vector<double>{1, half_step, 0x1p-40}));
  auto output = input.queue.template allocate<T>(3);
  const T above(1 + 2 * half_step);
  for (const auto* row : test::rows_in_turn(Algorithm::scan, Type::f64, plus, turn)) {
    if (!test::takes(*row, {Type::f64, Type::f64, type_of<T>(), ScanKind::inclusive, plus}))
      continue;
    INFO("row " << row->name);
    inclusive_scan(input.queue, shrunk, output, plus,
                   {.accumulate = Type::f64, .variant = row->name});
    CHECK(input.queue.download(output) == std::vector<T>{T(1), T(1), above});
  }
  const auto sum = [&](const ReduceShape& shape) {
    auto result = input.queue.template allocate<T>(1);
    ReducePlan(test::device(), shape).run(input.queue, erase(shrunk), erase(result), Value(-0.0));
    return input.queue.download(result)[0];
  };
  for (const auto* row : test::rows_in_turn(Algorithm::reduce, Type::f64, plus, turn)) {
    INFO("row " << row->name);
    CHECK(sum({Type::f64, Type::f64, plus, row->name, {}, {}, Order::v1, {}, type_of<T>()}) ==
          above);
  }
}

TEST_CASE_TEMPLATE("of nothing", T, f16, bf16) {
  Queue queue(test::device());
  const std::size_t turn = type_of<T>() == Type::f16 ? 3 : 9;
  const Buffer<T> none(test::device(), 0);
  CHECK(reduce(queue, none, plus).bits() == 0U);
  CHECK(std::isinf(static_cast<float>(reduce(queue, none, minimum))));
  CHECK(reduce(queue, none, plus, 0.1F) == 0.1F);
  for (const auto* row : test::rows_in_turn(Algorithm::reduce, type_of<T>(), plus, turn)) {
    auto result = queue.upload(std::span<const T>(std::vector<T>{T(1), T(2), T(3)}));
    reduce_into(queue, none, result.view(1, 1), plus, 77, {.variant = row->name});
    CHECK(queue.download(result) == std::vector<T>{T(1), T(77), T(3)});
  }
}

TEST_CASE("values in device memory are of the accumulator's type") {
  Uploaded<f16> input(std::vector<f16>(1001, f16(0.5F)));
  Queue& queue = input.queue;
  const auto init = queue.upload(std::span<const float>(std::vector<float>{2049.25F}));
  const auto count = queue.upload(std::span<const std::uint32_t>(std::vector<std::uint32_t>{7}));
  auto total = queue.allocate<float>(1);
  auto output = queue.allocate<f16>(1001);
  inclusive_scan(queue, input.data, output, plus,
                 {.count_from = erase(count), .init_from = erase(init), .total = erase(total)});
  CHECK(queue.download(total)[0] == 2052.75F);
  CHECK(queue.download(output)[0].bits() == f16(2049.75F).bits());
  auto result = queue.allocate<f16>(1);
  reduce_into(queue, input.data, result, plus,
              {.count_from = erase(count), .init_from = erase(init)});
  CHECK(queue.download(result)[0].bits() == f16(2052.75F).bits());

  const auto refused = [&](const ScanOptions& options) {
    return failure_of([&] { inclusive_scan(queue, input.data, output, plus, options); });
  };
  const auto narrow = queue.upload(std::span<const f16>(std::vector<f16>{f16(1)}));
  auto narrow_total = queue.allocate<f16>(1);
  CHECK(refused({.init_from = erase(narrow)}).category == ErrorCategory::invalid_argument);
  CHECK(refused({.total = erase(narrow_total)}).category == ErrorCategory::invalid_argument);
}

TEST_CASE("what storage types are not for is refused, with the reason") {
  const auto refused = [](const std::string& reason, const auto& body) {
    const test::Failure failure = failure_of(body);
    INFO(failure.what);
    CHECK(failure.category == ErrorCategory::invalid_argument);
    CHECK(failure.mentions(reason));
  };
  const auto reduces = [&](const std::string& reason, const ReduceShape& shape) {
    refused(reason, [&] { (void)ReducePlan(test::device(), shape); });
  };
  reduces("no values of f16 are accumulated", {Type::f16, Type::f16, plus});
  reduces("no values of bf16 are accumulated", {Type::f32, Type::bf16, plus});
  reduces("does not convert to an integer", {Type::f16, Type::i32, plus});
  reduces("bf16 is rounded from f32 or f64",
          {Type::i32, Type::i32, plus, "production", {}, {}, Order::v1, {}, Type::bf16});
  reduces("not defined on f32", {Type::f16, Type::f32, bit_and});
  static constexpr StructField fields[] = {{"x", Type::f32, 0}, {"y", Type::bf16, 4}};
  static constexpr StructType mixed{"Mixed", 8, fields};
  refused("no field may be bf16", [] { (void)Type(mixed); });
  refused("no values of f16 are accumulated", [] {
    (void)ScanPlan(test::device(), {Type::f16, Type::f16, Type::f16, ScanKind::inclusive, plus});
  });
  refused("are combined as f32",
          [] { (void)Operator::user("sum", "a + b", Value(f16(0)), Commutativity::commutative); });
  refused("not defined on bf16", [] { (void)Operator(plus).identity(Type::bf16); });
  Uploaded<f16> input(std::vector<f16>(3));
  refused("the initial value is f64", [&] {
    auto result = input.queue.allocate<f16>(1);
    reduce_into(input.queue, erase(input.data), erase(result), plus, Value(0.1));
  });
  // Texts know no values of these types.
  for (const char* map : {"(f16)x + x", "x.bits", "(bf16)x"}) {
    const auto failure =
        failure_of([&] { (void)transform_reduce(input.queue, input.data, plus, 0.0F, map); });
    CHECK(failure.category == ErrorCategory::invalid_argument);
  }
}

TEST_SUITE_END();

}  // namespace bifold
