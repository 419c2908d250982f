// THE table: every kernel variant once. Planner, tests, benchmark and documentation read it.
#include <bifold/gallery.hpp>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "core/gallery_rows.hpp"
#include "core/sequences.hpp"

namespace bifold {

namespace {

using core::Row;
using gallery::Order;
using gallery::Requirements;
using gallery::Variant;

constexpr std::string_view catanzaro_source =
    "Catanzaro 2010, as in Jradi 2017, section 2.3, listing 1";
constexpr std::string_view jradi_source = "Jradi 2017, section 3, listings 4 to 6";

struct Table {
  std::vector<Variant> variants;
  std::vector<Row> rows;

  void add(const Variant& variant, Row row) {
    variants.push_back(variant);
    rows.push_back(std::move(row));
  }

  // clang-format off: a row reads as a row.
  Table() {
    // algorithm, name, family, summary, source, requirements, order, reads, writes, launches;
    // planner, fixed parameters, rows that production tries on GPUs and on CPUs
    add({Algorithm::reduce,
         "production",
         "",
         "what reduce uses by default on this device",
         "bifold",
         {},
         Order::fixed,
         1,
         0,
         2},
        {nullptr, {}, {"vector", "catanzaro", "ordered"}, {"chunks", "ordered"}});
    add({Algorithm::reduce,
         "vector",
         "reduce_vector",
         "two stages, 16-byte loads, registers exchanged between lanes",
         "bifold",
         {.commutative = true},
         Order::fixed,
         1,
         0,
         2},
        {core::plan_two_stage_reduce, {}, {}, {}});
    add({Algorithm::reduce,
         "chunks",
         "reduce_chunks",
         "for CPUs: one work-item per consecutive chunk, vector accumulators",
         "bifold",
         {.backend = "opencl"},
         Order::fixed,
         1,
         0,
         2},
        {core::plan_chunked_reduce, {}, {}, {}});
    add({Algorithm::reduce,
         "ordered",
         "scan_reduce_then_scan",
         "blocks of tiles reduced in index order: the first phases of reduce_then_scan",
         "bifold",
         {},
         Order::fixed,
         1,
         0,
         2},
        {core::plan_ordered_reduce, {}, {}, {}});
    add({Algorithm::reduce,
         "catanzaro",
         "reduce_catanzaro",
         "two stages: strided accumulation, local-memory tree",
         catanzaro_source,
         {.commutative = true},
         Order::fixed,
         1,
         0,
         2},
        {core::plan_two_stage_reduce, {}, {}, {}});
    constexpr std::pair<std::string_view, std::uint32_t> persistent[] = {
        {"persistent_f1", 1}, {"persistent_f2", 2}, {"persistent_f3", 3},
        {"persistent_f4", 4}, {"persistent_f5", 5}, {"persistent_f6", 6},
        {"persistent_f7", 7}, {"persistent_f8", 8}, {"persistent_f16", 16}};
    for (const auto& [name, unroll] : persistent) {
      add({Algorithm::reduce,
           name,
           "reduce_persistent",
           "catanzaro unrolled in global memory, algebra instead of branches",
           jradi_source,
           {.commutative = true},
           Order::fixed,
           1,
           0,
           2},
          {core::plan_two_stage_reduce, {{"UNROLL", unroll}}, {}, {}});
    }
    add({Algorithm::scan,
         "production",
         "",
         "what the scans use by default on this device",
         "bifold",
         {},
         Order::unordered,
         1,
         1,
         1},
        {nullptr, {}, {"lookback_warp", "reduce_then_scan"}, {"chunks", "reduce_then_scan"}});
    add({Algorithm::scan,
         "chunks",
         "scan_chunks",
         "for CPUs: reduce-then-scan over consecutive chunks, one work-item each",
         "bifold",
         {.backend = "opencl"},
         Order::fixed,
         2,
         1,
         3},
        {core::plan_chunked_scan, {}, {}, {}});
    add({Algorithm::scan,
         "reduce_then_scan",
         "scan_reduce_then_scan",
         "reduce tiles, scan their results, scan tiles",
         "Oancea & Henriksen 2023; Willen & Brolos 2022",
         {},
         Order::fixed,
         2,
         1,
         3},
        {core::plan_reduce_then_scan, {}, {}, {}});
    add({Algorithm::scan,
         "lookback",
         "scan_lookback",
         "single pass, decoupled look-back by one work-item",
         "Willen & Brolos 2022, version 1; Merrill & Garland 2016",
         {.published_words = true},
         Order::unordered,
         1,
         1,
         1},
        {core::plan_lookback, {}, {}, {}});
    add({Algorithm::scan,
         "lookback_warp",
         "scan_lookback_warp",
         "single pass, decoupled look-back by a lane group at once",
         "Willen & Brolos 2022, version 3; Merrill & Garland 2016",
         {.published_words = true},
         Order::unordered,
         1,
         1,
         1},
        {core::plan_lookback, {}, {}, {}});
  }
  // clang-format on
};

// Built once, never destroyed: rows outlive every static object of a program.
const Table& table() {
  static const auto* const instance = new Table;  // NOLINT(cppcoreguidelines-owning-memory)
  return *instance;
}

gallery::Support no(std::string reason) { return {false, std::move(reason)}; }

gallery::Support check_operator(const gallery::Variant& variant, Type type, const Operator& op) {
  if (!op.supports(type)) {
    return no("operator " + std::string(op.name()) + " is not defined on " +
              std::string(name_of(type)));
  }
  if (variant.requirements.commutative && !op.commutative()) {
    return no("it combines operands out of order, and operator " + std::string(op.name()) +
              " is not commutative");
  }
  return {};
}

gallery::Support check_device(const gallery::Variant& variant, const Device& device, Type type) {
  const Requirements& needs = variant.requirements;
  const Capabilities& has = device.capabilities();
  if (!device.supports(type)) {
    return no("the device has no " + std::string(name_of(type)) + " arithmetic");
  }
  const bool keeps_denormals = type == Type::f64 ? has.denormals_f64 : has.denormals_f32;
  if (is_floating(type) && !keeps_denormals) {
    return no("the device flushes denormal " + std::string(name_of(type)) +
              " values or rounds otherwise than to nearest");
  }
  if (!needs.backend.empty() && device.info().backend != needs.backend) {
    return no("its kernels exist for " + std::string(needs.backend) + " only");
  }
  if (needs.published_words && !has.atomics64) return no("the device has no 64-bit atomics");
  if (needs.published_words && has.atomic_scope != AtomicScope::device) {
    return no("the device promises atomics within a work-group only");
  }
  return {};
}

}  // namespace

namespace gallery {

std::span<const Variant> variants() noexcept { return table().variants; }

const Variant* find(Algorithm algorithm, std::string_view name) noexcept {
  for (const Variant& variant : variants()) {
    if (variant.algorithm == algorithm && variant.name == name) return &variant;
  }
  return nullptr;
}

Support supports(const Device& device, const Variant& variant, Type type, const Operator& op) {
  const Row& row = core::row_of(variant);
  if (row.planner != nullptr) {
    if (Support device_can = check_device(variant, device, type); !device_can) return device_can;
    return check_operator(variant, type, op);
  }
  std::string reasons;
  for (const Variant* candidate : core::candidates(device, variant)) {
    Support possible = core::may_run_unattended(device, *candidate);
    if (possible) possible = supports(device, *candidate, type, op);
    if (possible) return {};
    reasons +=
        (reasons.empty() ? "" : "; ") + std::string(candidate->name) + ": " + possible.reason;
  }
  return no(reasons);
}

}  // namespace gallery

namespace core {

const Row& row_of(const Variant& variant) { return table().rows.at(index_of(variant)); }

std::uint16_t index_of(const Variant& variant) {
  return static_cast<std::uint16_t>(&variant - table().variants.data());
}

std::vector<const Variant*> candidates(const Device& device, const Variant& production) {
  const Row& row = row_of(production);
  std::vector<const Variant*> rows;
  for (const auto name : device.info().kind == DeviceKind::cpu ? row.on_cpu : row.on_gpu) {
    rows.push_back(gallery::find(production.algorithm, name));
  }
  return rows;
}

// Rows whose groups wait for each other want a device that is known to run started groups on, and
// to order what they publish; elsewhere they run only when asked for by name. $BIFOLD_DISABLE is
// the support switch: a comma-separated list of rows that production must not pick.
gallery::Support may_run_unattended(const Device& device, const Variant& variant) {
  const char* disabled = std::getenv("BIFOLD_DISABLE");  // NOLINT(concurrency-mt-unsafe)
  const std::string list = "," + std::string(disabled != nullptr ? disabled : "") + ",";
  if (list.find("," + std::string(variant.name) + ",") != std::string::npos) {
    return no("switched off by BIFOLD_DISABLE");
  }
  if (!variant.requirements.published_words) return {};
  const Capabilities& has = device.capabilities();
  if (has.progress != ForwardProgress::started_groups) {
    return no("the device is not known to run started groups while others wait");
  }
  if (!has.acquire_release) {
    return no("the device promises no acquire and release across work-groups");
  }
  return {};
}

}  // namespace core
}  // namespace bifold
