#include "core/sequences/selections.hpp"

#include <algorithm>
#include <bifold/error.hpp>
#include <utility>

#include "core/plan/make_spec.hpp"
#include "core/plan/partials.hpp"
#include "core/plan/planning.hpp"
#include "core/sequences/lookback.hpp"

namespace bifold::core {

namespace {

using detail::Plan;

// What a group gathers fits local memory, whatever a tuning says.
Tuning fitted(const PlanShape& shape, const Tuning& tuning) {
  constexpr std::uint64_t most_bytes = 32768;
  const std::uint64_t row_bytes = tuning.group_size.value() * size_of(shape.output);
  const std::uint64_t most = std::max<std::uint64_t>(most_bytes / row_bytes, 1);
  Tuning values = tuning;
  values.per_item =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(tuning.per_item.value(), most));
  return values;
}

PlannedKernel build_selection(const Request& request, const Row& row, const Tuning& tuning,
                              std::string_view entry) {
  return build_kernel(request.device, make_spec(request, row, tuning, entry));
}

// Counts are published by tiles, and looked back through.
class OnePass final : public Plan {
 public:
  OnePass(const Request& request, const gallery::Variant& variant, std::uint64_t tile,
          std::uint64_t most_groups, PlannedKernel kernel)
      : Plan(request, variant),
        tile_(tile),
        most_groups_(most_groups),
        ordered_(request.device.capabilities().acquire_release),
        kernel_(std::move(kernel)) {}

  [[nodiscard]] ScratchSize scratch_size(std::uint64_t n) const noexcept override {
    const std::uint64_t words = divide_up(accumulator_bytes(), 4);
    return {(control_words + divide_up(n, tile_) * words) * word_bytes, 0};
  }

  void enqueue(const Call& call) const override {
    // Of no elements, a tile without any leaves the count.
    const std::uint64_t tiles = std::max<std::uint64_t>(divide_up(call.count.n, tile_), 1);
    const ScanPlaces scan = lookback_places(call, tiles, ordered_);
    const SelectPlaces places{scan.output, call.room, scan.control, scan.capacity, scan.tiles};
    launch(call.queue, kernel_, std::min(tiles, most_groups_), call.input, call.count,
           call.output.memory, call.scratch.memory, places, call.total);
  }

 private:
  std::uint64_t tile_;
  std::uint64_t most_groups_;
  bool ordered_;
  PlannedKernel kernel_;
};

// Blocks of tiles are counted, and stored behind those before them.
class TwoPasses final : public Plan {
 public:
  TwoPasses(const Request& request, const gallery::Variant& variant, Partials partials,
            PlannedKernel count, PlannedKernel store)
      : Plan(request, variant),
        partials_(partials),
        count_(std::move(count)),
        store_(std::move(store)) {}

  [[nodiscard]] ScratchSize scratch_size(std::uint64_t n) const noexcept override {
    return partials_.scratch(n);
  }

  [[nodiscard]] std::uint64_t most_elements(std::uint64_t /*n*/) const noexcept override {
    return partials_.most_elements();
  }

  void enqueue(const Call& call) const override {
    if (call.in_place) {
      throw Error(ErrorCategory::unsupported,
                  "a selection in two passes overwrites elements that it has not read: in place it "
                  "takes a device whose groups may wait for each other");
    }
    const std::uint64_t blocks = partials_.count(call.count.n);
    const Range partials = partials_of(call);
    const SelectPlaces places{call.output.offset, call.room, 0, 0, 0};
    launch(call.queue, count_, blocks, call.input, call.count, partials);
    launch(call.queue, store_, blocks, call.input, call.count, partials, call.output.memory, places,
           call.total);
  }

 private:
  Partials partials_;
  PlannedKernel count_;
  PlannedKernel store_;
};

}  // namespace

std::shared_ptr<const Plan> plan_select_lookback(const Request& request, const Row& row,
                                                 const Tuning& tuning) {
  const Tuning values = fitted(request.shape, tuning);
  return std::make_shared<OnePass>(request, row.variant, span_of(row, request.shape, values),
                                   no_limit, build_selection(request, row, values, row.entry()));
}

std::shared_ptr<const Plan> plan_select_drawn(const Request& request, const Row& row,
                                              const Tuning& tuning) {
  // What a work-item gathers stays in the first caches.
  constexpr std::uint32_t gathered_bytes = 16384;
  const auto tile =
      gathered_bytes / static_cast<std::uint32_t>(std::max<std::size_t>(
                           size_of(request.shape.output), size_of(request.shape.accumulator)));
  Tuning values = tuning;
  values.group_size = 1;
  KernelSpec spec = make_spec(request, row, values, row.entry());
  spec.defines.emplace_back("TILE", tile);
  return std::make_shared<OnePass>(request, row.variant, tile, max_groups(request.device, tuning),
                                   build_kernel(request.device, spec));
}

std::shared_ptr<const Plan> plan_select_passes(const Request& request, const Row& row,
                                               const Tuning& tuning) {
  const Tuning values = fitted(request.shape, tuning);
  const std::uint64_t span = span_of(row, request.shape, values);
  const std::uint64_t spans = most_spans(request.device, turns_of_groups(values, span));
  // A group adds up the counts of those before it, a group's width at a time.
  const Partials partials{max_groups(request.device, tuning), span,
                          size_of(request.shape.accumulator), spans, at_most(spans, span)};
  return std::make_shared<TwoPasses>(request, row.variant, partials,
                                     build_selection(request, row, values, "count_tiles"),
                                     build_selection(request, row, values, "store_tiles"));
}

}  // namespace bifold::core
