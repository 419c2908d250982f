// What operators and maps are given: no identity, an index, a second array, a map in front of a
// scan.
#include <doctest/doctest.h>

#include <bifold/bifold.hpp>
#include <functional>
#include <numeric>

#include "support/cases/rows.hpp"
#include "support/environment.hpp"
#include "support/values/random.hpp"
#include "support/values/same_bits.hpp"

namespace app {
struct Span64 {
  std::uint64_t first;
  std::uint64_t last;
};
}  // namespace app
BIFOLD_STRUCT_NAMED(app::Span64, Span64, first, last);

namespace bifold {

namespace {

using app::Span64;

// Around the borders of runs, rows, warp tiles, leaves, tiles and groups of tiles.
constexpr std::size_t lengths[] = {1,   2,    3,    4,    5,    31,   32,    33,    127,
                                   129, 1000, 2049, 4095, 4096, 4097, 16385, 65543, 262'145};
constexpr std::size_t few_lengths[] = {1, 2, 5, 33, 129, 1000, 4097, 8193, 70'001};

template <class T>
std::vector<T> counted(std::size_t count) {
  std::vector<T> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<T>(i % 119 + 1);
  return values;
}

/// The rows that know such operands.
std::vector<std::string_view> rows_of(Algorithm algorithm, bool commutative) {
  std::vector<std::string_view> names{"production"};
  for (const auto& row : gallery::variants()) {
    const bool fits = row.algorithm == algorithm && row.order == gallery::Order::v1 &&
                      row.name != "production" && (commutative || !row.requirements.commutative);
    if (fits && gallery::supports(test::device(), row, Type::i32, plus)) names.push_back(row.name);
  }
  return names;
}

bool takes(std::string_view scan, const core::PlanShape& shape) {
  return test::takes(*gallery::find(Algorithm::scan, scan), shape);
}

template <class Call>
std::string refusal(Call call) {
  try {
    call();
  } catch (const Error& error) {
    CHECK(error.category() == ErrorCategory::invalid_argument);
    return error.what();
  }
  FAIL_CHECK("no error");
  return {};
}

template <class T>
void check_projections() {
  Queue queue(test::device());
  const auto host = counted<T>(262'160);
  const auto data = queue.upload(std::span<const T>(host));
  // The first and the last of two operands: associative, and without a neutral element. Whatever
  // pads, changes places or is combined twice shows.
  const Operator first = Operator::user("first", "a", type_of<T>());
  const Operator last = Operator::user("last", "b", type_of<T>());
  for (const std::string_view row : rows_of(Algorithm::reduce, false)) {
    ReduceOptions options;
    options.variant = row;
    for (const std::size_t n : lengths) {
      CAPTURE(row);
      CAPTURE(n);
      const auto part = data.view(n % 9, n);
      CHECK(reduce(queue, part, first, options) == host[n % 9]);
      CHECK(reduce(queue, part, last, options) == host[n % 9 + n - 1]);
      CHECK(reduce(queue, part, first, T{77}, options) == T{77});
    }
  }
  const Type type = type_of<T>();
  for (const std::string_view row : rows_of(Algorithm::scan, false)) {
    if (!takes(row, {type, type, type, ScanKind::inclusive, first})) continue;
    ScanOptions options;
    options.variant = row;
    for (const std::size_t n : few_lengths) {
      CAPTURE(row);
      CAPTURE(n);
      const auto part = data.view(n % 9, n);
      Buffer<T> out(test::device(), n);
      inclusive_scan(queue, part, out, first, options);
      CHECK(queue.download(out) == std::vector<T>(n, host[n % 9]));
      inclusive_scan(queue, part, out, last, options);
      const auto there = std::span<const T>(host).subspan(n % 9, n);
      const std::vector<T> copy(there.begin(), there.end());
      CHECK(queue.download(out) == copy);
      exclusive_scan(queue, part, out, last, T{99}, options);
      std::vector<T> shifted(n, T{99});
      std::copy(copy.begin(), copy.end() - 1, shifted.begin() + 1);
      CHECK(queue.download(out) == shifted);
      exclusive_scan(queue, part, out, first, T{99}, options);
      CHECK(queue.download(out) == std::vector<T>(n, T{99}));
    }
  }
}

}  // namespace

TEST_SUITE_BEGIN("operands");

TEST_CASE("operators without identity") {
  check_projections<std::int32_t>();
  check_projections<float>();
  if (test::device().supports(Type::i64)) check_projections<std::int64_t>();
}

TEST_CASE("an operator without identity that commutes, and a struct") {
  Queue queue(test::device());
  const auto host = counted<float>(100'003);
  const auto data = queue.upload(std::span<const float>(host));
  const Operator least =
      Operator::user("least", "a < b ? a : b", Type::f32, Commutativity::commutative);
  for (const std::string_view row : rows_of(Algorithm::reduce, true)) {
    ReduceOptions options;
    options.variant = row;
    CHECK_MESSAGE(reduce(queue, data, least, options) == 1.0F, row);
    CHECK_MESSAGE(reduce(queue, data.view(5, 3), least, options) == 6.0F, row);
  }
  // Joins neighbouring spans; nothing joins a span without changing it.
  const Operator joined =
      Operator::user("joined", "make_Span64(a.first, b.last)", type_of<Span64>());
  for (const std::size_t n : lengths) {
    const auto whole = transform_reduce(queue, erase(data.view(0, std::min(n, host.size()))),
                                        type_of<Span64>(), joined, {}, "make_Span64(i, i + 1)")
                           .as<Span64>();
    CHECK(whole.first == 0);
    CHECK(whole.last == std::min(n, host.size()));
  }
}

TEST_CASE("nothing to begin with is an error where it would be the result") {
  Queue queue(test::device());
  const Operator last = Operator::user("last", "b", Type::i32);
  Buffer<std::int32_t> none(test::device(), 0);
  Buffer<std::int32_t> some(test::device(), 4);
  CHECK_FALSE(last.has_identity());
  CHECK(refusal([&] { static_cast<void>(last.identity(Type::i32)); }).find("no identity") !=
        std::string::npos);
  CHECK(refusal([&] { static_cast<void>(reduce(queue, none, last)); }).find("no identity") !=
        std::string::npos);
  CHECK(refusal([&] { exclusive_scan(queue, some, some, last); }).find("no identity") !=
        std::string::npos);
  CHECK(reduce(queue, none, last, 5) == 5);
  inclusive_scan(queue, none, none, last);
  // Rows that pad say why they do not run.
  try {
    ReduceOptions options;
    options.variant = "ordered";
    static_cast<void>(reduce(queue, some, last, options));
    FAIL_CHECK("no error");
  } catch (const Error& error) {
    CHECK(error.category() == ErrorCategory::unsupported);
    CHECK(std::string(error.what()).find("pads with the operator's identity") != std::string::npos);
  }
}

TEST_CASE("maps of an index") {
  Queue queue(test::device());
  const auto host = counted<std::int32_t>(262'160);
  const auto data = queue.upload(std::span<const std::int32_t>(host));
  for (const std::string_view row : rows_of(Algorithm::reduce, true)) {
    ReduceOptions options;
    options.variant = row;
    for (const std::size_t n : lengths) {
      CAPTURE(row);
      CAPTURE(n);
      std::uint64_t want = 0;
      for (std::size_t i = 0; i < n; ++i) want += (i * i) ^ static_cast<std::uint64_t>(host[3 + i]);
      CHECK(transform_reduce(queue, data.view(3, n), plus, std::uint64_t{0}, "i * i ^ (u64)x",
                             options) == want);
    }
  }
  const Map by_index("x * (i64)i");
  for (const std::string_view row : rows_of(Algorithm::scan, true)) {
    if (!takes(row, {Type::i32, Type::i64, Type::i64, ScanKind::exclusive, plus, by_index}))
      continue;
    ScanOptions options;
    options.variant = row;
    for (const std::size_t n : {1UL, 129UL, 8193UL, 70'001UL}) {
      Buffer<std::int64_t> out(test::device(), n);
      transform_exclusive_scan(queue, data.view(1, n), out, plus, 7, by_index, options);
      std::vector<std::int64_t> want(n, 7);
      for (std::size_t i = 1; i < n; ++i) {
        want[i] = want[i - 1] + host[i] * static_cast<std::int64_t>(i - 1);
      }
      CHECK_MESSAGE(queue.download(out) == want, row, ", n ", n);
    }
  }
}

TEST_CASE("maps of two arrays") {
  Queue queue(test::device());
  const auto host = counted<float>(262'160);
  std::vector<double> other(262'160);
  std::iota(other.begin(), other.end(), -1000.0);
  if (!test::device().supports(Type::f64)) return;
  const auto first = queue.upload(std::span<const float>(host));
  const auto second = queue.upload(std::span<const double>(other));
  for (const std::string_view row : rows_of(Algorithm::reduce, true)) {
    ReduceOptions options;
    options.variant = row;
    for (const std::size_t n : few_lengths) {
      for (const auto& [at, and_at] : {std::pair{0UL, 0UL}, {3, 0}, {0, 1}, {2, 7}}) {
        std::vector<double> products(n);
        for (std::size_t i = 0; i < n; ++i) {
          products[i] = host[at + i] * other[and_at + i] + static_cast<double>(i);
        }
        const double want = reference::v1::reduce(
            std::span<const double>(products), 0.5, [](double x) { return x; }, std::plus<>());
        const double got = transform_reduce(queue, first.view(at, n), second.view(and_at, n), plus,
                                            0.5, "x * y + (f64)i", options);
        CHECK_MESSAGE(test::same_bits(got, row.starts_with("order_v1_ordered")
                                               ? reference::v1::reduce_in_order(
                                                     std::span<const double>(products), 0.5,
                                                     [](double x) { return x; }, std::plus<>())
                                               : want),
                      row, ", n ", n, ", offsets ", at, " and ", and_at);
      }
    }
  }
}

TEST_CASE("two arrays have to fit each other and the map") {
  Queue queue(test::device());
  Buffer<float> five(test::device(), 5);
  Buffer<float> six(test::device(), 6);
  const auto call = [&](auto&& second, const Map& map) {
    return refusal(
        [&] { static_cast<void>(transform_reduce(queue, five, second, plus, 0.0F, map)); });
  };
  CHECK(call(six, "x * y").find("6 elements") != std::string::npos);
  CHECK(call(five, {}).find("want a map") != std::string::npos);
  CHECK(refusal([&] {
          static_cast<void>(transform_reduce(queue, five, plus, 0.0F, "x * y"));
        }).find("one array") != std::string::npos);
  CHECK(refusal([&] {
          transform_reduce_into(queue, erase(five.view(0, 2)), erase(six.view(2, 2)),
                                erase(six.view(3, 1)), plus, Value(0.0F), "x * y");
        }).find("overlap") != std::string::npos);
}

TEST_CASE("a map in front of a scan") {
  Queue queue(test::device());
  const auto host = counted<std::int16_t>(70'016);
  const auto data = queue.upload(std::span<const std::int16_t>(host));
  for (const auto& row : gallery::variants()) {
    if (row.algorithm != Algorithm::scan) continue;
    if (!gallery::supports(test::device(), row, Type::i32, plus)) continue;
    if (!test::takes(row, {Type::i16, Type::i32, Type::i32, ScanKind::inclusive, plus, "x * x"})) {
      continue;
    }
    ScanOptions options;
    options.variant = row.name;
    for (const std::size_t n : {0UL, 1UL, 3UL, 1000UL, 8193UL, 70'001UL}) {
      CAPTURE(row.name);
      CAPTURE(n);
      std::vector<std::int32_t> want(n);
      std::int32_t running = 11;
      for (std::size_t i = 0; i < n; ++i) want[i] = running += host[2 + i] * host[2 + i];
      Buffer<std::int32_t> out(test::device(), n);
      transform_inclusive_scan(queue, data.view(2, n), out, plus, 11, "x * x", options);
      CHECK(queue.download(out) == want);
      transform_exclusive_scan(queue, data.view(2, n), out, plus, "x * x", options);
      const std::vector<std::int32_t> got = queue.download(out);
      for (std::size_t i = 0; i < n; ++i) {
        if (got[i] != (i == 0 ? 0 : want[i - 1] - 11)) {
          FAIL_CHECK("element ", i);
          break;
        }
      }
    }
  }
}

TEST_SUITE_END();

}  // namespace bifold
