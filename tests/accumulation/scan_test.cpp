// Scans of chunks: the bits of one call on the whole array, whatever the chunks.
#include <doctest/doctest.h>

#include <bifold/bifold.hpp>
#include <complex>

#include "accumulation/chunks.hpp"
#include "support/errors.hpp"
#include "support/values/arithmetic.hpp"
#include "support/values/numbers.hpp"

namespace bifold {

namespace {

using test::chunk_of;
using test::Offsets;
using test::same_bytes;

template <class T>
ScanShape shape_of(ScanKind kind, const Operator& op, const Map& map = {}) {
  return {.input = type_of<T>(),
          .output = type_of<T>(),
          .accumulator = type_of<accumulator_t<T>>(),
          .kind = kind,
          .op = op,
          .map = map};
}

// Every other chunk lies in host memory, every other one is scanned in place.
template <class T>
class Scanned {
 public:
  explicit Scanned(const std::vector<T>& host)
      : queue_(test::device()),
        host_(host),
        input_(queue_.upload(std::span(host))),
        output_(test::device(), host.size()) {}

  std::vector<T> alone(const ScanShape& shape, const std::optional<Value>& init) {
    transform_scan(queue_, shape.kind, erase(input_), erase(output_), shape.op, init, shape.map,
                   {.order = shape.order});
    return queue_.download(output_);
  }

  std::vector<T> in_chunks(ScanAccumulation& scan, const Offsets& offsets) {
    queue_.copy(input_, output_);
    std::vector<T> outputs(host_);
    std::vector<bool> on_host(host_.size());
    for (std::size_t chunk = 0; chunk + 1 < offsets.size(); ++chunk) {
      const auto output =
          std::span(outputs).subspan(offsets[chunk]).first(offsets[chunk + 1] - offsets[chunk]);
      const bool in_place = chunk % 4 < 2;
      if (chunk % 2 == 0) {
        scan.feed(chunk_of(in_place ? output_ : input_, offsets, chunk),
                  chunk_of(output_, offsets, chunk));
        continue;
      }
      std::fill(on_host.begin() + static_cast<std::ptrdiff_t>(offsets[chunk]),
                on_host.begin() + static_cast<std::ptrdiff_t>(offsets[chunk + 1]), true);
      if (in_place) {
        scan.feed(std::span<const T>(output), output);
      } else {
        scan.feed(chunk_of(host_, offsets, chunk), output);
      }
    }
    const std::vector<T> there = queue_.download(output_);
    for (std::size_t i = 0; i < there.size(); ++i) {
      if (!on_host[i]) outputs[i] = there[i];
    }
    return outputs;
  }

  Queue& queue() { return queue_; }

