#include "core/plan/preludes.hpp"

#include <algorithm>
#include <bifold/order.hpp>

#include "core/base/ascii.hpp"
#include "core/base/format.hpp"
#include "core/kernel/architecture.hpp"
#include "core/plan/cell_path.hpp"
#include "core/plan/plan.hpp"
#include "core/text/expression_text.hpp"
#include "core/tuning/tuning_space.hpp"

namespace bifold::core {

namespace {

// The file that combines the integers in a word at once, with what it asks for.
void add_words(const PlanShape& shape, KernelSpec& spec, WordOperation words) {
  spec.prelude.emplace_back(words == WordOperation::sums   ? "word_sums"
                            : words == WordOperation::bits ? "word_bits"
                                                           : "word_extrema");
  spec.defines.emplace_back("VALUES_PER_WORD", 4 / size_of(shape.input));
  const OperatorKind kind = shape.op.kind();
  if (words == WordOperation::bits) {
    const std::uint32_t number = kind == OperatorKind::bit_and  ? 0
                                 : kind == OperatorKind::bit_or ? 1
                                                                : 2;
    spec.defines.emplace_back("BIT_OPERATOR", number);
    return;
  }
  spec.defines.emplace_back("SIGNED_VALUES", is_signed(shape.input) ? 1 : 0);
  if (words == WordOperation::extrema) {
    spec.defines.emplace_back("GREATEST", kind == OperatorKind::maximum ? 1 : 0);
  }
}

// What a lane of a ring takes from a stage, and the total of a strip of it.
void add_ring_items(const Request& request, KernelSpec& spec) {
  const Layout& layout = request.layout;
  if (layout.spans) {
    spec.prelude.insert(spec.prelude.end(), {"ring_items_runs", "ring_strips_spans"});
    return;
  }
  const bool by_words = layout.three_words;
  if (!by_words) spec.prelude.emplace_back("join_words");
  if (!layout.long_runs) {
    spec.prelude.insert(spec.prelude.end(),
                        {"ring_items_runs", by_words ? "ring_reads_words" : "ring_reads_vectors",
                         "ring_runs_rows"});
  } else if (layout.packed_sums) {
    spec.prelude.emplace_back("ring_items_bytes");
    add_words(request.shape, spec, WordOperation::sums);
    spec.prelude.emplace_back("ring_runs_sums");
  } else {
    spec.prelude.insert(spec.prelude.end(), {"ring_items_bytes", "ring_runs_items"});
  }
  spec.prelude.emplace_back("ring_strips_rows");
}

// How strips of a ring are scanned, and how their results leave it.
void add_ring_scan(const Layout& layout, KernelSpec& spec) {
  if (layout.spans) {
    spec.prelude.emplace_back("ring_scan_spans");
  } else if (layout.long_runs) {
    spec.prelude.emplace_back("ring_scan_again");
  } else {
    const bool gathers = layout.gathers_results;
    spec.prelude.insert(
        spec.prelude.end(),
        {gathers ? "ring_results_gathered" : "ring_results_packs", "ring_scan_kept"});
  }
}

// Arrays of elements, as CPUs combine them. Where a compiler is not known, no array of structs is
// taken for one of fields: one was seen to lose them.
void add_arrays(const Device& device, const PlanShape& shape, KernelSpec& spec) {
  const bool as_they_are = shape.input == shape.accumulator && shape.output == shape.accumulator &&
                           shape.map.is_identity() && !shape.second;
  if (as_they_are && !device.capabilities().tries_types) {
    spec.field_operator = field_operator(shape.op, shape.accumulator);
  }
  spec.prelude.emplace_back(spec.field_operator ? "arrays_of_fields_chunks"
                                                : "arrays_of_items_chunks");
}

// Tiles of structs, of types that are converted, and of users' operators.
void add_order_tiles(const Device& device, const PlanShape& shape, KernelSpec& spec, bool kept) {
  add_arrays(device, shape, spec);
  spec.prelude.insert(spec.prelude.end(),
                      {"caches_chunks", "strip_shape_chunks", "order_strip_chunks"});
  spec.prelude.emplace_back(kept ? "tile_kept_chunks" : "order_tile_chunks");
}

// Of integers no order shows.
void add_pack_tiles(const Device& device, const PlanShape& shape, KernelSpec& spec) {
  spec.prelude.emplace_back("caches_chunks");
  if (is_floating(shape.input)) {
    spec.pack_lanes = order_v1::scan_strip_rows;
    const std::string_view stored = is_storage(shape.input) ? name_of(shape.input) : "values";
    spec.prelude.push_back(formatted("packs_of_{}_chunks", stored));
    const bool keeps = device.info().kind == DeviceKind::cpu;
    const char* const folds = keeps ? "tile_kept_chunks" : "tile_refolded_chunks";
    spec.prelude.insert(spec.prelude.end(),
                        {"strip_shape_chunks", "order_strip_packs_chunks", folds});
  } else {
    constexpr std::uint32_t pack_bytes = 16;
    spec.pack_lanes = pack_bytes / static_cast<std::uint32_t>(size_of(shape.input));
    spec.prelude.insert(spec.prelude.end(), {"tile_packs_chunks", "tile_again_chunks"});
  }
}

// Elements that one pack holds.
std::uint32_t pack_width(const std::vector<std::string_view>& prelude, const PlanShape& shape,
                         const Tuning& tuning) {
  const bool stores = std::find(prelude.begin(), prelude.end(), "packs_out") != prelude.end();
  if (shape.input.is_struct() || (stores && shape.output.is_struct())) return 1;
  const std::size_t widest = std::max(size_of(shape.input), stores ? size_of(shape.output) : 1);
  return std::max(1U, tuning.get("pack_bytes") / static_cast<std::uint32_t>(widest));
}

}  // namespace

std::string init_path(Algorithm algorithm, const PlanShape& shape) {
  if (counts_for_init(algorithm, shape)) return "init_counted";
  return shape.on_device.init ? "init_device" : "init_host";
}

std::string count_path(const DeviceValues& on_device) {
  return on_device.count ? "count_device" : "count_host";
}

void add_prelude(const Request& request, KernelSpec& spec, std::string_view file) {
  const auto& [device, shape, layout] = request;
  const Capabilities& has = device.capabilities();
  if (file == "lanes") {
    spec.prelude.push_back("lanes_" + has.lanes);
    if (has.lanes != "local") spec.prelude.emplace_back("shuffles");
    if (has.lanes == "subgroup") spec.defines.emplace_back("LANES", has.subgroup_width);
  } else if (file == "lanes_of_32") {
    if (has_lanes_of_32(has)) add_prelude(request, spec, "lanes");
  } else if (file == "order_lookback") {
    if (has_lanes_of_32(has)) {
      spec.prelude.insert(spec.prelude.end(), {"published_groups", "order_lookback_shuffle"});
    } else {
      spec.prelude.emplace_back("order_lookback_local");
    }
  } else if (file == "tiles_taken") {
    // NVIDIA's devices start groups in the order of their indices.
    spec.prelude.emplace_back(ptx_architecture(has) > 0 ? "tiles_indexed" : "tiles_drawn");
  } else if (file == "columns" || file == "neighbours" || file == "order_lanes" ||
             file == "shifted_rows") {
    spec.prelude.push_back(std::string(file) + (has_lanes_of_32(has) ? "_shuffle" : "_local"));
  } else if (file == "joined_rows") {
    // Of wider elements, single ones cost less than the registers that joining takes.
    if (has.lanes != "local" && size_of(shape.input) < 4) {
      spec.prelude.insert(spec.prelude.end(),
                          {"join_words", "joined_rows_shuffle", "joined_results_shuffle"});
    } else {
      spec.prelude.insert(spec.prelude.end(), {"joined_rows_none", "joined_results_none"});
    }
  } else if (file == "joined_results") {
    // Of wider results there are as many words as values, and handing those on takes registers.
    const bool joins = has_lanes_of_32(has) && size_of(shape.output) < 4;
    spec.prelude.emplace_back(joins ? "joined_results_shuffle" : "joined_results_none");
  } else if (file == "ring_lookback") {
    if (layout.looks_back_by_groups) {
      spec.prelude.emplace_back("ring_lookback_groups");
    } else {
      spec.prelude.insert(spec.prelude.end(), {"published_groups", "ring_lookback_tiles"});
    }
  } else if (file == "ring_elements") {
    spec.prelude.emplace_back(layout.may_begin_early ? "elements_from" : "elements_one");
  } else if (file == "ring_items") {
    add_ring_items(request, spec);
  } else if (file == "ring_scan") {
    add_ring_scan(layout, spec);
  } else if (file == "leaf_rows") {
    const bool words = layout.combines_words();
    if (words) add_words(shape, spec, layout.words);
    spec.prelude.emplace_back(words ? "leaf_rows_words" : "leaf_rows_items");
  } else if (file == "group_results") {
    spec.prelude.emplace_back(layout.atomic_sums ? "group_results_sum" : "group_results_nodes");
  } else if (file == "launch") {
    spec.launch.overlaps = has.overlapped_launches;
    spec.prelude.emplace_back(has.overlapped_launches ? "launch_overlapped" : "launch_in_order");
  } else if (file == "atomics") {
    spec.prelude.push_back("atomics_" + has.atomics);
  } else if (file == "cell") {
    add_cell_path(device, spec);
  } else if (file == "order_subtree_chunks") {
    add_arrays(device, shape, spec);
    spec.prelude.emplace_back(file);
  } else if (file == "order_tiles") {
    add_order_tiles(device, shape, spec, false);
  } else if (file == "order_tiles_again") {
    const bool keeps = device.info().kind == DeviceKind::cpu;
    add_order_tiles(device, shape, spec, keeps);
    if (!keeps) spec.prelude.emplace_back("tile_again_chunks");
  } else if (file == "pack_tiles") {
    add_pack_tiles(device, shape, spec);
  } else if (file == "count") {
    spec.prelude.push_back(count_path(shape.on_device));
    spec.count = shape.on_device.count;
  } else if (file == "elements" || file == "element_packs") {
    spec.prelude.push_back(std::string(file) + (shape.second ? "_two" : "_one"));
  } else if (file == "first") {
    spec.prelude.emplace_back(gives_first(shape) ? "first_given" : "first_carry");
  } else if (file == "total") {
    add_prelude(request, spec, "first");
    spec.prelude.emplace_back(shape.on_device.total ? "total_device" : "total_none");
  } else {
    spec.prelude.emplace_back(file);
  }
}

std::uint32_t pack_width(const Row& row, const PlanShape& shape, const Tuning& tuning) {
  return pack_width(row.recipe.prelude, shape, tuning);
}

KernelSpec make_spec(const Request& request, const KernelFile& kernel, const Tuning& tuning,
                     std::string_view entry) {
  const PlanShape& shape = request.shape;
  KernelSpec spec;
  spec.family = kernel.family;
  spec.entry = entry;
  spec.input = shape.input;
  spec.accumulator = shape.accumulator;
  spec.output = shape.output;
  spec.op = shape.op;
  spec.map = shape.map;
  spec.second = shape.second;
  for (const std::string_view file : kernel.prelude) {
    const bool again = file == "order_tile" && tuning.get_or(loads_of_tile, 1) > 1;
    if (file == "init") {
      spec.prelude.push_back(init_path(kernel.algorithm, shape));
    } else {
      add_prelude(request, spec, again ? "order_tile_again" : file);
    }
  }
  for (const auto& [name, value] : tuning.entries()) {
    if (is_upper(name.front())) {
      spec.defines.emplace_back(name, value);
    }
  }
  if (tuning.get_or("pack_bytes", 0) > 0) {
    spec.defines.emplace_back("VEC", pack_width(kernel.prelude, shape, tuning));
  }
  spec.defines.emplace_back("INCLUSIVE", shape.kind == ScanKind::inclusive ? 1 : 0);
  return spec;
}

KernelSpec make_spec(const Request& request, const Row& row, const Tuning& tuning,
                     std::string_view entry) {
  return make_spec(request, {row.variant.algorithm, row.variant.family, row.recipe.prelude}, tuning,
                   entry);
}

}  // namespace bifold::core
