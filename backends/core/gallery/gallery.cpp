// THE table: every kernel variant once. Planner, tests, benchmark and documentation read it.
#include "core/gallery/gallery.hpp"

#include <algorithm>
#include <bifold/error.hpp>
#include <bifold/gallery.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/segments/segment_reductions.hpp"
#include "core/sequences/line_chunk_scans.hpp"
#include "core/sequences/line_chunks.hpp"
#include "core/sequences/line_reductions.hpp"
#include "core/sequences/line_scans.hpp"
#include "core/sequences/reduce_order_sequences.hpp"
#include "core/sequences/reduce_order_single.hpp"
#include "core/sequences/reduce_sequences.hpp"
#include "core/sequences/scan_order_sequences.hpp"
#include "core/sequences/scan_sequences.hpp"
#include "core/sequences/selections.hpp"

namespace bifold {

namespace {

using core::Recipe;
using gallery::Requirements;
using gallery::Variant;

constexpr std::string_view catanzaro = "Catanzaro 2010, as in Jradi 2017, section 2.3, listing 1";
constexpr std::string_view jradi = "Jradi 2017, section 3, listings 4 to 6";
constexpr std::string_view harris = "Harris 2007, as tabulated by Jradi 2017";
constexpr std::string_view luitjens = "Luitjens 2014";
constexpr std::string_view oancea = "Oancea & Henriksen 2023";
constexpr std::string_view dillhoff = "Dillhoff 2024, after Hwu, Kirk & El Hajj, chapter 10";
constexpr std::string_view lookback_papers = "Willen & Brolos 2022; Merrill & Garland 2016";

constexpr Requirements nothing{};
constexpr Requirements commutative{.commutative = true};
constexpr Requirements atomic_accumulator{.commutative = true, .atomic_accumulator = true};
constexpr Requirements published_words{.published_words = true};
constexpr Requirements ring{.published_words = true, .ring_bytes = 204800};
constexpr Requirements counted_groups{.commutative = true, .counted_groups = true};
constexpr Requirements counted_groups_opencl{
    .commutative = true, .counted_groups = true, .backend = "opencl"};
constexpr Requirements counted_in_order{.counted_groups = true};
constexpr Requirements counted_in_order_opencl{.counted_groups = true, .backend = "opencl"};
constexpr Requirements gpu_only{.gpu = true};
constexpr Requirements opencl_only{.backend = "opencl"};
constexpr Requirements published_words_opencl{.published_words = true, .backend = "opencl"};
constexpr Requirements vectors_opencl{
    .published_words = true, .vectors = true, .backend = "opencl"};
constexpr Requirements commutative_opencl{.commutative = true, .backend = "opencl"};

struct Table {
  using Order = gallery::Order;

  std::vector<Variant> variants;
  std::vector<Recipe> recipes;

