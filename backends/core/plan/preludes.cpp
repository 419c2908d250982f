// Which files a kernel is made of, and what of a shape decides about them.
#include <bifold/order.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/ascii.hpp"
#include "core/base/format.hpp"
#include "core/device/architecture.hpp"
#include "core/gallery/gallery_rows.hpp"
#include "core/plan/cell_path.hpp"
#include "core/plan/planning.hpp"
#include "core/text/operator_text.hpp"
#include "core/tuning/tuning_space.hpp"

namespace bifold::core {

bool has_lanes_of_32(const Device& device) {
  const Capabilities& has = device.capabilities();
  return has.lanes != "local" && has.subgroup_width == 32;
}

std::uint32_t ring_run(const PlanShape& shape) {
  constexpr std::uint32_t unit_bytes = 16;
  return has_long_runs(shape) ? unit_bytes / static_cast<std::uint32_t>(size_of(shape.input))
                              : order_v1::scan_run(size_of(shape.accumulator));
}

std::uint32_t ring_strip_rows(const PlanShape& shape) {
  // Odd, as ring_strips_spans wants it.
  constexpr std::uint32_t span = 7;
  return has_spans(shape) ? span : order_v1::scan_strip_rows;
}

std::uint32_t ring_run_bytes(const PlanShape& shape) {
  return ring_run(shape) * static_cast<std::uint32_t>(size_of(shape.input));
}

bool by_groups(const PlanShape& shape) {
  return size_of(shape.accumulator) > 4 || ring_run_bytes(shape) < 16;
}

namespace {

bool is_integer(Type type) { return !type.is_struct() && !is_floating(type) && !is_storage(type); }

bool is_narrow_integer(Type type) { return is_integer(type) && size_of(type) <= 4; }

// Integers of 1 and 2 bytes that are combined as they are, in no more than 4.
bool combines_narrow_integers(const PlanShape& shape) {
  return is_narrow_integer(shape.input) && size_of(shape.input) < 4 &&
         is_narrow_integer(shape.accumulator) && shape.op.kind() != OperatorKind::user &&
         shape.map.is_identity() && !shape.second;
}

// Whether the result is a sum of integers of at most 32 bits, which an atomic operation adds.
bool adds_words(const PlanShape& shape) {
  return shape.op.kind() == OperatorKind::plus && is_narrow_integer(shape.accumulator);
}

// Whether accumulators hold every element as the number it is.
bool holds_elements(const PlanShape& shape) {
  if (shape.accumulator == shape.input) return true;
  return size_of(shape.accumulator) > size_of(shape.input) &&
         (is_signed(shape.accumulator) || !is_signed(shape.input));
}

// The file of the prelude that combines the integers in a word at once; none where there is none.
std::optional<std::string_view> word_file(const Device& device, const PlanShape& shape) {
  if (!combines_narrow_integers(shape)) return {};
  const Capabilities& has = device.capabilities();
  const std::uint32_t ptx = ptx_architecture(has);
  switch (shape.op.kind()) {
    case OperatorKind::plus:
      if (ptx >= 61) return "word_sums";
      break;
    case OperatorKind::bit_and:
    case OperatorKind::bit_or:
    case OperatorKind::bit_xor:
      if (ptx >= 61) return "word_bits";
      break;
    case OperatorKind::minimum:
    case OperatorKind::maximum:
      // A driver that knows bulk copies knows the instructions for these, too.
      if (ptx >= 90 && has.ring_bytes > 0 && holds_elements(shape)) return "word_extrema";
      break;
    default: break;
  }
  return {};
}

// That file, with what it asks for.
void add_word_file(const PlanShape& shape, KernelSpec& spec, std::string_view file) {
  spec.prelude.emplace_back(file);
  spec.defines.emplace_back("VALUES_PER_WORD", 4 / size_of(shape.input));
  const OperatorKind kind = shape.op.kind();
  if (file == "word_bits") {
    const std::uint32_t number = kind == OperatorKind::bit_and  ? 0
                                 : kind == OperatorKind::bit_or ? 1
                                                                : 2;
    spec.defines.emplace_back("BIT_OPERATOR", number);
    return;
  }
  spec.defines.emplace_back("SIGNED_VALUES", is_signed(shape.input) ? 1 : 0);
  if (file == "word_extrema") {
    spec.defines.emplace_back("GREATEST", kind == OperatorKind::maximum ? 1 : 0);
  }
}

// What a lane of a ring takes from a stage, and the total of a strip of it.
void add_ring_items(const PlanShape& shape, KernelSpec& spec) {
  if (has_spans(shape)) {
    spec.prelude.insert(spec.prelude.end(), {"ring_items_runs", "ring_strips_spans"});
    return;
  }
  const bool by_words = is_three_words(shape.input);
  if (!by_words) spec.prelude.emplace_back("join_words");
  if (!has_long_runs(shape)) {
    spec.prelude.insert(spec.prelude.end(),
                        {"ring_items_runs", by_words ? "ring_reads_words" : "ring_reads_vectors",
                         "ring_runs_rows"});
  } else if (has_packed_sums(shape)) {
    spec.prelude.emplace_back("ring_items_bytes");
    add_word_file(shape, spec, "word_sums");
    spec.prelude.emplace_back("ring_runs_sums");
  } else {
    spec.prelude.insert(spec.prelude.end(), {"ring_items_bytes", "ring_runs_items"});
  }
  spec.prelude.emplace_back("ring_strips_rows");
}

// How strips of a ring are scanned, and how their results leave it.
void add_ring_scan(const PlanShape& shape, KernelSpec& spec) {
  if (has_spans(shape)) {
    spec.prelude.emplace_back("ring_scan_spans");
  } else if (has_long_runs(shape)) {
    spec.prelude.emplace_back("ring_scan_again");
  } else {
    const bool gathers = gathers_results(shape);
    spec.prelude.insert(
        spec.prelude.end(),
        {gathers ? "ring_results_gathered" : "ring_results_packs", "ring_scan_kept"});
  }
}

// Whether of nothing, without an initial value, comes something else than what combines as nothing.
bool nothing_differs(const PlanShape& shape) {
  const Operator& op = shape.op;
  return !shape.on_device.init && op.has_identity() && op.supports(shape.accumulator) &&
         op.of_nothing(shape.accumulator) != op.identity(shape.accumulator);
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

}  // namespace

bool combines_packs(const PlanShape& shape) {
  const OperatorKind kind = shape.op.kind();
  const bool one_type =
      shape.accumulator == accumulator_of(shape.input) && shape.output == shape.input;
  if (!one_type || !shape.map.is_identity() || shape.second) return false;
  if (is_integer(shape.input)) return kind != OperatorKind::user && !is_logical(kind);
  // Extrema would have to decide about zeros and NaN.
  return is_floating(shape.input) &&
         (kind == OperatorKind::plus || kind == OperatorKind::multiplies);
}

bool combines_words(const Device& device, const PlanShape& shape) {
  return word_file(device, shape).has_value();
}

bool has_long_runs(const PlanShape& shape) {
  const bool widens = size_of(shape.accumulator) < 4;
  // The results of a run are whole units of 16 bytes.
  const bool whole_units = size_of(shape.output) >= size_of(shape.input);
  return combines_narrow_integers(shape) && is_narrow_integer(shape.output) && whole_units &&
         !(widens && (shape.on_device.init || shape.on_device.total));
}

bool has_spans(const PlanShape& shape) {
  return size_of(shape.input) == 16 && size_of(shape.accumulator) == 16 &&
         size_of(shape.output) == 16 && !has_padding(shape.output) &&
         shape.op.exact(shape.accumulator);
}

bool is_three_words(Type type) { return size_of(type) == 12 && align_of(type) == 4; }

bool gathers_results(const PlanShape& shape) {
  return is_three_words(shape.output) && !has_padding(shape.output);
}

bool has_packed_sums(const PlanShape& shape) {
  return has_long_runs(shape) && shape.op.kind() == OperatorKind::plus &&
         size_of(shape.output) == size_of(shape.input) && !shape.on_device.total;
}

bool may_begin_early(const PlanShape& shape) {
  return has_packed_sums(shape) ||
         (combines_packs(shape) && is_integer(shape.input) && size_of(shape.input) == 4);
}

PlanShape in_long_runs(PlanShape shape) {
  if (!has_long_runs(shape) || size_of(shape.accumulator) == 4) return shape;
  shape.accumulator = is_signed(shape.accumulator) ? Type::i32 : Type::u32;
  return shape;
}

bool gives_first(const PlanShape& shape) {
  return shape.kind == ScanKind::exclusive && nothing_differs(shape);
}

bool counts_for_init(Algorithm algorithm, const PlanShape& shape) {
  const bool shows = algorithm == Algorithm::reduce || shape.on_device.total;
  return shows && shape.on_device.count && nothing_differs(shape);
}

std::string init_path(Algorithm algorithm, const PlanShape& shape) {
  if (counts_for_init(algorithm, shape)) return "init_counted";
  return shape.on_device.init ? "init_device" : "init_host";
}

std::string count_path(const DeviceValues& on_device) {
  return on_device.count ? "count_device" : "count_host";
}

void add_prelude(const Device& device, const PlanShape& shape, KernelSpec& spec,
                 std::string_view file) {
  const Capabilities& has = device.capabilities();
  if (file == "lanes") {
    spec.prelude.push_back("lanes_" + has.lanes);
    if (has.lanes != "local") spec.prelude.emplace_back("shuffles");
    if (has.lanes == "subgroup") spec.defines.emplace_back("LANES", has.subgroup_width);
  } else if (file == "lanes_of_32") {
    if (has_lanes_of_32(device)) add_prelude(device, shape, spec, "lanes");
  } else if (file == "order_lookback") {
    if (has_lanes_of_32(device)) {
      spec.prelude.insert(spec.prelude.end(), {"published_groups", "order_lookback_shuffle"});
    } else {
      spec.prelude.emplace_back("order_lookback_local");
    }
  } else if (file == "tiles_taken") {
    // NVIDIA's devices start groups in the order of their indices.
    spec.prelude.emplace_back(ptx_architecture(has) > 0 ? "tiles_indexed" : "tiles_drawn");
  } else if (file == "columns" || file == "neighbours" || file == "order_lanes" ||
             file == "shifted_rows") {
    spec.prelude.push_back(std::string(file) + (has_lanes_of_32(device) ? "_shuffle" : "_local"));
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
    const bool joins = has_lanes_of_32(device) && size_of(shape.output) < 4;
    spec.prelude.emplace_back(joins ? "joined_results_shuffle" : "joined_results_none");
  } else if (file == "ring_lookback") {
    if (by_groups(shape)) {
      spec.prelude.emplace_back("ring_lookback_groups");
    } else {
      spec.prelude.insert(spec.prelude.end(), {"published_groups", "ring_lookback_tiles"});
    }
  } else if (file == "ring_elements") {
    spec.prelude.emplace_back(may_begin_early(shape) ? "elements_from" : "elements_one");
  } else if (file == "ring_items") {
    add_ring_items(shape, spec);
  } else if (file == "ring_scan") {
    add_ring_scan(shape, spec);
  } else if (file == "leaf_rows") {
    const auto word = word_file(device, shape);
    if (word) add_word_file(shape, spec, *word);
    spec.prelude.emplace_back(word ? "leaf_rows_words" : "leaf_rows_items");
  } else if (file == "group_results") {
    spec.prelude.emplace_back(adds_words(shape) ? "group_results_sum" : "group_results_nodes");
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
    add_prelude(device, shape, spec, "first");
    spec.prelude.emplace_back(shape.on_device.total ? "total_device" : "total_none");
  } else {
    spec.prelude.emplace_back(file);
  }
}

KernelSpec make_spec(const Device& device, const gallery::Variant& variant, const PlanShape& shape,
                     const Tuning& tuning, std::string_view entry) {
  KernelSpec spec;
  spec.family = variant.family;
  spec.entry = entry;
  spec.input = shape.input;
  spec.accumulator = shape.accumulator;
  spec.output = shape.output;
  spec.op = shape.op;
  spec.map = shape.map;
  spec.second = shape.second;
  for (const std::string_view file : recipe_of(variant).prelude) {
    const bool again = file == "order_tile" && tuning.get_or(loads_of_tile, 1) > 1;
    if (file == "init") {
      spec.prelude.push_back(init_path(variant.algorithm, shape));
    } else {
      add_prelude(device, shape, spec, again ? "order_tile_again" : file);
    }
  }
  for (const auto& [name, value] : tuning.entries()) {
    if (is_upper(name.front())) {
      spec.defines.emplace_back(name, value);
    }
  }
  if (tuning.get_or("pack_bytes", 0) > 0) {
    spec.defines.emplace_back("VEC", pack_width(variant, shape, tuning));
  }
  spec.defines.emplace_back("INCLUSIVE", shape.kind == ScanKind::inclusive ? 1 : 0);
  return spec;
}

}  // namespace bifold::core
