#include "core/sequences/selections.hpp"

#include <algorithm>
#include <bifold/error.hpp>
#include <bifold/order.hpp>
#include <optional>
#include <utility>

#include "core/plan/make_spec.hpp"
#include "core/plan/partials.hpp"
#include "core/plan/planning.hpp"
#include "core/sequences/lookback.hpp"
#include "core/sequences/order_tiles.hpp"
#include "core/shape/check_shape.hpp"

namespace bifold::core {

namespace {

using detail::Plan;

// Of an element that is kept.
std::size_t result_bytes(const PlanShape& shape) {
  std::size_t bytes = size_of(shape.output);
  for (const OutputShape& beside : shape.more_outputs) bytes += size_of(beside.type);
  return bytes;
}

// What a group gathers fits local memory, whatever a tuning says.
Tuning fitted(const PlanShape& shape, const Tuning& tuning) {
  constexpr std::uint64_t most_bytes = 32768;
  // What is exchanged where lanes cannot. Beside one output it was not counted when that was
  // measured.
  constexpr std::uint64_t exchanged_each = 8;
  const std::uint64_t exchanged =
      shape.more_outputs.empty() ? 0 : exchanged_each * tuning.group_size.value();
  const std::uint64_t row_bytes = tuning.group_size.value() * result_bytes(shape);
  const std::uint64_t most = std::max<std::uint64_t>((most_bytes - exchanged) / row_bytes, 1);
  Tuning values = tuning;
  values.per_item =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(tuning.per_item.value(), most));
  return values;
}

constexpr std::string_view lookback = "select_lookback";
constexpr std::string_view passes = "select_passes";

PlannedKernel build_selection(const Request& request, std::string_view family, const Tuning& tuning,
                              std::string_view entry) {
  return build_kernel(request.device,
                      make_spec(request, {Algorithm::select, family}, tuning, entry));
}

// Of a tile in a ring (`RingFlags` in ring_flags): words of whole runs' flags for each lane.
std::uint32_t flag_bytes(const Layout& layout) {
  const std::uint32_t runs = 32 / layout.run;
  const std::uint32_t words = (layout.warp_tile_rows + runs - 1) / runs;
  return order_v1::scan_warp_tiles * order_v1::scan_row_runs * words * 4;
}

SelectPlaces select_places(const Call& call, std::uint64_t tiles, bool acquire_release) {
  const ScanPlaces scan = lookback_places(call, tiles, acquire_release);
  return {scan.output, call.room, scan.control, scan.capacity, scan.tiles};
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
    return lookback_scratch(divide_up(n, tile_), accumulator_bytes());
  }

  void enqueue(const Call& call) const override {
    // Of no elements, a tile without any leaves the count.
    const std::uint64_t tiles = std::max<std::uint64_t>(divide_up(call.count.n, tile_), 1);
    const SelectPlaces places = select_places(call, tiles, ordered_);
    launch(call.queue, kernel_, std::min(tiles, most_groups_), call.input, call.count,
           call.output.memory, call.scratch.memory, places, call.total, call.more_outputs);
  }

 private:
  std::uint64_t tile_;
  std::uint64_t most_groups_;
  bool ordered_;
  PlannedKernel kernel_;
};

// A launch whose groups count what is kept of consecutive blocks.
struct Counting {
  Partials partials;
  PlannedKernel kernel;
};

// Groups that stay look back through a ring. A tile that its group is late with is counted by
// others from the input: so what overwrites that is another plan's. What lies behind all that is
// kept wants that counted first.
class Ring final : public Plan {
 public:
  struct Kernels {
    PlannedKernel select;
    std::optional<Counting> count;
    std::shared_ptr<const Plan> in_place;  // None where no call may be in place.
  };
  Ring(const Request& request, const gallery::Variant& variant, PublishedTiles tiles,
       Kernels kernels)
      : Plan(request, variant),
        tiles_(tiles),
        groups_(request.device.capabilities().compute_units),
        ordered_(request.device.capabilities().acquire_release),
        kernels_(std::move(kernels)) {}

  [[nodiscard]] ScratchSize scratch_size(std::uint64_t n) const noexcept override {
    ScratchSize size = lookback_scratch(tiles_.values(n), accumulator_bytes());
    if (kernels_.in_place) {
      size.tagged_bytes =
          std::max(size.tagged_bytes, kernels_.in_place->scratch_size(n).tagged_bytes);
    }
    if (kernels_.count) size.raw_bytes = kernels_.count->partials.scratch(n).raw_bytes;
    return size;
  }

