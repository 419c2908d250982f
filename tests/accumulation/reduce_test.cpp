// Reductions of chunks: the bits of one call on the whole array, whatever the chunks.
#include <doctest/doctest.h>

#include <bifold/bifold.hpp>
#include <bifold/reference/v1.hpp>
#include <complex>
#include <limits>

#include "accumulation/chunks.hpp"
#include "support/errors.hpp"
#include "support/values/arithmetic.hpp"
#include "support/values/numbers.hpp"

namespace bifold {

namespace {

using test::chunk_of;
using test::Offsets;

// Every other chunk lies in host memory.
template <class T>
void feed(ReduceAccumulation& sum, const std::vector<T>& host, Buffer<T>& device,
          const Offsets& offsets, std::size_t chunk) {
  if (chunk % 2 == 0) {
    sum.feed(chunk_of(device, offsets, chunk));
  } else {
    sum.feed(chunk_of(host, offsets, chunk));
  }
}

// Whatever the chunks, with an initial value and without; and so far, in the middle.
template <class T>
void check_chunks(const std::vector<T>& host, std::uint64_t unit, const ReduceShape& shape,
                  const Value& init, int turns) {
  Queue queue(test::device());
  Buffer<T> device = queue.upload(std::span(host));
  const Type type = shape.result.value_or(shape.accumulator);
  const auto wanted = [&](std::uint64_t n, const std::optional<Value>& start) {
    return transform_reduce(queue, erase(device.view(0, n)), type, shape.op, start, shape.map,
                            {.order = shape.order});
  };
  for (const std::optional<Value>& start : {std::optional<Value>(), std::optional<Value>(init)}) {
    const Value want = wanted(host.size(), start);
    for (const Offsets& offsets : test::chunks(host.size(), unit, turns)) {
      CAPTURE(test::text_of(offsets));
      // Pieces are borders within a chunk.
      ReduceAccumulation sum(queue, shape, start, {.piece_bytes = 3000 * sizeof(T)});
      for (std::size_t chunk = 0; chunk + 1 < offsets.size(); ++chunk) {
        feed(sum, host, device, offsets, chunk);
        const bool middle = 2 * chunk == offsets.size() && sum.count() > 0;
        if (middle) CHECK(sum.value() == wanted(offsets[chunk + 1], start));
      }
      CHECK(sum.count() == host.size());
      CHECK(sum.value() == want);
    }
  }
}

template <class T>
ReduceShape shape_of(const Operator& op, const Map& map = {}) {
  return {.input = type_of<T>(), .accumulator = type_of<accumulator_t<T>>(), .op = op, .map = map};
}

}  // namespace

TEST_SUITE_BEGIN("accumulation_reduce");

TEST_CASE("a sum of chunks has the bits of one call, whatever the chunks") {
  check_chunks(test::drawn(test::sums<float>(), 41'234), 4096, shape_of<float>(plus), 0.5F, 8);
  check_chunks(test::drawn(test::products<double>(), 17'000), 2048, shape_of<double>(multiplies),
               1.5, 4);
  ReduceShape wide = shape_of<float>(plus, "x * x");
  wide.accumulator = Type::f64;
  check_chunks(test::drawn(test::sums<float>(), 19'000), 2048, wide, 0.1, 2);
}

TEST_CASE("the bits of chunks are those of the reference") {
  const auto host = test::drawn(test::sums<float>(), 50'001);
  const auto want =
      reference::v1::reduce<float>(OperatorKind::plus, std::span<const float>(host), -3.5F);
  ReduceAccumulation sum(Queue(test::device()), shape_of<float>(plus), -3.5F);
  for (std::size_t at = 0; at < host.size(); at += 777) {
    sum.feed(std::span(host).subspan(at, std::min<std::size_t>(777, host.size() - at)));
  }
  CHECK(sum.value() == Value(want));
}

TEST_CASE("chunks of halves are summed as floats, and rounded once") {
  std::vector<f16> host;
  for (const float x : test::numbers<float>(30'000, 8)) host.emplace_back(x);
  ReduceShape shape = shape_of<f16>(plus);
  shape.result = Type::f16;
  check_chunks(host, 4096, shape, f16(0.25F), 2);
}

TEST_CASE("an operator that does not commute keeps the order of chunks") {
  const auto maps = test::maps<app::Map32>();
  check_chunks(test::drawn(maps, 19'000), 4096, shape_of<app::Map32>(maps.op), maps.init, 3);
  const Operator op = Operator::user("least_sum", "a + b < a ? a + b : a + b + 0.25f", Type::f32);
  check_chunks(test::drawn(test::sums<float>(), 19'000), 8192, shape_of<float>(op), 0.5F, 2);
}

TEST_CASE("chunks of complex numbers and of structs of sums") {
  std::vector<std::complex<float>> host;
  const auto parts = test::drawn(test::products<float>(), 18'000);
  for (std::size_t i = 0; i < parts.size(); i += 2) {
    host.emplace_back(parts[i], parts[i + 1] / 1024);
  }
  const Value init = std::complex<float>(1.5F, -0.25F);
  check_chunks(host, 4096, shape_of<std::complex<float>>(multiplies), init, 1);
  ReduceShape least = shape_of<float>(minmax_operator(Type::f32), "make_MinMax_f32(x, x)");
  least.accumulator = type_of<MinMax<float>>();
  check_chunks(test::drawn(test::sums<float>(), 9'000), 4096, least, MinMax<float>{0.5F, 0.75F}, 1);
}

TEST_CASE("exact operators and any order keep one value") {
  std::vector<std::int32_t> host(5000);
  test::Random random(test::seed());
  for (auto& x : host) x = static_cast<std::int32_t>(random.next());
  check_chunks(host, 700, shape_of<std::int32_t>(bit_xor), std::int32_t{7}, 4);
  std::vector<float> small(9000);
  for (float& x : small) x = static_cast<float>(random.below(100));
  ReduceShape any = shape_of<float>(plus);
  any.order = Order::any;
  check_chunks(small, 1000, any, 3.0F, 2);  // Sums of small integers are exact.
}

TEST_CASE("extremes of chunks have indices in the whole array") {
  auto host = test::drawn(test::sums<float>(), 9'000);
  host[7'001] = host[4'003] = 1e30F;  // The first of equals.
  host[8'500] = -1e30F;
  Queue queue(test::device());
  Buffer<float> device = queue.upload(std::span(host));
  using Found = Indexed<float>;
  for (const Offsets& offsets : test::chunks(host.size(), 1000, 3)) {
    CAPTURE(test::text_of(offsets));
    auto least = ReduceAccumulation::argmin(queue, Type::f32, {.piece_bytes = 4000});
    auto greatest = ReduceAccumulation::argmax(queue, Type::f32);
    CHECK(least.value().as<Found>().index == no_index);
    for (std::size_t chunk = 0; chunk + 1 < offsets.size(); ++chunk) {
      feed(least, host, device, offsets, chunk);
      feed(greatest, host, device, offsets, chunk);
    }
    CHECK(least.value().as<Found>() == Found{-1e30F, 8'500});
    CHECK(greatest.value().as<Found>() == Found{1e30F, 4'003});
  }
}

TEST_CASE("of nothing an accumulation gives what a call gives") {
  const Queue queue(test::device());
  ReduceAccumulation sum(queue, shape_of<float>(plus));
  sum.feed(std::span<const float>());
  CHECK(sum.value() == Value(0.0F));
  CHECK(ReduceAccumulation(queue, shape_of<float>(plus), 2.5F).value() == Value(2.5F));
  CHECK(ReduceAccumulation(queue, shape_of<std::int32_t>(plus)).value() == Value(0));
  const Operator op = Operator::user("first", "a", Type::f32);
  ReduceAccumulation first(queue, shape_of<float>(op));
  CHECK(test::failure_of([&] { static_cast<void>(first.value()); }).category ==
        ErrorCategory::invalid_argument);
  const float one = -0.0F;
  first.feed(std::span(&one, 1));
  sum.feed(std::span(&one, 1));
  CHECK(test::same(first.value().as<float>(), one));
  CHECK(test::same(sum.value().as<float>(), one));
}

TEST_CASE("a value may stay on the device, and copies are the same accumulation") {
  Queue queue(test::device());
  Buffer<float> result(test::device(), 2);
  ReduceAccumulation sum(queue, shape_of<float>(plus), 1.0F);
  ReduceAccumulation same = sum;
  const std::vector<float> host(5000, 2.0F);
  same.feed(std::span(host));
  sum.value_into(result.view(0, 1));
  sum.feed(std::span(host).first(10));
  same.value_into(result.view(1, 1));
  CHECK(queue.download(result) == std::vector<float>{10'001, 10'021});
  const ReduceAccumulation other = std::move(same);
  CHECK(other.count() == 5010);
  // NOLINTNEXTLINE(bugprone-use-after-move)
  CHECK(test::failure_of([&] { static_cast<void>(same.value()); }).mentions("moved from"));
}

TEST_CASE("what an accumulation cannot reduce is refused, and nothing has changed") {
  Queue queue(test::device());
  const auto refused = [](ErrorCategory category, const std::string& words, const auto& call) {
    const auto failure = test::failure_of(call);
    CHECK(failure.category == category);
    CHECK_MESSAGE(failure.mentions(words), failure.what);
  };
  const auto made = [&](const auto& change) {
    ReduceShape shape = shape_of<float>(plus);
    change(shape);
    return ReduceAccumulation(queue, shape);
  };
  refused(ErrorCategory::unsupported, "no result map",
          [&] { made([](ReduceShape& shape) { shape.result_map = "s + 1.0f"; }); });
  refused(ErrorCategory::invalid_argument, "production",
          [&] { made([](ReduceShape& shape) { shape.variant = "order_v1"; }); });
  refused(ErrorCategory::invalid_argument, "no lines",
          [&] { made([](ReduceShape& shape) { shape.lines = true; }); });
  refused(ErrorCategory::invalid_argument, "device memory",
          [&] { made([](ReduceShape& shape) { shape.on_device.init = true; }); });
  refused(ErrorCategory::invalid_argument, "",
          [&] { made([](ReduceShape& shape) { shape.op = bit_and; }); });
  refused(ErrorCategory::invalid_argument, "",
          [&] { ReduceAccumulation(queue, shape_of<std::int32_t>(plus), 0.5); });
  ReduceAccumulation sum(queue, shape_of<float>(plus));
  const std::vector<float> host(10, 1.0F);
  sum.feed(std::span(host));
  const std::vector<double> other(10, 1.0);
  refused(ErrorCategory::invalid_argument, "f64", [&] { sum.feed(std::span(other)); });
  Buffer<double> there(test::device(), 10);
  refused(ErrorCategory::invalid_argument, "f64", [&] { sum.feed(there); });
  refused(ErrorCategory::invalid_argument, "one result", [&] { sum.value_into(there.view()); });
  CHECK(sum.value() == Value(10.0F));
}

TEST_SUITE_END();

}  // namespace bifold
