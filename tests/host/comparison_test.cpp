// The comparison that the device tests rest on can fail, and says where.
#include <doctest/doctest.h>

#include <algorithm>
#include <bifold/gallery.hpp>
#include <cmath>
#include <cstring>
#include <limits>
#include <set>

#include "support/cases/expected.hpp"

namespace bifold {

using test::Expected;
using test::first_difference;
using test::Flavor;
using test::HostData;
using test::make_input;
using test::Workload;

namespace {

const gallery::Variant& any_row(Algorithm algorithm) {
  return *std::find_if(gallery::variants().begin(), gallery::variants().end(),
                       [&](const auto& row) { return row.algorithm == algorithm; });
}

std::vector<std::byte> copy_of(const HostData& data) {
  return {data.bytes(), data.bytes() + data.size_bytes()};
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_SUITE_BEGIN("comparison");

TEST_CASE("one wrong element is found and described") {
  const Workload workload = test::workload_of(any_row(Algorithm::scan), Type::i32, plus);
  const HostData input = make_input(Type::i32, OperatorKind::plus, 10'000, 1);
  const Expected expected = expected_of(workload, input, 3, 9'000, Value(std::int32_t{5}));
  auto got = copy_of(expected.values);
  CHECK(first_difference(expected, got.data()).empty());
  got[std::size_t{4} * 5'000] ^= std::byte{1};
  const std::string problem = first_difference(expected, got.data());
  CHECK(contains(problem, "index 5000 (tile 1)"));
  CHECK(contains(problem, "1 of 9000 wrong"));
}

TEST_CASE("exact floating results are compared by bits, NaN with any NaN") {
  Expected expected{HostData(Type::f32, 3)};
  auto* values = expected.values.as<float>();
  values[0] = 0.0f;
  values[1] = std::numeric_limits<float>::quiet_NaN();
  values[2] = 1.0f;
  auto got = copy_of(expected.values);
  const auto set = [&](std::size_t index, float value) {
    std::memcpy(got.data() + 4 * index, &value, 4);
  };
  set(1, -std::numeric_limits<float>::quiet_NaN());
  CHECK(first_difference(expected, got.data()).empty());
  set(0, -0.0f);
  CHECK(contains(first_difference(expected, got.data()), "index 0"));
  set(0, 0.0f);
  set(1, 7.0f);
  CHECK(contains(first_difference(expected, got.data()), "index 1"));
  set(1, std::numeric_limits<float>::quiet_NaN());
  set(2, std::nextafter(1.0f, 2.0f));
  CHECK(contains(first_difference(expected, got.data()), "index 2"));
}

TEST_CASE("real sums get a bound: rounding passes, a lost element does not") {
  Workload workload = test::workload_of(any_row(Algorithm::reduce), Type::f32, plus);
  workload.flavor = Flavor::real;
  const std::uint64_t n = 4'097;
  const HostData input = make_input(Type::f32, OperatorKind::plus, n, 2, Flavor::real);
  const Expected expected = expected_of(workload, input, 0, n, Value(0.0f));
  REQUIRE(expected.bounds.size() == 1);
  const auto agrees = [&](float value) {
    std::vector<std::byte> got(4);
    std::memcpy(got.data(), &value, 4);
    return first_difference(expected, got.data()).empty();
  };
  // Two associations of the same sum.
  float forward = 0;
  float backward = 0;
  for (std::uint64_t i = 0; i < n; ++i) {
    forward += input.as<float>()[i];
    backward += input.as<float>()[n - 1 - i];
  }
  CHECK(agrees(forward));
  CHECK(agrees(backward));
  CHECK_FALSE(agrees(forward + 1.0f));
  CHECK_FALSE(agrees(std::numeric_limits<float>::quiet_NaN()));
  CHECK(expected.bounds[0] < 1.0);
}

TEST_CASE("data is varied and reproducible; signed types have both signs") {
  for (const Type type : all_types) {
    for (const Operator& op : builtin_operators()) {
      if (!op.supports(type)) continue;
      INFO(std::string(name_of(type)) << ' ' << std::string(op.name()));
      const HostData data = make_input(type, op.kind(), 4'000, 11);
      const HostData again = make_input(type, op.kind(), 4'000, 11);
      const HostData other = make_input(type, op.kind(), 4'000, 12);
      CHECK(std::memcmp(data.bytes(), again.bytes(), data.size_bytes()) == 0);
      CHECK(std::memcmp(data.bytes(), other.bytes(), data.size_bytes()) != 0);
      visit_type(type, [&]<class T>(T) {
        const std::set<T> distinct(data.as<T>(), data.as<T>() + data.size());
        CHECK(distinct.size() >= 2);
        const bool nearly_neutral =
            op.kind() == OperatorKind::bit_and || op.kind() == OperatorKind::bit_or ||
            op.kind() == OperatorKind::logical_and || op.kind() == OperatorKind::logical_or;
        if (is_signed(type) && !nearly_neutral) {
          CHECK(*distinct.begin() < T{0});
          CHECK(*distinct.rbegin() > T{0});
        }
      });
    }
  }
}

TEST_CASE("results keep depending on the data to its end") {
  // A scan of 4000 elements still changes in its second half, whatever the operator.
  for (const Type type : {Type::i8, Type::u32, Type::f64}) {
    for (const Operator& op : builtin_operators()) {
      if (!op.supports(type)) continue;
      if (op == Operator(logical_and) || op == Operator(logical_or)) continue;  // One change only.
      INFO(std::string(name_of(type)) << ' ' << std::string(op.name()));
      const Workload workload = test::workload_of(any_row(Algorithm::scan), type, op);
      const HostData input = make_input(type, op.kind(), 4'000, 13);
      const Expected expected = expected_of(workload, input, 0, 4'000, op.identity(type));
      const std::size_t width = size_of(type);
      CHECK(std::memcmp(expected.values.bytes() + 2'000 * width,
                        expected.values.bytes() + 3'999 * width, width) != 0);
    }
  }
}

TEST_SUITE_END();

}  // namespace bifold
