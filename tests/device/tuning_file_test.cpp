// A tuning file changes what is launched, and no bit of a result.
#include "core/tuning_file.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <bifold/bifold.hpp>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <span>
#include <vector>

#include "core/state.hpp"
#include "support/environment.hpp"
#include "support/kept_files.hpp"
#include "support/numbers.hpp"

namespace bifold {

namespace {

/// The device under test, tuned by a file that gives every parameter of every row the value that
/// `choose` takes of its own.
template <class Choose>
Device tuned_device(Choose choose) {
  using Kind = core::ElementClass::Kind;
  core::Tunings tunings;
  for (const gallery::Variant& row : gallery::variants()) {
    for (const auto& elements :
         {core::ElementClass{Kind::integer, 4}, {Kind::floating, 4}, {Kind::floating, 8}}) {
      core::TunedRow tuned{&row, elements, {}};
      for (const auto& parameter : core::tuning_space(row)) {
        tuned.values.set(parameter.name, choose(parameter.values));
      }
      tunings.set(std::move(tuned));
    }
  }
  const Device& device = test::device();
  DeviceOptions options;
  options.tuning_file = test::fresh_folder("tuning") / "file";
  test::write_file(options.tuning_file,
                   core::tuning_text(device.info(), device.capabilities().architecture, tunings));
  return open_device(device.info().selector, options);
}

/// Sums of the data in order v1 on that device: of all, then their prefixes.
template <class T>
std::vector<T> sums_on(const Device& device, const std::vector<T>& host) {
  Queue queue(device);
  const auto data = queue.upload(std::span<const T>(host));
  Buffer<T> prefixes(device, host.size());
  inclusive_scan(queue, data, prefixes, plus);
  std::vector<T> sums = queue.download(prefixes);
  sums.push_back(reduce(queue, data, plus, T{}));
  return sums;
}

/// Of few elements, and of as many as rows for large inputs are there for by some value.
template <class T>
void check_same_bits(const Device& tuned) {
  for (const std::size_t n : {std::size_t{1'001}, std::size_t{2'500'003}}) {
    const std::vector<T> host = test::numbers<T>(n);
    const std::vector<T> expected = sums_on(test::device(), host);
    const std::vector<T> found = sums_on(tuned, host);
    REQUIRE(found.size() == expected.size());
    const bool same = std::memcmp(found.data(), expected.data(), found.size() * sizeof(T)) == 0;
    CHECK(same);
  }
}

}  // namespace

TEST_SUITE_BEGIN("tuning");

TEST_CASE("the values of a tuning file are used, and no result changes a bit by them") {
  const test::Warnings warnings;
  const Device low = tuned_device([](const auto& values) { return values.front(); });
  const Device high = tuned_device([](const auto& values) { return values.back(); });
  for (const Device& device : {low, high}) {
    check_same_bits<float>(device);
    check_same_bits<std::int32_t>(device);
    if (device.supports(Type::f64)) check_same_bits<double>(device);
  }
  // Groups leave a result each, so that their size shows in the scratch that they take.
  const ReduceShape shape{Type::i32, Type::i32, plus};
  constexpr std::uint64_t n = 1 << 28;
  CHECK(ReducePlan(low, shape).workspace_bytes(n) != ReducePlan(high, shape).workspace_bytes(n));
  CHECK(warnings.count() == 0);
}

TEST_SUITE_END();

}  // namespace bifold
