// Reductions of chunks whose maps name the index in the whole array, or an element of a second one:
// the bits of one call, whatever the chunks.
#include <doctest/doctest.h>

#include <algorithm>
#include <bifold/bifold.hpp>

#include "accumulation/chunks.hpp"
#include "support/errors.hpp"
#include "support/values/arithmetic.hpp"

namespace bifold {

namespace {

using test::chunk_of;
using test::Offsets;

ReduceShape shape_of(Type type, const Map& map, const Operator& op = plus) {
  return {.input = type, .accumulator = accumulator_of(type), .op = op, .map = map};
}

// Chunks from the device and from the host in turns, and a save in the middle.
template <class T, class Feed>
void check(const std::vector<T>& host, const ReduceShape& shape, const Value& want,
           const Offsets& offsets, const Feed& feed) {
  CAPTURE(test::text_of(offsets));
  Queue queue(test::device());
  const AccumulationOptions pieces{.piece_bytes = 3000 * sizeof(T)};
  ReduceAccumulation first(queue, shape, {}, pieces);
  ReduceAccumulation second(queue, shape, {}, pieces);
  ReduceAccumulation* sum = &first;
  for (std::size_t chunk = 0; chunk + 1 < offsets.size(); ++chunk) {
    if (2 * chunk == offsets.size()) {
      second.resume(first.save());
      sum = &second;
    }
    feed(*sum, chunk);
  }
  CHECK(sum->count() == host.size());
  CHECK(sum->value() == want);
}

template <class T>
void check_indices(const std::vector<T>& host, const Map& map, const Operator& op = plus) {
  Queue queue(test::device());
  Buffer<T> device = queue.upload(std::span(host));
  const ReduceShape shape = shape_of(type_of<T>(), map, op);
  const Value want = transform_reduce(queue, erase(device.view()), shape.accumulator, op, {}, map);
  for (const Offsets& offsets : test::chunks(host.size(), 4096, 2)) {
    check(host, shape, want, offsets, [&](ReduceAccumulation& sum, std::size_t chunk) {
      if (chunk % 2 == 0) {
        sum.feed(chunk_of(device, offsets, chunk));
      } else {
        sum.feed(chunk_of(host, offsets, chunk));
      }
    });
  }
}

void check_pairs(const Map& map) {
  const auto host = test::drawn(test::sums<float>(), 30'000);
  std::vector<double> other(host.begin(), host.end());
  std::reverse(other.begin(), other.end());
  Queue queue(test::device());
  Buffer<float> device = queue.upload(std::span(host));
  Buffer<double> other_device = queue.upload(std::span(other));
  ReduceShape shape{.input = Type::f32, .accumulator = Type::f64, .map = map};
  shape.second = Type::f64;
  const Value want = transform_reduce(queue, erase(device.view()), erase(other_device.view()),
                                      Type::f64, plus, {}, shape.map);
  for (const Offsets& offsets : test::chunks(host.size(), 2048, 2)) {
    check(host, shape, want, offsets, [&](ReduceAccumulation& sum, std::size_t chunk) {
      if (chunk % 2 == 0) {
        sum.feed(chunk_of(device, offsets, chunk), chunk_of(other_device, offsets, chunk));
      } else {
        sum.feed(chunk_of(host, offsets, chunk), chunk_of(other, offsets, chunk));
      }
    });
  }
}

}  // namespace

TEST_SUITE_BEGIN("accumulation_reduce");

TEST_CASE("i is the index in the whole array") {
  const auto host = test::drawn(test::sums<float>(), 30'000);
  check_indices(host, "i % 3 == 1 ? x : x * (f32)(i >> 4)");
  check_indices(std::vector<std::int32_t>(30'000, 3), "x + (i32)i");
  check_indices(host, "x * (f32)i", maximum);
}

TEST_CASE("i goes on in chunks of many elements") {
  const std::uint64_t n = (std::uint64_t{1} << 20) + 70'000;
  const std::vector<float> host(n, 1.0F);
  check_indices(host, "(f32)(i & 1023u)");
  check_indices(std::vector<std::uint8_t>(n, 1), "(u64)i");
}

TEST_CASE("a second array is fed beside the first") { check_pairs("x * y + x"); }

TEST_CASE("i beside a second array is the index in the whole array") {
  check_pairs("x * y + (f64)(i & 7ul)");
}

TEST_CASE("two arrays that do not go together are refused, and nothing has changed") {
  Queue queue(test::device());
  ReduceShape shape = shape_of(Type::f32, "x * y");
  shape.second = Type::f32;
  const std::vector<float> host(10, 1.0F);
  const std::vector<double> doubles(10, 1.0);
  Buffer<float> device(test::device(), 10);
  ReduceAccumulation two(queue, shape);
  ReduceAccumulation one(queue, shape_of(Type::f32, {}));
  const auto refused = [](ErrorCategory category, const std::string& words, const auto& call) {
    const auto failure = test::failure_of(call);
    CHECK(failure.category == category);
    CHECK_MESSAGE(failure.mentions(words), failure.what);
  };
  constexpr auto bad = ErrorCategory::invalid_argument;
  refused(bad, "of two arrays is fed one", [&] { two.feed(device); });
  refused(bad, "of two arrays is fed one", [&] { two.feed(std::span(host)); });
  refused(bad, "of one array is fed two", [&] { one.feed(device, device); });
  refused(bad, "of one array is fed two", [&] { one.feed(std::span(host), std::span(host)); });
  refused(bad, "and of the second array 9", [&] { two.feed(device, device.view(0, 9)); });
  refused(bad, "and of the second array 9",
          [&] { two.feed(std::span(host), std::span(host).first(9)); });
  refused(bad, "f64", [&] { two.feed(std::span(host), std::span(doubles)); });
  two.feed(std::span(host), std::span(host));
  CHECK(two.value() == Value(10.0F));
  CHECK(one.value() == Value(0.0F));
  const std::vector<std::byte> saved = two.save();
  refused(bad, "the second array's type differs", [&] {
    ReduceShape other = shape_of(Type::f32, "x * y");
    other.second = Type::i32;
    ReduceAccumulation(queue, other).resume(saved);
  });
}

TEST_SUITE_END();

}  // namespace bifold
