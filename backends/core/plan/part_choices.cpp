#include "core/plan/part_choices.hpp"

#include <algorithm>
#include <bifold/order.hpp>
#include <vector>

#include "core/base/format.hpp"
#include "core/device/state.hpp"
#include "core/kernel/architecture.hpp"
#include "core/kernel/part_list.hpp"
#include "core/plan/atomic_accumulator.hpp"
#include "core/plan/part_needs.hpp"
#include "core/plan/plan.hpp"

namespace bifold::core {

namespace {

using Question = PartQuestion;

const Capabilities& has(const Question& of) { return of.request.device.capabilities(); }
const Layout& layout(const Question& of) { return of.request.layout; }
const PlanShape& shape(const Question& of) { return of.request.shape; }
Selection selection(const Question& of) { return shape(of).selection.value_or(Selection{}); }
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

// Whether rows of lines are folded word by word, of which no order shows.
bool adds_words(const Question& of) {
  return layout(of).combines_words() && shape(of).lines == LineLayout::rows;
}

// A work-item combines vectors of its own: of floating values, or of integers, of which no order
// shows.
bool by_vectors(const Question& of, bool floating) {
  return of.by_vectors && is_floating(shape(of).input) == floating;
}

std::string_view init_part(const Question& of) {
  if (counts_for_init(of.algorithm, shape(of))) return "init_counted";
  return shape(of).on_device.init ? "init_device" : "init_host";
}

std::string_view arrays(const Question& of) {
  if (!shape(of).more_inputs.empty()) return "more";
  return shape(of).second ? "two" : "one";
}

// A line whose elements lie apart brings parts of its own in the place of an array's.
std::string elements_part(const Question& of, std::string_view name) {
  return formatted("{}_{}", has_unit_stride(shape(of)) ? name : "strided_line", arrays(of));
}

// Elements with their neighbours.
std::string_view elements_before(const Question& of) {
  return selection(of).beside == Beside::values ? "elements_before_values" : "elements_before";
}

// A GPU would set memory aside for every work-item that it can hold at a time, gigabytes: it folds
// once more, or loads once more.
std::string_view tile_scan_part(const Question& of) {
  if (by_vectors(of, false)) return "tile_again_chunks";
  if (on_cpu(of)) return "tile_kept_chunks";
  return by_vectors(of, true) ? "tile_refolded_chunks" : "tile_again_chunks";
}

// Names of which the parts are NAME_PATH, by one path of the device or of the call.
struct Path {
  std::vector<std::string_view> names;
  std::string (*path)(const Question& of);
};

const std::vector<Path>& paths() {
  static const std::vector<Path> table{
      {{"lanes", "lane_index", "warp_index", "shuffle_word", "shuffle_idx", "shuffle_up",
        "shuffle_down", "lane_highest", "lane_barrier", "lane_ranks", "lane_counts"},
       [](const Question& of) { return has(of).lanes; }},
      {{"order_lanes", "columns", "column_values", "neighbours", "item_tree", "shifted_rows",
        "shifted_loads", "shifted_stores", "order_lookback", "line_rows", "line_shares"},
       [](const Question& of) -> std::string { return by_32(of) ? "shuffle" : "local"; }},
      {{"atomics", "word_loads", "device_fence"},
       [](const Question& of) { return has(of).atomics; }},
      {{"launch", "launch_dependents", "prefetch_l2"},
       [](const Question& of) -> std::string {
         // What kernels read first of all may have been written by the work before.
         const bool overlaps = has(of).overlapped_launches && shape(of).on_device.scalars == 0;
         return overlaps ? "overlapped" : "in_order";
       }},
      {{"outputs", "output_start", "line_output_start", "order_warp_tile_stores",
        "order_tile_stores", "short_line_results", "short_column_results"},
       [](const Question& of) -> std::string {
         return shape(of).more_outputs.empty() ? "one" : "more";
       }},
      {{"line_elements", "line_neighbours"},
       [](const Question& of) { return std::string(arrays(of)); }},
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
    // By segments.
    {"segment_init",
     [](const Question& of) -> std::string {
       return shape(of).on_device.init ? "segment_init_device" : "segment_init_host";
     }},
    {"segment_faults",
     [](const Question& of) -> std::string {
       const bool counted = shape(of).segments && shape(of).segments->faults;
       return counted ? "segment_faults_counted" : "segment_faults_none";
     }},
    {"list_counters",
     [](const Question& of) -> std::string {
       return has(of).atomics64 ? "list_counters_words" : "list_counters_halves";
     }},
    {"segment_folds",
     [](const Question& of) -> std::string {
       return shape(of).op.commutative() ? "segment_folds_columns" : "segment_folds_rows";
     }},
    // By the types and the operator.
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
    {"column_elements",
     [](const Question& of) -> std::string {
       return loads_words(of) ? "column_elements_words" : "column_elements_values";
     }},
    {"elements",
     [](const Question& of) {
       if (selection(of).by_runs) return std::string(elements_before(of));
       return elements_part(of, "elements");
     }},
    {"element_start",
     [](const Question& of) {
       if (selection(of).beside == Beside::values) return std::string(elements_before(of));
       return elements_part(of, "element_start");
     }},
    {"line_array", [](const Question& of) { return elements_part(of, "line_array"); }},
    {"element_vectors",
     [](const Question& of) -> std::string {
       const bool none = !has_unit_stride(shape(of)) || !shape(of).more_inputs.empty();
       return none               ? "element_vectors_none"
              : shape(of).second ? "element_vectors_two"
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
    {"line_row_sums",
     [](const Question& of) -> std::string {
       return adds_words(of) ? "line_row_words" : "line_row_items";
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
    // Of a selection.
    {"selected",
     [](const Question& of) -> std::string {
       if (selection(of).indices) return "selected_indices";
       return selection(of).by_runs ? "selected_two" : formatted("selected_{}", arrays(of));
     }},
    {"beside",
     [](const Question& of) -> std::string {
       switch (selection(of).beside) {
         case Beside::values: return "beside_values";
         case Beside::indices: return "beside_indices";
         case Beside::none: break;
       }
       return "beside_none";
     }},
    {"rejected",
     [](const Question& of) -> std::string {
       switch (selection(of).rejected) {
         case Rejected::in_order: return "rejected_behind";
         case Rejected::reversed: return "rejected_reversed";
         case Rejected::dropped: break;
       }
       return "rejected_dropped";
     }},
    {"element_address",
     [](const Question& of) -> std::string {
       return shape(of).second ? "element_address_two" : "element_address";
     }},
    {"ring_all",
     [](const Question& of) -> std::string {
       return selection(of).rejected == Rejected::in_order ? "ring_all_counted" : "ring_all_none";
     }},
    {"ring_beside",
     [](const Question& of) -> std::string {
       return shape(of).second ? "ring_beside_flags" : "ring_beside_none";
     }},
    {"ring_flagging",
     [](const Question& of) -> std::string {
       return shape(of).second ? "ring_flagging_array" : "ring_flagging_text";
     }},
    {"ring_element",
     [](const Question& of) -> std::string {
       return selection(of).by_runs ? "ring_element_before" : "ring_element_one";
     }},
    // Of a ring.
    {"ring_elements",
     [](const Question& of) -> std::string {
       if (selection(of).by_runs) return "elements_before";
       if (shape(of).second) return "elements_two";
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
    {"acc_access",
     [](const Question& of) -> std::string {
       const bool fields = shape(of).accumulator.is_struct() && shape(of).op.has_identity();
       return fields ? "acc_access_fields_chunks" : "acc_access_whole_chunks";
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
                                 .result_map = spec.result_map,
                                 .more_outputs = spec.more_outputs});
  add_parts({.request = request}, spec);
}

}  // namespace bifold::core
