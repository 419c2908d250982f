// Accumulations that end, and go on elsewhere; and bytes that are none of theirs.
#include <doctest/doctest.h>

#include <bifold/bifold.hpp>
#include <cstring>
#include <iostream>

#include "accumulation/chunks.hpp"
#include "core/base/hash.hpp"
#include "support/errors.hpp"
#include "support/values/arithmetic.hpp"

namespace bifold {

namespace {

using test::chunk_of;
using test::Offsets;
using test::same_bytes;
using Bytes = std::vector<std::byte>;

template <class T>
ReduceShape shape_of(const Operator& op) {
  return {.input = type_of<T>(), .accumulator = type_of<T>(), .op = op};
}

// A new accumulation takes over behind each chunk, on one of these devices after the other.
template <class T>
void check_resumed(const std::vector<Device>& devices, const std::vector<T>& host,
                   std::uint64_t unit, const Operator& op, const std::optional<Value>& init) {
  std::vector<Queue> queues;
  queues.reserve(devices.size());
  for (const Device& device : devices) queues.emplace_back(device);
  const ReduceShape shape = shape_of<T>(op);
  const ScanShape scan_shape{
      .input = type_of<T>(), .output = type_of<T>(), .accumulator = type_of<T>(), .op = op};
  Buffer<T> whole = queues[0].upload(std::span(host));
  const Value want = transform_reduce(queues[0], whole, shape.accumulator, op, init, {});
  scan(queues[0], ScanKind::inclusive, erase(whole), erase(whole), op, init);
  const std::vector<T> outputs = queues[0].download(whole);
  for (const Offsets& offsets : test::chunks(host.size(), unit, 1)) {
    if (offsets.size() > 9) continue;
    CAPTURE(test::text_of(offsets));
    Bytes saved = ReduceAccumulation(queues[0], shape, init).save();
    Bytes saved_scan = ScanAccumulation(queues[0], scan_shape, init).save();
    std::vector<T> got(host.size());
    for (std::size_t chunk = 0; chunk + 1 < offsets.size(); ++chunk) {
      const Queue& queue = queues[chunk % queues.size()];
      ReduceAccumulation sum(queue, shape, init);
      sum.resume(saved);
      sum.feed(chunk_of(host, offsets, chunk));
      saved = sum.save();
      ScanAccumulation scan(queue, scan_shape, init);
      scan.resume(saved_scan);
      scan.feed(chunk_of(host, offsets, chunk),
                std::span(got).subspan(offsets[chunk], offsets[chunk + 1] - offsets[chunk]));
      saved_scan = scan.save();
    }
    ReduceAccumulation sum(queues.back(), shape, init);
    sum.resume(saved);
    CHECK(sum.value() == want);
    ScanAccumulation scan(queues.back(), scan_shape, init);
    scan.resume(saved_scan);
    const Value total = scan.total();
    CHECK(total == Value(outputs.back()));
    CHECK(same_bytes(got, outputs));
  }
}

std::uint64_t word(const Bytes& bytes, std::size_t at) {
  std::uint64_t value = 0;
  for (std::size_t i = 8; i-- > 0;) {
    value = value << 8 | std::to_integer<std::uint64_t>(bytes[at + i]);
  }
  return value;
}

void set_word(Bytes& bytes, std::size_t at, std::uint64_t value) {
  for (std::size_t i = 0; i < 8; ++i) bytes[at + i] = static_cast<std::byte>(value >> 8 * i);
}

// With a checksum and a length that fit.
void seal(Bytes& bytes) {
  set_word(bytes, 16, bytes.size());
  const std::string_view rest(reinterpret_cast<const char*>(bytes.data()) + 16, bytes.size() - 16);
  set_word(bytes, 8, core::hash(rest));
}

void check_refused(ReduceAccumulation& sum, const Bytes& bytes, const std::string& words) {
  const auto failure = test::failure_of([&] { sum.resume(bytes); });
  CHECK(failure.category == ErrorCategory::invalid_argument);
  CHECK_MESSAGE(failure.mentions(words), failure.what);
}

}  // namespace

TEST_SUITE_BEGIN("accumulation_saved");

TEST_CASE("saved behind every chunk, an accumulation goes on with the same bits") {
  const std::vector<Device> here{test::device()};
  check_resumed(here, test::drawn(test::sums<float>(), 262'144 + 20'000), 262'144, plus, 0.5F);
  const auto maps = test::maps<app::Map32>();
  check_resumed(here, test::drawn(maps, 15'000), 4096, maps.op, {});
  std::vector<std::int64_t> whole(5'000);
  test::Random random(test::seed());
  for (auto& x : whole) x = static_cast<std::int64_t>(random.next());
  check_resumed(here, whole, 1000, plus, std::int64_t{3});
}

TEST_CASE("the bytes of a saved sum") {
  ReduceAccumulation sum(Queue(test::device()), shape_of<float>(plus));
  const std::vector<float> ones(3 * 4096 + 5, 1.0F);
  sum.feed(std::span(ones));
  const Bytes saved = sum.save();
  REQUIRE(saved.size() == 136 + 2 * 4 + 5 * 4);
  const auto letters = std::as_bytes(std::span("bifoldAc")).first(8);
  CHECK(std::equal(letters.begin(), letters.end(), saved.begin()));
  CHECK(word(saved, 16) == saved.size());
  CHECK(word(saved, 24) == (std::uint64_t{1} << 32 | 1));
  CHECK(word(saved, 112) == ones.size());
  CHECK(word(saved, 120) == 2 * 4);
  CHECK(word(saved, 128) == 5 * 4);
  std::vector<float> values(7);
  std::memcpy(values.data(), saved.data() + 136, 28);
  CHECK(values == std::vector<float>{8192, 4096, 1, 1, 1, 1, 1});
  Bytes sealed = saved;
  seal(sealed);
  CHECK(sealed == saved);
}

TEST_CASE("bytes that are damaged in any place are refused, and nothing has changed") {
  ReduceAccumulation sum(Queue(test::device()), shape_of<float>(plus));
  const std::vector<float> ones(2 * 4096 + 100, 1.0F);
  sum.feed(std::span(ones));
  const Bytes saved = sum.save();
  const std::vector<float> more(50, 1.0F);
  sum.feed(std::span(more));
  for (std::size_t i = 0; i < saved.size(); ++i) {
    Bytes damaged = saved;
    damaged[i] ^= static_cast<std::byte>(1U << i % 8);
    check_refused(sum, damaged, "the saved state");
    damaged = saved;
    damaged.resize(i);
    check_refused(sum, damaged, "the saved state");
  }
  Bytes longer = saved;
  longer.push_back(std::byte{0});
  check_refused(sum, longer, "bytes of");
  CHECK(sum.value() == Value(8342.0F));
  sum.resume(saved);
  CHECK(sum.value() == Value(8292.0F));
}

TEST_CASE("whole bytes of a wrong content are refused") {
  ReduceAccumulation sum(Queue(test::device()), shape_of<float>(plus));
  const std::vector<float> ones(2 * 4096 + 100, 1.0F);
  sum.feed(std::span(ones));
  const Bytes saved = sum.save();
  const auto refused = [&](const std::string& words, const auto& change) {
    Bytes changed = saved;
    change(changed);
    seal(changed);
    check_refused(sum, changed, words);
  };
  for (const std::uint64_t n :
       {std::uint64_t{0}, std::uint64_t{8293}, std::uint64_t{3 * 4096 + 100}, ~std::uint64_t{0}}) {
    refused("wrong number", [&](Bytes& bytes) { set_word(bytes, 112, n); });
  }
  for (const std::uint64_t size : {std::uint64_t{0}, std::uint64_t{8}, std::uint64_t{405},
                                   ~std::uint64_t{0}, ~std::uint64_t{0} - 3}) {
    refused("wrong number", [&](Bytes& bytes) { set_word(bytes, 120, size); });
    refused("wrong number", [&](Bytes& bytes) { set_word(bytes, 128, size); });
  }
  refused("wrong number", [](Bytes& bytes) { bytes.resize(bytes.size() - 1); });
  refused("another version", [](Bytes& bytes) { set_word(bytes, 24, 2); });
  const auto other = [&](const ReduceShape& shape, const std::optional<Value>& init,
                         const std::string& words) {
    ReduceAccumulation different(Queue(test::device()), shape, init);
    check_refused(different, saved, words + " differs");
  };
  other(shape_of<float>(multiplies), {}, "the operator");
  other(shape_of<float>(plus), 1.0F, "the initial value");
  ReduceShape shape = shape_of<float>(plus);
  shape.order = Order::any;
  other(shape, {}, "the order");
  shape = shape_of<float>(plus);
  shape.map = "x * x";
  other(shape, {}, "the map");
  shape = shape_of<float>(plus);
  shape.accumulator = Type::f64;
  other(shape, {}, "the accumulator's type");
  shape = shape_of<float>(plus);
  shape.input = Type::f16;
  other(shape, {}, "the elements' type");
  ScanAccumulation scan(Queue(test::device()),
                        {.input = Type::f32, .output = Type::f32, .accumulator = Type::f32});
  const auto failure = test::failure_of([&] { scan.resume(saved); });
  CHECK_MESSAGE(failure.mentions("the kind of the call differs"), failure.what);
}

TEST_CASE("a count beyond 32 bits goes on, and one beyond 64 bits does not") {
  const ReduceShape shape = shape_of<std::uint64_t>(plus);
  ReduceAccumulation sum(Queue(test::device()), shape);
  const std::vector<std::uint64_t> two{3, 4};
  sum.feed(std::span(two));
  Bytes saved = sum.save();
  set_word(saved, 112, std::uint64_t{1} << 33);
  seal(saved);
  sum.resume(saved);
  sum.feed(std::span(two));
  CHECK(sum.count() == (std::uint64_t{1} << 33) + 2);
  set_word(saved, 112, ~std::uint64_t{0} - 1);
  seal(saved);
  sum.resume(saved);
  const auto failure = test::failure_of([&] { sum.feed(std::span(two)); });
  CHECK_MESSAGE(failure.mentions("64 bits"), failure.what);
  sum.feed(std::span(two).first(1));
  CHECK(sum.value() == Value(std::uint64_t{10}));
}

TEST_CASE("a tree over more units than 32 bits count goes on") {
  const ReduceShape shape = shape_of<float>(plus);
  ReduceAccumulation sum(Queue(test::device()), shape);
  const std::vector<float> ones(4096 + 5, 1.0F);
  sum.feed(std::span(ones).first(4096));
  Bytes saved = sum.save();
  set_word(saved, 112, std::uint64_t{4096} << 33);  // One node of a higher level.
  seal(saved);
  sum.resume(saved);
  sum.feed(std::span(ones));
  CHECK(sum.value() == Value(8197.0F));
  const Bytes three = sum.save();
  CHECK(word(three, 112) == (std::uint64_t{4096} << 33) + 4101);
  CHECK(word(three, 120) == 2 * 4);
}

TEST_SUITE_END();

TEST_SUITE_BEGIN("accumulation_backends");

TEST_CASE("an accumulation goes on with another backend's device") {
  const bool cuda = test::device().info().backend == "cuda";
  std::vector<Device> devices{test::device()};
  try {
    devices.push_back(open_device(cuda ? "opencl" : "cuda"));
  } catch (const Error& error) {
    std::cout << "SKIPPED: one backend alone: " << error.what() << '\n';
    return;
  }
  check_resumed(devices, test::drawn(test::sums<float>(), 20'000), 4096, plus, 0.5F);
}

TEST_SUITE_END();

}  // namespace bifold