  // clang-format off: a row reads as a row.
  Table() {
    // name, family, summary, source, requirements, order, reads, writes, launches;
    // planner, entry, fixed parameters; rows that production tries on GPUs and on CPUs
    // What production costs is what it costs where it takes one launch.
    reduce(
        "production", "", "what reduce uses by default on this device", "bifold", nothing,
        Order::v1, {1, 0, 1},
        {.on_gpu = {"order_v1_single", "order_v1", "vector", "catanzaro", "order_v1_ordered_single",
                    "order_v1_ordered", "ordered", "lines_v1", "lines_v1_ordered", "segments_v1"},
         .on_cpu = {"order_v1_single_chunks", "chunks", "ordered", "order_v1_chunks",
                    "order_v1_ordered_single_chunks", "order_v1_ordered_chunks", "order_v1",
                    "order_v1_ordered", "lines_chunks_v1", "lines_v1", "lines_v1_ordered",
                    "segments_chunks_v1"}});
    reduce("vector", "reduce_vector",
           "two stages, 16-byte loads, registers exchanged between lanes", "bifold", commutative,
           Order::fixed, {1, 0, 2}, {core::plan_two_stage_reduce});
    reduce("chunks", "reduce_chunks",
           "for CPUs: one work-item per consecutive chunk, vector accumulators", "bifold",
           opencl_only, Order::fixed, {1, 0, 2}, {core::plan_chunked_reduce});
    reduce("ordered", "scan_reduce_then_scan",
           "blocks of tiles reduced in index order: the first phases of reduce_then_scan", "bifold",
           nothing, Order::fixed, {1, 0, 2},
           {.planner = core::plan_ordered_reduce, .entry = "reduce_tiles", .stores_vectors = true});
    reduce("order_v1", "reduce_order", "order v1: the same bits on every device", "bifold",
           commutative, Order::v1, {1, 0, 2}, {core::plan_order_reduce});
    reduce("order_v1_single", "reduce_order_single",
           "the same in one launch: the group that finishes last combines the subtrees", "bifold",
           counted_groups, Order::v1, {1, 0, 1}, {core::plan_order_single_reduce});
    reduce("order_v1_chunks", "reduce_order_chunks",
           "order v1 for CPUs: one work-item per subtree of leaves", "bifold", commutative_opencl,
           Order::v1, {1, 0, 2}, {core::plan_order_chunk_reduce});
    reduce("order_v1_single_chunks", "reduce_order_single_chunks",
           "the same in one launch: the work-item that finishes last combines the subtrees",
           "bifold", counted_groups_opencl, Order::v1, {1, 0, 1},
           {core::plan_order_single_chunk_reduce});
    reduce("order_v1_ordered", "scan_order_passes",
           "order v1 for operators that do not commute: the totals of a scan's tiles, then a tree",
           "bifold", nothing, Order::v1, {1, 0, 2}, {core::plan_order_tile_reduce, "total_tiles"});
    reduce("order_v1_ordered_chunks", "scan_order_chunks",
           "the same for CPUs: work-items loop over tiles", "bifold", opencl_only, Order::v1,
           {1, 0, 2}, {core::plan_order_tile_chunk_reduce, "total_chunks"});
    reduce("order_v1_ordered_single", "reduce_order_tiles",
           "the same in one launch for GPUs: the group that finishes last combines the totals",
           "bifold", counted_in_order, Order::v1, {1, 0, 1}, {core::plan_order_single_tile_reduce});
    reduce("order_v1_ordered_single_chunks", "reduce_order_tile_chunks",
           "the same for CPUs: the work-item that finishes last combines the totals", "bifold",
           counted_in_order_opencl, Order::v1, {1, 0, 1},
           {core::plan_order_single_tile_chunk_reduce});
    reduce("lines_v1", "reduce_lines",
           "many lines in order v1, each with the bits that it has alone", "bifold", commutative,
           Order::v1, {1, 0, 0}, {.planner = core::plan_line_reduce, .takes_lines = true});
    reduce("lines_v1_ordered", "total_line_tiles",
           "the same for operators that do not commute: the totals of a scan's tiles, then trees",
           "bifold", nothing, Order::v1, {1, 0, 2},
           {.planner = core::plan_line_tile_reduce, .takes_lines = true});
    reduce("lines_chunks_v1", "reduce_line_chunks",
           "lines_v1 for CPUs: one work-item per strip of neighbouring lines", "bifold",
           commutative_opencl, Order::v1, {1, 0, 0},
           {.planner = core::plan_line_chunk_reduce, .takes_lines = true});
    reduce("segments_v1", "reduce_segments",
           "segments in order v1, each with the bits that it has alone, sorted by length", "bifold",
           gpu_only, Order::v1, {1, 0, 3},
           {.planner = core::plan_segment_reduce, .takes_segments = true});
    reduce("segments_chunks_v1", "reduce_segment_chunks",
           "the same for CPUs: one work-item for neighbouring segments", "bifold", opencl_only,
           Order::v1, {1, 0, 3},
           {.planner = core::plan_segment_chunk_reduce, .takes_segments = true});
    reduce("catanzaro", "reduce_catanzaro", "two stages: strided accumulation, local-memory tree",
           catanzaro, commutative, Order::fixed, {1, 0, 2}, {core::plan_two_stage_reduce});
    const auto persistent = [&](std::string_view name, std::string_view summary,
                                std::uint32_t unroll, std::uint32_t coalesced) {
      reduce(name, "reduce_persistent", summary, jradi, commutative, Order::fixed, {1, 0, 2},
             {.planner = core::plan_two_stage_reduce,
              .fixed = {.unroll = unroll, .coalesced = coalesced}});
    };
    struct Unrolled {
      std::string_view name;
      std::string_view coalesced;
      std::uint32_t factor;
    };
    constexpr Unrolled unrolled[] = {{"persistent_f1", "persistent_f1_coalesced", 1},
                                     {"persistent_f2", "persistent_f2_coalesced", 2},
                                     {"persistent_f3", "persistent_f3_coalesced", 3},
                                     {"persistent_f4", "persistent_f4_coalesced", 4},
                                     {"persistent_f5", "persistent_f5_coalesced", 5},
                                     {"persistent_f6", "persistent_f6_coalesced", 6},
                                     {"persistent_f7", "persistent_f7_coalesced", 7},
                                     {"persistent_f8", "persistent_f8_coalesced", 8},
                                     {"persistent_f16", "persistent_f16_coalesced", 16}};
    for (const Unrolled& row : unrolled) {
      persistent(row.name, "catanzaro unrolled in global memory, algebra instead of branches",
                 row.factor, 0);
    }
    for (const Unrolled& row : unrolled) {
      persistent(row.coalesced, "the same, consecutive work-items taking consecutive elements",
                 row.factor, 1);
    }
    add_oancea();
    add_dillhoff();
    add_harris();
    add_luitjens();

    scan(
        "production", "", "what the scans use by default on this device", "bifold", nothing,
        Order::v1, {1, 1, 1},
        {.on_gpu = {"order_v1_ring", "order_v1_ahead", "lookback_warp", "reduce_then_scan",
                    "order_v1", "order_v1_passes", "lines_v1_lookback", "lines_v1"},
         .on_lanes_of_32 = {"order_v1_ring", "order_v1_ahead", "order_v1", "lookback_warp",
                            "reduce_then_scan", "order_v1_passes", "lines_v1_lookback", "lines_v1"},
         .on_cpu = {"order_v1_packs", "chunks", "reduce_then_scan", "order_v1_drawn",
                    "order_v1_chunks", "order_v1_passes", "lines_chunks_v1", "lines_v1"}});
    scan("chunks", "scan_chunks",
         "for CPUs: reduce-then-scan over consecutive chunks, one work-item each", "bifold",
         opencl_only, Order::fixed, {2, 1, 3}, {core::plan_chunked_scan});
    scan("reduce_then_scan", "scan_reduce_then_scan",
         "reduce tiles, scan their results, scan tiles", oancea, nothing, Order::fixed, {2, 1, 3},
         {core::plan_reduce_then_scan});
    scan("blelloch", "scan_blelloch", "up-sweep and down-sweep over blocks, recursively", oancea,
         nothing, Order::fixed, {2, 1, 0},
         {.planner = core::plan_level_scan, .fixed = {.per_item = 2}, .takes_values = false});
    scan("hillis_steele", "scan_hillis_steele", "one sweep of log2 steps over blocks, recursively",
         oancea, nothing, Order::fixed, {2, 1, 0},
         {.planner = core::plan_level_scan, .takes_values = false});
    scan("chained", "scan_chained", "single pass, each tile waits for the prefix before it",
         lookback_papers, published_words, Order::unordered, {1, 1, 1}, {core::plan_lookback});
    scan("lookback", "scan_lookback", "single pass, decoupled look-back by one work-item",
         lookback_papers, published_words, Order::unordered, {1, 1, 1}, {core::plan_lookback});
    scan("lookback_warp_copy", "scan_lookback_warp_copy",
         "single pass, a lane group copies a window, one work-item combines it", lookback_papers,
         published_words, Order::unordered, {1, 1, 1}, {core::plan_lookback});
    scan("lookback_warp", "scan_lookback_warp",
         "single pass, decoupled look-back by a lane group at once", lookback_papers,
         published_words, Order::unordered, {1, 1, 1}, {core::plan_aligned_lookback});
    scan("order_v1", "scan_order",
         "single pass in order v1: a fixed association, groups of tiles folded in index order",
         "bifold", published_words, Order::v1, {1, 1, 1}, {core::plan_order_lookback});
    scan("order_v1_ahead", "scan_order_ahead",
         "the same by groups that stay: totals are published a tile ahead, from registers",
         "bifold", published_words, Order::v1, {1, 1, 1},
         {.planner = core::plan_order_ahead, .only_bytes = 4});
    scan("order_v1_ring", "scan_order_ring",
         "the same by groups that stay: totals are published several tiles ahead, from a ring in "
         "local memory",
         "bifold", ring, Order::v1, {1, 1, 1},
         {.planner = core::plan_order_ring, .one_array = true});
    scan("order_v1_passes", "scan_order_passes", "three passes in order v1", "bifold", nothing,
         Order::v1, {2, 1, 3}, {core::plan_order_passes});
    scan("order_v1_chunks", "scan_order_chunks",
         "three passes in order v1 for CPUs: work-items loop over tiles", "bifold", opencl_only,
         Order::v1, {2, 1, 3}, {.planner = core::plan_order_chunks, .one_array = true});
    scan("order_v1_drawn", "scan_order_drawn",
         "single pass in order v1 for CPUs: work-items draw tiles, and scan them from the cache",
         "bifold", published_words_opencl, Order::v1, {1, 1, 1},
         {.planner = core::plan_order_drawn, .one_array = true});
    scan("order_v1_packs", "scan_order_drawn",
         "single pass in order v1 for CPUs, by vectors: integers, floating-point sums and products",
         "bifold", vectors_opencl, Order::v1, {1, 1, 1},
         {.planner = core::plan_order_drawn, .one_array = true});
    scan("lines_v1", "scan_lines",
         "many lines in order v1, each with the bits that it has alone, or an array in reverse",
         "bifold", nothing, Order::v1, {1, 1, 0},
         {.planner = core::plan_line_scan, .takes_lines = true});
    scan("lines_v1_lookback", "scan_line_lookback",
         "the same, long lines in a single pass: a tile looks back along its line", "bifold",
         published_words, Order::v1, {1, 1, 1},
         {.planner = core::plan_line_lookback, .takes_lines = true});
    scan("lines_chunks_v1", "scan_line_chunks",
         "lines_v1 for CPUs: one work-item walks along eight lines at once, or a strip of them",
         "bifold", opencl_only, Order::v1, {1, 1, 0},
         {.planner = core::plan_line_chunk_scan, .takes_lines = true, .one_array = true});
    select("production", "", "what selections use by default on this device", "bifold", nothing,
           {1, 1, 1}, {.on_gpu = {"ring", "lookback", "passes"}, .on_cpu = {"drawn", "passes"}});
    select("lookback", "select_lookback",
           "single pass: tiles in registers, look-back over counts, whole lines stored",
           lookback_papers, published_words, {1, 1, 1}, {core::plan_select_lookback});
    select("ring", "select_ring",
           "the same by groups that stay: tiles are counted several ahead, from a ring in local "
           "memory",
           "bifold", ring, {1, 1, 1}, {.planner = core::plan_select_ring, .counts_first = true});
    select("drawn", "select_drawn",
           "the same for CPUs: work-items draw tiles, and gather what is kept before they store it",
           "bifold", published_words_opencl, {1, 1, 1}, {core::plan_select_drawn});
    select("passes", "select_passes", "two passes: groups count, then store; not in place", oancea,
           nothing, {2, 1, 2}, {.planner = core::plan_select_passes, .counts_first = true});
#ifdef BIFOLD_TOY_ROW
#include BIFOLD_TOY_ROW
#endif
  }
  // clang-format on

