// Order v1: scans whose bits are those of the reference, whatever the row, tuning, length or place.
#include <doctest/doctest.h>

#include <algorithm>
#include <bifold/bifold.hpp>
#include <bifold/order.hpp>
#include <bifold/reference/v1.hpp>
#include <iostream>
#include <limits>
#include <numeric>

#include "core/device/state.hpp"
#include "core/gallery/gallery.hpp"
#include "core/kernel/part_list.hpp"
#include "core/tuning/tuning_space.hpp"
#include "support/cases/affordable.hpp"
#include "support/cases/group_sizes.hpp"
#include "support/cases/rows.hpp"
#include "support/cases/workload.hpp"
#include "support/environment.hpp"
#include "support/values/arithmetic.hpp"
#include "support/values/random.hpp"

namespace bifold {

namespace {

using app::Map32;
using app::Map64;
using test::Arithmetic;
using test::difference;
using test::drawn;
using test::maps;
using test::products;
using test::same;
using test::sums;
using test::Workload;

/// What lies before each element and behind the last: exclusive results are all but its last value,
/// inclusive ones all but its first.
template <class Out, class Acc, class In>
std::vector<Out> borders(std::span<const In> input, Acc init, Acc (*combine)(Acc, Acc)) {
  std::vector<Out> values;
  values.reserve(input.size() + 1);
  reference::v1::RunningScan running(init, combine);
  values.push_back(static_cast<Out>(running.value()));
  for (const In& x : input) {
    running.append(static_cast<Acc>(x));
    values.push_back(static_cast<Out>(running.value()));
  }
  return values;
}

/// The rows of order v1 for these types, each with its own tuning and with other group sizes.
std::vector<Workload> workloads(Type in, Type acc, Type out, const Operator& op, ScanKind kind) {
  std::vector<Workload> all;
  for (const auto* row : test::rows_on_device(Algorithm::scan, acc, op)) {
    if (row->order != gallery::Order::v1) continue;
    Workload workload = test::workload_of(*row, acc, op, kind);
    workload.input = in;
    workload.output = out;
    if (!test::supports(workload)) continue;
    all.push_back(workload);
    // Production has no tuning of its own.
    if (row->family.empty()) continue;
    for (const std::uint32_t group_size : {32u, 64u, 128u}) {
      workload.tuning = test::default_tuning_of(workload);
      workload.tuning->group_size = group_size;
      all.push_back(workload);
    }
  }
  if (all.empty()) {
    std::cout << "SKIPPED: the device runs no scan in order v1 on " << name_of(acc) << '\n';
  }
  return all;
}

/// Those of `all` whose tiles can be loaded once more for their results, by that.
std::vector<Workload> loaded_again(const std::vector<Workload>& all) {
  std::vector<Workload> again;
  for (const Workload& workload : all) {
    if (workload.row->family.empty()) continue;  // production, which has no kernels of its own.
    const auto& backend = *test::device().state()->backend;
    const auto uses = core::part_head(backend.kernel_file(workload.row->family)).uses;
    const bool has_tiles = std::find(uses.begin(), uses.end(), "order_tile") != uses.end();
    if (workload.tuning || !has_tiles) continue;
    core::Tuning tuning = test::default_tuning_of(workload);
    tuning.loads_of_tile = 2;
    again.push_back(workload);
    again.back().tuning = tuning;
  }
  return again;
}

enum class Place : std::uint8_t { apart, in_place };

/// Scans on the device, the first elements of one input after another.
template <class In, class Out>
class DeviceRuns {
 public:
  static constexpr std::uint64_t slack = 24;

  explicit DeviceRuns(const std::vector<In>& values)
      : values_(values),
        input_(queue_.upload(std::span<const In>(values))),
        output_(test::device(), values.size() + slack) {}

  /// Runs over elements [offset, offset + n) and compares with the first n of `want`.
  std::string run(const test::AnyPlan& plan, const Value& init, std::uint64_t offset,
                  std::uint64_t n, Place place, const Out* want) {
    const auto input = input_.view(offset, n);
    const auto output = output_.view((offset * 7 + 3) % slack, n);
    if (place == Place::in_place) {
      if constexpr (std::is_same_v<In, Out>) queue_.copy(input, output);
      plan.run(queue_, output, output, init);
    } else {
      plan.run(queue_, input, output, init);
    }
    const std::vector<Out> got = queue_.download(output);
    return difference(std::span<const Out>(want, n), std::span<const Out>(got));
  }

