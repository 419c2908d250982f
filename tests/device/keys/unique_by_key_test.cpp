// The first key of each run with its value, on every row that the device runs.
#include <doctest/doctest.h>

#include <bifold/bifold.hpp>
#include <cstdint>
#include <vector>

#include "device/keys/keys.hpp"
#include "device/selection/selections.hpp"
#include "support/environment.hpp"
#include "support/errors.hpp"

namespace key_test {

struct Pair {
  std::int32_t high;
  std::int32_t low;
  friend bool operator==(const Pair&, const Pair&) = default;
};

}  // namespace key_test
BIFOLD_STRUCT_NAMED(key_test::Pair, KeyPair, high, low);

namespace bifold {

namespace {

using key_test::Pair;
using test::Places;
using test::uploaded;

struct Room {
  std::uint64_t more;  // Places behind those of all runs.
  bool one_short = false;
};

// Whether both outputs have the first of each run, and no more.
template <class Key, class V, class Stored>
void check_row(Queue& queue, std::string_view row, const std::vector<std::uint64_t>& lengths,
               const Room& room, const Map& equality = {}) {
  std::vector<Key> host = test::keys_of<Key>(lengths);
  std::vector<V> values(host.size());
  for (std::size_t i = 0; i < host.size(); ++i) values[i] = static_cast<V>(i % 200);
  std::vector<Key> want;
  std::vector<Stored> want_values;
  std::uint64_t first = 0;
  for (const std::uint64_t length : lengths) {
    want.push_back(host[first]);
    want_values.push_back(static_cast<Stored>(values[first]));
    first += length;
  }
  const std::uint64_t places = room.one_short ? lengths.size() - 1 : lengths.size();
  want.resize(places);
  want_values.resize(places);
  const auto keys = uploaded(queue, host);
  const auto data = uploaded(queue, values);
  Places<Key> unique(queue, places + room.more, Key{99});
  Places<Stored> stored(queue, places + room.more, Stored{77});
  auto kept = queue.allocate<std::uint64_t>(1);
  const std::uint64_t limit = room.one_short ? places : places + room.more;
  unique_by_key(queue, keys, data, unique.buffer.view(0, limit), stored.buffer.view(0, limit), kept,
                equality, {.variant = row});
  CHECK(queue.download(kept)[0] == lengths.size());
  unique.check(queue, want);
  stored.check(queue, want_values);
}

bool takes_values(const gallery::Variant& row, Type keys, Type values) {
  return test::takes(row, {.input = keys,
                           .output = keys,
                           .predicate = keys.is_struct() ? "x.low == y.low" : Map{},
                           .first_of_runs = true,
                           .values = values});
}

}  // namespace

TEST_SUITE_BEGIN("by_key");

TEST_CASE("the first key of each run, and its value") {
  Queue queue(test::device());
  for (const auto* row : test::selecting_rows()) {
    CAPTURE(row->name);
    if (!takes_values(*row, Type::i32, Type::f32)) continue;
    for (const std::uint64_t count : {1U, 255U, 4096U, 4097U, 70'000U}) {
      CAPTURE(count);
      const auto lengths = test::run_lengths(count, count);
      check_row<std::int32_t, float, float>(queue, row->name, lengths, {3});
      check_row<std::int64_t, std::uint8_t, std::int32_t>(queue, row->name, lengths, {0, true});
    }
    const std::vector<std::uint64_t> apart(10'000, 1);
    check_row<std::uint8_t, std::int64_t, std::int64_t>(queue, row->name, apart, {1});
  }
}

TEST_CASE("structs by a text, a count in device memory, and a plan with a workspace") {
  Queue queue(test::device());
  constexpr std::uint64_t n = 9000;
  std::vector<Pair> host(n);
  std::vector<float> values(n);
  for (std::uint64_t i = 0; i < n; ++i) {
    host[i] = {static_cast<std::int32_t>(i), static_cast<std::int32_t>(i / 7)};
    values[i] = static_cast<float>(i);
  }
  const auto keys = uploaded(queue, host);
  const auto data = uploaded(queue, values);
  const auto count = uploaded<std::uint64_t>(queue, {8001});
  auto kept = queue.allocate<std::uint32_t>(1);
  SelectShape shape{.input = type_of<Pair>(),
                    .output = type_of<Pair>(),
                    .kept = Type::u32,
                    .predicate = "x.low == y.low",
                    .first_of_runs = true,
                    .values = Type::f32};
  shape.on_device.count = Type::u64;
  const SelectPlan plan(queue.device(), shape);
  auto memory = queue.allocate<std::uint8_t>(plan.workspace_bytes(n));
  const Workspace workspace(memory.view());
  Places<Pair> unique(queue, 2000, {-1, -1});
  Places<float> stored(queue, 2000, -1);
  plan.run_by_key(queue, erase(keys), erase(data), erase(unique.buffer), erase(stored.buffer),
                  erase(kept), {.workspace = &workspace, .count_from = erase(count)});
  std::vector<Pair> want;
  std::vector<float> want_values;
  for (std::uint64_t i = 0; i < 8001; i += 7) {
    want.push_back(host[i]);
    want_values.push_back(values[i]);
  }
  CHECK(queue.download(kept)[0] == want.size());
  unique.check(queue, want);
  stored.check(queue, want_values);
}

TEST_CASE("f64 values as f16, and of no keys a count of 0") {
  Queue queue(test::device());
  auto kept = queue.allocate<std::uint64_t>(1);
  Places<std::int32_t> unique(queue, 4, 5);
  if (test::device().supports(Type::f64)) {
    const auto keys = uploaded<std::int32_t>(queue, {1, 1, 2, 3});
    const auto values = uploaded<double>(queue, {0.1, 0.2, 1.0 / 3, 65520.0});
    Places<f16> stored(queue, 4, f16(-1.0F));
    unique_by_key(queue, keys, values, unique.buffer, stored.buffer, kept);
    const auto got = queue.download(stored.buffer);
    CHECK(got[0] == f16(0.1));
    CHECK(got[1] == f16(1.0 / 3));
    CHECK(got[2] == f16(65520.0));
    CHECK(got[3] == f16(-1.0F));
  }
  const auto none = queue.allocate<std::int32_t>(1);
  unique_by_key(queue, none.view(0, 0), none.view(0, 0), unique.buffer.view(0, 0),
                unique.buffer.view(0, 0), kept);
  CHECK(queue.download(kept)[0] == 0);
}

TEST_CASE("places and values that do not fit, and memory that overlaps") {
  Queue queue(test::device());
  const auto keys = uploaded<std::int32_t>(queue, {1, 1, 2, 3});
  auto values = uploaded<std::int32_t>(queue, {1, 2, 3, 4});
  auto unique = queue.allocate<std::int32_t>(4);
  auto stored = queue.allocate<std::int32_t>(4);
  auto kept = queue.allocate<std::uint64_t>(1);
  const auto refused = [&](const auto& call, const char* words) {
    const test::Failure failure = test::failure_of(call);
    CHECK(failure.category == ErrorCategory::invalid_argument);
    CHECK_MESSAGE(failure.mentions(words), failure.what);
  };
  refused([&] { unique_by_key(queue, keys, values.view(0, 3), unique, stored, kept); },
          "3 elements");
  refused([&] { unique_by_key(queue, keys, values, unique, stored.view(0, 3), kept); },
          "4 places of keys, and 3 of values");
  refused([&] { unique_by_key(queue, keys, values, unique, values, kept); }, "overlap");
  refused([&] { unique_by_key(queue, keys, values, unique, unique, kept); }, "overlap");
  refused([&] { unique_by_key(queue, keys, values, unique, stored, kept, "x == y && z > 0"); },
          "z");
  SelectShape shape;
  shape.values = Type::i32;
  refused([&] { static_cast<void>(SelectPlan(queue.device(), shape)); }, "first keys of runs");
}

TEST_SUITE_END();

}  // namespace bifold
