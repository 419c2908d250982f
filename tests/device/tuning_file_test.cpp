// A tuning file changes what is launched, and no bit of a result.
#include "core/gallery/tuning_file.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <bifold/bifold.hpp>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <span>
#include <vector>

#include "core/device/state.hpp"
#include "core/gallery/shape_tuning.hpp"
#include "core/sequences/order_leaves.hpp"
#include "core/shape/plan_shape.hpp"
#include "support/environment.hpp"
#include "support/kept_files.hpp"
#include "support/messages.hpp"
#include "support/values/numbers.hpp"

namespace bifold {

namespace {

/// The device under test, tuned by a file that gives every parameter of every row the value that
/// `choose` takes of those that it may have.
template <class Choose>
Device tuned_device(Choose choose) {
  using Kind = core::ElementClass::Kind;
  core::Tunings tunings;
  for (const gallery::Variant& row : gallery::variants()) {
    for (const auto& elements :
         {core::ElementClass{Kind::integer, 4}, {Kind::floating, 4}, {Kind::floating, 8}}) {
      core::TunedRow tuned{&row, elements, {}};
      for (const auto& parameter : core::tuning_space(row)) {
        tuned.values.*parameter.member = choose(parameter);
      }
      tunings.set(tuned);
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
  using Parameter = core::TuningParameter;
  const Device low = tuned_device([](const Parameter& p) { return p.values.front(); });
  const Device high = tuned_device([](const Parameter& p) { return p.values.back(); });
  for (const Device& device : {low, high}) {
    check_same_bits<float>(device);
    check_same_bits<std::int32_t>(device);
    if (device.supports(Type::f64)) check_same_bits<double>(device);
  }
  // Groups leave a result each, so that their size shows in the scratch that they take.
  const Type widest = low.supports(Type::f64) ? Type::f64 : Type::f32;
  const ReduceShape shape{widest, widest, plus};
  constexpr std::uint64_t n = 1 << 28;
  CHECK(ReducePlan(low, shape).workspace_bytes(n) != ReducePlan(high, shape).workspace_bytes(n));
  CHECK(warnings.count() == 0);
}

TEST_CASE("a call compiles what its size runs, a plan what any size does") {
  const auto apart = [] {
    return tuned_device([](const core::TuningParameter& p) {
      return p.member == &core::Tuning::group_size ? p.values.back() : p.values.front();
    });
  };
  const auto programs = [](const Device& device) {
    const CacheStatistics statistics = device.cache_statistics();
    return statistics.compiled + statistics.from_disk;
  };
  constexpr std::size_t many = 2'500'003;
  ReduceShape shape{Type::f32, Type::f32, plus};
  shape.variant = "order_v1_single";
  const std::vector<float> host = test::numbers<float>(many);

  const Device device = apart();
  Queue queue(device);
  const auto data = queue.upload(std::span<const float>(host));
  const auto before = programs(device);
  const auto sum_of = [&](std::size_t n) {
    return reduce(queue, data.view().subview(0, n), plus, 0.0F, {.variant = shape.variant});
  };
  const float few = sum_of(1'001);
  CHECK(programs(device) == before + 1);
  CHECK(sum_of(1'001) == few);
  CHECK(programs(device) == before + 1);
  const float all = sum_of(many);
  CHECK(programs(device) == before + 2);
  CHECK(sum_of(1'001) == few);
  // Neither call has run the kernel for an input half of which the cache keeps, which devices have
  // that are known to keep it, nor the one for many elements where that for few was a quick one, as
  // on NVIDIA's devices.
  const core::PlanShape planned{shape.input, shape.accumulator, shape.accumulator,
                                ScanKind::inclusive, shape.op};
  const core::Tuning values =
      core::built_in_tuning({device, planned}, *gallery::find(Algorithm::reduce, shape.variant));
  const bool keeps_half = *values.half_kept_from_mib < *values.half_kept_to_mib;
  const bool has_quick = core::has_quick_leaves({device, planned});
  const std::uint64_t all_programs = 2 + (keeps_half ? 1U : 0U) + (has_quick ? 1U : 0U);
  const ReducePlan plan(device, shape);
  CHECK(programs(device) == before + all_programs);
  CHECK(all == reduce(queue, data, plus, 0.0F));

  const Device another = apart();
  const auto untouched = programs(another);
  const ReducePlan first(another, shape);
  CHECK(programs(another) == untouched + all_programs);
}

TEST_SUITE_END();

}  // namespace bifold
