#include "expected.hpp"

#include <bifold/reference.hpp>
#include <cmath>
#include <cstring>
#include <limits>
#include <sstream>

namespace bifold::test {

namespace {

/// Elements of input[offset, offset + n) as accumulators, as the kernels' first step makes them.
HostData lifted(const Workload& workload, const HostData& input, std::uint64_t offset,
                std::uint64_t n) {
  HostData result(workload.accumulator, n);
  visit_scalar_type(workload.input, [&]<class In>(In) {
    visit_type(workload.accumulator, [&]<class Acc>(Acc) {
      for (std::uint64_t i = 0; i < n; ++i) {
        result.as<Acc>()[i] = reference::lift<Acc>(workload.op.kind(), input.as<In>()[offset + i]);
      }
    });
  });
  return result;
}

HostData converted(const HostData& from, Type to) {
  HostData result(to, from.size());
  visit_type(from.type(), [&]<class From>(From) {
    visit_scalar_type(to, [&]<class To>(To) {
      for (std::uint64_t i = 0; i < from.size(); ++i) {
        // NOLINTNEXTLINE(bugprone-signed-char-misuse): the sign is to be kept.
        result.as<To>()[i] = static_cast<To>(from.as<From>()[i]);
      }
    });
  });
  return result;
}

template <class Acc>
Acc combine(const Workload& workload, Acc earlier, Acc later) {
  if constexpr (std::is_integral_v<Acc>) {
    if (workload.combine != nullptr) {
      using Bits = std::make_unsigned_t<Acc>;
      return static_cast<Acc>(
          workload.combine(static_cast<Bits>(earlier), static_cast<Bits>(later)));
    }
  }
  return reference::combine(workload.op.kind(), earlier, later);
}

/// The left fold (reduce) or its running values (scan), in the accumulator's own arithmetic.
template <class Acc>
void exact_results(const Workload& workload, const HostData& input, const Value& init,
                   HostData& result) {
  const auto identity_lift = [](Acc x) { return x; };
  const auto op = [&](Acc a, Acc b) { return combine<Acc>(workload, a, b); };
  const Acc start = reference::lift<Acc>(workload.op.kind(), init.as<Acc>());
  const std::span<const Acc> values(input.as<Acc>(), input.size());
  if (workload.row->algorithm == Algorithm::reduce) {
    *result.as<Acc>() = reference::reduce(values, start, identity_lift, op);
  } else {
    reference::scan(workload.kind, values, std::span<Acc>(result.as<Acc>(), result.size()), start,
                    identity_lift, op);
  }
}

/// Sums and products in extended precision, with the worst rounding error of any association:
/// Higham's (n - 1) u sum|x| for sums, n u |product| for products.
template <class Acc>
void rounded_results(const Workload& workload, const HostData& input, const Value& init,
                     Expected& expected) {
  const bool product = workload.op.kind() == OperatorKind::multiplies;
  const bool reduction = workload.row->algorithm == Algorithm::reduce;
  const double unit = static_cast<double>(std::numeric_limits<Acc>::epsilon()) / 2;
  auto value = static_cast<long double>(init.as<Acc>());
  long double magnitude = std::fabs(value);
  const auto store = [&](std::uint64_t at, std::uint64_t operands) {
    expected.values.as<Acc>()[at] = static_cast<Acc>(value);
    const auto scale = static_cast<double>(product ? std::fabs(value) : magnitude);
    // One rounding more for the expected value itself.
    expected.bounds[at] = static_cast<double>(operands + 1) * unit * scale * 1.01;
  };
  expected.bounds.resize(expected.values.size());
  for (std::uint64_t i = 0; i < input.size(); ++i) {
    if (!reduction && workload.kind == ScanKind::exclusive) store(i, i + 1);
    const auto x = static_cast<long double>(input.as<Acc>()[i]);
    value = product ? value * x : value + x;
    magnitude += std::fabs(x);
    if (!reduction && workload.kind == ScanKind::inclusive) store(i, i + 1);
  }
  if (reduction) store(0, input.size());
}

bool rounds(const Workload& workload) {
  const OperatorKind kind = workload.op.kind();
  return workload.flavor == Flavor::real && is_floating(workload.accumulator) &&
         (kind == OperatorKind::plus || kind == OperatorKind::multiplies);
}

template <class T>
bool agrees(const Expected& expected, std::uint64_t index, T want, T got) {
  // NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): the same bits are what is asked for.
  if (std::memcmp(&want, &got, sizeof want) == 0) return true;
  if constexpr (storage_element<T>) {
    return std::isnan(static_cast<float>(want)) && std::isnan(static_cast<float>(got));
  }
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(want) || std::isnan(got)) return std::isnan(want) && std::isnan(got);
    if (!expected.bounds.empty()) {
      return std::fabs(static_cast<double>(want) - static_cast<double>(got)) <=
             expected.bounds[index];
    }
  }
  return false;
}

}  // namespace

Expected expected_of(const Workload& workload, const HostData& input, std::uint64_t offset,
                     std::uint64_t n, const Value& init) {
  const HostData values = lifted(workload, input, offset, n);
  const std::uint64_t results = workload.row->algorithm == Algorithm::reduce ? 1 : n;
  Expected expected{HostData(workload.accumulator, results)};
  visit_type(workload.accumulator, [&]<class Acc>(Acc) {
    if constexpr (std::is_floating_point_v<Acc>) {
      if (rounds(workload)) return rounded_results<Acc>(workload, values, init, expected);
    }
    exact_results<Acc>(workload, values, init, expected.values);
  });
  if (workload.output != workload.accumulator) {
    expected.values = converted(expected.values, workload.output);
  }
  return expected;
}

std::string first_difference(const Expected& expected, const std::byte* got) {
  constexpr std::uint64_t tile = 4096;
  const std::uint64_t count = expected.values.size();
  if (count == 0) return {};  // Of nothing, neither side need have an address.
  // The usual answer, at the speed of memcmp.
  if (std::memcmp(expected.values.bytes(), got, expected.values.size_bytes()) == 0) return {};
  return visit_scalar_type(expected.values.type(), [&]<class T>(T) -> std::string {
    std::uint64_t wrong = 0;
    std::ostringstream text;
    text.precision(17);
    for (std::uint64_t i = 0; i < count; ++i) {
      const T want = expected.values.as<T>()[i];
      T value{};
      std::memcpy(&value, got + i * sizeof(T), sizeof(T));
      if (agrees(expected, i, want, value)) continue;
      if (wrong++ > 0) continue;
      text << "index " << i << " (tile " << i / tile << "): expected " << +want << ", got "
           << +value << ", difference " << +static_cast<T>(value - want);
      if (!expected.bounds.empty()) text << ", allowed " << expected.bounds[i];
    }
    if (wrong == 0) return {};
    text << "; " << wrong << " of " << count << " wrong";
    return text.str();
  });
}

}  // namespace bifold::test
