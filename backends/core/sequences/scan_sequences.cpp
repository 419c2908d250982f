#include "core/sequences/scan_sequences.hpp"

#include <utility>

#include "core/plan/make_spec.hpp"
#include "core/plan/planning.hpp"
#include "core/sequences/chunk_reduction.hpp"
#include "core/sequences/lookback.hpp"

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
  ReduceThenScan(const Request& request, const gallery::Variant& variant, Partials partials,
                 Kernels kernels)
      : Plan(request, variant), partials_(partials), kernels_(std::move(kernels)) {}

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
  LevelScan(const Request& request, const gallery::Variant& variant, std::uint64_t span,
            Kernels elements, Kernels totals)
      : Plan(request, variant),
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

std::shared_ptr<const Plan> plan_reduce_then_scan(const Request& request, const Row& row,
                                                  const Tuning& tuning) {
  const auto kernel = [&](std::string_view entry) {
    return build_kernel(request.device, make_spec(request, row, tuning, entry));
  };
  const std::uint64_t span = span_of(row, request.shape, tuning);
  // The group that scans the results of the others takes them by spans, too.
  const std::uint64_t spans = most_spans(request.device, turns_of_groups(tuning, span));
  const Partials partials{max_groups(request.device, tuning), span,
                          size_of(request.shape.accumulator), spans, at_most(spans, span)};
  return std::make_shared<ReduceThenScan>(
      request, row.variant, partials,
      ReduceThenScan::Kernels{kernel("reduce_tiles"), kernel("scan_partials"),
                              kernel("scan_tiles")});
}

std::shared_ptr<const Plan> plan_chunked_scan(const Request& request, const Row& row,
                                              const Tuning& tuning) {
  const auto kernel = [&](std::string_view entry) {
    KernelSpec spec = make_spec(request, row, {}, entry);
    spec.defines.emplace_back("TILE", chunk_granule);
    // A user's operator may take long.
    if (request.shape.op.kind() != OperatorKind::user) spec.defines.emplace_back("IN_RUNS", 1);
    return build_kernel(request.device, spec);
  };
  const Partials partials{
      max_groups(request.device, tuning), chunk_granule, size_of(request.shape.accumulator),
      std::min(most_spans(request.device, turns_of_stripes(stripes_of(request.shape, tuning))),
               most_spans(request.device, turns_of_chunk_scan())),
      most_spans(request.device, turns_of_chunk_results())};
  return std::make_shared<ReduceThenScan>(
      request, row.variant, partials,
      ReduceThenScan::Kernels{build_chunk_reduction(request, tuning), kernel("scan_chunk_results"),
                              kernel("scan_chunks")});
}

std::shared_ptr<const Plan> plan_level_scan(const Request& request, const Row& row,
                                            const Tuning& tuning) {
  // Blocks of one element would have as many totals as elements, level after level.
  Tuning values = tuning;
  if (span_of(row, request.shape, values) == 1) values.per_item = 2;
  const auto kernels = [&](const PlanShape& of,
                           std::span<const ForcedPart> forced) -> LevelScan::Kernels {
    const auto kernel = [&](std::string_view entry) {
      return build_kernel(request.device, make_spec(request.with(of), row, values, entry, forced));
    };
    return {kernel("reduce_blocks"), kernel("scan_blocks")};
  };
  // A carry is what stands before its block, the first one what stands before all elements.
  constexpr ForcedPart carried[] = {{"first", "first_carry"}};
  PlanShape totals = over_accumulators(request.shape);
  totals.kind = ScanKind::exclusive;
  return std::make_shared<LevelScan>(request, row.variant, span_of(row, request.shape, values),
                                     kernels(request.shape, {}), kernels(totals, carried));
}

std::shared_ptr<const Plan> plan_lookback(const Request& request, const Row& row,
                                          const Tuning& tuning) {
  return make_lookback(request, row.variant, {span_of(row, request.shape, tuning)},
                       build_kernel(request.device, make_spec(request, row, tuning, row.entry())));
}

std::shared_ptr<const Plan> plan_aligned_lookback(const Request& request, const Row& row,
                                                  const Tuning& tuning) {
  // The kernel moves parts of tiles by vectors of up to so many elements. Of larger ones, asking
  // each element whether it is the input's takes longer than rows that are joined.
  constexpr std::uint32_t widest_aligned = 8;
  const std::uint32_t width = vector_width(row, request.shape, tuning);
  const bool aligns = width > 1 && width <= widest_aligned;
  KernelSpec spec = make_spec(request, row, tuning, row.entry());
  spec.defines.emplace_back("INNER_START", aligns ? 1 : 0);
  const PublishedTiles tiles{.elements = span_of(row, request.shape, tuning),
                             .vector = aligns ? width : 1};
  return make_lookback(request, row.variant, tiles, build_kernel(request.device, spec));
}

}  // namespace bifold::core
