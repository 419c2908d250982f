// Complex numbers: sums, products and scans by the bits of the reference, and what is refused.
#include <doctest/doctest.h>

#include <bifold/bifold.hpp>
#include <cmath>
#include <complex>
#include <limits>
#include <numeric>

#include "support/cases/lines.hpp"
#include "support/cases/rows.hpp"
#include "support/environment.hpp"
#include "support/errors.hpp"
#include "support/values/random.hpp"
#include "support/values/same_bits.hpp"

namespace bifold {

using test::failure_of;
using test::LineCall;
using test::LineTrial;

static_assert(complex_element<std::complex<float>> && complex_element<const std::complex<double>>);
static_assert(type_of<std::complex<float>>() == Type::complex64);
static_assert(type_of<std::complex<double>>() == Type::complex128);
static_assert(!scalar_element<std::complex<float>> && !element<std::complex<long double>>);
static_assert(operator_on<BuiltinOperator<OperatorKind::multiplies>, std::complex<float>>);
static_assert(!operator_on<BuiltinOperator<OperatorKind::minimum>, std::complex<float>>);
static_assert(!operator_on<BuiltinOperator<OperatorKind::logical_or>, std::complex<double>>);
static_assert(
    initial_value<std::complex<float>, BuiltinOperator<OperatorKind::plus>, std::complex<float>>);
static_assert(!initial_value<float, BuiltinOperator<OperatorKind::plus>, std::complex<float>>);

namespace {

constexpr std::size_t lengths[] = {0, 1, 31, 4097, 70'001};
constexpr ScanKind kinds[] = {ScanKind::inclusive, ScanKind::exclusive};
constexpr OperatorKind operators[] = {OperatorKind::plus, OperatorKind::multiplies};

/// Sums of numbers of many sizes, products of numbers near the unit circle: another association
/// shows, and products of many keep within the range.
template <class T>
LineCall<std::complex<T>> call_of(OperatorKind kind) {
  using Complex = std::complex<T>;
  const T nan = std::numeric_limits<T>::quiet_NaN();
  const bool adds = kind == OperatorKind::plus;
  return {Operator(kind),
          [kind](const Complex& a, const Complex& b) { return reference::combine(kind, a, b); },
          [adds](test::Random& random) -> Complex {
            const double turn = 4 * random.real();
            const double size = adds ? std::ldexp(1.0, static_cast<int>(random.below(16)) - 8)
                                     : 1 + random.real() / 1024;
            return {static_cast<T>(size * std::cos(turn)), static_cast<T>(size * std::sin(turn))};
          },
          Complex{static_cast<T>(0.6), static_cast<T>(-0.8)},
          adds ? Complex{0, 0} : Complex{1, 0},
          Complex{nan, nan}};
}

template <class T>
std::vector<std::complex<T>> drawn(const LineCall<std::complex<T>>& call, std::size_t count) {
  test::Random random(test::seed() + count);
  std::vector<std::complex<T>> values(count);
  for (auto& value : values) value = call.draw(random);
  return values;
}

template <class T>
bool same(std::complex<T> left, std::complex<T> right) {
  return test::same_bits(left.real(), right.real()) && test::same_bits(left.imag(), right.imag());
}

template <class T>
bool same(const std::vector<std::complex<T>>& left, const std::vector<std::complex<T>>& right) {
  return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                    [](std::complex<T> a, std::complex<T> b) { return same(a, b); });
}

template <class T>
void check_reductions(OperatorKind kind) {
  using Complex = std::complex<T>;
  const LineCall<Complex> call = call_of<T>(kind);
  Queue queue(test::device());
  const auto host = drawn(call, lengths[4] + 3);
  const auto data = queue.upload(std::span<const Complex>(host));
  Buffer<Complex> result(test::device(), 1);
  for (const std::size_t n : lengths) {
    CAPTURE(n);
    const auto part = std::span<const Complex>(host).subspan(n % 3, n);
    const auto view = data.view(n % 3, n);
    CHECK(same(reduce(queue, view, call.op, call.init), call.reduced(part, call.init)));
    reduce_into(queue, erase(view), erase(result), call.op, {});
    CHECK(same(queue.download(result).front(), call.reduced(part, {})));
  }
}

template <class T>
void check_scans(OperatorKind kind, bool reverse) {
  using Complex = std::complex<T>;
  const LineCall<Complex> call = call_of<T>(kind);
  Queue queue(test::device());
  const auto host = drawn(call, lengths[4] + 3);
  const auto data = queue.upload(std::span<const Complex>(host));
  ScanOptions options;
  options.reverse = reverse;
  for (const std::size_t n : lengths) {
    const auto part = std::span<const Complex>(host).subspan(n % 3, n);
    for (const ScanKind scanned : kinds) {
      CAPTURE(n);
      CAPTURE(name_of(scanned));
      Buffer<Complex> output(test::device(), n);
      std::vector<Complex> want = call.scanned(part, scanned, reverse, {});
      want.pop_back();  // The total.
      scan(queue, scanned, erase(data.view(n % 3, n)), erase(output), call.op, {}, options);
      CHECK(same(queue.download(output), want));
      want = call.scanned(part, scanned, reverse, call.init);
      want.pop_back();
      queue.copy(data.view(n % 3, n), output);
      scan(queue, scanned, erase(output), erase(output), call.op, Value(call.init), options);
      CHECK(same(queue.download(output), want));
    }
  }
}

/// Lines along and across, of which some are long.
template <class T>
void check_lines(OperatorKind kind) {
  using Complex = std::complex<T>;
  Queue queue(test::device());
  const LineCall<Complex> call = call_of<T>(kind);
  for (const Lines& lines : {Lines{1, 37, 53, 0, 53, 1}, Lines{53, 37, 1, 37, 1, 0},
                             Lines{1, 0, 3, 0, 3, 1}, Lines{3, 5000, 1, 5001, 1, 0}}) {
    const bool whole = lines.length > 0;
    LineTrial trial{.lines = lines, .shift = 1};
    CHECK_MESSAGE(test::reduce_difference<Complex>(queue, call, trial).empty(),
                  test::text_of(trial));
    trial.init = true;
    CHECK_MESSAGE(test::reduce_difference<Complex>(queue, call, trial).empty(),
                  test::text_of(trial));
    trial = {.lines = lines, .kind = ScanKind::exclusive, .total = true};
    CHECK_MESSAGE(test::scan_difference<Complex>(queue, call, trial).empty(), test::text_of(trial));
    trial = {.lines = lines, .init = true, .reverse = true, .in_place = whole};
    CHECK_MESSAGE(test::scan_difference<Complex>(queue, call, trial).empty(), test::text_of(trial));
  }
}

using Complex = std::complex<float>;

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

/// Numbers whose parts are zeros of either sign, infinities, NaN and ones.
std::vector<Complex> hard_numbers(std::size_t count) {
  constexpr float parts[] = {-0.0F, 0.0F, infinity, 1.0F, -infinity, -0.0F, nan, -1.0F, 1e-42F};
  test::Random random(test::seed());
  std::vector<Complex> numbers(count);
  for (Complex& number : numbers) {
    number = {parts[random.below(std::size(parts))], parts[random.below(std::size(parts))]};
  }
  return numbers;
}

}  // namespace

TEST_SUITE_BEGIN("complex");

TEST_CASE("sums and products of complex64: reductions and scans, by the bits") {
  for (const OperatorKind kind : operators) {
    CAPTURE(Operator(kind).name());
    check_reductions<float>(kind);
    check_scans<float>(kind, false);
  }
}

TEST_CASE("zeros of either sign, infinities and NaN in each part") {
  Queue queue(test::device());
  for (const OperatorKind kind : operators) {
    const LineCall<Complex> call = call_of<float>(kind);
    const auto host = hard_numbers(600);
    const auto data = queue.upload(std::span<const Complex>(host));
    for (std::size_t at = 0; at + 3 <= host.size(); at += 3) {
      const std::size_t n = 1 + at / 3 % 3;
      CAPTURE(at);
      CHECK(same(reduce(queue, data.view(at, n), call.op, Complex{-0.0F, infinity}),
                 call.reduced(std::span(host).subspan(at, n), Complex{-0.0F, infinity})));
    }
    Buffer<Complex> output(test::device(), host.size());
    inclusive_scan(queue, data.view(), output, call.op);
    auto want = call.scanned(host, ScanKind::inclusive, false, {});
    want.pop_back();
    CHECK(same(queue.download(output), want));
  }
}

TEST_CASE("a single number keeps the signs of its zeros, and nothing is +0 or 1") {
  Queue queue(test::device());
  const std::vector<Complex> host{{-0.0F, -0.0F}, {-0.0F, infinity}, {nan, -0.0F}};
  const auto data = queue.upload(std::span<const Complex>(host));
  for (const Complex& one : host) {
    const auto view = data.view(static_cast<std::size_t>(&one - host.data()), 1);
    CHECK(same(reduce(queue, view, plus), one));
    CHECK(same(reduce(queue, view, multiplies), one));
  }
  CHECK(same(reduce(queue, data.view(0, 0), plus), Complex{0.0F, 0.0F}));
  CHECK(same(reduce(queue, data.view(0, 0), multiplies), Complex{1.0F, 0.0F}));
  Buffer<Complex> output(test::device(), 2);
  exclusive_scan(queue, data.view(0, 2), output, plus);
  CHECK(same(queue.download(output), {{0.0F, 0.0F}, host[0]}));
  exclusive_scan(queue, data.view(0, 2), output, multiplies);
  CHECK(same(queue.download(output), {{1.0F, 0.0F}, host[0]}));
}

TEST_CASE("n, init and the total of products in device memory") {
  Queue queue(test::device());
  const LineCall<Complex> call = call_of<float>(OperatorKind::multiplies);
  const auto host = drawn(call, 3000);
  const auto data = queue.upload(std::span<const Complex>(host));
  const auto init = queue.upload(std::span<const Complex>(&call.init, 1));
  Buffer<Complex> total(test::device(), 1);
  Buffer<Complex> output(test::device(), host.size());
  for (const std::uint32_t n : {0U, 1U, 2999U}) {
    CAPTURE(n);
    const auto count = queue.upload(std::span<const std::uint32_t>(&n, 1));
    const auto part = std::span<const Complex>(host).first(n);
    reduce_into(queue, data, total, call.op, {.count_from = erase(count)});
    CHECK(same(queue.download(total).front(), call.reduced(part, {})));
    ScanOptions options{.count_from = erase(count), .total = erase(total)};
    exclusive_scan(queue, data, output, call.op, options);
    auto want = call.scanned(part, ScanKind::exclusive, false, {});
    CHECK(same(queue.download(total).front(), want.back()));
    want.pop_back();
    CHECK(same(queue.download(output.view(0, n)), want));
    options.init_from = erase(init);
    inclusive_scan(queue, data, output, call.op, options);
    want = call.scanned(part, ScanKind::inclusive, false, call.init);
    CHECK(same(queue.download(total).front(), want.back()));
  }
}

TEST_CASE("every order of a sum, plans, and rows by name") {
  Queue queue(test::device());
  const std::vector<Complex> host(1000, Complex{1.0F, -2.0F});
  const auto data = queue.upload(std::span<const Complex>(host));
  ReduceOptions options;
  options.order = Order::any;
  CHECK(same(reduce(queue, data, plus, options), Complex{1000.0F, -2000.0F}));
  CHECK(same(reduce(queue, data.view(0, 3), multiplies, options), Complex{-11.0F, 2.0F}));
  const ReducePlan plan(test::device(), {Type::complex64, Type::complex64, multiplies});
  Buffer<Complex> result(test::device(), 1);
  plan.run(queue, data.view(0, 2), result, {});
  CHECK(same(queue.download(result).front(), Complex{-3.0F, -4.0F}));
  options = {};
  for (const auto* row : test::rows_in_turn(Algorithm::reduce, Type::complex64, plus, 3)) {
    CAPTURE(row->name);
    options.variant = row->name;
    CHECK(same(reduce(queue, data, plus, options), Complex{1000.0F, -2000.0F}));
  }
}

TEST_CASE("maps of parts, inner products and their conjugate") {
  Queue queue(test::device());
  const std::vector<Complex> host{{1, 2}, {3, -4}, {-5, 6}};
  const std::vector<Complex> others{{2, 1}, {-1, 1}, {4, 3}};
  const std::vector<float> reals{1, 2, 3};
  const auto x = queue.upload(std::span<const Complex>(host));
  const auto y = queue.upload(std::span<const Complex>(others));
  const auto real = queue.upload(std::span<const float>(reals));
  CHECK(transform_reduce(queue, x, plus, 0.0F, "x.re * x.re + x.im * x.im") == 91.0F);
  CHECK(transform_reduce(queue, real, plus, Complex{}, "make_complex64(x, 0)") == Complex{6, 0});
  CHECK(count_if(queue, x, "x.im > 0") == 2);
  Complex want;
  Complex conjugated;
  for (std::size_t i = 0; i < host.size(); ++i) {
    want += host[i] * others[i];
    conjugated += std::conj(host[i]) * others[i];
  }
  CHECK(inner_product(queue, x, y, Complex{1, 1}) == want + Complex{1, 1});
  Buffer<Complex> result(test::device(), 1);
  inner_product_into(queue, erase(x), erase(y), erase(result), {});
  CHECK(queue.download(result).front() == want);
  CHECK(transform_reduce(queue, x, y, plus, Complex{},
                         "make_complex64(x.re * y.re + x.im * y.im, x.re * y.im - x.im * y.re)") ==
        conjugated);
}

TEST_CASE("what is not defined on complex numbers is refused in words") {
  Queue queue(test::device());
  Buffer<Complex> data(test::device(), 4);
  const Buffer<float> reals(test::device(), 4);
  const ErasedView view = erase(data);
  const Value zero(Complex{});
  const auto refused = [](const auto& call, const char* word) {
    const auto failure = failure_of(call);
    CAPTURE(failure.what);
    CHECK(failure.category == ErrorCategory::invalid_argument);
    CHECK(failure.mentions(word));
  };
  for (const Operator& op : builtin_operators()) {
    if (op == Operator(plus) || op == Operator(multiplies)) continue;
    refused([&] { (void)reduce(queue, view, op, zero); }, "not defined on complex64");
    refused([&] { scan(queue, ScanKind::inclusive, view, view, op); }, "not defined on complex64");
  }
  refused([&] { (void)reduce(queue, view, plus, Value(std::complex<double>{})); },
          "only a map makes complex128 of complex64");
  refused([&] { (void)reduce(queue, erase(reals), plus, zero); },
          "only a map makes complex64 of f32");
  refused([&] { (void)reduce(queue, view, plus, Value(1.0F)); }, "only a map makes f32");
  refused([&] { scan(queue, ScanKind::inclusive, view, view, plus, Value(1.0F)); },
          "the initial value is f32");
  refused([&] { (void)argmin(queue, view); }, "complex64");
  refused([&] { (void)argmax(queue, view); }, "complex64");
  refused([&] { (void)minmax(queue, view); }, "complex64");
  refused([&] { (void)count_if(queue, view, {}); }, "complex64");
  refused([&] { (void)sum_compensated(queue, view, zero); }, "not complex64");
  refused([&] { (void)inner_product(queue, view, erase(reals), zero); }, "complex64");
  refused([&] { (void)inner_product(queue, view, view, Value(1.0F)); }, "complex64");
  refused([&] { (void)reduce_many(queue, view, {{plus, Type::complex64}}); }, "complex64");
  refused([&] { (void)reduce_many(queue, view, {{plus, Type::f32}}); }, "f32");
}

TEST_SUITE_END();

TEST_SUITE_BEGIN("complex_all");

TEST_CASE("sums and products of complex128: reductions, scans, lines, in reverse, by the bits") {
  if (!test::device().supports(Type::complex128)) return;
  for (const OperatorKind kind : operators) {
    CAPTURE(Operator(kind).name());
    check_reductions<double>(kind);
    for (const bool reverse : {false, true}) check_scans<double>(kind, reverse);
    check_lines<double>(kind);
  }
}

TEST_CASE("lines of complex64, and its scans in reverse, by the bits") {
  for (const OperatorKind kind : operators) {
    CAPTURE(Operator(kind).name());
    check_scans<float>(kind, true);
    check_lines<float>(kind);
  }
}

TEST_CASE("a row of each kernel gives sums and products of complex numbers") {
  Queue queue(test::device());
  std::vector<Complex> host(40'000);
  for (std::size_t i = 0; i < host.size(); ++i) {
    host[i] = i % 3 == 0 ? Complex{0, 1} : Complex{-1, 0};
  }
  const auto data = queue.upload(std::span<const Complex>(host));
  const auto times = [](const Complex& a, const Complex& b) {
    return reference::combine(OperatorKind::multiplies, a, b);
  };
  const Complex product = std::accumulate(host.begin(), host.end(), Complex{1, 0}, times);
  const Complex sum = std::accumulate(host.begin(), host.end(), Complex{});
  Buffer<Complex> output(test::device(), host.size());
  for (const auto& [op, want] :
       {std::pair(Operator(plus), sum), std::pair(Operator(multiplies), product)}) {
    for (const auto* row : test::files_on_device(Algorithm::reduce, Type::complex64, op, 1)) {
      CAPTURE(row->name);
      ReduceOptions options;
      options.variant = row->name;
      CHECK(reduce(queue, data, op, options) == want);
    }
    for (const auto* row : test::files_on_device(Algorithm::scan, Type::complex64, op, 1)) {
      CAPTURE(row->name);
      ScanOptions options;
      options.variant = row->name;
      inclusive_scan(queue, data, output, op, options);
      CHECK(queue.download(output).back() == want);
      exclusive_scan(queue, data, output, op, options);
      const auto got = queue.download(output);
      CHECK(same(got.front(), op.of_nothing(Type::complex64).as<Complex>()));
      CHECK(got[1] == host[0]);
    }
  }
}

TEST_SUITE_END();

}  // namespace bifold
