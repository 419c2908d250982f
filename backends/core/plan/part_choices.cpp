#include "core/plan/part_choices.hpp"

#include <algorithm>
#include <bifold/order.hpp>
#include <vector>

#include "core/base/format.hpp"
#include "core/device/state.hpp"
#include "core/kernel/architecture.hpp"
#include "core/kernel/part_list.hpp"
#include "core/plan/atomic_accumulator.hpp"
#include "core/plan/plan.hpp"

namespace bifold::core {

namespace {

using Question = PartQuestion;

const Capabilities& has(const Question& of) { return of.request.device.capabilities(); }
const Layout& layout(const Question& of) { return of.request.layout; }
const PlanShape& shape(const Question& of) { return of.request.shape; }
bool on_cpu(const Question& of) { return of.request.device.info().kind == DeviceKind::cpu; }
bool shuffles(const Question& of) { return has(of).lanes != "local"; }
bool by_32(const Question& of) { return has_lanes_of_32(has(of)); }

// Whether there are instructions of sm_80. CUDA's one text asks when it is compiled.
bool has_sm_80(const Question& of) {
  return has(of).lanes == "shuffle" || ptx_architecture(has(of)) >= 80;
}

// Of wider elements, single ones cost less than the registers that joining takes.
bool joins_rows(const Question& of) { return shuffles(of) && size_of(shape(of).input) < 4; }
// Of wider results there are as many words as values, and handing those on takes registers.
bool joins_results(const Question& of) { return by_32(of) && size_of(shape(of).output) < 4; }

// Elements of one array become wider in registers. A compiler for CPUs keeps arrays in memory.
bool is_narrow(const Question& of) {
  const PlanShape& lines = shape(of);
  return size_of(lines.input) < 4 && !lines.input.is_struct() && !lines.second && !on_cpu(of);
}
bool loads_words(const Question& of) {
  return is_narrow(of) && size_of(shape(of).accumulator) == 4;
}

// A work-item combines vectors of its own: of floating values, or of integers, of which no order
// shows.
bool by_vectors(const Question& of, bool floating) {
  return of.by_vectors && is_floating(shape(of).input) == floating;
}

// Where a compiler is not known, no array of structs is taken for one of fields: one was seen to
// lose them.
std::optional<OperatorKind> operator_of_fields(const Question& of) {
  const PlanShape& on = shape(of);
  const bool as_they_are =
      on.input == on.accumulator && stores_accumulators(on) && on.map.is_identity() && !on.second;
  if (!as_they_are || has(of).tries_types) return {};
  return field_operator(on.op, on.accumulator);
}

std::string_view init_part(const Question& of) {
  if (counts_for_init(of.algorithm, shape(of))) return "init_counted";
  return shape(of).on_device.init ? "init_device" : "init_host";
}

std::string_view word_part(const Question& of) {
  // A ring's packed sums are added in words as well.
  switch (layout(of).words) {
    case WordOperation::bits: return "word_bits";
    case WordOperation::extrema: return "word_extrema";
    case WordOperation::sums:
    case WordOperation::none: break;
  }
  return "word_sums";
}

// A line whose elements lie apart brings parts of its own in the place of an array's.
std::string elements_part(const Question& of, std::string_view name) {
  const char* arrays = shape(of).second ? "two" : "one";
  return formatted("{}_{}", has_unit_stride(shape(of)) ? name : "strided_line", arrays);
}

// A GPU would set memory aside for every work-item that it can hold at a time, gigabytes: it folds
// once more, or loads once more.
std::string_view tile_scan_part(const Question& of) {
  if (by_vectors(of, false)) return "tile_again_chunks";
  if (on_cpu(of)) return "tile_kept_chunks";
  return by_vectors(of, true) ? "tile_refolded_chunks" : "tile_again_chunks";
}

// Names of which the parts are NAME_PATH, by one path of the device.
struct Path {
  std::vector<std::string_view> names;
  std::string (*path)(const Question& of);
};

const std::vector<Path>& paths() {
  static const std::vector<Path> table{
      {{"lanes", "lane_index", "warp_index", "shuffle_word", "shuffle_idx", "shuffle_up",
        "shuffle_down", "lane_highest", "lane_barrier"},
       [](const Question& of) { return has(of).lanes; }},
      {{"order_lanes", "columns", "column_values", "neighbours", "item_tree", "shifted_rows",
        "shifted_loads", "shifted_stores", "order_lookback", "line_rows", "line_shares"},
       [](const Question& of) -> std::string { return by_32(of) ? "shuffle" : "local"; }},
      {{"atomics", "word_loads", "device_fence"},
       [](const Question& of) { return has(of).atomics; }},
      {{"launch", "launch_dependents", "prefetch_l2"},
       [](const Question& of) -> std::string {
         return has(of).overlapped_launches ? "overlapped" : "in_order";
       }},
      // NVIDIA's devices start groups in the order of their indices.
      {{"tile_epoch"},
       [](const Question& of) -> std::string {
         return ptx_architecture(has(of)) > 0 ? "indexed" : "drawn";
       }},
  };
  return table;
}

struct Choice {
  std::string_view name;
  std::string (*part)(const Question& of);
};

// clang-format off: a row reads as a row.
constexpr Choice choices[] = {
    // By what the device offers.
    {"lane_folds",
     [](const Question& of) -> std::string { return shuffles(of) ? "shuffles" : "lanes_local"; }},
    // NVIDIA's devices start groups in the order of their indices.
    {"tiles_taken",
     [](const Question& of) -> std::string {
       return ptx_architecture(has(of)) > 0 ? "tiles_indexed" : "tiles_drawn";
     }},
    {"extrema",
     [](const Question& of) -> std::string {
       return !has(of).denormals_f32 ? "extrema_bits"
              : has_sm_80(of)        ? "extrema_ptx"
                                     : "extrema_native";
     }},
    // GPUs, which exchange registers, have instructions for it.
    {"f16_conversions",
     [](const Question& of) -> std::string {
       return shuffles(of) ? "halves_native" : "halves_bits";
     }},
    {"bf16_conversions",
     [](const Question& of) -> std::string { return has_sm_80(of) ? "bf16_ptx" : "bf16_bits"; }},
    // By where a call has its values.
    {"count",
     [](const Question& of) -> std::string {
       return shape(of).on_device.count ? "count_device" : "count_host";
     }},
    {"init", [](const Question& of) { return std::string(init_part(of)); }},
    {"first",
     [](const Question& of) -> std::string {
       return gives_first(shape(of)) ? "first_given" : "first_carry";
     }},
    {"total",
     [](const Question& of) -> std::string {
       return shape(of).on_device.total ? "total_device" : "total_none";
     }},
    {"line_count",
     [](const Question& of) -> std::string {
       return shape(of).on_device.lines ? "line_count_device" : "line_count_host";
     }},
    {"line_init", [](const Question& of) { return formatted("line_{}", init_part(of)); }},
    // By the types and the operator.
    {"line_elements",
     [](const Question& of) -> std::string {
       return shape(of).second ? "line_elements_two" : "line_elements_one";
     }},
    {"line_vectors",
     [](const Question& of) -> std::string {
       return shape(of).second ? "line_vectors_two"
              : is_narrow(of)  ? "line_vectors_words"
                               : "line_vectors_one";
     }},
    {"line_run",
     [](const Question& of) -> std::string {
       return shape(of).second ? "line_run_two" : "line_run_one";
     }},
    {"line_neighbours",
     [](const Question& of) -> std::string {
       return shape(of).second ? "line_neighbours_two" : "line_neighbours_one";
     }},
    {"column_elements",
     [](const Question& of) -> std::string {
       return loads_words(of) ? "column_elements_words" : "column_elements_values";
     }},
    {"elements", [](const Question& of) { return elements_part(of, "elements"); }},
    {"element_start", [](const Question& of) { return elements_part(of, "element_start"); }},
    {"line_array", [](const Question& of) { return elements_part(of, "line_array"); }},
    {"element_vectors",
     [](const Question& of) -> std::string {
       return !has_unit_stride(shape(of)) ? "element_vectors_none"
              : shape(of).second          ? "element_vectors_two"
                                          : "element_vectors_one";
     }},
    {"line_tile_stores",
     [](const Question& of) -> std::string {
       return has_unit_stride(shape(of)) ? "line_tile_stores_unit" : "line_tile_stores_strided";
     }},
    {"joined_rows",
     [](const Question& of) -> std::string {
       return joins_rows(of) ? "joined_rows_shuffle" : "joined_rows_none";
     }},
    {"tile_results",
     [](const Question& of) -> std::string {
       return joins_rows(of) ? "joined_results_shuffle" : "joined_results_none";
     }},
    {"joined_results",
     [](const Question& of) -> std::string {
       return joins_results(of) ? "joined_results_shuffle" : "joined_results_none";
     }},
    {"leaf_rows",
     [](const Question& of) -> std::string {
       return layout(of).combines_words() ? "leaf_rows_words" : "leaf_rows_items";
     }},
    {"word_fold", [](const Question& of) { return std::string(word_part(of)); }},
    {"group_results",
     [](const Question& of) -> std::string {
       return layout(of).atomic_sums ? "group_results_sum" : "group_results_nodes";
     }},
    {"order_tile",
     [](const Question& of) -> std::string {
       return of.loads_again ? "order_tile_again" : "order_tile";
     }},
    {"atomic_accumulator",
     [](const Question& of) {
       return std::string(atomic_part(has(of), shape(of).op.kind(), shape(of).accumulator));
     }},
    // Of a ring.
    {"ring_elements",
     [](const Question& of) -> std::string {
       return layout(of).aligns_tiles ? "elements_from" : "elements_one";
     }},
    {"ring_access",
     [](const Question& of) -> std::string {
       return layout(of).aligns_tiles ? "elements_from" : "ring_access_one";
     }},
    {"ring_items",
     [](const Question& of) -> std::string {
       return layout(of).long_runs ? "ring_items_bytes" : "ring_items_runs";
     }},
    {"ring_item",
     [](const Question& of) -> std::string {
       return layout(of).long_runs ? "ring_item_bytes" : "ring_items_runs";
     }},
    {"ring_reads",
     [](const Question& of) -> std::string {
       return layout(of).long_runs     ? "ring_items_bytes"
              : layout(of).three_words ? "ring_reads_words"
                                       : "ring_reads_vectors";
     }},
    {"ring_runs",
     [](const Question& of) -> std::string {
       return !layout(of).long_runs    ? "ring_runs_rows"
              : layout(of).packed_sums ? "ring_runs_sums"
                                       : "ring_runs_items";
     }},
    {"ring_warp_tiles",
     [](const Question& of) -> std::string {
       return layout(of).spans ? "ring_warp_tiles_spans" : "ring_warp_tiles_rows";
     }},
    {"ring_results",
     [](const Question& of) -> std::string {
       return layout(of).gathers_results ? "ring_results_gathered" : "ring_results_direct";
     }},
    {"ring_scan",
     [](const Question& of) -> std::string {
       return layout(of).spans       ? "ring_scan_spans"
              : layout(of).long_runs ? "ring_scan_again"
                                     : "ring_scan_kept";
     }},
    {"ring_lookback",
     [](const Question& of) -> std::string {
       return layout(of).looks_back_by_groups ? "ring_lookback_supertiles" : "ring_lookback_tiles";
     }},
    // Of a CPU's work-items.
    {"arrays",
     [](const Question& of) -> std::string {
       return operator_of_fields(of) ? "arrays_of_fields_chunks" : "arrays_of_items_chunks";
     }},
    {"array_sums",
     [](const Question& of) -> std::string {
       return operator_of_fields(of) ? "array_sums_of_fields_chunks" : "array_sums_of_items_chunks";
     }},
    {"stored_vectors",
     [](const Question& of) {
       const Type type = shape(of).input;
       return formatted("vectors_of_{}_chunks", is_storage(type) ? name_of(type) : "values");
     }},
    {"warp_tile_folds",
     [](const Question& of) -> std::string {
       return by_vectors(of, true) ? "order_warp_tile_vectors_chunks" : "order_warp_tile_chunks";
     }},
    {"tile_folds",
     [](const Question& of) -> std::string {
       return by_vectors(of, false) ? "tile_vectors_chunks" : "order_tile_chunks";
     }},
    {"lane_combination",
     [](const Question& of) -> std::string {
       return operator_of_fields(of) ? "lane_combination_of_fields_chunks"
                                     : "lane_combination_of_items_chunks";
     }},
    {"line_lanes",
     [](const Question& of) -> std::string {
       return layout(of).combines_vectors ? "lanes_of_values_chunks" : "lanes_of_items_chunks";
     }},
    {"line_walk",
     [](const Question& of) -> std::string {
       return shape(of).op.exact(shape(of).accumulator) ? "line_walk_exact_chunks"
                                                        : "line_walk_order_chunks";
     }},
    {"tile_scan", [](const Question& of) { return std::string(tile_scan_part(of)); }},
};
// clang-format on

// What a part that combines the integers in a word asks for.
void define_words(const Question& of, KernelSpec& spec) {
  const OperatorKind kind = shape(of).op.kind();
  const std::string_view part = word_part(of);
  spec.defines.emplace_back("VALUES_PER_WORD", 4 / size_of(shape(of).input));
  if (part == "word_bits") {
    const std::uint32_t number = kind == OperatorKind::bit_and  ? 0
                                 : kind == OperatorKind::bit_or ? 1
                                                                : 2;
    spec.defines.emplace_back("BIT_OPERATOR", number);
    return;
  }
  spec.defines.emplace_back("SIGNED_VALUES", is_signed(shape(of).input) ? 1 : 0);
  if (part == "word_extrema") {
    spec.defines.emplace_back("GREATEST", kind == OperatorKind::maximum ? 1 : 0);
  }
}

// What parts that tests force otherwise are told. A CPU had better work than wait for a tile, but
// not where work-items draw: there, all that wait for one another run.
void define_limits(const Question& of, const PartList& list, KernelSpec& spec) {
  const TestHooks& hooks = of.request.hooks;
  if (list.has("tile_words")) {
    const bool polls_long = !on_cpu(of) || list.has("scan_order_drawn");
    spec.defines.emplace_back("SPIN_LIMIT", hooks.spin_limit.value_or(polls_long ? 16384 : 1024));
    spec.defines.emplace_back("EPOCH_LIMIT", hooks.epoch_limit.value_or(0x3fffffff));
  }
  if (list.has("published_prefixes")) {
    spec.defines.emplace_back("PUBLISHED_EVERY", hooks.published_every.value_or(1));
  }
  if (list.has("order_subtree_chunks")) {
    spec.defines.emplace_back("HELD_BYTES", hooks.held_bytes.value_or(0));
  }
}

// What parts want of a spec besides being in it.
void add_needs(const Question& of, const PartList& list, KernelSpec& spec) {
  const auto part = [&list](std::string_view name) {
    const auto& parts = list.parts();
    return std::find(parts.begin(), parts.end(), name) != parts.end();
  };
  spec.launch.overlaps = part("launch_overlapped");
  if (part("count_device") || part("init_counted") || part("line_init_counted")) {
    spec.count = shape(of).on_device.count;
  }
  if (part("line_count_device")) spec.line_count = shape(of).on_device.lines;
  if (part("line_places")) {
    spec.defines.emplace_back("REVERSED", shape(of).reverse ? 1 : 0);
    spec.defines.emplace_back("UNIT_STRIDE", has_unit_stride(shape(of)) ? 1 : 0);
  }
  if (part("lanes_subgroup")) spec.defines.emplace_back("LANES", has(of).subgroup_width);
  if (list.has("word_fold") || list.has("word_addition")) define_words(of, spec);
  define_limits(of, list, spec);
  if (list.has("atomic_accumulator")) define_atomic(has(of), spec);
  if (part("arrays_of_fields_chunks") || part("array_sums_of_fields_chunks") ||
      part("lane_combination_of_fields_chunks")) {
    spec.field_operator = operator_of_fields(of);
  }
  constexpr std::uint32_t vector_bytes = 16;
  if (part("order_warp_tile_vectors_chunks") || part("lanes_of_values_chunks")) {
    spec.vector_lanes = order_v1::scan_warp_tile_rows;
  } else if (part("tile_vectors_chunks")) {
    spec.vector_lanes = vector_bytes / static_cast<std::uint32_t>(size_of(shape(of).input));
  }
}

}  // namespace

std::string chosen_part(const PartQuestion& question, std::string_view name) {
  for (const auto& [forced, part] : question.forced) {
    if (forced == name) return std::string(part);
  }
  for (const Path& row : paths()) {
    if (std::find(row.names.begin(), row.names.end(), name) == row.names.end()) continue;
    return formatted("{}_{}", name, row.path(question));
  }
  const auto* const row = std::find_if(std::begin(choices), std::end(choices),
                                       [&](const Choice& choice) { return choice.name == name; });
  return row != std::end(choices) ? row->part(question) : std::string(name);
}

void add_parts(const PartQuestion& question, KernelSpec& spec) {
  PartList list(*question.request.device.state()->backend,
                [&](std::string_view name) { return chosen_part(question, name); });
  for (const std::string_view name : type_parts(spec)) list.add(name);
  spec.type_parts = list.parts().size();
  list.add(spec.family);
  spec.parts = list.parts();
  add_needs(question, list, spec);
}

bool exchanges_lanes(const Device& device, const Row& row) {
  if (row.recipe.lanes_idle || row.variant.family.empty()) return false;
  const Request request(
      device, {.input = Type::i32, .accumulator = Type::i32, .output = Type::i32, .op = plus});
  PartList list(*device.state()->backend, [&](std::string_view name) {
    return chosen_part({.request = request, .algorithm = row.variant.algorithm}, name);
  });
  list.add(row.variant.family);
  return list.has("lanes") || list.has("order_lanes") || list.has("columns");
}

void add_parts(const Device& device, KernelSpec& spec) {
  const Request request(device, {.input = spec.input,
                                 .accumulator = spec.accumulator,
                                 .output = spec.output,
                                 .op = spec.op,
                                 .map = spec.map,
                                 .result_map = spec.result_map});
  add_parts({.request = request}, spec);
}

}  // namespace bifold::core
