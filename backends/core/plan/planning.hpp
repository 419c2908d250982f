// What planners share: specs from shapes and tuning, kernels from specs, launches from arguments.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <span>

#include "core/plan/plan.hpp"
#include "core/plan/turns.hpp"

namespace bifold::core {

/// Thrown by build_kernel when the compiled kernel cannot have the planned group; build_plan plans
/// again with a smaller one.
struct GroupTooLarge {
  std::uint32_t limit;

  /// The size to try after `group`; 0: none is left.
  [[nodiscard]] std::uint32_t next(std::uint32_t group) const noexcept {
    return std::min(group / 2, std::bit_floor(limit));
  }
};

constexpr std::uint64_t divide_up(std::uint64_t a, std::uint64_t b) { return a / b + (a % b != 0); }

/// The spec of `entry` in the row's own file: the row's prelude files, with the device's paths for
/// those that have several, and the tuning values in capitals as defines, with VEC for rows that
/// move packs.
KernelSpec make_spec(const Device& device, const gallery::Variant& variant, const PlanShape& shape,
                     const Tuning& tuning, std::string_view entry);

/// The row of that name. Throws invalid_argument.
const gallery::Variant& row_named(Algorithm algorithm, std::string_view name);

/// Adds the files of the prelude that stand for `file`, a word of Recipe::prelude, on this device
/// and in this shape.
void add_prelude(const Device& device, const PlanShape& shape, KernelSpec& spec,
                 std::string_view file);

/// A shape whose results stay accumulators, without an initial value in them.
PlanShape to_accumulators(PlanShape shape);

/// Whether 32 work-items exchange registers: what order v1 shares out to 32 work-items on every
/// device goes through local memory elsewhere.
bool has_lanes_of_32(const Device& device);

/// Elements of a run in a ring: those of order v1, or 16 bytes where has_long_runs().
std::uint32_t ring_run(const PlanShape& shape);

/// Runs that a lane of a ring has of a strip: one of each row, or neighbours where has_spans().
std::uint32_t ring_strip_rows(const PlanShape& shape);

/// Bytes of a run. A ring takes runs of 8 and 16 bytes, and elements of 12.
std::uint32_t ring_run_bytes(const PlanShape& shape);

/// Whether a ring looks back through totals of groups, not of tiles: of tiles it reads more words
/// than there is time for where a total takes more than one, or a tile has half as many bytes.
bool by_groups(const PlanShape& shape);

/// Whether a reduction combines the integers in a word at once, so that no order of them shows.
bool combines_words(const Device& device, const PlanShape& shape);

/// Whether vectors combine elements of one type as values do, lane by lane: integers by built-in
/// operators but the logical ones, and sums and products of floating values.
bool combines_packs(const PlanShape& shape);

/// Whether a ring takes the elements in runs of 16 bytes, folded twice: integers of 1 and 2 bytes
/// by built-in operators, for which neither the association nor the accumulator's width decides
/// about bits.
bool has_long_runs(const PlanShape& shape);
/// Whether a lane of a ring has neighbouring elements of a strip: those of 16 bytes, whose exchange
/// between lanes takes longest, by operators for which no association decides about bits. Results
/// are as long and have no padding, as they are stored at once.
bool has_spans(const PlanShape& shape);
/// Whether it is a struct of 12 bytes that lies where words do. No vector holds it.
bool is_three_words(Type type);

/// Whether results leave a ring through local memory: structs of three words. They have no padding,
/// as they are stored as words.
bool gathers_results(const PlanShape& shape);
/// Whether these are sums that are as wide as the elements: several are added in a word.
bool has_packed_sums(const PlanShape& shape);
/// Whether a ring's first tile may begin in front of the elements, where a pack does, with the
/// identity there: these sums, and integers of 4 bytes that stay what they are. No order of them
/// shows. Nor does it of 8 bytes, whose strips are stored off alignment as quickly.
bool may_begin_early(const PlanShape& shape);
/// The shape of its kernel, whose accumulators have 4 bytes then.
PlanShape in_long_runs(PlanShape shape);

/// Whether kernels are given the first value of an exclusive scan beside what they combine.
bool gives_first(const PlanShape& shape);
/// Whether kernels look at n for the initial value, as of nothing something else is the result.
bool counts_for_init(Algorithm algorithm, const PlanShape& shape);

/// The prelude file by which kernels find the initial value.
std::string init_path(Algorithm algorithm, const PlanShape& shape);
/// The one by which they find the number of elements.
std::string count_path(const DeviceValues& on_device);

/// Compiles or finds the kernel. GROUP_SIZE is 1 where the spec does not define it.
PlannedKernel build_kernel(const Device& device, const KernelSpec& spec);

/// The built-in tuning values of a row for that shape.
Tuning built_in_tuning(const Device& device, const gallery::Variant& variant,
                       const PlanShape& shape);

/// The same with those of the device's tuning file in their place.
Tuning tuning_for(const Device& device, const gallery::Variant& variant, const PlanShape& shape);

/// The row that serves all that are fewer elements than `row` is for, where production, `asked`,
/// runs that one; none where it is for any number.
const gallery::Variant* row_for_fewer(const Device& device, const gallery::Variant& asked,
                                      const PlanShape& shape, const gallery::Variant& row);

/// Elements of the shape that one pack holds.
std::uint32_t pack_width(const gallery::Variant& variant, const PlanShape& shape,
                         const Tuning& tuning);

/// Elements that one group takes at a time.
std::uint64_t span_of(const gallery::Variant& variant, const PlanShape& shape,
                      const Tuning& tuning);

/// Turns that a work-item makes for each span of elements that its group takes.
Turns turns_of_groups(const Tuning& tuning, std::uint64_t span);

/// Independent accumulators of a work-item that reduces a chunk.
std::uint32_t stripes_of(const PlanShape& shape, const Tuning& tuning);

/// The most groups that a row wants at once on this device.
std::uint64_t max_groups(const Device& device, const Tuning& tuning);

/// Scratch for `count` accumulators, and for one more where their size need not divide the place
/// at which the raw part starts.
constexpr ScratchSize accumulators(std::uint64_t count, std::size_t bytes_each) noexcept {
  const bool divides = std::has_single_bit(bytes_each);
  const std::uint64_t values = count + (divides || count == 0 ? 0 : 1);
  // No memory holds what does not fit the number either.
  constexpr std::uint64_t most = std::uint64_t{1} << 62;
  return {0, values > most / bytes_each ? most : values * bytes_each};
}

/// Groups that share out spans: at most `limit`, and more where none of them may take more than
/// `most_spans`.
constexpr std::uint64_t groups_of(std::uint64_t spans, std::uint64_t limit,
                                  std::uint64_t most_spans) {
  return std::clamp<std::uint64_t>(spans, 1, std::max(limit, divide_up(spans, most_spans)));
}

/// Accumulators that a plan keeps between its launches: at most `limit`, one per `span` elements.
struct Partials {
  std::uint64_t limit;
  std::uint64_t span;
  std::size_t bytes_each;
  std::uint64_t most_spans = no_limit;  ///< Of one group.
  std::uint64_t most = no_limit;        ///< That the group behind them combines.