 private:
  struct Cost {
    double reads;
    double writes;
    std::uint32_t launches;
  };

  void add_oancea() {
    host_reduce("tree", "reduce_oancea", "binary tree of neighbours, one launch per level", oancea,
                nothing, Order::fixed, {2, 1, 0},
                {core::plan_item_level_reduce, "tree", {.per_item = 2}});
    host_reduce("block", "reduce_oancea", "shrinks by the group size per launch", oancea, nothing,
                Order::fixed, {1, 0, 0}, {core::plan_level_reduce, "block", {.per_item = 1}});
    host_reduce("chunked", "reduce_oancea",
                "fixed number of work-items, one consecutive chunk each", oancea, nothing,
                Order::fixed, {1, 0, 2},
                {core::plan_level_reduce, "chunked", {.per_item = 1, .groups_per_unit = 8}});
    host_reduce("atomic", "reduce_oancea_atomic", "one atomic on the result per element", oancea,
                atomic_accumulator, Order::unordered, {1, 1, 1},
                {core::plan_atomic_reduce, "combine_each"});
    host_reduce("staged_ordered", "reduce_staged_ordered",
                "consecutive elements per work-item, staged through local memory, in index order",
                oancea, nothing, Order::fixed, {1, 0, 2}, {core::plan_level_reduce});
  }

