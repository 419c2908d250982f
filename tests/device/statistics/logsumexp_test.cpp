// logsumexp and its cumulative form: the bits of order v1 with the host's exp and log.
#include <doctest/doctest.h>

#include <bifold/bifold.hpp>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "device/statistics/inputs.hpp"
#include "support/environment.hpp"
#include "support/errors.hpp"
#include "support/values/same_bits.hpp"

namespace bifold {

using test::numbers_around;
using test::same_bits;

namespace {

template <class T>
LogSum<T> lift(T x) {
  constexpr T step = LogSum<T>::step;
  const T anchor = std::rint(x / step) * step;  // Of x below 2^28.
  return {anchor, reference::exp(x - anchor)};
}

template <class T>
LogSum<T> combine(LogSum<T> a, LogSum<T> b) {
  const auto& [high, low] = a.anchor > b.anchor ? std::pair(a, b) : std::pair(b, a);
  const T apart = high.anchor - low.anchor;
  const T factor = apart > LogSum<T>::step ? T{0} : apart > 0 ? std::exp(-LogSum<T>::step) : T{1};
  return {high.anchor, high.sum + low.sum * factor};
}

template <class T>
T value(LogSum<T> s) {
  return s.anchor + reference::log(s.sum);
}

template <class T>
T reduced(const std::vector<T>& x) {
  return value(reference::v1::reduce<LogSum<T>>(std::span<const T>(x), lift<T>, combine<T>));
}

template <class T>
void check_bits() {
  Queue queue(test::device());
  for (const std::size_t n : {1U, 2U, 31U, 1000U, 4097U, 40000U}) {
    for (const double spread : {0.5, 90.0, 1e4}) {
      CAPTURE(n);
      CAPTURE(spread);
      const std::vector<T> x = numbers_around<T>(n, 0, spread);
      const auto input = queue.upload(std::span<const T>(x));
      CHECK(same_bits(logsumexp(queue, input), reduced(x)));
      auto output = queue.allocate<T>(n);
      cumulative_logsumexp(queue, input, output);
      reference::v1::RunningScan<LogSum<T>, decltype(&combine<T>)> running(&combine<T>);
      const std::vector<T> got = queue.download(output);
      std::size_t wrong = 0;
      for (std::size_t i = 0; i < n; ++i) {
        running.append(lift(x[i]));
        wrong += same_bits(got[i], value(running.value())) ? 0U : 1U;
      }
      CHECK(wrong == 0);
    }
  }
}

float of(Queue& queue, const std::vector<float>& x) {
  return logsumexp(queue, queue.upload(std::span<const float>(x)));
}

}  // namespace

TEST_SUITE_BEGIN("logsumexp");

TEST_CASE("logsumexp and its cumulative form have the bits of order v1") {
  check_bits<float>();
  if (test::device().supports(Type::f64)) check_bits<double>();
}

TEST_CASE("logsumexp neither overflows nor loses small summands") {
  Queue queue(test::device());
  const float big = 3e38F;
  CHECK(of(queue, {big, big, -big}) == big);
  CHECK(of(queue, {1000, 1000}) == doctest::Approx(1000.693147));
  CHECK(of(queue, {-1000, -1000, -1000, -1000}) == doctest::Approx(-998.6137056));
  const std::vector<float> many(1 << 16, 0.0F);
  CHECK(of(queue, many) == doctest::Approx(16 * std::log(2.0)).epsilon(1e-7));
}

TEST_CASE("logsumexp of nothing, infinities and NaN") {
  Queue queue(test::device());
  constexpr float infinity = std::numeric_limits<float>::infinity();
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  CHECK(of(queue, {}) == -infinity);
  CHECK(of(queue, {-infinity}) == -infinity);
  CHECK(of(queue, {-infinity, -infinity}) == -infinity);
  CHECK(of(queue, {-infinity, 2}) == 2);
  CHECK(of(queue, {infinity, 1}) == infinity);
  CHECK(of(queue, {infinity, -infinity, infinity}) == infinity);
  CHECK(std::isnan(of(queue, {1, nan, infinity})));
  const std::vector<float> x{-infinity, -infinity, 3, infinity, 1, nan, 2};
  auto output = queue.allocate<float>(x.size());
  cumulative_logsumexp(queue, queue.upload(std::span<const float>(x)), output);
  const std::vector<float> got = queue.download(output);
  CHECK(got[1] == -infinity);
  CHECK(got[2] == 3);
  CHECK(got[4] == infinity);
  CHECK(std::isnan(got[5]));
  CHECK(std::isnan(got[6]));
}

TEST_CASE("logsumexp of lines is that of each line, along rows and columns") {
  Queue queue(test::device());
  constexpr std::uint64_t rows = 37;
  constexpr std::uint64_t columns = 211;
  const std::vector<float> x = numbers_around<float>(rows * columns, 0, 30);
  const auto input = queue.upload(std::span<const float>(x));
  for (const bool along_rows : {true, false}) {
    const std::uint64_t count = along_rows ? rows : columns;
    auto result = queue.allocate<float>(count);
    logsumexp_into(
        queue, erase(input), erase(result),
        {.lines = along_rows ? Lines::rows(rows, columns) : Lines::columns(rows, columns)});
    const std::vector<float> got = queue.download(result);
    std::size_t wrong = 0;
    for (std::uint64_t line = 0; line < count; ++line) {
      const std::vector<float> alone = test::line_of(x, columns, along_rows, line);
      wrong += same_bits(got[line], reduced(alone)) ? 0U : 1U;
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("logsumexp takes floating results only, and has an accumulator of its own") {
  Queue queue(test::device());
  const std::vector<std::int32_t> x{1, 2, 3};
  const auto integers = queue.upload(std::span<const std::int32_t>(x));
  auto result = queue.allocate<float>(1);
  logsumexp_into(queue, erase(integers), erase(result));
  CHECK(queue.download(result)[0] == doctest::Approx(3.40760596));
  const auto refused = [&](auto call) {
    const auto failure = test::failure_of(call);
    CHECK(failure.category == ErrorCategory::invalid_argument);
    CHECK(failure.mentions("logsumexp"));
  };
  refused([&] { (void)logsumexp(queue, erase(integers)); });
  refused([&] { cumulative_logsumexp(queue, erase(integers), erase(integers)); });
  refused(
      [&] { logsumexp_into(queue, erase(integers), erase(result), {.accumulate = Type::f32}); });
  refused([&] {
    logsumexp_into(queue, erase(integers), erase(result), {.result_map = ResultMap("s")});
  });
  CHECK(queue.download(result)[0] == doctest::Approx(3.40760596));
}

TEST_SUITE_END();

}  // namespace bifold
