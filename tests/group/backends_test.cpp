// One call over devices of both backends.
#include <doctest/doctest.h>

#include <bifold/bifold.hpp>
#include <bifold/group/distributed.hpp>
#include <iostream>

#include "group/cuts.hpp"
#include "support/values/arithmetic.hpp"

namespace bifold {

namespace {

using test::Offsets;
using test::Sliced;

// The first device of the other backend.
std::optional<Device> other_device() {
  const bool cuda = test::device().info().backend == "cuda";
  try {
    return open_device(cuda ? "opencl" : "cuda");
  } catch (const Error& error) {
    std::cout << "SKIPPED: one backend alone: " << error.what() << '\n';
    return {};
  }
}

template <class T>
void check_both(const std::vector<T>& host, const Operator& op, const Value& init,
                std::uint64_t unit, bool scans) {
  const auto other = other_device();
  if (!other) return;
  Sliced<T> here(host);
  Sliced<T> there(*other, host);
  const Offsets offsets{0, unit / 2, unit + 300, host.size()};
  auto slices = here.slices(offsets);
  slices[1] = there.slice(offsets, 1);
  CHECK(reduce(slices, op, init.as<T>()) ==
        reduce(there.queue(0), erase(there.input()), op, init).template as<T>());
  if (!scans) return;
  inclusive_scan(there.queue(0), there.input(), there.output(), op, init.as<T>());
  const std::vector<T> want = there.outputs();
  there.queue(0).fill(there.output(), T{});
  auto parts = here.scan_slices(offsets);
  parts[1] = there.scan_slices(offsets)[1];
  inclusive_scan(parts, op, init);
  const std::vector<T> mine = here.outputs();
  const std::vector<T> others = there.outputs();
  for (std::size_t rank = 0; rank < 3; ++rank) {
    const auto& got = rank == 1 ? others : mine;
    const auto slice = [&](const std::vector<T>& whole) {
      return std::span<const T>(whole).subspan(offsets[rank], offsets[rank + 1] - offsets[rank]);
    };
    CHECK(test::same_bytes(slice(got), slice(want)));
  }
}

}  // namespace

TEST_SUITE_BEGIN("group_backends");

TEST_CASE("CUDA and OpenCL devices are ranks of one call") {
  check_both(test::drawn(test::sums<float>(), 20'000), plus, 0.5F, 4096, false);
  check_both(test::drawn(test::sums<float>(), 262'144 + 3000), plus, 0.5F, 262'144, true);
}

TEST_SUITE_END();

}  // namespace bifold