  void add_dillhoff() {
    const auto step = [&](std::string_view name, std::string_view summary,
                          const Requirements& needs, Cost cost, core::Planner planner) {
      host_reduce(name, "reduce_dillhoff", summary, dillhoff, needs, Order::fixed, cost,
                  {planner, name, {.per_item = 2}});
    };
    step("interleaved_simple", "modulo addressing in global memory, on a copy", nothing, {3, 2, 0},
         core::plan_level_reduce_on_copy);
    step("interleaved_convergent", "sequential addressing in global memory, on a copy", commutative,
         {3, 2, 0}, core::plan_level_reduce_on_copy);
    step("shared", "sequential addressing in local memory", commutative, {1, 0, 0},
         core::plan_level_reduce);
    host_reduce("hierarchical", "reduce_dillhoff_atomic", "local memory, then one atomic per group",
                dillhoff, atomic_accumulator, Order::unordered, {1, 0, 1},
                {core::plan_atomic_reduce, "hierarchical", {.per_item = 2}});
    host_reduce("coarsened", "reduce_dillhoff_atomic", "the same with more elements per work-item",
                dillhoff, atomic_accumulator, Order::unordered, {1, 0, 1},
                {core::plan_atomic_reduce, "coarsened", {.per_item = 2, .coarse_factor = 4}});
  }