  [[nodiscard]] std::uint64_t most_elements(std::uint64_t n) const noexcept override {
    return kernels_.count ? kernels_.count->partials.most_elements() : Plan::most_elements(n);
  }

  void enqueue(const Call& call) const override {
    if (call.in_place && kernels_.in_place) {
      kernels_.in_place->enqueue(call);
      return;
    }
    const std::uint64_t tiles = std::max<std::uint64_t>(tiles_.count(call.count.n), 1);
    const std::uint64_t groups = std::min(tiles, groups_);
    const SelectPlaces places = select_places(call, tiles, ordered_);
    if (!kernels_.count) {
      launch(call.queue, kernels_.select, groups, call.input, call.count, call.output.memory,
             call.scratch.memory, places, call.total);
      return;
    }
    const std::uint64_t blocks = kernels_.count->partials.count(call.count.n);
    const Range partials = partials_of(call);
    launch(call.queue, kernels_.count->kernel, blocks, call.input, call.count, partials);
    launch(call.queue, kernels_.select, groups, call.input, call.count, call.output.memory,
           call.scratch.memory, places, partials, blocks, call.total);
  }

 private:
  PublishedTiles tiles_;
  std::uint64_t groups_;
  bool ordered_;
  Kernels kernels_;
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
           call.total, call.more_outputs);
  }

 private:
  Partials partials_;
  PlannedKernel count_;
  PlannedKernel store_;
};

// Whether there are calls in place: by the rule, and over elements or flags of the results' size.
bool may_be_in_place(const PlanShape& shape) {
  const auto alike = [&](Type type) { return size_of(type) == size_of(shape.output); };
  return replaces_elements(shape) && std::ranges::any_of(arrays_of(shape), alike);
}

Counting plan_counting(const Request& request, const Row& row, const Tuning& values) {
  const std::uint64_t span = span_of(row, request.shape, values);
  const std::uint64_t spans = most_spans(request.device, turns_of_groups(values, span));
  // A group adds up the counts of those before it, a group's width at a time.
  return {{max_groups(request.device, values), span, size_of(request.shape.accumulator), spans,
           at_most(spans, span)},
          build_selection(request, passes, values, "count_tiles")};
}

}  // namespace

std::shared_ptr<const Plan> plan_select_lookback(const Request& request, const Row& row,
                                                 const Tuning& tuning) {
  const Tuning values = fitted(request.shape, tuning);
  return std::make_shared<OnePass>(request, row.variant, span_of(row, request.shape, values),
                                   no_limit, build_selection(request, lookback, values, lookback));
}

std::shared_ptr<const Plan> plan_select_ring(const Request& request, const Row& row,
                                             const Tuning& tuning) {
  constexpr std::uint32_t looking = 2;
  constexpr std::uint32_t vector_bytes = 16;
  const Layout& layout = request.layout;
  const Selection selection = request.shape.selection.value_or(Selection{});
  const RingMemory memory =
      ring_memory(request, request.shape.accumulator, tuning.stages.value(),
                  {.gathered_bytes = gathered_bytes(request.shape, layout, true),
                   .noted_bytes = flag_bytes(layout),
                   .lead_bytes = selection.by_runs ? vector_bytes : 0});
  const PublishedTiles tiles{ring_tile(layout), order_v1::scan_group_tiles};
  Ring::Kernels kernels{
      build_ring_kernel(request, row, tuning, memory, looking, {{"LOOKING", looking}}), {}, {}};
  // Of the kernels beside it, what they take by default.
  const Tuning beside{.group_size = 256, .per_item = 16, .groups_per_unit = 6};
  if (selection.rejected == Rejected::in_order) {
    kernels.count = plan_counting(request, row, fitted(request.shape, beside));
  }
  if (may_be_in_place(request.shape)) {
    kernels.in_place = plan_select_lookback(request, row, beside);
  }
  return std::make_shared<Ring>(request, row.variant, tiles, std::move(kernels));
}

std::shared_ptr<const Plan> plan_select_drawn(const Request& request, const Row& row,
                                              const Tuning& tuning) {
  // What a work-item gathers stays in the first caches.
  constexpr std::uint32_t gathered_bytes = 16384;
  const auto tile =
      gathered_bytes / static_cast<std::uint32_t>(std::max<std::size_t>(
                           result_bytes(request.shape), size_of(request.shape.accumulator)));
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
  Counting counting = plan_counting(request, row, values);
  return std::make_shared<TwoPasses>(request, row.variant, counting.partials,
                                     std::move(counting.kernel),
                                     build_selection(request, passes, values, "store_tiles"));
}

}  // namespace bifold::core
