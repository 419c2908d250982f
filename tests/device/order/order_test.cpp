// The order that a call keeps to: v1 by default, where associations differ in their bits.
#include <doctest/doctest.h>

#include <bifold/bifold.hpp>
#include <cmath>
#include <functional>

#include "core/call/reduce.hpp"
#include "core/call/scan.hpp"
#include "support/cases/affordable.hpp"
#include "support/cases/named_row.hpp"
#include "support/devices/altered_device.hpp"
#include "support/environment.hpp"
#include "support/errors.hpp"
#include "support/values/numbers.hpp"
#include "support/values/random.hpp"
#include "support/values/same_bits.hpp"

namespace app {
// An affine map x -> factor * x + offset: maps in index order do not commute.
struct AffineInOrder {
  float factor;
  float offset;
};
}  // namespace app
BIFOLD_STRUCT_NAMED(app::AffineInOrder, AffineInOrder, factor, offset);

namespace bifold {

namespace {

using Affine = app::AffineInOrder;

template <class T>
T as_it_is(T x) {
  return x;
}

Affine after(Affine a, Affine b) { return {a.factor * b.factor, a.offset * b.factor + b.offset}; }

Operator affine_operator() {
  return Operator::user("after",
                        "make_AffineInOrder(a.factor * b.factor, a.offset * b.factor + b.offset)",
                        Value(Affine{1.0F, -0.0F}));
}

std::vector<Affine> affine_maps(std::size_t count) {
  test::Random random(test::seed());
  std::vector<Affine> values(count);
  for (Affine& map : values) {
    const auto factor = static_cast<float>(1 + random.real() / 1024);
    map = {random.one_in(2) ? factor : -factor, static_cast<float>(random.real())};
  }
  return values;
}

bool same(Affine left, Affine right) {
  return test::same_bits(left.factor, right.factor) && test::same_bits(left.offset, right.offset);
}

/// Lengths around runs, rows, warp tiles, leaves, tiles and groups, and long ones.
std::vector<std::size_t> lengths(Type type) {
  std::vector<std::size_t> all{0, 1, 2, 3, 4, 5, 31, 32, 33, 63, 127, 128, 129, 255, 257, 1000};
  const std::size_t tile = order_v1::scan_tile(size_of(type));
  const std::size_t leaf = order_v1::leaf_elements(type);
  for (const std::size_t part : {tile / 64, tile / 8, leaf, tile, 2 * tile, 3 * tile, 33 * tile}) {
    for (const std::size_t n : {part - 1, part, part + 1}) all.push_back(n);
  }
  return test::affordable(all);
}

template <class T>
void check_production_sums() {
  if (!test::device().supports(type_of<T>())) return;
  Queue queue(test::device());
  const std::vector<std::size_t> all = lengths(type_of<T>());
  const auto host = test::numbers<T>(all.back() + 16);
  const auto data = queue.upload(std::span<const T>(host));
  for (const std::size_t n : all) {
    CAPTURE(n);
    const std::size_t offset = n % 5;
    const auto part = std::span<const T>(host).subspan(offset, n);
    const T sum = reference::v1::reduce(part, T{0.25}, as_it_is<T>, std::plus<>());
    CHECK(test::same_bits(reduce(queue, data.view(offset, n), plus, T{0.25}), sum));
    Buffer<T> out(test::device(), n);
    std::vector<T> want(n);
    reference::v1::scan(ScanKind::inclusive, part, std::span(want), T{0.25}, as_it_is<T>,
                        std::plus<>());
    inclusive_scan(queue, data.view(offset, n), out, plus, T{0.25});
    const std::vector<T> got = queue.download(out);
    for (std::size_t i = 0; i < n; ++i) {
      if (!test::same_bits(got[i], want[i])) {
        FAIL_CHECK("element ", i, ": ", got[i], " not ", want[i]);
        break;
      }
    }
  }
}

/// The device under test, which says of itself that it flushes denormals of f32 and divides as it
/// likes.
Device flushing_device() {
  return test::altered_device([](Capabilities& has) {
    has.denormals_f32 = false;
    has.rounds_division_f32 = false;
  });
}

}  // namespace

TEST_SUITE_BEGIN("order");

TEST_CASE("calls on floating elements have the bits of order v1 unless asked otherwise") {
  check_production_sums<float>();
  check_production_sums<double>();
}

TEST_CASE("what is exact in every order takes the fastest row, whatever the order") {
  const Device& device = test::device();
  const auto row = [&](Type type, const Operator& op, Order order) {
    ReduceShape shape{type, type, op};
    shape.order = order;
    return ReducePlan(device, shape).variant().name;
  };
  const auto scan_row = [&](Type type, const Operator& op, Order order) {
    ScanShape shape{type, type, type, ScanKind::inclusive, op};
    shape.order = order;
    return ScanPlan(device, shape).variant().name;
  };
  for (const Type type : {Type::i32, Type::u8}) {
    CHECK(row(type, plus, Order::v1) == row(type, plus, Order::any));
    CHECK(scan_row(type, plus, Order::v1) == scan_row(type, plus, Order::any));
    CHECK(row(type, plus, Order::v1) == row(Type::f32, plus, Order::any));
  }
  CHECK(row(Type::f32, minimum, Order::v1) == row(Type::i32, minimum, Order::v1));
  CHECK(row(Type::f32, logical_or, Order::v1) == row(Type::i32, logical_or, Order::v1));
  CHECK(gallery::find(Algorithm::reduce, row(Type::f32, plus, Order::v1))->order ==
        gallery::Order::v1);
  CHECK(gallery::find(Algorithm::scan, scan_row(Type::f32, multiplies, Order::v1))->order ==
        gallery::Order::v1);
  CHECK(scan_row(Type::f32, plus, Order::any) == scan_row(Type::i32, plus, Order::v1));
  // A user's operator on floating values counts as one whose bits depend on the order.
  const Operator scaled = Operator::user("scaled", "a * b", Value(1.0F));
  CHECK(gallery::find(Algorithm::reduce, row(Type::f32, scaled, Order::v1))->order ==
        gallery::Order::v1);
  const Operator masked = Operator::user("masked", "a & b", Value(~0));
  CHECK(row(Type::i32, masked, Order::v1) == row(Type::i32, masked, Order::any));
}

TEST_CASE("order::any gives the sum, in whatever bits") {
  Queue queue(test::device());
  const auto host = test::numbers<float>(100'003);
  const auto data = queue.upload(std::span<const float>(host));
  long double exact = 0;
  long double magnitude = 0;
  for (const float x : host) exact += x, magnitude += std::abs(x);
  ReduceOptions options;
  options.order = Order::any;
  const float sum = reduce(queue, data, plus, 0.0F, options);
  CHECK(std::abs(sum - exact) <= magnitude * 1e-5L);
  Buffer<float> out(test::device(), host.size());
  ScanOptions scan_options;
  scan_options.order = Order::any;
  inclusive_scan(queue, data, out, plus, scan_options);
  CHECK(std::abs(queue.download(out).back() - exact) <= magnitude * 1e-5L);
}

TEST_CASE("a device that flushes denormals is refused that type, but for order::any") {
  if (test::device().info().backend != "opencl") return;  // No CUDA device flushes.
  const Device device = flushing_device();
  Queue queue(device);
  const std::vector<float> ones(5000, 1.0F);
  const auto data = queue.upload(std::span<const float>(ones));
  auto out = queue.upload(std::span<const float>(ones));
  const auto refused = [&](const auto& call) {
    const test::Failure failure = test::failure_of(call);
    CHECK_MESSAGE(failure.category == ErrorCategory::unsupported, failure.what);
    CHECK_MESSAGE(failure.mentions("flushes denormal f32"), failure.what);
  };
  refused([&] { static_cast<void>(reduce(queue, data, plus)); });
  refused([&] { static_cast<void>(sum_compensated(queue, data, 0.0F)); });
  refused([&] { static_cast<void>(transform_reduce(queue, data, maximum, 0.0F, "x * x")); });
  refused([&] { inclusive_scan(queue, data, out, plus); });
  // Asking for a row by its name is no request for other values.
  refused([&] {
    ReduceOptions options;
    options.variant = "catanzaro";
    static_cast<void>(reduce(queue, data, plus, options));
  });
  CHECK(queue.download(out) == ones);

  ReduceOptions any;
  any.order = Order::any;
  CHECK(reduce(queue, data, plus, any) == 5000.0F);
  ScanOptions any_scan;
  any_scan.order = Order::any;
  inclusive_scan(queue, data, out, plus, any_scan);
  CHECK(queue.download(out).back() == 5000.0F);
  // Other types are not concerned.
  const std::vector<std::int32_t> twos(5000, 2);
  CHECK(reduce(queue, queue.upload(std::span<const std::int32_t>(twos)), plus) == 10'000);
}

TEST_CASE("on a device that flushes denormals f32 values are chosen by their bits") {
  if (test::device().info().backend != "opencl") return;  // No CUDA device flushes.
  const Device device = flushing_device();
  Queue queue(device);
  constexpr float tiny = std::numeric_limits<float>::denorm_min();
  const std::vector<float> special{3 * tiny, tiny,  -tiny, -3 * tiny, 0.0F,
                                   -0.0F,    -1.0F, 1.0F,  INFINITY,  -INFINITY};
  for (const float a : special) {
    for (const float b : special) {
      CAPTURE(a);
      CAPTURE(b);
      const std::vector<float> host{b, a, b};
      const auto data = queue.upload(std::span<const float>(host));
      const auto [least, greatest] = minmax(queue, data);
      // Infinities and what is not zero are told apart by C++, zeros by their signs.
      const float less = a < b || (a == b && std::signbit(a)) ? a : b;
      const float more = a > b || (a == b && !std::signbit(a)) ? a : b;
      CHECK(test::same_bits(least, less));
      CHECK(test::same_bits(greatest, more));
      CHECK(test::same_bits(reduce(queue, data, minimum), less));
      CHECK(test::same_bits(reduce(queue, data, maximum), more));
      CHECK(test::same_bits(argmin(queue, data).value, less));
      CHECK(test::same_bits(argmax(queue, data).value, more));
      Buffer<float> out(device, 3);
      inclusive_scan(queue, data, out, maximum);
      CHECK(test::same_bits(queue.download(out).back(), more));
    }
  }
  const std::vector<float> with_nan{1.0F, NAN, -INFINITY};
  const auto data = queue.upload(std::span<const float>(with_nan));
  CHECK(std::isnan(reduce(queue, data, minimum)));
  CHECK(std::isnan(reduce(queue, data, maximum)));
}

TEST_CASE("a device that divides as it likes is refused user texts that divide f32") {
  if (test::device().info().backend != "opencl") return;  // No CUDA device does.
  const Device device = flushing_device();
  Queue queue(device);
  const std::vector<std::int32_t> host(100, 4);
  const auto data = queue.upload(std::span<const std::int32_t>(host));
  for (const char* map : {"(f32)x / (f32)3 > 1 ? 1 : 0", "sqrt((f32)x) > 1 ? 1 : 0"}) {
    CAPTURE(map);
    const test::Failure failure =
        test::failure_of([&] { static_cast<void>(transform_reduce(queue, data, plus, 0, map)); });
    CHECK_MESSAGE(failure.category == ErrorCategory::unsupported, failure.what);
    CHECK_MESSAGE(failure.mentions("rounds division and square root of f32"), failure.what);
    ReduceOptions any;
    any.order = Order::any;
    CHECK(transform_reduce(queue, data, plus, 0, map, any) == 100);
  }
  CHECK(transform_reduce(queue, data, plus, 0, "x / 3") == 100);
}

TEST_CASE("a reduction by an operator that does not commute has the bits of its own order") {
  Queue queue(test::device());
  const Operator op = affine_operator();
  const std::vector<std::size_t> all = lengths(type_of<Affine>());
  const auto host = affine_maps(all.back() + 16);
  const auto data = queue.upload(std::span<const Affine>(host));
  const Affine init{0.5F, 3.0F};
  for (const auto& row : gallery::variants()) {
    const bool in_order = row.algorithm == Algorithm::reduce && row.order == gallery::Order::v1 &&
                          gallery::supports(test::device(), row, type_of<Affine>(), op);
    if (!in_order) continue;
    for (const std::size_t n : all) {
      CAPTURE(row.name);
      CAPTURE(n);
      const std::size_t offset = n % 3;
      const auto want = reference::v1::reduce_in_order(
          std::span<const Affine>(host).subspan(offset, n), init, as_it_is<Affine>, after);
      ReduceOptions options;
      options.variant = row.name;
      CHECK(same(reduce(queue, data.view(offset, n), op, init, options), want));
    }
  }
}

TEST_CASE("no group size changes a bit of it") {
  Queue queue(test::device());
  const Operator op = affine_operator();
  const auto host = affine_maps(50'001);
  const auto data = queue.upload(std::span<const Affine>(host));
  const auto want = reference::v1::reduce_in_order<Affine>(std::span<const Affine>(host),
                                                           as_it_is<Affine>, after);
  auto result = queue.allocate<Affine>(1);
  const Type type = type_of<Affine>();
  for (const std::string_view row : {"order_v1_ordered", "order_v1_ordered_single"}) {
    const gallery::Variant& variant = test::named_row(Algorithm::reduce, row);
    // Where no group may wait for another, the one of two launches is there.
    if (row != "order_v1_ordered" && !gallery::supports(test::device(), variant, type, op))
      continue;
    for (const std::uint32_t group : {32U, 64U, 128U, 256U}) {
      const ReducePlan plan =
          core::make_plan(test::device(), {type, type, op, row}, {.group_size = group});
      plan.run(queue, erase(data), erase(result), std::nullopt);
      CHECK_MESSAGE(same(queue.download(result)[0], want), row, ", groups of ", group);
    }
  }
}

TEST_CASE("the total of a scan has the bits of its last inclusive value") {
  Queue queue(test::device());
  const auto host = test::numbers<float>(40'000);
  const auto data = queue.upload(std::span<const float>(host));
  auto total = queue.allocate<float>(1);
  for (const auto& row : gallery::variants()) {
    const bool in_order = row.algorithm == Algorithm::scan && row.order == gallery::Order::v1 &&
                          gallery::supports(test::device(), row, Type::f32, plus);
    if (!in_order) continue;
    for (const std::size_t n :
         {1UL, 3UL, 4UL, 5UL, 128UL, 1000UL, 8191UL, 8192UL, 8193UL, 40000UL}) {
      for (const ScanKind kind : {ScanKind::inclusive, ScanKind::exclusive}) {
        CAPTURE(row.name);
        CAPTURE(n);
        CAPTURE(name_of(kind));
        Buffer<float> out(test::device(), n);
        std::vector<float> want(n);
        reference::v1::scan(ScanKind::inclusive, std::span<const float>(host).first(n),
                            std::span(want), 0.5F, as_it_is<float>, std::plus<>());
        ScanOptions options;
        options.variant = row.name;
        options.total = erase(total);
        scan(queue, kind, erase(data.view(0, n)), erase(out), plus, Value(0.5F), options);
        CHECK(test::same_bits(queue.download(total)[0], want.back()));
      }
    }
  }
}

TEST_SUITE_END();

}  // namespace bifold