  // Kernels 1 and 2 combine neighbours, which keeps index order; later ones do not.
  void add_harris() {
    const auto step = [&](std::string_view name, std::string_view summary,
                          const Requirements& needs, std::uint32_t per_item,
                          bool lanes_idle = true) {
      host_reduce(name, "reduce_harris", summary, harris, needs, Order::fixed, {1, 0, 0},
                  {.planner = core::plan_level_reduce,
                   .entry = name,
                   .fixed = {.per_item = per_item},
                   .lanes_idle = lanes_idle});
    };
    step("harris1", "interleaved addressing, divergent modulo", nothing, 1);
    step("harris2", "interleaved addressing, strided index, bank conflicts", nothing, 1);
    step("harris3", "sequential addressing", commutative, 1);
    step("harris4", "first combination during the load", commutative, 2);
    step("harris5", "last lane group unrolled", commutative, 2, false);
    step("harris6", "completely unrolled", commutative, 2, false);
    host_reduce("harris7", "reduce_harris", "many elements per work-item", harris, commutative,
                Order::fixed, {1, 0, 2},
                {core::plan_level_reduce, "harris7", {.per_item = 2, .groups_per_unit = 8}});
  }

  void add_luitjens() {
    host_reduce("shuffle_two_pass", "reduce_luitjens",
                "grid-stride loop, registers exchanged, two passes", luitjens, commutative,
                Order::fixed, {1, 0, 2}, {core::plan_level_reduce, "shuffle_two_pass"});
    host_reduce("shuffle_multi", "reduce_luitjens",
                "several reductions in one pass over struct elements", luitjens, commutative,
                Order::fixed, {1, 0, 2}, {core::plan_level_reduce, "shuffle_two_pass"});
    for (const auto& [name, bytes] :
         {std::pair<std::string_view, std::uint32_t>{"shuffle_vectorized_x2", 8},
          {"shuffle_vectorized_x4", 16}}) {
      host_reduce(name, "reduce_luitjens_vector", "two passes with vector loads", luitjens,
                  commutative, Order::fixed, {1, 0, 2},
                  {core::plan_level_reduce, "shuffle_vectorized", {.vector_bytes = bytes}});
    }
    for (const auto& [name, summary] :
         {std::pair<std::string_view, std::string_view>{"shuffle_warp_atomic",
                                                        "one launch, one atomic per lane group"},
          {"shuffle_block_atomic", "one launch, one atomic per group"}}) {
      host_reduce(name, "reduce_luitjens_atomic", summary, luitjens, atomic_accumulator,
                  Order::unordered, {1, 0, 1}, {core::plan_atomic_reduce, name});
    }
  }

