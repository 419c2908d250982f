// Structs at addresses that are aligned as the struct asks, and not as vectors of its size are. The
// stand-in of tests/fake_cuda only shows that the calls are taken: results are a GPU's to compare.
#include <doctest/doctest.h>

#include <algorithm>
#include <bifold/bifold.hpp>
#include <bifold/interop/cuda.hpp>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "support/cases/rows.hpp"
#include "support/devices/cuda_app.hpp"
#include "support/environment.hpp"
#include "support/values/random.hpp"

namespace app {
struct Pair {
  std::uint64_t sum;
  std::uint64_t mixed;
  friend bool operator==(const Pair&, const Pair&) = default;
};
}  // namespace app
BIFOLD_STRUCT_NAMED(app::Pair, Pair, sum, mixed);

namespace bifold {

namespace adopted = interop::cuda;
using app::Pair;
using test::App;

namespace {

constexpr Pair guard{0xa5a5, 0x5a5a};

Pair combined(const Pair& a, const Pair& b) { return {a.sum + b.sum, a.mixed ^ b.mixed}; }

std::vector<Pair> pairs(std::uint64_t count) {
  test::Random random(test::seed());
  std::vector<Pair> values(count);
  for (Pair& pair : values) pair = {random.next(), random.next()};
  return values;
}

/// Memory for so many pairs, the first of which lies `skew` bytes behind where a vector may.
CUdeviceptr pairs_at(App& app, std::uint64_t count, std::uint64_t skew) {
  const CUdeviceptr block = app.memory(count * sizeof(Pair) + sizeof(Pair));
  REQUIRE(block % sizeof(Pair) == 0);
  return block + skew;
}

}  // namespace

TEST_SUITE_BEGIN("interop_cuda");

TEST_CASE_FIXTURE(test::Watched, "structs of 16 bytes need not lie where vectors do") {
  App app;
  const Device device = adopted::device(app.context());
  Queue queue = adopted::queue(app.stream(), device);
  const Operator op = Operator::fieldwise(type_of<Pair>(), {plus, bit_xor});
  constexpr std::uint64_t most = 600'001;  // Rings have several tiles a group.
  const std::vector<Pair> host = pairs(most);
  std::vector<Pair> sums(most);
  std::inclusive_scan(host.begin(), host.end(), sums.begin(), combined);
  const std::vector<Pair> guards(most + 1, guard);

  struct Place {
    std::uint64_t in, out;
  };
  for (const Place place : {Place{8, 8}, Place{8, 0}, Place{0, 8}}) {
    INFO("input at " << place.in << ", output at " << place.out);
    const CUdeviceptr in = pairs_at(app, most, place.in);
    const CUdeviceptr out = pairs_at(app, most + 1, place.out);
    queue.upload(std::span<const Pair>(host), adopted::view<Pair>(in, most));
    const View<Pair> output = adopted::view<Pair>(out, most + 1);
    for (const std::uint64_t n : {std::uint64_t{1}, std::uint64_t{1000}, most}) {
      const View<const Pair> input = adopted::view<const Pair>(in, n);
      for (const gallery::Variant* row :
           test::rows_on_device(Algorithm::reduce, type_of<Pair>(), op)) {
        INFO(row->name << ", n " << n);
        ReduceOptions options;
        options.variant = row->name;
        const Pair got = reduce(queue, input, op, Pair{0, 0}, options);
        if (test::cuda().computes()) CHECK((got == sums[n - 1]));
      }
      for (const gallery::Variant* row :
           test::rows_on_device(Algorithm::scan, type_of<Pair>(), op)) {
        INFO(row->name << ", n " << n);
        queue.upload(std::span<const Pair>(guards), output);
        ScanOptions options;
        options.variant = row->name;
        inclusive_scan(queue, input, adopted::view<Pair>(out, n), op, Pair{0, 0}, options);
        const std::vector<Pair> got = queue.download(output);
        if (!test::cuda().computes()) continue;
        CHECK(std::equal(got.begin(), got.begin() + static_cast<std::ptrdiff_t>(n), sums.begin()));
        CHECK((got[n] == guard));
      }
    }
  }
}

TEST_SUITE_END();

}  // namespace bifold
