// Every place of input and output relative to packs: what lies off alignment is loaded and stored
// by packs as well, which end and begin elsewhere than what a work-item has.
#include <doctest/doctest.h>

#include <algorithm>
#include <bifold/gallery.hpp>
#include <initializer_list>
#include <string_view>

#include "core/kernel/architecture.hpp"
#include "core/tuning/parameters.hpp"
#include "core/tuning/tuning_space.hpp"
#include "support/cases/affordable.hpp"
#include "support/cases/group_sizes.hpp"
#include "support/cases/rows.hpp"
#include "support/cases/workload.hpp"
#include "support/environment.hpp"

namespace bifold {

using test::Run;
using test::Workload;

namespace {

constexpr std::uint64_t pack_bytes = 16;

/// Lengths with whole tiles and parts of them, at every offset of the input that differs, each with
/// an output that lies otherwise, with one that lies alike, also of elements that end where those
/// of the first offset do, and in place.
std::vector<Run> runs_of(const Workload& workload, const std::vector<std::uint64_t>& lengths) {
  const bool scan = workload.row->algorithm == Algorithm::scan;
  const std::uint64_t narrowest = std::min(size_of(workload.input), size_of(workload.output));
  const std::uint64_t places = pack_bytes / narrowest;
  const bool may_be_in_place =
      test::device().capabilities().acquire_release || !test::publishes(*workload.row);
  std::vector<Run> runs;
  for (const std::uint64_t n : lengths) {
    for (std::uint64_t offset = 0; offset < places; ++offset) {
      Run run{n, offset, false, offset % 2 == 0};
      run.output_place = (offset * 7 + 3) % places;
      runs.push_back(run);
      if (!scan) continue;
      run.output_place = 0;
      runs.push_back(run);
      run.output_place = offset;
      runs.push_back(run);
      if (n > offset) runs.push_back({n - offset, offset, false, offset % 2 == 0, offset});
      if (workload.input != workload.output || !may_be_in_place) continue;
      run.in_place = true;
      run.output_place = offset;
      runs.push_back(run);
    }
  }
  return test::affordable(runs, [](const Run& run) { return run.n; });
}

/// The rows that production takes on GPUs, the plain ones beside them, and what CPUs take that
/// moves packs.
std::vector<const gallery::Variant*> rows(Algorithm algorithm, Type type, const Operator& op) {
  auto all = test::rows_on_device(algorithm, type, op);
  std::erase_if(all, [](const gallery::Variant* row) {
    constexpr std::string_view names[] = {"order_v1_single", "order_v1",      "vector",
                                          "order_v1_ring",   "lookback_warp", "reduce_then_scan",
                                          "order_v1_packs"};
    return std::find(std::begin(names), std::end(names), row->name) == std::end(names);
  });
  return all;
}

// Elements of a tile, or fewer than a long one has.
std::uint64_t tile_elements(const Workload& workload) {
  return std::min(test::tile_of(workload), std::uint64_t{1} << 16);
}

// Whether the device runs it.
bool check(Queue& queue, const Workload& workload) {
  if (!test::supports(workload)) return false;
  const std::uint64_t tile = tile_elements(workload);
  test::check_runs(queue, workload, runs_of(workload, {37, tile, tile + 1, 2 * tile + 77}));
  return true;
}

}  // namespace

TEST_SUITE_BEGIN("offsets");

TEST_CASE("reductions at every offset") {
  Queue queue(test::device());
  std::size_t ran = 0;
  for (const Type type : {Type::u8, Type::i16, Type::u32, Type::u64}) {
    for (const Operator& op : std::initializer_list<Operator>{plus, maximum}) {
      if (op.kind() == OperatorKind::maximum && type != Type::i16) continue;
      for (const auto* row : rows(Algorithm::reduce, type, op)) {
        ran += check(queue, test::workload_of(*row, type, op)) ? 1U : 0U;
      }
    }
  }
  CHECK(ran > 0);
}

TEST_CASE("reductions in leaves for large inputs, and where GPUs keep half of one in the cache") {
  Queue queue(test::device());
  std::size_t ran = 0;
  const bool loads_by_policy = core::ptx_architecture(test::device().capabilities()) >= 80;
  struct Case {
    Type type;
    Operator op;
  };
  // The last one's loads are too short for it.
  for (const auto& [type, op] : std::initializer_list<Case>{{Type::u8, plus},
                                                            {Type::i16, plus},
                                                            {Type::i32, plus},
                                                            {Type::f32, plus},
                                                            {Type::i64, plus},
                                                            {Type::u8, maximum},
                                                            {Type::i16, minimum},
                                                            {Type::i8, bit_xor},
                                                            {Type::f16, plus}}) {
    for (const auto* row : rows(Algorithm::reduce, type, op)) {
      Workload workload = test::workload_of(*row, type, op);
      const core::Tuning own = test::default_tuning_of(workload);
      if (!own.large_from_mib) continue;
      for (const std::uint32_t half_kept_to_mib : {0U, 96U}) {
        if (half_kept_to_mib > 0 && !loads_by_policy) continue;
        CAPTURE(half_kept_to_mib);
        workload.tuning = core::changed(own, {.low_occupancy_max_mib = 0,
                                              .large_from_mib = 0,
                                              .half_kept_from_mib = 0,
                                              .half_kept_bytes_from_mib = 0,
                                              .half_kept_to_mib = half_kept_to_mib});
        ++ran;
        test::check_runs(queue, workload,
                         runs_of(workload, {1, 15, 16, 511, 512, 16'384, 16'385, 300'007}));
      }
    }
  }
  CHECK(ran > 0);
}

TEST_CASE("scans at every offset of input and output") {
  Queue queue(test::device());
  std::size_t ran = 0;
  for (const Type type : {Type::u8, Type::i16, Type::u32, Type::u64}) {
    for (const ScanKind kind : {ScanKind::inclusive, ScanKind::exclusive}) {
      for (const auto* row : rows(Algorithm::scan, type, plus)) {
        ran += check(queue, test::workload_of(*row, type, plus, kind)) ? 1U : 0U;
      }
    }
  }
  // A tile that begins in front of the elements has the operator's identity there.
  for (const auto& [type, op] : std::initializer_list<std::pair<Type, Operator>>{
           {Type::u8, maximum}, {Type::i32, maximum}, {Type::i64, multiplies}}) {
    for (const auto* row : rows(Algorithm::scan, type, op)) {
      ran += check(queue, test::workload_of(*row, type, op)) ? 1U : 0U;
    }
  }
  CHECK(ran > 0);
}

TEST_CASE("scans of narrow elements to wider and narrower ones at every offset") {
  Queue queue(test::device());
  std::size_t ran = 0;
  for (const Type type : {Type::u8, Type::u16}) {
    for (const auto* row : rows(Algorithm::scan, Type::u32, plus)) {
      Workload workload = test::workload_of(*row, Type::u32, plus);
      workload.input = type;
      ran += check(queue, workload) ? 1U : 0U;
    }
  }
  for (const auto* row : rows(Algorithm::scan, Type::u16, plus)) {
    Workload workload = test::workload_of(*row, Type::u16, plus);
    workload.output = Type::u8;
    ran += check(queue, workload) ? 1U : 0U;
  }
  CHECK(ran > 0);
}

TEST_CASE("scans whose input makes way in the cache") {
  Queue queue(test::device());
  std::size_t rings = 0;
  std::size_t ran = 0;
  for (const Type type : {Type::u8, Type::i16, Type::f32, Type::u64}) {
    for (const auto* row : rows(Algorithm::scan, type, plus)) {
      Workload workload = test::workload_of(*row, type, plus);
      const core::Tuning own = test::default_tuning_of(workload);
      rings += row->name == "order_v1_ring" ? 1U : 0U;
      if (!own.l2_evict_first_min_mib) continue;
      workload.tuning =
          core::changed(own, {.l2_evict_first_min_mib = 0, .l2_evict_first_max_mib = 1024});
      ran += check(queue, workload) ? 1U : 0U;
    }
  }
  CHECK(ran == rings);
}

// That they are right; nothing tells whether a store went past the caches.
TEST_CASE("scans whose results go past the caches") {
  Queue queue(test::device());
  std::size_t drawing = 0;
  std::size_t ran = 0;
  for (const Type type : {Type::u8, Type::i16, Type::u32, Type::u64, Type::f32, Type::f64}) {
    for (const ScanKind kind : {ScanKind::inclusive, ScanKind::exclusive}) {
      for (const auto* row : rows(Algorithm::scan, type, plus)) {
        Workload workload = test::workload_of(*row, type, plus, kind);
        const core::Tuning own = test::default_tuning_of(workload);
        drawing += row->name == "order_v1_packs" ? 1U : 0U;
        if (!own.past_caches_from_kib) continue;
        workload.tuning = core::changed(own, {.past_caches_from_kib = 0});
        ran += check(queue, workload) ? 1U : 0U;
      }
    }
  }
  CHECK(ran == drawing);
  const Capabilities& has = test::device().capabilities();
  if (test::device().info().kind == DeviceKind::cpu && has.atomics64 && has.acquire_release) {
    CHECK(ran > 0);
  }
}

TEST_CASE("tiles that stay missing are reduced from their first element on") {
  Queue queue(test::device());
  for (const Type type : {Type::u8, Type::u16, Type::u32}) {
    for (const auto* row : rows(Algorithm::scan, type, plus)) {
      if (!test::publishes(*row)) continue;
      Workload workload = test::workload_of(*row, type, plus);
      workload.hooks.spin_limit = 0;
      const std::uint64_t tile = tile_elements(workload);
      std::vector<Run> runs;
      for (const std::uint64_t offset : {0U, 1U, 3U}) {
        runs.push_back({4 * tile + 5, offset, false, true, offset});
      }
      test::check_runs(queue, workload, runs);
    }
  }
}

TEST_SUITE_END();

}  // namespace bifold
