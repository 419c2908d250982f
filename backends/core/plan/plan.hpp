// Plans: a variant with its kernels built and its launch sequence known.
#pragma once

#include <array>
#include <bifold/device.hpp>
#include <bifold/gallery.hpp>
#include <bifold/lines.hpp>
#include <bifold/map.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "core/base/sizes.hpp"
#include "core/device/scratch.hpp"
#include "core/element/accumulator.hpp"
#include "core/kernel/scalars.hpp"
#include "core/plan/keeping.hpp"
#include "core/shape/plan_shape.hpp"
#include "core/shape/request.hpp"
#include "interface.hpp"

namespace bifold::core {

/// A range of memory as kernels take it: the memory and an element offset.
struct Range {
  detail::Memory memory;
  std::uint64_t offset;
  /// Of input and output, how they lie: the first byte's address, or its place in an object that is
  /// aligned for everything. Nothing of memory that the host lent to an object: a device may have a
  /// copy.
  std::optional<std::uint64_t> start{};
};

/// Arrays that a call takes beside others.
struct MoreRanges {
  std::array<Range, max_outputs - 1> ranges{};
  std::size_t count = 0;

  [[nodiscard]] std::span<const Range> all() const noexcept {
    return std::span(ranges).first(count);
  }
};

/// What is reduced or scanned: one array, or elements of several, taken together.
struct Input {
  Range first;
  std::optional<Range> second{};
  MoreRanges more{};
  /// Of kernels that take it: elements between a 16-byte boundary and the first one.
  std::optional<std::uint64_t> misalignment{};
};

/// The number of elements: in device memory where there is a range, and then `n` at most.
struct Count {
  std::uint64_t n;
  std::optional<Range> memory{};
};

/// The initial value, as kernels hold an accumulator: in device memory where there is a range.
struct Init {
  /// What stands for the value of nothing, and n, where that lies in device memory.
  struct Counted {
    StoredAccumulator nothing;
    std::optional<Range> count{};
  };
  StoredAccumulator value;
  std::optional<Range> memory{};
  std::optional<Counted> counted{};
};

/// The first value of an exclusive scan, where kernels are given it.
struct First {
  std::optional<StoredAccumulator> given{};
};

/// Where the total of a scan goes, if it is asked for, and the first value, which goes with it.
struct Total {
  std::optional<Range> memory{};
  First first{};
};

/// Where the lines of a call lie, as kernels over lines take it. The ranges of the call begin with
/// the first element of line 0.
struct CallLines {
  Lines input;
  Lines second;
  Lines output;
  Count count{1};             ///< Lines.
  bool init_of_each = false;  ///< Each line has an initial value of its own in device memory.
};

/// Where the segments of a call lie.
struct CallSegments {
  Range begins{};
  Range ends{};
  std::optional<Range> faults{};
};

/// Where the keys of a call lie, and what it leaves of them.
struct CallKeys {
  Range keys{};
  Range unique{};
  Range runs{};
};

/// A scalar of a call: its value as kernels compute with it, or where it lies.
struct CallScalar {
  Value value{};
  std::optional<Range> memory{};
};

/// Where a call's launches go, with the scalars that kernels may ask for, in the order of
/// PlanShape::scalars.
struct CallQueue {
  backend::Queue& backend;
  std::span<const CallScalar> scalars{};
};

/// One call's data, checked and ready: n is at least 1 where all values are the host's.
struct Call {
  CallQueue queue;
  Input input;
  Range output;
  MoreRanges more_outputs;
  Count count;  ///< Of a line.
  Init init;
  Total total;
  bool in_place;
  Scratch scratch;
  CallLines lines{};
  std::uint64_t room = 0;   ///< Elements that the output has places for.
  CallSegments segments{};  ///< As many as lines, where the plan takes them.
  CallKeys keys{};          ///< As many as elements, where it takes those.
};

/// A kernel with the group size it was compiled for.
struct PlannedKernel {
  std::shared_ptr<const backend::Kernel> kernel;
  std::uint32_t group_size = 1;
  KernelScalars scalars{};
};

}  // namespace bifold::core

namespace bifold::detail {

/// Immutable; shared between threads. One class per launch sequence, in sequences/.
class Plan {
 public:
  Plan(const core::Request& request, const gallery::Variant& variant);
  virtual ~Plan() = default;
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;

  [[nodiscard]] const gallery::Variant& variant() const noexcept { return variant_; }
  [[nodiscard]] const core::PlanShape& shape() const noexcept { return shape_; }
  /// Bytes of an accumulator in its kernels.
  [[nodiscard]] std::size_t accumulator_bytes() const noexcept {
    return core::AccumulatorLayout(shape_.op, shape_.accumulator).bytes;
  }
  /// Whether the kernels were built for that device.
  [[nodiscard]] bool runs_on(const backend::Device& device) const noexcept {
    return context_ == device.context() && device_ == device.identity();
  }

  /// Scratch for any input of up to n elements; monotone in n.
  [[nodiscard]] virtual core::ScratchSize scratch_size(std::uint64_t n) const noexcept = 0;
  /// The same for up to `lines` lines of up to n elements each.
  [[nodiscard]] virtual core::ScratchSize scratch_size_of_lines(
      std::uint64_t n, std::uint64_t /*lines*/) const noexcept {
    return scratch_size(n);
  }
  /// The row that runs for n elements.
  [[nodiscard]] virtual const gallery::Variant& variant_for(std::uint64_t /*n*/) const noexcept {
    return variant_;
  }
  /// Whether its kernels are given the first value of an exclusive scan.
  [[nodiscard]] bool gives_first() const noexcept { return gives_first_; }
  /// Whether they look at n for the initial value.
  [[nodiscard]] bool counts_for_init() const noexcept { return counts_for_init_; }

  /// The sizes that it can be called with: those of its shape at least.
  [[nodiscard]] virtual core::Sizes serves() const noexcept { return {}; }
  /// Elements that a call of n may have, at most: any number where loops are as long as written.
  [[nodiscard]] virtual std::uint64_t most_elements(std::uint64_t /*n*/) const noexcept {
    return ~std::uint64_t{0};
  }
  /// Enqueues the launches of one call.
  virtual void enqueue(const core::Call& call) const = 0;

  [[nodiscard]] core::Keeping& keeping() const noexcept { return keeping_; }

 private:
  mutable core::Keeping keeping_;
  const void* context_;
  const void* device_;
  const gallery::Variant& variant_;
  core::PlanShape shape_;
  bool gives_first_;
  bool counts_for_init_;
};

}  // namespace bifold::detail

namespace bifold::core {

/// Whether kernels are given the first value of an exclusive scan beside what they combine.
bool gives_first(const PlanShape& shape);
/// Whether kernels look at n for the initial value, as of nothing something else is the result.
bool counts_for_init(Algorithm algorithm, const PlanShape& shape);

}  // namespace bifold::core
