#include "core/sequences.hpp"

#include <algorithm>
#include <bifold/error.hpp>
#include <limits>
#include <utility>

#include "core/planning.hpp"

namespace bifold::core {

namespace {

using detail::Plan;

constexpr std::uint64_t word_bytes = 8;

std::uint64_t max_groups(const Device& device, const Tuning& tuning) {
  return std::uint64_t{device.capabilities().compute_units} * tuning.get("groups_per_unit");
}

// Chunks of the CPU rows are multiples of this many elements.
constexpr std::uint32_t chunk_granule = 4096;

/// The raw part of a call's scratch as accumulators.
Range partials_of(const Call& call) {
  return {{call.scratch.raw.handle}, call.scratch.raw_offset / call.init.size()};
}

/// Accumulators that a plan keeps between its launches: at most `limit`, one per `span` elements.
struct Partials {
  std::uint64_t limit;
  std::uint64_t span;
  std::size_t bytes_each;

  [[nodiscard]] std::uint64_t count(std::uint64_t n) const noexcept {
    return std::clamp<std::uint64_t>(divide_up(n, span), 1, limit);
  }
  [[nodiscard]] ScratchSize scratch(std::uint64_t n) const noexcept {
    return {0, count(n) * bytes_each};
  }
};

// Accumulate per group, combine the results in one group.
class TwoStageReduce final : public Plan {
 public:
  TwoStageReduce(const Device& device, const gallery::Variant& variant, const PlanShape& shape,
                 Partials partials, PlannedKernel first, PlannedKernel second)
      : Plan(device, variant, shape),
        partials_(partials),
        first_(std::move(first)),
        second_(std::move(second)) {}

  [[nodiscard]] ScratchSize scratch_size(std::uint64_t n) const noexcept override {
    return partials_.scratch(n);
  }

  void enqueue(const Call& call) const override {
    const std::uint64_t groups = partials_.count(call.n);
    const Range partials = partials_of(call);
    launch(call.queue, first_, groups, call.input.handle, call.input.offset, call.n,
           partials.handle, partials.offset);
    launch(call.queue, second_, 1, partials.handle, partials.offset, groups, call.init,
           call.output.handle, call.output.offset);
  }

 private:
  Partials partials_;
  PlannedKernel first_;
  PlannedKernel second_;
};

// Reduce blocks of consecutive tiles, scan their results, scan the blocks from there.
class ReduceThenScan final : public Plan {
 public:
  struct Kernels {
    PlannedKernel reduce;
    PlannedKernel scan_partials;
    PlannedKernel scan;
  };
  ReduceThenScan(const Device& device, const gallery::Variant& variant, const PlanShape& shape,
                 Partials partials, Kernels kernels)
      : Plan(device, variant, shape), partials_(partials), kernels_(std::move(kernels)) {}

  [[nodiscard]] ScratchSize scratch_size(std::uint64_t n) const noexcept override {
    return partials_.scratch(n);
  }

  void enqueue(const Call& call) const override {
    const std::uint64_t blocks = partials_.count(call.n);
    const Range partials = partials_of(call);
    launch(call.queue, kernels_.reduce, blocks, call.input.handle, call.input.offset, call.n,
           partials.handle, partials.offset);
    launch(call.queue, kernels_.scan_partials, 1, partials.handle, partials.offset, blocks,
           call.init);
    launch(call.queue, kernels_.scan, blocks, call.input.handle, call.input.offset, call.n,
           partials.handle, partials.offset, call.output.handle, call.output.offset);
  }

 private:
  Partials partials_;
  Kernels kernels_;
};

// One launch, a group per tile.
class Lookback final : public Plan {
 public:
  Lookback(const Device& device, const gallery::Variant& variant, const PlanShape& shape,
           std::uint64_t tile, PlannedKernel kernel)
      : Plan(device, variant, shape),
        tile_(tile),
        ordered_(device.capabilities().acquire_release),
        kernel_(std::move(kernel)) {}

  [[nodiscard]] ScratchSize scratch_size(std::uint64_t n) const noexcept override {
    return {(control_words + divide_up(n, tile_) * value_words()) * word_bytes, 0};
  }

