// Selections: what is flagged, one behind the other, on every row that the device runs.

#include <doctest/doctest.h>

#include <algorithm>
#include <bifold/bifold.hpp>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "device/selection/selections.hpp"
#include "support/environment.hpp"
#include "support/errors.hpp"

namespace select_test {

// No vector of words holds it, and it has padding.
struct Sample {
  std::int16_t key;
  float value;
  std::uint8_t mark;
  friend bool operator==(const Sample&, const Sample&) = default;
};
// As large as elements come.
struct Whole {
  std::uint64_t a, b, c, d, e, f, g, h;
  friend bool operator==(const Whole&, const Whole&) = default;
};

}  // namespace select_test
BIFOLD_STRUCT_NAMED(select_test::Sample, SelectSample, key, value, mark);
BIFOLD_STRUCT_NAMED(select_test::Whole, SelectWhole, a, b, c, d, e, f, g, h);

namespace bifold {

namespace {

using select_test::Sample;
using select_test::Whole;

using test::numbers;
using test::Places;
using test::uploaded;

std::vector<const gallery::Variant*> rows() { return test::selecting_rows(); }

// Lengths about the tiles of every row: 16 KiB of a CPU's work-item, and a group's.
std::vector<std::size_t> lengths() {
  return {0, 1, 2, 31, 33, 255, 257, 1024, 2047, 2048, 2049, 4096, 4097, 12289, 70'001};
}

struct Pattern {
  const char* text;
  bool (*holds)(std::uint64_t i, std::uint64_t n);
};

constexpr Pattern patterns[] = {
    {"0", [](std::uint64_t, std::uint64_t) { return false; }},
    {"1", [](std::uint64_t, std::uint64_t) { return true; }},
    {"i == 0", [](std::uint64_t i, std::uint64_t) { return i == 0; }},
    {"i + 1 == n", [](std::uint64_t i, std::uint64_t n) { return i + 1 == n; }},
    {"i % 2 != 0", [](std::uint64_t i, std::uint64_t) { return i % 2 != 0; }},
    {"i % 1024 == 1023", [](std::uint64_t i, std::uint64_t) { return i % 1024 == 1023; }},
};

TEST_SUITE_BEGIN("select");

TEST_CASE("none, all, the first, the last, every second and the last of each tile, on every row") {
  Queue queue(test::device());
  const auto host = numbers<std::int32_t>(lengths().back() + 3);
  const auto data = uploaded(queue, host);
  auto kept = queue.allocate<std::uint64_t>(1);
  for (const auto* row : rows()) {
    for (const Pattern& pattern : patterns) {
      const Map predicate(pattern.text, {{"n", Type::u64}});
      for (const std::size_t n : lengths()) {
        CAPTURE(row->name);
        CAPTURE(pattern.text);
        CAPTURE(n);
        const std::size_t offset = n % 3;
        std::vector<std::int32_t> want;
        for (std::size_t i = 0; i < n; ++i) {
          if (pattern.holds(i, n)) want.push_back(host[offset + i]);
        }
        Places<std::int32_t> out(queue, n + 5, -1);
        SelectOptions options;
        options.variant = row->name;
        options.scalars.emplace_back("n", Value(std::uint64_t{n}));
        queue.fill(kept, 77);
        select(queue, data.view(offset, n), out.buffer.view(offset, n + 5 - offset), kept,
               predicate, options);
        CHECK(queue.download(kept)[0] == want.size());
        want.insert(want.begin(), offset, -1);
        out.check(queue, want);
      }
    }
  }
}

TEST_CASE("an output that is too short is not overrun, and kept tells how many there would be") {
  Queue queue(test::device());
  const auto host = numbers<std::int32_t>(10'000);
  const auto data = uploaded(queue, host);
  auto kept = queue.allocate<std::uint32_t>(1);
  std::vector<std::int32_t> all;
  for (const std::int32_t x : host) {
    if (x % 3 == 0) all.push_back(x);
  }
  for (const auto* row : rows()) {
    CAPTURE(row->name);
    for (const std::size_t room : {std::size_t{0}, std::size_t{1}, std::size_t{1500},
                                   all.size() - 1, all.size(), all.size() + 1}) {
      CAPTURE(room);
      Places<std::int32_t> out(queue, all.size() + 5, -1);
      select(queue, data, out.buffer.view(2, room), kept, "x % 3 == 0", {.variant = row->name});
      CHECK(queue.download(kept)[0] == all.size());
      std::vector<std::int32_t> want(2, -1);
      want.insert(want.end(), all.begin(),
                  all.begin() + static_cast<std::ptrdiff_t>(std::min(room, all.size())));
      out.check(queue, want);
    }
    select(queue, data, View<std::int32_t>(), kept, "x % 3 == 0", {.variant = row->name});
    CHECK(queue.download(kept)[0] == all.size());
  }
}

TEST_CASE("in place, or refused in words") {
  Queue queue(test::device());
  auto kept = queue.allocate<std::uint64_t>(1);
  for (const auto* row : rows()) {
    CAPTURE(row->name);
    for (const std::size_t n : {1UL, 5000UL, 70'001UL, 300'000UL}) {
      CAPTURE(n);
      const auto host = numbers<std::int32_t>(n);
      auto data = uploaded(queue, host);
      const auto call = [&] { select(queue, data, data, kept, "x >= 9", {.variant = row->name}); };
      if (SelectPlan(test::device(), {.variant = row->name}).variant().launches > 1) {
        const test::Failure failure = test::failure_of(call);
        CHECK(failure.category == ErrorCategory::unsupported);
        CHECK(failure.mentions("in place"));
        continue;
      }
      call();
      std::vector<std::int32_t> want;
      for (const std::int32_t x : host) {
        if (x >= 9) want.push_back(x);
      }
      const std::size_t count = want.size();
      CHECK(queue.download(kept)[0] == count);
      want.insert(want.end(), host.begin() + static_cast<std::ptrdiff_t>(count), host.end());
      CHECK(queue.download(data) == want);
    }
  }
}

TEST_CASE("elements of every size, and what they convert to") {
  Queue queue(test::device());
  std::size_t turn = 0;
  const auto check = [&]<class In, class Out>(In, Out untouched, const char* text, auto holds) {
    if (!test::device().supports(type_of<In>()) || !test::device().supports(type_of<Out>())) return;
    CAPTURE(name_of(type_of<In>()));
    CAPTURE(name_of(type_of<Out>()));
    std::vector<In> host;
    std::vector<Out> want;
    for (const std::int8_t number : numbers<std::int8_t>(70'001)) {
      if constexpr (std::is_same_v<In, Sample>) {
        host.push_back({number, static_cast<float>(number) / 3, 1});
      } else if constexpr (std::is_same_v<In, Whole>) {
        host.push_back({1, 2, 3, static_cast<std::uint64_t>(number), 5, 6, 7, 8});
      } else {
        const float halved = static_cast<float>(2 * number + 1) / 2;
        host.push_back(static_cast<In>(halved));
      }
      if (!holds(number)) continue;
      if constexpr (std::is_same_v<In, Out>) {
        want.push_back(host.back());
      } else {
        want.push_back(static_cast<Out>(static_cast<double>(host.back())));
      }
    }
    const auto data = uploaded(queue, host);
    auto kept = queue.allocate<std::uint32_t>(1);
    auto in_turn = test::rows_in_turn(Algorithm::select, Type::i32, plus, turn++);
    // What a ring holds, and how its lanes read that, is up to the element's size.
    for (const auto* row : rows()) {
      if (row->name == "ring") in_turn.push_back(row);
    }
    for (const auto* row : in_turn) {
      CAPTURE(row->name);
      if (!test::takes(*row, {type_of<In>(), type_of<Out>(), Type::u32, text})) continue;
      Places<Out> out(queue, host.size(), untouched);
      select(queue, data, out.buffer, kept, text, {.variant = row->name});
      CHECK(queue.download(kept)[0] == want.size());
      out.check(queue, want);
    }
  };
  const auto above = [](std::int8_t number) { return number > 50; };
  check(std::int8_t{}, std::int8_t{-1}, "x > 50", above);
  check(std::uint16_t{}, std::uint16_t{1}, "x > 50", above);
  check(float{}, float{-1}, "x > 50.5f", above);
  check(std::int64_t{}, std::int64_t{-1}, "x > 50", above);
  check(double{}, double{-1}, "x > 50.5", above);
  check(std::int16_t{}, std::int64_t{-1}, "x > 50", above);
  check(std::uint32_t{}, float{-1}, "x > 50", above);
  check(f16{}, f16(-1.0F), "x > 50.5f", above);
  check(bf16{}, bf16(-1.0F), "x > 50.5f", [](std::int8_t number) {
    return static_cast<float>(bf16(static_cast<float>(number) + 0.5F)) > 50.5F;
  });
  check(f16{}, float{-1}, "x > 50.5f", above);
  check(float{}, f16(-1.0F), "x > 50.5f", above);
  check(double{}, f16(-1.0F), "x > 50.5", above);
  check(Sample{}, Sample{-1, 0, 0}, "x.key > 50 && x.mark == 1", above);
  check(Whole{}, Whole{}, "x.d > 50", above);
}

TEST_CASE("the bits of elements that are not converted stay, those of NaN too") {
  Queue queue(test::device());
  std::vector<f16> host;
  for (std::uint32_t bits = 0; bits < 0x10000; bits += 7) {
    host.push_back(f16::from_bits(static_cast<std::uint16_t>(bits)));
  }
  std::vector<std::uint16_t> want;
  for (const f16 x : host) {
    const auto value = static_cast<float>(x);
    if (value != value || value < 0) want.push_back(x.bits());
  }
  const auto data = uploaded(queue, host);
  auto out = queue.allocate<f16>(host.size());
  auto kept = queue.allocate<std::uint64_t>(1);
  for (const auto* row : rows()) {
    CAPTURE(row->name);
    select(queue, data, out, kept, "x != x || x < 0", {.variant = row->name});
    CHECK(queue.download(kept)[0] == want.size());
    std::vector<std::uint16_t> got;
    for (const f16 x : queue.download(out.view(0, want.size()))) got.push_back(x.bits());
    CHECK(got == want);
  }
}

TEST_CASE("indices as u32 and u64, and of what is not 0 where no predicate is given") {
  Queue queue(test::device());
  const auto check = [&]<class T, class Index>(T, Index) {
    if (!test::device().supports(type_of<T>())) return;
    auto host = numbers<T>(70'001);
    for (T& x : host) x = x < 60 ? T{0} : x;
    const auto data = uploaded(queue, host);
    auto kept = queue.allocate<std::uint64_t>(1);
    std::vector<Index> want;
    for (std::size_t i = 0; i < host.size(); ++i) {
      if (host[i] != 0) want.push_back(static_cast<Index>(i));
    }
    for (const auto* row : rows()) {
      CAPTURE(row->name);
      if (!test::takes(
              *row,
              {.input = type_of<T>(), .output = type_of<Index>(), .selected = Selected::indices})) {
        continue;
      }
      Places<Index> out(queue, host.size(), 1);
      select_index(queue, data, out.buffer, kept, {}, {.variant = row->name});
      CHECK(queue.download(kept)[0] == want.size());
      out.check(queue, want);
    }
  };
  check(std::int32_t{}, std::uint32_t{});
  check(std::int8_t{}, std::uint64_t{});
  check(double{}, std::uint64_t{});
}

TEST_CASE("flags of any number type; the output may be the memory of either array") {
  Queue queue(test::device());
  const auto check = [&]<class Flag>(Flag, std::size_t n) {
    if (!test::device().supports(type_of<Flag>())) return;
    CAPTURE(n);
    const auto host = numbers<std::uint32_t>(n);
    std::vector<Flag> flags(n);
    std::vector<std::uint32_t> want;
    for (std::size_t i = 0; i < n; ++i) {
      flags[i] = static_cast<Flag>(i % 5 == 0 ? 0 : i % 100);
      if (flags[i] != 0) want.push_back(host[i]);
    }
    auto kept = queue.allocate<std::uint64_t>(1);
    for (const auto* row : rows()) {
      CAPTURE(row->name);
      if (!test::takes(*row, {.flags = type_of<Flag>()})) continue;
      auto data = uploaded(queue, host);
      auto marks = uploaded(queue, flags);
      Places<std::uint32_t> out(queue, n, 1000);
      select_flagged(queue, data, marks, out.buffer, kept, {.variant = row->name});
      CHECK(queue.download(kept)[0] == want.size());
      out.check(queue, want);
      if (row->launches > 1 || row->name == "production") continue;
      const bool over_flags = sizeof(Flag) == sizeof(std::uint32_t);
      auto output = over_flags ? marks.view().template as<std::uint32_t>() : data.view();
      select_flagged(queue, data, marks, output, kept, {.variant = row->name});
      const auto got = queue.download(output);
      CHECK(std::equal(want.begin(), want.end(), got.begin()));
    }
  };
  check(std::uint8_t{}, 40'001);
  check(std::int32_t{}, 100'000);
  check(float{}, 5001);
}

TEST_SUITE_END();

}  // namespace

}  // namespace bifold