 private:
  Queue queue_;
  const std::vector<T>& host_;
  Buffer<T> input_;
  Buffer<T> output_;
};

template <class T>
void check_chunks(const std::vector<T>& host, const Operator& op, const Value& init,
                  const std::vector<Offsets>& chunks, const Map& map = {},
                  Order order = Order::v1) {
  Scanned<T> data(host);
  std::size_t turn = 0;
  for (const ScanKind kind : {ScanKind::inclusive, ScanKind::exclusive}) {
    ScanShape shape = shape_of<T>(kind, op, map);
    shape.order = order;
    for (const std::optional<Value>& start : {std::optional<Value>(), std::optional<Value>(init)}) {
      const bool nothing = !start && !op.has_identity() && !is_complex(type_of<T>());
      if (nothing && kind == ScanKind::exclusive) continue;
      const std::vector<T> want = data.alone(shape, start);
      const std::vector<T> sums = data.alone(shape_of<T>(ScanKind::inclusive, op, map), start);
      for (const Offsets& offsets : chunks) {
        if (chunks.size() > 2 && ++turn % 3 == 0) continue;
        CAPTURE(test::text_of(offsets));
        ScanAccumulation scan(data.queue(), shape, start, {.piece_bytes = 70'000 * sizeof(T)});
        CHECK(same_bytes(data.in_chunks(scan, offsets), want));
        CHECK(scan.count() == host.size());
        const T total(scan.total().template as<accumulator_t<T>>());
        CHECK(same_bytes(std::span(&total, 1), std::span<const T>(sums).last(1)));
      }
    }
  }
}

}  // namespace

TEST_SUITE_BEGIN("accumulation_scan");

TEST_CASE("a scan of chunks has the bits of one call, whatever the chunks") {
  constexpr std::uint64_t unit = 131'072;
  constexpr std::uint64_t n = 2 * unit + 10'000;
  check_chunks(test::drawn(test::sums<double>(), n), plus, 0.5,
               {{0, n}, {0, unit / 2, unit / 2 + 1, unit - 1, unit + 1, 2 * unit, n}});
}

TEST_CASE("exact scans of chunks, and those in any order, keep no elements") {
  std::vector<std::int32_t> host(5000);
  test::Random random(test::seed());
  for (auto& x : host) x = static_cast<std::int32_t>(random.next());
  check_chunks(host, plus, std::int32_t{5}, test::chunks(host.size(), 700, 2));
  std::vector<float> small(9000);
  for (float& x : small) x = static_cast<float>(random.below(100));
  check_chunks(small, plus, 3.0F, test::chunks(small.size(), 1000, 1), {}, Order::any);
}

TEST_CASE("a map's i is the index in the whole array, of exact scans and of groups of order v1") {
  const std::vector<std::int32_t> ones(5000, 1);
  check_chunks(ones, plus, std::int32_t{5}, test::chunks(ones.size(), 700, 2), "x + (i32)i");
  const auto host = test::drawn(test::sums<float>(), 262'144 + 70'001);
  check_chunks(host, plus, 0.25F, test::chunks(host.size(), 131'072, 1), "x * (f32)(i & 255ul)");
}

TEST_CASE("a scan accumulates in the type that is asked for") {
  const auto host = test::drawn(test::sums<float>(), 140'000);
  Queue queue(test::device());
  Buffer<float> data = queue.upload(std::span(host));
  ScanShape shape = shape_of<float>(ScanKind::exclusive, plus);
  shape.accumulator = Type::f64;
  Buffer<float> want(test::device(), host.size());
  Buffer<double> total(test::device(), 1);
  transform_scan(queue, shape.kind, erase(data), erase(want), plus, 0.5, {},
                 {.accumulate = Type::f64, .total = total});
  ScanAccumulation scan(queue, shape, 0.5);
  std::vector<float> got(host.size());
  for (std::size_t at = 0; at < host.size(); at += 70'000) {
    scan.feed(std::span(host).subspan(at, 70'000), std::span(got).subspan(at, 70'000));
  }
  CHECK(same_bytes(got, queue.download(want)));
  CHECK(scan.total() == Value(queue.download(total).front()));
}

TEST_CASE("of nothing a scan of chunks has the total of a call") {
  const Queue queue(test::device());
  ScanAccumulation scan(queue, shape_of<float>(ScanKind::inclusive, plus));
  scan.feed(std::span<const float>(), std::span<float>());
  CHECK(test::same(scan.total().as<float>(), 0.0F));
  CHECK(ScanAccumulation(queue, shape_of<float>(ScanKind::exclusive, plus), 2.5F).total() ==
        Value(2.5F));
  const Operator first = Operator::user("first", "a", Type::f32);
  ScanAccumulation firsts(queue, shape_of<float>(ScanKind::inclusive, first));
  CHECK(test::failure_of([&] {
          static_cast<void>(firsts.total());
        }).mentions("which has no identity"));
}

TEST_CASE("what an accumulation cannot scan is refused, and nothing has changed") {
  Queue queue(test::device());
  const auto refused = [](ErrorCategory category, const std::string& words, const auto& call) {
    const auto failure = test::failure_of(call);
    CHECK(failure.category == category);
    CHECK_MESSAGE(failure.mentions(words), failure.what);
  };
  const auto made = [&](const auto& change) {
    ScanShape shape = shape_of<float>(ScanKind::exclusive, plus);
    change(shape);
    return ScanAccumulation(queue, shape);
  };
  refused(ErrorCategory::unsupported, "no result map",
          [&] { made([](ScanShape& shape) { shape.result_map = "s + 1.0f"; }); });
  refused(ErrorCategory::invalid_argument, "first element to the last",
          [&] { made([](ScanShape& shape) { shape.reverse = true; }); });
  refused(ErrorCategory::invalid_argument, "no lines",
          [&] { made([](ScanShape& shape) { shape.lines = true; }); });
  refused(ErrorCategory::invalid_argument, "device memory",
          [&] { made([](ScanShape& shape) { shape.on_device.total = true; }); });
  refused(ErrorCategory::invalid_argument, "no identity", [&] {
    made([](ScanShape& shape) { shape.op = Operator::user("first", "a", Type::f32); });
  });
  std::vector<float> host(100, 1.0F);
  Buffer<float> data = queue.upload(std::span(host));
  ScanAccumulation scan(queue, shape_of<float>(ScanKind::inclusive, plus));
  scan.feed(data.view(0, 10), data.view(0, 10));
  refused(ErrorCategory::invalid_argument, "overlap",
          [&] { scan.feed(data.view(20, 10), data.view(25, 10)); });
  refused(ErrorCategory::invalid_argument, "output",
          [&] { scan.feed(data.view(20, 10), data.view(30, 11)); });
  const auto all = std::span(host);
  refused(ErrorCategory::invalid_argument, "overlap",
          [&] { scan.feed(all.subspan(20, 10), all.subspan(25, 10)); });
  refused(ErrorCategory::invalid_argument, "room for 11",
          [&] { scan.feed(all.subspan(20, 10), all.subspan(30, 11)); });
  CHECK(scan.total() == Value(10.0F));
  CHECK(queue.download(data.view(20, 10)) == std::vector<float>(10, 1.0F));
  CHECK(host == std::vector<float>(100, 1.0F));
}

TEST_SUITE_END();

TEST_SUITE_BEGIN("accumulation_scans");

TEST_CASE("scans of many groups of tiles in chunks") {
  check_chunks(test::drawn(test::sums<float>(), 2 * 262'144 + 70'001), plus, 0.5F,
               test::chunks(2 * 262'144 + 70'001, 262'144, 2));
}

TEST_CASE("chunks of halves are scanned as floats") {
  std::vector<f16> host;
  for (const float x : test::numbers<float>(262'144 + 9'000, 8)) host.emplace_back(x);
  check_chunks(host, plus, 0.25F, test::chunks(host.size(), 262'144, 0), "x * 0.5f");
}

TEST_CASE("an operator that does not commute scans chunks") {
  const auto maps = test::maps<app::Map32>();
  check_chunks(test::drawn(maps, 131'072 + 30'000), maps.op, maps.init,
               test::chunks(131'072 + 30'000, 131'072, 0));
}

TEST_CASE("an operator without identity scans chunks") {
  const Operator op = Operator::user("least_sum", "a + b < a ? a + b : a + b + 0.25f", Type::f32);
  check_chunks(test::drawn(test::sums<float>(), 2 * 262'144 + 9'000), op, 0.5F,
               test::chunks(2 * 262'144 + 9'000, 262'144, 0));
}

TEST_SUITE_END();

}  // namespace bifold
