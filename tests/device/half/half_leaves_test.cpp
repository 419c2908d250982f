// Sums of halves of long inputs, of which a lane group takes two leaves where that is quicker.
#include <doctest/doctest.h>

#include <algorithm>
#include <bifold/bifold.hpp>
#include <bifold/reference/v1.hpp>
#include <functional>
#include <span>
#include <vector>

#include "core/call/reduce.hpp"
#include "core/kernel/architecture.hpp"
#include "core/tuning/parameters.hpp"
#include "support/cases/affordable.hpp"
#include "support/cases/group_sizes.hpp"
#include "support/cases/named_row.hpp"
#include "support/cases/rows.hpp"
#include "support/cases/workload.hpp"
#include "support/environment.hpp"
#include "support/values/numbers.hpp"
#include "support/values/same_bits.hpp"

namespace bifold {

TEST_SUITE_BEGIN("half");

// Where a lane group of a long input takes two leaves, of which the input may end in either.
TEST_CASE_TEMPLATE("reductions by the kernel of long inputs at the borders of leaves", T, f16,
                   bf16) {
  constexpr std::size_t leaf = order_v1::leaf_elements(Type::f32);
  std::vector<std::size_t> all;
  for (const std::size_t leaves : {1u, 2u, 3u, 4u, 31u, 32u, 33u, 34u, 64u, 65u}) {
    for (const std::size_t more : {std::size_t{0}, std::size_t{1}, leaf / 3, leaf - 1}) {
      all.push_back(leaves * leaf + more);
    }
  }
  all = test::affordable(all);
  const std::vector<T> host = test::numbers<T>(*std::max_element(all.begin(), all.end()) + 32, 12);
  Queue queue(test::device());
  const Buffer<T> data = queue.upload(std::span<const T>(host));
  Buffer<float> result = queue.allocate<float>(1);
  std::size_t ran = 0;
  for (const auto* row : test::rows_on_device(Algorithm::reduce, type_of<T>(), plus)) {
    core::Tuning tuning = test::default_tuning_of(test::workload_of(*row, type_of<T>(), plus));
    if (!tuning.large_from_mib) continue;
    tuning.low_occupancy_max_mib = tuning.large_from_mib = 0;
    for (const std::uint32_t rows : {tuning.unroll.value(), 1U}) {
      const auto planned = [&](Type type) {
        return core::make_plan(test::device(), {type, Type::f32, plus, row->name},
                               core::changed(tuning, {.unroll = rows}));
      };
      const ReducePlan plan = planned(type_of<T>());
      // Where lane groups take two leaves, half as many nodes are left as of elements of 4 bytes.
      if (core::ptx_architecture(test::device().capabilities()) > 0) {
        constexpr std::uint64_t many = std::uint64_t{1} << 26;
        CHECK(plan.workspace_bytes(many) < planned(Type::f32).workspace_bytes(many));
      }
      for (const std::size_t n : all) {
        for (const std::size_t offset : {std::size_t{0}, std::size_t{16}, 1 + n % 15}) {
          const auto part = std::span<const T>(host).subspan(offset, n);
          const float sum = reference::v1::reduce(
              part, -0.0F, [](T x) -> float { return x; }, std::plus<>());
          plan.run(queue, erase(data.view(offset, n)), erase(result), Value(-0.0F));
          const float got = queue.download(result)[0];
          CHECK_MESSAGE(test::same_bits(got, sum), row->name, ", rows ", rows, ", n ", n,
                        ", offset ", offset, ": ", got, " not ", sum);
        }
        ++ran;
      }
    }
  }
  const gallery::Variant& single = test::named_row(Algorithm::reduce, "order_v1_single");
  const bool runs =
      static_cast<bool>(gallery::supports(test::device(), single, type_of<T>(), plus));
  CHECK((ran > 0) == runs);
}

TEST_SUITE_END();

}  // namespace bifold