  [[nodiscard]] std::uint64_t count(std::uint64_t n) const noexcept {
    return groups_of(divide_up(n, span), limit, most_spans);
  }
  /// Of which there are not too many.
  [[nodiscard]] std::uint64_t most_elements() const noexcept {
    return at_most(limit > most ? most : at_most(most, most_spans), span);
  }
  [[nodiscard]] ScratchSize scratch(std::uint64_t n) const noexcept {
    return accumulators(count(n), bytes_each);
  }
};

/// The raw part of a call's scratch as accumulators: from the first one on that lies in it, as
/// offsets count whole elements.
inline Range partials_of(const Call& call) {
  return {call.scratch.memory, divide_up(call.scratch.raw_offset, call.init.value.size())};
}

/// Chunks of the CPU rows are multiples of this many elements.
inline constexpr std::uint32_t chunk_granule = 4096;

/// The kernel of the reduction "chunks", for it and for the scan: a pass over consecutive chunks,
/// one work-item each.
PlannedKernel build_chunk_reduction(const Device& device, const PlanShape& shape,
                                    const Tuning& tuning);

inline backend::Argument argument(const StoredAccumulator& value) {
  return {value.data(), value.size()};
}
inline backend::Argument argument(const std::uint64_t& value) { return {&value, sizeof value}; }

/// Indices and counts that kernels take in one parameter, as the structs of these names in their
/// prelude. Indices count elements of what lies there, from where its memory begins.
struct ScanPlaces {
  std::uint64_t output;
  std::uint64_t control;
  std::uint64_t capacity;
  std::uint64_t tiles;
};
struct ReducePlaces {
  std::uint64_t nodes;
  std::uint64_t control;
  std::uint64_t result;
  std::uint64_t per_set;  ///< Groups of a set.
};
inline backend::Argument argument(const ScanPlaces& places) { return {&places, sizeof places}; }
inline backend::Argument argument(const ReducePlaces& places) { return {&places, sizeof places}; }

inline backend::Argument argument(const detail::Memory& memory) {
  const bool pointer = memory.kind == detail::HandleKind::pointer;
  return {&memory.handle, sizeof memory.handle,
          pointer ? backend::ArgumentKind::pointer : backend::ArgumentKind::memory,
          memory.identity};
}

/// Arguments of one launch, in the order of the kernel's parameters. It refers to the values.
template <std::size_t Most>
class ArgumentList {
 public:
  template <class T>
  void add(const T& value) {
    list_[size_++] = argument(value);
  }
  void add(const Range& range) {
    add(range.memory);
    add(range.offset);
  }
  // As INPUT_PARAMETERS in the kernels' prelude.
  void add(const Input& input) {
    add(input.first);
    if (input.lead) add(*input.lead);
    if (input.second) add(*input.second);
  }
  // As COUNT_PARAMETERS, INIT_PARAMETERS, FIRST_PARAMETERS and TOTAL_PARAMETERS in the kernels'
  // prelude.
  void add(const Count& count) {
    if (count.memory) add(*count.memory);
    add(count.n);
  }
  void add(const Init& init) {
    if (init.memory) {
      add(*init.memory);
    } else {
      add(init.value);
    }
    if (!init.counted) return;
    add(init.counted->nothing);
    add(init.counted->count);
  }
  void add(const First& first) {
    if (first.given) add(*first.given);
  }
  void add(const Total& total) {
    if (total.memory) add(*total.memory);
    add(total.first);
  }
  [[nodiscard]] std::span<const backend::Argument> all() const {
    return std::span(list_).first(size_);
  }

 private:
  std::array<backend::Argument, Most> list_{};
  std::size_t size_ = 0;
};

/// Launches `groups` groups with the arguments in the order of the kernel's parameters.
template <class... Arguments>
void launch(backend::Queue& queue, const PlannedKernel& planned, std::uint64_t groups,
            const Arguments&... arguments) {
  constexpr std::size_t most_of_one = 5;  // Two arrays, their offsets and a lead.
  ArgumentList<sizeof...(Arguments) * most_of_one> list;
  (list.add(arguments), ...);
  queue.launch(*planned.kernel, groups, planned.group_size, list.all());
}

}  // namespace bifold::core
