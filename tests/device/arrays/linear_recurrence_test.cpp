// Linear recurrences: the bits of order v1 over composed steps, and the values of the plain loop.
#include <doctest/doctest.h>

#include <algorithm>
#include <bifold/bifold.hpp>
#include <cmath>
#include <complex>
#include <limits>
#include <optional>
#include <vector>

#include "support/environment.hpp"
#include "support/errors.hpp"
#include "support/values/random.hpp"
#include "support/values/same_bits.hpp"

namespace bifold {

using test::failure_of;
using test::same_bits;

namespace {

template <class T>
T times(T a, T b) {
  return a * b;
}

// Each operation is rounded, and no infinity is repaired, as kernels do it.
template <class T>
std::complex<T> times(std::complex<T> a, std::complex<T> b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

template <class T>
LinearStep<T> compose(LinearStep<T> first, LinearStep<T> later) {
  return {times(later.gate, first.gate), times(later.gate, first.token) + later.token};
}

bool same(std::complex<float> a, std::complex<float> b) {
  return same_bits(a.real(), b.real()) && same_bits(a.imag(), b.imag());
}
template <class T>
bool same(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    return a == b;
  } else {
    return same_bits(a, b);
  }
}

/// Gates near 1 and tokens near 0, of any type of numbers.
template <class T>
T drawn(test::Random& random, double around) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(random.next());
  } else if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(around + 0.03125 * random.real());
  } else {
    return {static_cast<typename T::value_type>(around + 0.03125 * random.real()),
            static_cast<typename T::value_type>(0.03125 * random.real())};
  }
}

template <class T>
struct Steps {
  std::vector<T> gates;
  std::vector<T> tokens;

  explicit Steps(std::size_t count) {
    test::Random random(count);
    for (std::size_t i = 0; i < count; ++i) {
      gates.push_back(drawn<T>(random, 1));
      tokens.push_back(drawn<T>(random, 0));
    }
  }
};

/// The bits of order v1.
template <class T>
std::vector<T> wanted(const std::vector<T>& gates, const std::vector<T>& tokens,
                      std::optional<T> h0) {
  using Step = LinearStep<T>;
  using Running = reference::v1::RunningScan<Step, decltype(&compose<T>)>;
  Running running = h0 ? Running(Step{T(1), *h0}, &compose<T>) : Running(&compose<T>);
  std::vector<T> all;
  for (std::size_t i = 0; i < gates.size(); ++i) {
    running.append({gates[i], tokens[i]});
    all.push_back(running.value().token);
  }
  return all;
}

template <class T>
std::vector<T> backward(std::vector<T> values) {
  std::reverse(values.begin(), values.end());
  return values;
}

template <class T>
std::size_t differing(const std::vector<T>& got, const std::vector<T>& want) {
  REQUIRE(got.size() == want.size());
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < got.size(); ++i) wrong += same(got[i], want[i]) ? 0U : 1U;
  return wrong;
}

/// Forward and backward in time, with h0 and without.
template <class T>
void check_bits(std::initializer_list<std::size_t> lengths) {
  Queue queue(test::device());
  const T h0 = T(3);
  for (const std::size_t n : lengths) {
    CAPTURE(n);
    const Steps<T> steps(n);
    const auto gates = queue.upload(std::span<const T>(steps.gates));
    const auto tokens = queue.upload(std::span<const T>(steps.tokens));
    auto h = queue.allocate<T>(n);
    linear_recurrence(queue, gates, tokens, h);
    CHECK(differing(queue.download(h), wanted<T>(steps.gates, steps.tokens, {})) == 0);
    linear_recurrence(queue, gates, tokens, h, h0);
    CHECK(differing(queue.download(h), wanted<T>(steps.gates, steps.tokens, h0)) == 0);
    linear_recurrence(queue, gates, tokens, h, h0, {.reverse = true});
    CHECK(differing(queue.download(h),
                    backward(wanted<T>(backward(steps.gates), backward(steps.tokens), h0))) == 0);
  }
}