  void enqueue(const Call& call) const override {
    const std::uint64_t tiles = divide_up(call.n, tile_);
    if (tiles > std::numeric_limits<std::uint32_t>::max()) {
      throw Error(ErrorCategory::unsupported,
                  "a look-back scan counts its tiles in 32 bits; this input has more");
    }
    if (call.in_place && !ordered_) {
      throw Error(ErrorCategory::unsupported,
                  "a look-back scan in place needs device-scope acquire and release, which this "
                  "device does not promise");
    }
    const std::uint64_t control = call.scratch.tagged_offset / word_bytes;
    const std::uint64_t capacity = call.scratch.tagged_bytes / word_bytes - control_words;
    launch(call.queue, kernel_, tiles, call.input.handle, call.input.offset, call.n,
           call.output.handle, call.output.offset, call.init,
           MemoryHandle{call.scratch.tagged.handle}, control, capacity, tiles);
  }

 private:
  static constexpr std::uint64_t control_words = 2;

  // As VALUE_WORDS in tile_words: 32 bits of a value travel in one word.
  [[nodiscard]] std::uint64_t value_words() const noexcept {
    return divide_up(size_of(shape().accumulator), 4);
  }

  std::uint64_t tile_;
  bool ordered_;
  PlannedKernel kernel_;
};

// The stage that combines the partial results in one group.
PlannedKernel build_partials_stage(const Device& device, const PlanShape& shape,
                                   std::uint32_t group_size) {
  KernelSpec spec;
  spec.family = spec.entry = "reduce_partials";
  spec.prelude = {"group_tree"};
  spec.input = spec.accumulator = shape.accumulator;
  spec.output = shape.output;
  spec.op = shape.op;
  spec.defines = {{"GROUP_SIZE", group_size}};
  return build_kernel(device, spec);
}

// The first pass over consecutive chunks; an operator that does not commute gets one accumulator.
PlannedKernel build_chunk_reduction(const Device& device, const PlanShape& shape,
                                    const Tuning& tuning) {
  KernelSpec spec;
  spec.family = spec.entry = "reduce_chunks";
  spec.prelude = {"chunks", "blocks"};
  spec.input = shape.input;
  spec.accumulator = spec.output = shape.accumulator;
  spec.op = shape.op;
  spec.defines = {{"STRIPES", shape.op.commutative() ? tuning.get("STRIPES") : 1},
                  {"TILE", chunk_granule}};
  return build_kernel(device, spec);
}

std::string lanes_file(const Device& device) { return "lanes_" + device.capabilities().lanes; }

/// What the files of a tiled scan want to be compiled with.
KernelSpec tiled_spec(const Device& device, const gallery::Variant& variant, const PlanShape& shape,
                      const Tuning& tuning, std::string_view entry) {
  KernelSpec spec = make_spec(variant, shape, tuning, entry);
  spec.prelude = {lanes_file(device), "packs_in", "packs_out", "scan_tile"};
  const std::size_t widest = std::max(size_of(shape.input), size_of(shape.output));
  spec.defines.emplace_back("VEC", pack_width(widest));
  spec.defines.emplace_back("INCLUSIVE", shape.kind == ScanKind::inclusive ? 1 : 0);
  return spec;
}

std::uint64_t tile_of(const PlanShape& shape, const Tuning& tuning) {
  const std::size_t widest = std::max(size_of(shape.input), size_of(shape.output));
  return std::uint64_t{tuning.get("GROUP_SIZE")} * tuning.get("ROWS") * pack_width(widest);
}

}  // namespace

std::shared_ptr<const Plan> plan_two_stage_reduce(const Device& device,
                                                  const gallery::Variant& variant,
                                                  const PlanShape& shape, const Tuning& tuning) {
  const std::uint32_t group = tuning.get("GROUP_SIZE");
  KernelSpec spec = make_spec(variant, shape, tuning, variant.family);
  std::uint64_t per_item = 1;
  if (variant.family == "reduce_vector") {
    spec.prelude = {lanes_file(device), "packs_in"};
    spec.defines.emplace_back("VEC", pack_width(size_of(shape.input)));
    per_item = std::uint64_t{pack_width(size_of(shape.input))} * tuning.get("UNROLL");
  } else {
    spec.prelude = {"group_tree"};
    if (variant.family == "reduce_persistent") per_item = tuning.get("UNROLL");
  }
  spec.output = spec.accumulator;
  const Partials partials{max_groups(device, tuning), group * per_item, size_of(shape.accumulator)};
  return std::make_shared<TwoStageReduce>(device, variant, shape, partials,
                                          build_kernel(device, spec),
                                          build_partials_stage(device, shape, group));
}

std::shared_ptr<const Plan> plan_chunked_reduce(const Device& device,
                                                const gallery::Variant& variant,
                                                const PlanShape& shape, const Tuning& tuning) {
  const Partials partials{max_groups(device, tuning), chunk_granule, size_of(shape.accumulator)};
  return std::make_shared<TwoStageReduce>(device, variant, shape, partials,
                                          build_chunk_reduction(device, shape, tuning),
                                          build_partials_stage(device, shape, 1));
}

std::shared_ptr<const Plan> plan_ordered_reduce(const Device& device,
                                                const gallery::Variant& variant,
                                                const PlanShape& shape, const Tuning& tuning) {
  PlanShape first = shape;
  first.output = shape.accumulator;
  KernelSpec spec = tiled_spec(device, variant, first, tuning, "reduce_tiles");
  spec.prelude.emplace_back("blocks");
  const Partials partials{max_groups(device, tuning), tile_of(first, tuning),
                          size_of(shape.accumulator)};
  // One work-item combines the results of the blocks, which keeps their order.
  return std::make_shared<TwoStageReduce>(device, variant, shape, partials,
                                          build_kernel(device, spec),
                                          build_partials_stage(device, shape, 1));
}

std::shared_ptr<const Plan> plan_reduce_then_scan(const Device& device,
                                                  const gallery::Variant& variant,
                                                  const PlanShape& shape, const Tuning& tuning) {
  const auto kernel = [&](std::string_view entry) {
    KernelSpec spec = tiled_spec(device, variant, shape, tuning, entry);
    spec.prelude.emplace_back("blocks");
    return build_kernel(device, spec);
  };
  const Partials partials{max_groups(device, tuning), tile_of(shape, tuning),
                          size_of(shape.accumulator)};
  return std::make_shared<ReduceThenScan>(
      device, variant, shape, partials,
      ReduceThenScan::Kernels{kernel("reduce_tiles"), kernel("scan_partials"),
                              kernel("scan_tiles")});
}

std::shared_ptr<const Plan> plan_chunked_scan(const Device& device, const gallery::Variant& variant,
                                              const PlanShape& shape, const Tuning& tuning) {
  const auto kernel = [&](std::string_view entry) {
    KernelSpec spec = make_spec(variant, shape, {}, entry);
    spec.prelude = {"chunks", "blocks"};
    spec.defines = {{"INCLUSIVE", shape.kind == ScanKind::inclusive ? 1 : 0},
                    {"TILE", chunk_granule}};
    return build_kernel(device, spec);
  };
  const Partials partials{max_groups(device, tuning), chunk_granule, size_of(shape.accumulator)};
  return std::make_shared<ReduceThenScan>(
      device, variant, shape, partials,
      ReduceThenScan::Kernels{build_chunk_reduction(device, shape, tuning),
                              kernel("scan_chunk_results"), kernel("scan_chunks")});
}

std::shared_ptr<const Plan> plan_lookback(const Device& device, const gallery::Variant& variant,
                                          const PlanShape& shape, const Tuning& tuning) {
  KernelSpec spec = tiled_spec(device, variant, shape, tuning, variant.family);
  spec.prelude.push_back("atomics_" + device.capabilities().atomics);
  spec.prelude.emplace_back("tile_words");
  return std::make_shared<Lookback>(device, variant, shape, tile_of(shape, tuning),
                                    build_kernel(device, spec));
}

}  // namespace bifold::core