  // Rows whose kernels take n and the initial value from the host alone.
  void host_reduce(std::string_view name, std::string_view family, std::string_view summary,
                   std::string_view source, const Requirements& needs, Order order, Cost cost,
                   Recipe recipe) {
    recipe.takes_values = false;
    reduce(name, family, summary, source, needs, order, cost, std::move(recipe));
  }
  void reduce(std::string_view name, std::string_view family, std::string_view summary,
              std::string_view source, const Requirements& needs, Order order, Cost cost,
              Recipe recipe) {
    add(Algorithm::reduce, name, family, summary, source, needs, order, cost, std::move(recipe));
  }
  void scan(std::string_view name, std::string_view family, std::string_view summary,
            std::string_view source, const Requirements& needs, Order order, Cost cost,
            Recipe recipe) {
    recipe.stores_vectors = true;
    add(Algorithm::scan, name, family, summary, source, needs, order, cost, std::move(recipe));
  }
  // Nothing is combined but counts.
  void select(std::string_view name, std::string_view family, std::string_view summary,
              std::string_view source, const Requirements& needs, Cost cost, Recipe recipe) {
    add(Algorithm::select, name, family, summary, source, needs, Order::v1, cost,
        std::move(recipe));
  }
  void add(Algorithm algorithm, std::string_view name, std::string_view family,
           std::string_view summary, std::string_view source, const Requirements& needs,
           Order order, Cost cost, Recipe recipe) {
    variants.push_back({algorithm, name, family, summary, source, needs, order, cost.reads,
                        cost.writes, cost.launches, recipe.takes_values, recipe.takes_lines,
                        recipe.takes_segments});
    recipes.push_back(std::move(recipe));
  }
};

// Built once, never destroyed: rows outlive every static object of a program.
const Table& table() {
  static const auto* const instance = new Table;  // NOLINT(cppcoreguidelines-owning-memory)
  return *instance;
}

}  // namespace

std::string_view name_of(Algorithm algorithm) noexcept {
  switch (algorithm) {
    case Algorithm::reduce: return "reduce";
    case Algorithm::scan: return "scan";
    case Algorithm::select: break;
  }
  return "select";
}

std::string_view gallery::name_of(Order order) noexcept {
  switch (order) {
    case Order::v1: return "v1";
    case Order::fixed: return "fixed";
    case Order::unordered: break;
  }
  return "unordered";
}

std::span<const Variant> gallery::variants() noexcept { return table().variants; }

const Variant* gallery::find(Algorithm algorithm, std::string_view name) noexcept {
  for (const Variant& variant : variants()) {
    if (variant.algorithm == algorithm && variant.name == name) return &variant;
  }
  return nullptr;
}

const Variant& core::row_named(Algorithm algorithm, std::string_view name) {
  const Variant* row = gallery::find(algorithm, name);
  if (row == nullptr) {
    throw Error(
        ErrorCategory::invalid_argument,
        "no " + std::string(name_of(algorithm)) + " variant named \"" + std::string(name) + "\"");
  }
  return *row;
}

const core::Recipe& core::recipe_of(const Variant& variant) {
  return table().recipes.at(index_of(variant));
}

core::Row core::row_of(const Variant& variant) { return {variant, recipe_of(variant)}; }

std::uint16_t core::index_of(const Variant& variant) {
  return static_cast<std::uint16_t>(&variant - table().variants.data());
}

}  // namespace bifold