std::vector<float> run(const std::vector<float>& gates, const std::vector<float>& tokens,
                       const ScanOptions& options = {}) {
  Queue queue(test::device());
  auto h = queue.allocate<float>(gates.size());
  linear_recurrence(queue, queue.upload(std::span<const float>(gates)),
                    queue.upload(std::span<const float>(tokens)), h, options);
  return queue.download(h);
}

}  // namespace

TEST_SUITE_BEGIN("linear_recurrence");

TEST_CASE("a linear recurrence has the bits of order v1, forward and backward") {
  check_bits<float>({1, 2, 33, 4097, 70001});
  check_bits<std::complex<float>>({5, 4097, 20000});
  if (test::device().supports(Type::f64)) check_bits<double>({1000, 40000});
}

TEST_CASE("a linear recurrence of integers is the loop's, modulo 2^64") {
  check_bits<std::uint64_t>({1000, 70001});
  const Steps<std::uint64_t> steps(70001);
  std::vector<std::uint64_t> looped{steps.tokens[0]};
  for (std::size_t i = 1; i < steps.gates.size(); ++i) {
    looped.push_back(steps.gates[i] * looped.back() + steps.tokens[i]);
  }
  CHECK(wanted<std::uint64_t>(steps.gates, steps.tokens, {}) == looped);
}

TEST_CASE("a linear recurrence is as near as the loop in f64") {
  const Steps<float> steps(50000);
  const std::vector<float> got = run(steps.gates, steps.tokens);
  double h = 0;
  double apart = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    h = static_cast<double>(steps.gates[i]) * h + static_cast<double>(steps.tokens[i]);
    apart = std::max(apart, std::fabs(h - static_cast<double>(got[i])));
  }
  CHECK(apart < 1e-4);
  CHECK(std::fabs(h) > 1e-6);
}

TEST_CASE("gates of 1 are a sum, of 0 are the tokens, and a NaN touches no earlier step") {
  const Steps<float> steps(9001);
  const std::vector<float> ones(steps.tokens.size(), 1.0F);
  std::vector<float> want = wanted<float>(ones, steps.tokens, {});
  CHECK(differing(run(ones, steps.tokens), want) == 0);
  const std::vector<float> zeros(steps.tokens.size(), 0.0F);
  CHECK(run(zeros, steps.tokens) == steps.tokens);

  std::vector<float> gates = steps.gates;
  gates[5000] = std::numeric_limits<float>::quiet_NaN();
  gates[7000] = 0;  // NaN times 0 is NaN.
  const std::vector<float> clean = run(steps.gates, steps.tokens);
  const std::vector<float> got = run(gates, steps.tokens);
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (i < 5000 ? same_bits(got[i], clean[i]) : std::isnan(got[i])) continue;
    FAIL("element " << i << " is " << got[i]);
  }
}

TEST_CASE("a linear recurrence in the place of its gates or of its tokens") {
  const Steps<float> steps(6000);
  const std::vector<float> want = wanted<float>(steps.gates, steps.tokens, {});
  Queue queue(test::device());
  for (const bool of_gates : {true, false}) {
    auto gates = queue.upload(std::span<const float>(steps.gates));
    auto tokens = queue.upload(std::span<const float>(steps.tokens));
    auto& h = of_gates ? gates : tokens;
    linear_recurrence(queue, gates, tokens, h);
    CHECK(differing(queue.download(h), want) == 0);
  }
}

