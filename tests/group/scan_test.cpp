// Scans over the ranks of a group in one process: the bits of one device's call, whatever the
// split.
#include <doctest/doctest.h>

#include <bifold/bifold.hpp>
#include <bifold/group/distributed.hpp>
#include <complex>

#include "group/cuts.hpp"
#include "support/errors.hpp"
#include "support/values/arithmetic.hpp"
#include "support/values/numbers.hpp"

namespace bifold {

namespace {

using test::Offsets;
using test::same_bytes;
using test::Sliced;

// What one device makes of the whole array, its total included.
template <class T>
std::pair<std::vector<T>, Value> alone(Sliced<T>& data, ScanKind kind, const Operator& op,
                                       const std::optional<Value>& init, const Map& map) {
  Buffer<accumulator_t<T>> total(data.queue(0).device(), 1);
  transform_scan(data.queue(0), kind, erase(data.input()), erase(data.output()), op, init, map,
                 {.total = total});
  std::vector<T> outputs = data.outputs();
  return {std::move(outputs), Value(data.queue(0).download(total).front())};
}

// Every split gives the bits of the whole array, in place too, and the total everywhere.
template <class T>
void check_splits(const std::vector<T>& host, std::uint64_t unit, const Operator& op,
                  const Value& init, int turns, const Map& map = {}) {
  Sliced<T> data(host);
  Buffer<accumulator_t<T>> totals(data.queue(0).device(), 8);
  // Of the splits, each combination of kind and initial value takes every other one.
  std::size_t turn = 0;
  for (const ScanKind kind : {ScanKind::inclusive, ScanKind::exclusive}) {
    for (const std::optional<Value>& start : {std::optional<Value>(), std::optional<Value>(init)}) {
      const auto [want, total] = alone(data, kind, op, start, map);
      for (const Offsets& offsets : test::cuts(host.size(), unit, turns)) {
        if (++turn % 2 != 0) continue;
        CAPTURE(test::text_of(offsets));
        const bool in_place = turn % 4 == 0;
        const bool with_total = turn % 8 < 4;
        if (in_place) {
          data.queue(0).copy(data.input(), data.output());
        } else {
          data.queue(0).copy(data.input().view(0, 1), data.output().view(host.size() - 1, 1));
        }
        data.queue(0).finish();
        std::vector<ScanSlice> slices = data.scan_slices(offsets, in_place);
        for (std::size_t rank = 0; with_total && rank < slices.size(); ++rank) {
          slices[rank].total = totals.view(rank, 1);
        }
        Group group = Group::in_process(static_cast<std::uint32_t>(slices.size()));
        transform_scan(group, kind, slices, op, start, map);
        CHECK(same_bytes(data.outputs(), want));
        if (!with_total) continue;
        const auto got = data.queue(0).download(totals.view(0, slices.size()));
        for (const accumulator_t<T>& one : got) CHECK(Value(one) == total);
      }
    }
  }
}

}  // namespace

TEST_SUITE_BEGIN("group_scan");

TEST_CASE("a scan over a group has the bits of one device's, whatever the split") {
  check_splits(test::drawn(test::sums<float>(), 2 * 262'144 + 70'001), 262'144, plus, 0.5F, 4);
}

TEST_CASE("halves are scanned as floats over a group") {
  std::vector<f16> host;
  for (const float x : test::numbers<float>(262'144 + 9'000, 8)) host.emplace_back(x);
  check_splits(host, 262'144, plus, 0.25F, 1, "x * 0.5f");
}

TEST_CASE("an operator that does not commute scans over a group") {
  const auto maps = test::maps<app::Map32>();
  check_splits(test::drawn(maps, 131'072 + 30'000), 131'072, maps.op, maps.init, 2);
}

TEST_CASE("exact scans over a group exchange one total a rank") {
  std::vector<std::int32_t> host(5000);
  test::Random random(test::seed());
  for (auto& x : host) x = static_cast<std::int32_t>(random.next());
  check_splits(host, 700, plus, std::int32_t{5}, 3);
  check_splits(host, 700, minimum, std::int32_t{5}, 1);
}

TEST_CASE("a scan of many groups of tiles, on borders and beside them, twice in a group") {
  constexpr std::uint64_t tiles = 131'072;
  const auto host = test::drawn(test::sums<double>(), 5 * tiles);
  Sliced<double> data(host);
  const auto want = alone(data, ScanKind::inclusive, plus, {}, {}).first;
  Group group = Group::in_process(3);
  const Offsets even = even_split(host.size(), 3, ScanShape{.accumulator = Type::f64});
  const Offsets odd{0, tiles + 1, 3 * tiles - 1, host.size()};
  for (const Offsets& offsets : {even, even, odd, odd, even, even}) {
    data.queue(0).fill(data.output(), 0.0);
    data.queue(0).finish();
    scan(group, ScanKind::inclusive, data.scan_slices(offsets), plus);
    CHECK(same_bytes(data.outputs(), want));
  }
}

TEST_CASE("a group scans nothing as one device does") {
  Sliced<float> data(std::vector<float>(4, 1.0F));
  Buffer<float> totals(data.queue(0).device(), 2);
  auto none = data.scan_slices({0, 0, 0});
  for (std::size_t rank = 0; rank < 2; ++rank) none[rank].total = totals.view(rank, 1);
  Group group = Group::in_process(2);
  scan(group, ScanKind::inclusive, none, plus);
  for (const ScanSlice& slice : none) Queue(slice.queue).finish();
  CHECK(data.queue(0).download(totals) == std::vector<float>{0, 0});
  scan(group, ScanKind::exclusive, none, plus, 2.5F);
  for (const ScanSlice& slice : none) Queue(slice.queue).finish();
  CHECK(data.queue(0).download(totals) == std::vector<float>{2.5F, 2.5F});
}

TEST_CASE("the typed scans over a group") {
  const auto host = test::drawn(test::sums<float>(), 9000);
  Sliced<float> data(host);
  Buffer<float> a = data.queue(0).upload(std::span(host).first(5000));
  Buffer<float> b = data.queue(0).upload(std::span(host).last(4000));
  const auto want = alone(data, ScanKind::inclusive, plus, 0.25F, {}).first;
  inclusive_scan({{data.queue(1), a, a}, {data.queue(2), b, b}}, plus, 0.25F);
  std::vector<float> got = data.queue(1).download(a);
  const std::vector<float> rest = data.queue(2).download(b);
  got.insert(got.end(), rest.begin(), rest.end());
  CHECK(same_bytes(got, want));
  Group one = Group::in_process(1);
  inclusive_scan(data.queue(0), one, data.input(), data.output(), plus, 0.25F);
  CHECK(same_bytes(data.outputs(), want));
}

TEST_CASE("what a group cannot scan is refused on all ranks, and nothing is written") {
  const auto host = test::drawn(test::sums<float>(), 5000);
  Sliced<float> data(host);
  data.queue(0).fill(data.output(), 9.0F);
  data.queue(0).finish();
  auto slices = data.scan_slices({0, 2000, 5000});
  Group group = Group::in_process(2);
  const auto refused = [&](ErrorCategory category, const std::string& words, const auto& call) {
    const auto failure = test::failure_of(call);
    CHECK(failure.category == category);
    CHECK_MESSAGE(failure.mentions(words), failure.what);
  };
  refused(ErrorCategory::unsupported, "names i",
          [&] { transform_scan(group, ScanKind::inclusive, slices, plus, {}, "x + (f32)i"); });
  const Operator capped = Operator::user("capped", "min(a + b, cap)", Value(0.0F),
                                         Commutativity::commutative, {{"cap", Type::f32}});
  refused(ErrorCategory::unsupported, "scalars, over a group",
          [&] { scan(group, ScanKind::inclusive, slices, capped); });
  auto overlapping = slices;
  overlapping[1].output = data.input().view(1999, 3000);
  refused(ErrorCategory::invalid_argument, "rank 1: input and output overlap",
          [&] { scan(group, ScanKind::inclusive, overlapping, plus); });
  auto short_one = slices;
  short_one[1].output = data.output().view(2000, 2999);
  refused(ErrorCategory::invalid_argument, "rank 1: the output has 2999 elements",
          [&] { scan(group, ScanKind::inclusive, short_one, plus); });
  auto crossed = slices;
  crossed[0].output = data.input().view(2000, 2000);
  refused(ErrorCategory::invalid_argument, "rank 0: the output overlaps the input of rank 1",
          [&] { scan(group, ScanKind::inclusive, crossed, plus); });
  crossed[0].output = data.output().view(1001, 2000);
  refused(ErrorCategory::invalid_argument, "rank 0: the output overlaps the output of rank 1",
          [&] { scan(group, ScanKind::inclusive, crossed, plus); });
  auto half_totals = slices;
  Buffer<float> total(data.queue(0).device(), 1);
  half_totals[1].total = total;
  refused(ErrorCategory::invalid_argument, "whether there is a total differs",
          [&] { scan(group, ScanKind::inclusive, half_totals, plus); });
  const Operator first = Operator::user("first", "a", Type::f32);
  refused(ErrorCategory::invalid_argument, "no identity",
          [&] { scan(group, ScanKind::exclusive, slices, first); });
  CHECK(data.outputs() == std::vector<float>(5000, 9.0F));
  CHECK(same_bytes(data.queue(0).download(data.input()), host));
  scan(group, ScanKind::exclusive, slices, first, 4.0F);
  CHECK(data.outputs() == std::vector<float>(5000, 4.0F));
}

TEST_SUITE_END();

TEST_SUITE_BEGIN("group_splits");

TEST_CASE("scans of many splits of every kind of element") {
  check_splits(test::drawn(test::sums<float>(), 4 * 262'144 + 99), 262'144, plus, 0.5F, 60);
  check_splits(test::drawn(test::products<float>(), 262'144), 262'144, multiplies, 1.5F, 30);
  check_splits(test::drawn(test::sums<double>(), 3 * 131'072 + 1), 131'072, plus, 1.5, 60);
  const auto wide = test::maps<app::Map64>();
  check_splits(test::drawn(wide, 3 * 65'536 + 77), 65'536, wide.op, wide.init, 40);
  std::vector<std::complex<float>> complex;
  const auto parts = test::drawn(test::products<float>(), 280'000);
  for (std::size_t i = 0; i < parts.size(); i += 2) {
    complex.emplace_back(parts[i], parts[i + 1] / 1024);
  }
  check_splits(complex, 131'072, plus, std::complex<float>(0.5F, 1.5F), 20);
  check_splits(complex, 131'072, multiplies, std::complex<float>(0.5F, 1.5F), 20);
  std::vector<bf16> halves;
  for (const float x : test::numbers<float>(2 * 262'144 + 5, 8)) halves.emplace_back(x);
  check_splits(halves, 262'144, plus, 0.25F, 20);
}

TEST_SUITE_END();

}  // namespace bifold
