#include "core/sequences/order_leaves.hpp"

#include <vector>

#include "core/kernel/architecture.hpp"
#include "core/plan/make_spec.hpp"
#include "core/sequences/order_tiles.hpp"

namespace bifold::core {

namespace {

constexpr std::uint32_t widest_load = 16;

// Bytes of a row of `columns` that a work-item takes.
std::size_t row_bytes(Type type, std::uint32_t columns) { return size_of(type) * (columns / 32); }

// The same of all arrays of the input.
std::size_t loaded_row_bytes(const PlanShape& shape, std::uint32_t columns) {
  const std::vector<Type> arrays = arrays_of(shape);
  std::size_t bytes = row_bytes(arrays.front(), columns);
  for (std::size_t k = 1; k < arrays.size(); ++k) bytes += row_bytes(arrays[k], columns);
  return bytes;
}

// What is loaded before it is added takes registers. Of rows of narrower loads than the widest, as
// many bytes are more rows; but those of words are not looped over, so that compilers load as many
// as they see fit. Of wider rows half as many bytes again are as quick or quicker.
std::uint32_t rows_at_once(const Request& request, std::uint32_t columns,
                           std::uint32_t widest_rows) {
  const std::size_t bytes_each = loaded_row_bytes(request.shape, columns);
  const std::size_t bytes = std::size_t{widest_rows} * widest_load;
  const bool narrow = bytes_each < widest_load && !request.layout.combines_words();
  const std::size_t wanted = narrow ? bytes / bytes_each : widest_rows;
  const std::size_t most = std::min<std::size_t>(wanted, order_v1::leaf_rows);
  const std::size_t fitting = std::max(std::size_t{256}, bytes * 3 / 2) / bytes_each;
  return static_cast<std::uint32_t>(std::bit_floor(std::clamp<std::size_t>(fitting, 1, most)));
}

// How a work-item's part of a row is loaded: at once, of structs by loads of 8 or 16 bytes, or
// element by element.
void add_loads(const PlanShape& shape, std::uint32_t columns, KernelSpec& spec) {
  const std::uint32_t per_item = columns / 32;
  const std::size_t bytes = row_bytes(shape.input, columns);
  bool vectors = false;
  if (shape.input.is_struct()) {
    constexpr std::size_t most = 64;
    const std::size_t load = bytes % widest_load == 0 ? widest_load : widest_load / 2;
    vectors = !shape.second && bytes <= most && bytes % load == 0;
    if (vectors) {
      spec.defines.emplace_back("LOAD_WORDS", load / 4);
      spec.defines.emplace_back("LOADS_EACH", bytes / load);
    }
  } else {
    const auto fits = [&](Type type) {
      return !type.is_struct() && row_bytes(type, columns) <= widest_load;
    };
    vectors =
        fits(shape.input) && fits(shape.second.value_or(shape.input)) && shape.more_inputs.empty();
  }
  spec.vector_width = vectors ? per_item : 1;
}

// A leaf of one work-item.
struct ChunkLeaf {
  std::uint32_t columns;
  std::uint32_t rows = order_v1::leaf_rows;
};

// Where no order shows, as many columns as vector registers hold at once on most CPUs, and as many
// bytes as order v1 has of wide elements.
ChunkLeaf chunk_leaf(const PlanShape& shape) {
  const Type type = shape.accumulator;
  if (type.is_struct() || is_floating(type) || !shape.op.exact(type)) {
    return {order_v1::leaf_columns(type)};
  }
  constexpr std::uint32_t kept_bytes = 256;
  return {kept_bytes / static_cast<std::uint32_t>(size_of(type)), 2 * order_v1::leaf_rows};
}

}  // namespace

Subtrees subtrees_of(std::uint32_t columns, std::uint32_t group, std::uint32_t leaves_each) {
  return {std::uint64_t{order_v1::leaf_rows} * columns, std::uint64_t{group / 32} * leaves_each,
          no_limit, no_limit};
}

Subtrees chunks_of(const Device& device, const PlanShape& shape, const Tuning& tuning) {
  const ChunkLeaf leaf = chunk_leaf(shape);
  Subtrees subtrees{std::uint64_t{leaf.rows} * leaf.columns, 1, max_groups(device, tuning),
                    no_limit};
  subtrees.most_leaves = std::bit_floor(most_spans(device, turns_of_leaf(leaf.columns, leaf.rows)));
  return combined_by(device, 1, subtrees);
}

Subtrees tiles_of(const Device& device, const PlanShape& shape, std::uint64_t groups) {
  Subtrees subtrees{order_v1::scan_tile(size_of(shape.accumulator)), 1, no_limit, groups};
  // Where groups are not limited, each takes one.
  if (groups < no_limit)
    subtrees.most_each = most_spans(device, turns_of_tile(size_of(shape.accumulator)));
  return subtrees;
}

Subtrees combined_by(const Device& device, std::uint32_t group, Subtrees subtrees) {
  subtrees.most_combined =
      at_most(most_spans(device, turns_of_nodes()), std::uint64_t{group} * nodes_per_item);
  return subtrees;
}

Tuning with_whole_leaves(Tuning tuning) {
  tuning.group_size = std::max(tuning.group_size.value() / 32, 1U) * 32;
  return tuning;
}

std::uint32_t widest_columns(const PlanShape& shape) {
  return 32 * widest_load / static_cast<std::uint32_t>(size_of(shape.input));
}

bool combines_bytes(const Request& request) {
  return request.layout.combines_words() && size_of(request.shape.input) == 1;
}

// Rows of so few bytes are all on their way at once in any kernel, but not those of words, where
// registers end.
bool has_quick_leaves(const Request& request) {
  constexpr std::size_t few_bytes = 4;
  if (ptx_architecture(request.device.capabilities()) == 0) return false;
  return request.layout.combines_words() ||
         loaded_row_bytes(request.shape, order_v1::leaf_columns(request.shape.accumulator)) >
             few_bytes;
}

bool loads_widest(const PlanShape& shape, std::uint32_t columns) {
  const auto widest = [&](Type type) {
    return !type.is_struct() && row_bytes(type, columns) == widest_load;
  };
  return widest(shape.input) && (!shape.second || widest(*shape.second)) &&
         shape.more_inputs.empty();
}

bool loads_several(const PlanShape& shape, std::uint32_t columns) {
  return loaded_row_bytes(shape, columns) > widest_load;
}

void add_leaf_constants(const Request& request, std::uint32_t columns, std::uint32_t rows,
                        const Tuning::Value& unroll, KernelSpec& spec) {
  if (unroll) {
    spec.defines.emplace_back("ROWS_AT_ONCE", rows_at_once(request, columns, *unroll));
  }
  spec.defines.emplace_back("LEAF_ROWS", rows);
  spec.defines.emplace_back("COLUMNS", columns);
  add_loads(request.shape, columns, spec);
}

PlannedKernel build_leaves(const Request& request, const Row& row, const Tuning& tuning,
                           std::uint32_t columns, const Defines& defines, std::uint32_t rows) {
  Tuning values = tuning;
  values.unroll = {};
  KernelSpec spec = make_spec(request, row, values, row.entry());
  spec.defines.insert(spec.defines.end(), defines.begin(), defines.end());
  add_leaf_constants(request, columns, rows, tuning.unroll, spec);
  return build_kernel(request.device, spec);
}

PlannedKernel build_chunk_leaves(const Request& request, const Row& row, const Tuning& tuning) {
  // Compilers make vectors of columns in registers, but not where an operator chooses floats.
  const OperatorKind kind = request.shape.op.kind();
  const bool extreme = kind == OperatorKind::minimum || kind == OperatorKind::maximum;
  Defines defines;
  if (extreme && is_floating(request.shape.accumulator)) defines.emplace_back("KEPT_BYTES", 0);
  const ChunkLeaf leaf = chunk_leaf(request.shape);
  return build_leaves(request, row, tuning, leaf.columns, defines, leaf.rows);
}

}  // namespace bifold::core