TEST_CASE("lines of a recurrence, side by side and in columns, from values of their own") {
  constexpr std::size_t count = 12;
  constexpr std::size_t length = 700;
  const Steps<float> steps(count * length);
  Queue queue(test::device());
  const auto gates = queue.upload(std::span<const float>(steps.gates));
  const auto tokens = queue.upload(std::span<const float>(steps.tokens));
  auto h = queue.allocate<float>(count * length);
  std::vector<LinearStep<float>> starts;
  for (std::size_t line = 0; line < count; ++line) {
    starts.push_back({7, static_cast<float>(line)});  // The gate of a start is not looked at.
  }
  const auto init = queue.upload(std::span<const LinearStep<float>>(starts));
  auto total = queue.allocate<LinearStep<float>>(count);
  for (const bool columns : {false, true}) {
    CAPTURE(columns);
    const Lines lines = columns ? Lines::columns(length, count) : Lines::rows(count, length);
    linear_recurrence(queue, gates, tokens, h,
                      ScanOptions{.init_from = erase(init), .total = erase(total), .lines = lines});
    const std::vector<float> got = queue.download(h);
    const std::vector<LinearStep<float>> totals = queue.download(total);
    for (std::size_t line = 0; line < count; ++line) {
      std::vector<float> of_gates;
      std::vector<float> of_tokens;
      std::vector<float> of_h;
      for (std::size_t i = 0; i < length; ++i) {
        const std::size_t at = columns ? i * count + line : line * length + i;
        of_gates.push_back(steps.gates[at]);
        of_tokens.push_back(steps.tokens[at]);
        of_h.push_back(got[at]);
      }
      CHECK(differing(of_h, wanted<float>(of_gates, of_tokens, starts[line].token)) == 0);
      CHECK(same_bits(totals[line].token, of_h.back()));
    }
  }
}

TEST_CASE("arrays of several types: f16 steps, integers, real gates of complex tokens") {
  Queue queue(test::device());
  const std::vector<f16> gates{f16(0.5F), f16(2.0F), f16(-1.0F), f16(0.25F)};
  const std::vector<std::int8_t> tokens{4, -3, 2, 1};
  auto h = queue.allocate<float>(4);
  const auto on_device = queue.upload(std::span<const f16>(gates));
  linear_recurrence(queue, on_device, queue.upload(std::span<const std::int8_t>(tokens)), h, 2.0F);
  CHECK(queue.download(h) == std::vector<float>{5, 7, -5, -0.25F});

  using Complex = std::complex<float>;
  const std::vector<Complex> turns{{0, 1}, {1, 2}, {2, 0}, {0, 0}};
  auto turned = queue.allocate<Complex>(4);
  linear_recurrence(queue, on_device, queue.upload(std::span<const Complex>(turns)), turned);
  CHECK(queue.download(turned) == std::vector<Complex>{{0, 1}, {1, 4}, {1, -4}, {0.25F, -1}});
}

TEST_CASE("what is no linear recurrence is refused in words") {
  Queue queue(test::device());
  const std::vector<float> ones(4, 1.0F);
  const auto x = queue.upload(std::span<const float>(ones));
  auto h = queue.allocate<float>(4);
  auto steps = queue.allocate<LinearStep<float>>(4);
  auto turned = queue.allocate<std::complex<float>>(4);
  auto shorter = queue.allocate<float>(3);
  const auto refused = [&](const char* words, auto&& call) {
    const auto failure = failure_of(call);
    CHECK(failure.category == ErrorCategory::invalid_argument);
    CHECK_MESSAGE(failure.mentions(words), failure.what);
  };
  refused("result map of its own",
          [&] { linear_recurrence(queue, x, x, h, ScanOptions{.result_map = "s.gate"}); });
  refused("of numbers, not of", [&] { linear_recurrence(queue, x, x, steps); });
  refused("takes no complex64", [&] { linear_recurrence(queue, turned, x, h); });
  refused("h0 is of type f64",
          [&] { linear_recurrence(queue, erase(x), erase(x), erase(h), Value(1.0), {}); });
  refused("elements", [&] { linear_recurrence(queue, x, shorter, h); });
  CHECK(queue.download(x) == ones);  // The queue is usable.
}

TEST_SUITE_END();

}  // namespace bifold
