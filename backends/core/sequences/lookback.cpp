#include "core/sequences/lookback.hpp"

#include <algorithm>
#include <bifold/error.hpp>
#include <limits>
#include <utility>

#include "core/operators/initial_value.hpp"
#include "core/plan/planning.hpp"

namespace bifold::core {

namespace {

class Lookback final : public detail::Plan {
 public:
  Lookback(const Request& request, const gallery::Variant& variant, PublishedTiles tiles,
           PlannedKernel kernel, std::uint64_t max_groups, Type accumulator)
      : Plan(request, variant),
        accumulator_(accumulator),
        tiles_(tiles),
        ordered_(request.device.capabilities().acquire_release),
        kernel_(std::move(kernel)),
        max_groups_(max_groups) {}

  [[nodiscard]] ScratchSize scratch_size(std::uint64_t n) const noexcept override {
    const std::uint64_t misalignment = tiles_.vector == 0 ? 0 : tiles_.vector - 1;
    const std::uint64_t most = std::numeric_limits<std::uint64_t>::max() - misalignment;
    return lookback_scratch(tiles_.values(std::min(n, most) + misalignment),
                            AccumulatorLayout(shape().op, accumulator_).bytes);
  }

  void enqueue(const Call& call) const override {
    Input input = call.input;
    if (tiles_.vector > 0) input.misalignment = common_misalignment(call);
    // Of no elements, a tile without any leaves the total.
    const std::uint64_t tiles =
        std::max<std::uint64_t>(tiles_.count(call.count.n + input.misalignment.value_or(0)), 1);
    const ScanPlaces places = lookback_places(call, tiles, ordered_);
    launch(call.queue, kernel_, std::min(tiles, max_groups_), input, call.count, call.output.memory,
           call.more_outputs, init_of(call), call.scratch.memory, places, call.total);
  }

 private:
  // That of input and output, if it is the same.
  [[nodiscard]] std::uint64_t common_misalignment(const Call& call) const noexcept {
    const auto input = misalignment_of(call.input.first, size_of(shape().input));
    const auto output = misalignment_of(call.output, size_of(shape().output));
    return input && input == output ? *input : 0;
  }
  [[nodiscard]] std::optional<std::uint64_t> misalignment_of(
      const Range& range, std::uint64_t bytes_each) const noexcept {
    if (!range.start) return {};
    return *range.start % (tiles_.vector * bytes_each) / bytes_each;
  }

  [[nodiscard]] Init init_of(const Call& call) const {
    const Type given = shape().accumulator;
    if (given == accumulator_) return call.init;
    const Value value = convert(Value::from_bytes(given, call.init.value.data()), accumulator_);
    return {StoredAccumulator(shape().op, accumulator_, value)};
  }

  Type accumulator_;
  PublishedTiles tiles_;
  bool ordered_;
  PlannedKernel kernel_;
  std::uint64_t max_groups_;
};

}  // namespace

// As ACC_WORDS in words: 32 bits of a value travel in one word.
ScratchSize lookback_scratch(std::uint64_t values, std::size_t bytes_each) noexcept {
  return {(control_words + values * divide_up(bytes_each, 4)) * word_bytes, 0};
}

ScanPlaces lookback_places(const Call& call, std::uint64_t tiles, bool acquire_release) {
  if (tiles > std::numeric_limits<std::uint32_t>::max()) {
    throw Error(ErrorCategory::unsupported,
                "a look-back scan counts its tiles in 32 bits; this input has more");
  }
  if (call.in_place && !acquire_release) {
    throw Error(ErrorCategory::unsupported,
                "a look-back scan in place needs device-scope acquire and release, which this "
                "device does not promise");
  }
  return {.output = call.output.offset,
          .control = control_of(call.scratch),
          .capacity = call.scratch.tagged_bytes / word_bytes - control_words,
          .tiles = tiles};
}

std::uint64_t PublishedTiles::count(std::uint64_t n) const noexcept {
  return divide_up(n, elements);
}

std::uint64_t PublishedTiles::values(std::uint64_t n) const noexcept {
  return count(n) + (per_group == 0 ? 0 : count(n) / per_group + 1);
}

std::shared_ptr<const detail::Plan> make_lookback(const Request& request,
                                                  const gallery::Variant& variant,
                                                  PublishedTiles tiles, PlannedKernel kernel,
                                                  std::uint64_t max_groups,
                                                  std::optional<Type> accumulator) {
  return std::make_shared<Lookback>(request, variant, tiles, std::move(kernel), max_groups,
                                    accumulator.value_or(request.shape.accumulator));
}

}  // namespace bifold::core
