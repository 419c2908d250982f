#include <utility>

#include "core/plan/planning.hpp"
#include "core/sequences/lookback.hpp"
#include "core/sequences/sequences.hpp"

namespace bifold::core {

namespace {

using detail::Plan;

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

  [[nodiscard]] std::uint64_t most_elements(std::uint64_t /*n*/) const noexcept override {
    return partials_.most_elements();
  }

  void enqueue(const Call& call) const override {
    const std::uint64_t blocks = partials_.count(call.count.n);
    const Range partials = partials_of(call);
    launch(call.queue, kernels_.reduce, blocks, call.input, call.count, partials);
    launch(call.queue, kernels_.scan_partials, 1, partials, blocks, call.init, call.total);
    launch(call.queue, kernels_.scan, blocks, call.input, call.count, partials, call.output,
           call.total.first);
  }

 private:
  Partials partials_;
  Kernels kernels_;
};

// Blocks of blocks: the totals of one level are the input of the next, and come back as carries.
class LevelScan final : public Plan {
 public:
  struct Kernels {
    PlannedKernel reduce;
    PlannedKernel scan;
  };
  LevelScan(const Device& device, const gallery::Variant& variant, const PlanShape& shape,
            std::uint64_t span, Kernels elements, Kernels totals)
      : Plan(device, variant, shape),
        span_(span),
        elements_(std::move(elements)),
        totals_(std::move(totals)) {}

  [[nodiscard]] ScratchSize scratch_size(std::uint64_t n) const noexcept override {
    std::uint64_t values = 0;
    for (std::uint64_t count = divide_up(n, span_);; count = divide_up(count, span_)) {
      values += count;
      if (count == 1) break;
    }
    return accumulators(values, size_of(shape().accumulator));
  }

  void enqueue(const Call& call) const override {
    scan(call, elements_, call.input.first, call.count.n, call.output, partials_of(call),
         call.total.first);
  }

 private:
  // Scans `n` values; the totals of their blocks, and of theirs, lie from `totals` on.
  void scan(const Call& call, const Kernels& kernels, const Range& input, std::uint64_t n,
            const Range& output, const Range& totals, const First& first) const {
    const std::uint64_t blocks = divide_up(n, span_);
    if (blocks > 1) {
      launch(call.queue, kernels.reduce, blocks, input, n, totals);
      scan(call, totals_, totals, blocks, totals, {totals.memory, totals.offset + blocks}, {});
    }
    launch(call.queue, kernels.scan, blocks, input, n, totals, call.init, output, first);
  }

  std::uint64_t span_;
  Kernels elements_;
  Kernels totals_;
};

}  // namespace

std::shared_ptr<const Plan> plan_reduce_then_scan(const Device& device,
                                                  const gallery::Variant& variant,
                                                  const PlanShape& shape, const Tuning& tuning) {
  const auto kernel = [&](std::string_view entry) {
    return build_kernel(device, make_spec(device, variant, shape, tuning, entry));
  };
  const std::uint64_t span = span_of(variant, shape, tuning);
  // The group that scans the results of the others takes them by spans, too.
  const std::uint64_t spans = most_spans(device, turns_of_groups(tuning, span));
  const Partials partials{max_groups(device, tuning), span, size_of(shape.accumulator), spans,
                          at_most(spans, span)};
  return std::make_shared<ReduceThenScan>(
      device, variant, shape, partials,
      ReduceThenScan::Kernels{kernel("reduce_tiles"), kernel("scan_partials"),
                              kernel("scan_tiles")});
}

std::shared_ptr<const Plan> plan_chunked_scan(const Device& device, const gallery::Variant& variant,
                                              const PlanShape& shape, const Tuning& tuning) {
  const auto kernel = [&](std::string_view entry) {
    KernelSpec spec = make_spec(device, variant, shape, {}, entry);
    spec.defines.emplace_back("TILE", chunk_granule);
    // A user's operator may take long.
    if (shape.op.kind() != OperatorKind::user) spec.defines.emplace_back("IN_RUNS", 1);
    return build_kernel(device, spec);
  };
  const Partials partials{max_groups(device, tuning), chunk_granule, size_of(shape.accumulator),
                          std::min(most_spans(device, turns_of_stripes(stripes_of(shape, tuning))),
                                   most_spans(device, turns_of_chunk_scan())),
                          most_spans(device, turns_of_chunk_results())};
  return std::make_shared<ReduceThenScan>(
      device, variant, shape, partials,
      ReduceThenScan::Kernels{build_chunk_reduction(device, shape, tuning),
                              kernel("scan_chunk_results"), kernel("scan_chunks")});
}

std::shared_ptr<const Plan> plan_level_scan(const Device& device, const gallery::Variant& variant,
                                            const PlanShape& shape, const Tuning& tuning) {
  // Blocks of one element would have as many totals as elements, level after level.
  Tuning values = tuning;
  if (span_of(variant, shape, values) == 1) values.set("PER_ITEM", 2);
  const auto kernels = [&](const PlanShape& of, std::string_view first) -> LevelScan::Kernels {
    const auto kernel = [&](std::string_view entry) {
      KernelSpec spec = make_spec(device, variant, of, values, entry);
      add_prelude(device, of, spec, first);
      return build_kernel(device, spec);
    };
    return {kernel("reduce_blocks"), kernel("scan_blocks")};
  };
  // A carry is what stands before its block, the first one what stands before all elements.
  PlanShape totals = shape;
  totals.input = totals.output = shape.accumulator;
  totals.kind = ScanKind::exclusive;
  totals.map = {};
  return std::make_shared<LevelScan>(device, variant, shape, span_of(variant, shape, values),
                                     kernels(shape, "first"), kernels(totals, "first_carry"));
}

std::shared_ptr<const Plan> plan_lookback(const Device& device, const gallery::Variant& variant,
                                          const PlanShape& shape, const Tuning& tuning) {
  return make_lookback(device, variant, shape, {span_of(variant, shape, tuning)},
                       build_kernel(device, make_spec(device, variant, shape, tuning,
                                                      recipe_of(variant).entry_in(variant))));
}

std::shared_ptr<const Plan> plan_aligned_lookback(const Device& device,
                                                  const gallery::Variant& variant,
                                                  const PlanShape& shape, const Tuning& tuning) {
  // The kernel moves parts of tiles by packs up to this size. Of larger ones, asking each element
  // whether it is the input's takes longer than rows that are joined.
  constexpr std::uint32_t widest_led = 8;
  const std::uint32_t width = pack_width(variant, shape, tuning);
  const bool leads = width > 1 && width <= widest_led;
  KernelSpec spec = make_spec(device, variant, shape, tuning, recipe_of(variant).entry_in(variant));
  spec.defines.emplace_back("INNER_START", leads ? 1 : 0);
  const PublishedTiles tiles{.elements = span_of(variant, shape, tuning),
                             .pack = leads ? width : 1};
  return make_lookback(device, variant, shape, tiles, build_kernel(device, spec));
}

}  // namespace bifold::core