 private:
  Queue queue_{test::device()};
  const std::vector<In>& values_;
  Buffer<In> input_;
  Buffer<Out> output_;
};

struct Run {
  std::uint64_t n;
  std::uint64_t offset;
  Place place;
};

/// Every row and tuning, the rows' own tunings only, or those by which tiles are loaded once more,
/// in one kind of scan on `runs`.
enum class Tunings : std::uint8_t { own, all, loaded_again };

template <class In, class Acc, class Out>
void check(const Arithmetic<Acc>& arithmetic, const std::vector<In>& values, ScanKind kind,
           bool with_init, const std::vector<Run>& wanted, Tunings tunings) {
  const auto runs = test::affordable(wanted, [](const Run& run) { return run.n; });
  const Acc init =
      with_init ? arithmetic.init : arithmetic.op.identity(type_of<Acc>()).template as<Acc>();
  auto all = workloads(type_of<In>(), type_of<Acc>(), type_of<Out>(), arithmetic.op, kind);
  if (tunings == Tunings::loaded_again) all = loaded_again(all);
  if (all.empty()) return;
  if (runs.empty() && test::too_long_here()) return;
  // By offset: what each length shares.
  std::vector<std::vector<Out>> want(17);
  for (const Run& run : runs) {
    if (want.at(run.offset).empty()) {
      want[run.offset] =
          borders<Out, Acc, In>(std::span(values).subspan(run.offset), init, arithmetic.combine);
    }
  }
  DeviceRuns<In, Out> device(values);
  for (const Workload& workload : all) {
    if (tunings == Tunings::own && workload.tuning) continue;
    const test::AnyPlan plan(workload);
    for (const Run& run : runs) {
      const Out* first = want[run.offset].data() + (kind == ScanKind::inclusive ? 1 : 0);
      const std::string problem =
          device.run(plan, Value(init), run.offset, run.n, run.place, first);
      CHECK_MESSAGE(problem.empty(), describe(workload), ", n ", run.n, ", offset ", run.offset,
                    std::string(run.place == Place::in_place ? ", in place" : ""),
                    std::string(with_init ? ", with init: " : ": "), problem);
      if (!problem.empty()) break;
    }
  }
}

template <class T>
void check(const Arithmetic<T>& arithmetic, ScanKind kind, bool with_init,
           const std::vector<Run>& runs, Tunings tunings) {
  std::uint64_t length = 0;
  for (const Run& run : runs) length = std::max(length, run.offset + run.n);
  check<T, T, T>(arithmetic, drawn(arithmetic, length), kind, with_init, runs, tunings);
}

/// Lengths around multiples of `tile`, the elements of a tile or of a part of it.
std::vector<Run> runs_around(std::uint64_t tile, std::initializer_list<std::uint64_t> multiples) {
  std::vector<Run> runs;
  for (const std::uint64_t multiple : multiples) {
    for (const std::uint64_t n : {multiple * tile - 1, multiple * tile, multiple * tile + 1}) {
      runs.push_back({n, n % 17, n % 2 == 0 ? Place::apart : Place::in_place});
    }
  }
  return runs;
}

/// Whether the device can run a single-pass scan in place, which every run here may be.
std::vector<Run> allowed(std::vector<Run> runs) {
  if (!test::device().capabilities().acquire_release) {
    for (Run& run : runs) run.place = Place::apart;
  }
  return runs;
}

template <class T>
void check_borders(const Arithmetic<T>& arithmetic) {
  const std::uint64_t tile = order_v1::scan_tile(sizeof(T));
  const auto warp_tiles_and_tiles = allowed(runs_around(tile / 8, {1, 7, 8, 16, 24}));
  check(arithmetic, ScanKind::inclusive, true, warp_tiles_and_tiles, Tunings::all);
  check(arithmetic, ScanKind::exclusive, false, warp_tiles_and_tiles, Tunings::own);
  const auto groups = allowed(runs_around(tile, {order_v1::scan_group_tiles, 65}));
  check(arithmetic, ScanKind::inclusive, true, groups, Tunings::own);
  check(arithmetic, ScanKind::exclusive, true, groups, Tunings::own);
}

template <class T>
void check_every_length(const Arithmetic<T>& arithmetic, ScanKind kind, bool with_init) {
  std::vector<Run> runs;
  for (std::uint64_t n = 0; n <= 4200; ++n) {
    runs.push_back({n, n % 17, n % 3 == 0 ? Place::in_place : Place::apart});
  }
  check(arithmetic, kind, with_init, allowed(runs), Tunings::own);
}

/// The first `n` elements, repeatedly, apart and in place, by single-pass rows with a value forced:
/// of the hooks, or of the tuning of those that have it.
template <class T, class Owner, class Forced>
void check_forced(const Arithmetic<T>& arithmetic, std::uint64_t n, Forced Owner::*member,
                  std::initializer_list<std::uint32_t> values) {
  const auto data = drawn(arithmetic, n);
  const auto want = borders<T, T, T>(data, arithmetic.init, arithmetic.combine);
  DeviceRuns<T, T> device(data);
  const Type type = type_of<T>();
  for (Workload& workload : workloads(type, type, type, arithmetic.op, ScanKind::exclusive)) {
    if (!test::publishes(*workload.row) || workload.tuning) continue;
    const core::Tuning own = test::default_tuning_of(workload);
    for (const std::uint32_t value : values) {
      if constexpr (std::is_same_v<Owner, core::TestHooks>) {
        workload.hooks.*member = value;
      } else {
        if (!(own.*member)) continue;
        workload.tuning = own;
        *workload.tuning.*member = value;
      }
      const test::AnyPlan plan(workload);
      for (const Run& run : allowed({{n, 0, Place::apart}, {n, 0, Place::in_place}})) {
        for (int repetition = 0; repetition < 5; ++repetition) {
          const std::string problem =
              device.run(plan, Value(arithmetic.init), 0, n, run.place, want.data());
          CHECK_MESSAGE(problem.empty(), describe(workload), ": ", problem);
        }
      }
    }
  }
}

}  // namespace

TEST_SUITE_BEGIN("order_scan");

TEST_CASE("every length up to beyond a tile of 8 bytes has the reference's bits") {
  check_every_length(sums<float>(), ScanKind::inclusive, true);
  check_every_length(sums<double>(), ScanKind::exclusive, true);
  check_every_length(products<float>(), ScanKind::exclusive, false);
  check_every_length(maps<Map32>(), ScanKind::inclusive, false);
  check_every_length(maps<Map64>(), ScanKind::exclusive, true);
}

TEST_CASE("every offset of input and output gives the same bits") {
  std::vector<Run> runs;
  for (std::uint64_t offset = 0; offset <= 16; ++offset) {
    runs.push_back({8197, offset, Place::apart});
    runs.push_back({test::simulated() ? 8192U : 16384U, offset, Place::in_place});
  }
  check(sums<float>(), ScanKind::inclusive, false, allowed(runs), Tunings::all);
  check(sums<double>(), ScanKind::exclusive, true, allowed(runs), Tunings::own);
  check(maps<Map32>(), ScanKind::exclusive, true, allowed(runs), Tunings::own);
}

TEST_CASE("types of other widths beside the accumulator's do not change its order") {
  const std::uint64_t length = 8192 * 5 + 77;
  const std::vector<Run> runs{{length - 16, 16, Place::apart}, {8192, 3, Place::apart}};
  const auto floats = drawn(sums<float>(), length);
  const auto doubles = drawn(sums<double>(), length);
  std::vector<std::uint8_t> bytes(length);
  std::iota(bytes.begin(), bytes.end(), std::uint8_t{0});
  if (!test::device().supports(Type::f64)) {
    std::cout << "SKIPPED: the device has no f64\n";
    return;
  }
  check<float, double, double>(sums<double>(), floats, ScanKind::exclusive, true, runs,
                               Tunings::own);
  check<double, float, float>(sums<float>(), doubles, ScanKind::inclusive, true, runs,
                              Tunings::all);
  check<float, float, double>(sums<float>(), floats, ScanKind::exclusive, true, runs, Tunings::own);
  check<std::uint8_t, float, float>(sums<float>(), bytes, ScanKind::inclusive, true, runs,
                                    Tunings::own);
}

TEST_CASE_TEMPLATE("zeros of either sign, denormals and infinities follow the order", T, float,
                   double) {
  if (!test::device().supports(type_of<T>())) return;
  using Limits = std::numeric_limits<T>;
  const std::uint64_t tiles = test::simulated() ? 1 : 3;
  const std::uint64_t length = tiles * order_v1::scan_tile(sizeof(T)) + 9;
  const std::vector<Run> runs{{length, 0, Place::apart}};
  std::vector<T> values(length, T{-0.0});
  const auto run_all = [&] {
    for (const ScanKind kind : {ScanKind::inclusive, ScanKind::exclusive}) {
      check<T, T, T>(sums<T>(), values, kind, false, runs, Tunings::own);
    }
  };
  run_all();
  values[length / 2] = T{0.0};
  run_all();
  test::Random random(test::seed());
  for (T& value : values) {
    value = Limits::denorm_min() * static_cast<T>(random.between(-1000, 1000));
  }
  run_all();
  values = drawn(sums<T>(), length);
  values[length / 3] = Limits::infinity();
  values[length / 2] = -Limits::infinity();
  run_all();
}

TEST_CASE("an exclusive value has the bits of the inclusive one before it") {
  const auto arithmetic = sums<float>();
  const std::uint64_t n = std::uint64_t{8192} * (test::simulated() ? 2 : 65) + 130;
  const auto values = drawn(arithmetic, n);
  Queue queue(test::device());
  const auto input = queue.upload(std::span<const float>(values));
  auto output = queue.allocate<float>(n);
  const auto result = [&](ScanKind kind, std::string_view row) {
    scan(queue, kind, erase(input), erase(output), plus, Value(arithmetic.init), {.variant = row});
    return queue.download(output);
  };
  for (const auto* row : test::rows_on_device(Algorithm::scan, Type::f32, plus)) {
    if (row->order != gallery::Order::v1) continue;
    const auto inclusive = result(ScanKind::inclusive, row->name);
    const auto exclusive = result(ScanKind::exclusive, row->name);
    CHECK(same(exclusive[0], arithmetic.init));
    const std::string problem =
        difference(std::span(inclusive).first(n - 1), std::span(exclusive).subspan(1));
    CHECK_MESSAGE(problem.empty(), row->name, ": ", problem);
  }
}

TEST_CASE("groups that nobody has published a prefix of are folded from their tiles") {
  if (test::too_long_here()) return;
  const std::uint64_t groups = test::device().info().kind == DeviceKind::cpu ? 6 : 90;
  const std::uint64_t n =
      std::uint64_t{order_v1::scan_tile(4)} * order_v1::scan_group_tiles * groups + 9;
  check(sums<float>(), ScanKind::inclusive, true, {{n, 1, Place::apart}}, Tunings::own);
  check_forced(sums<float>(), n, &core::TestHooks::published_every, {3, 1000});
  // A group of fewer work-items takes the groups of tiles in turns, where lanes exchange registers.
  if (test::device().info().kind == DeviceKind::cpu) return;
  check_forced(sums<float>(), n, &core::Tuning::group_size, {32, 64});
}

TEST_CASE("how many tiles are drawn at once shows in no bit") {
  if (test::too_long_here()) return;
  check_forced(sums<float>(), std::uint64_t{order_v1::scan_tile(4)} * 70 + 11,
               &core::Tuning::drawn_tiles, {1, 8, 32});
}

TEST_CASE("tiles that stay missing are reduced in the same order by who needs them") {
  if (test::too_long_here()) return;
  check_forced(maps<Map32>(), std::uint64_t{order_v1::scan_tile(8)} * 70 + 11,
               &core::TestHooks::spin_limit, {0});
  // What is by vectors otherwise; on GPUs, of more groups than are looked at together.
  const std::uint64_t tiles = test::device().info().kind == DeviceKind::cpu ? 70 : 290;
  check_forced(sums<float>(), order_v1::scan_tile(4) * tiles + 11, &core::TestHooks::spin_limit,
               {0});
  if (!test::device().supports(Type::f64)) return;
  check_forced(sums<double>(), std::uint64_t{order_v1::scan_tile(8)} * 70 + 11,
               &core::TestHooks::spin_limit, {0});
}

TEST_CASE("whether results go past the caches shows in no bit") {
  if (test::too_long_here()) return;
  check_forced(sums<float>(), std::uint64_t{order_v1::scan_tile(4)} * 70 + 11,
               &core::Tuning::past_caches_from_kib, {0, 1 << 30});
}

TEST_SUITE_END();

TEST_SUITE_BEGIN("order_scan_tunings");

TEST_CASE("warp tiles, tiles and groups of tiles end where the reference's do, in every tuning") {
  check_borders(sums<float>());
  check_borders(sums<double>());
  check_borders(products<float>());
  check_borders(products<double>());
  check_borders(maps<Map32>());
  check_borders(maps<Map64>());
}

TEST_CASE("tiles that are loaded once more for their results have the same bits") {
  const auto check_again = [](const auto& arithmetic) {
    const std::uint64_t tile = order_v1::scan_tile(sizeof(arithmetic.init));
    auto runs = allowed(runs_around(tile / 8, {1, 8, 9}));
    runs.push_back({order_v1::scan_group_tiles * tile + 7, 0, Place::apart});
    check(arithmetic, ScanKind::inclusive, true, runs, Tunings::loaded_again);
    check(arithmetic, ScanKind::exclusive, true, runs, Tunings::loaded_again);
  };
  check_again(sums<float>());
  check_again(maps<Map32>());
}

TEST_CASE("every tuning carries on beyond a group of tiles") {
  if (test::too_long_here()) return;
  const std::uint64_t n =
      std::uint64_t{order_v1::scan_tile(4)} * (order_v1::scan_group_tiles + 9) + 3;
  check(sums<float>(), ScanKind::inclusive, true, {{n, 0, Place::apart}}, Tunings::all);
}

TEST_SUITE_END();

}  // namespace bifold
