// Plans: a variant with its kernels built and its launch sequence known.
#pragma once

#include <array>
#include <bifold/device.hpp>
#include <bifold/device_values.hpp>
#include <bifold/gallery.hpp>
#include <bifold/map.hpp>
#include <bifold/order.hpp>
#include <bifold/reduce.hpp>
#include <bifold/scan.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "core/base/sizes.hpp"
#include "core/device/scratch.hpp"
#include "core/element/accumulator.hpp"
#include "core/kernel/kernel_source.hpp"
#include "core/tuning/tuning.hpp"
#include "interface.hpp"

namespace bifold::core {

/// What is asked of a planner: one shape for both algorithms; `kind` is a scan's.
struct PlanShape {
  Type input;
  Type accumulator;
  Type output;
  ScanKind kind = ScanKind::inclusive;
  Operator op;
  Map map{};
  DeviceValues on_device{};
  Order order = Order::v1;
  std::optional<Type> second{};  ///< Elements of a second array, which a reduction's map takes too.
  Sizes sizes{};                 ///< That the plan serves at least.
};

/// A range of memory as kernels take it: the memory and an element offset.
struct Range {
  detail::Memory memory;
  std::uint64_t offset;
  /// Of input and output, how they lie: the first byte's address, or its place in an object that is
  /// aligned for everything. Nothing of memory that the host lent to an object: a device may have a
  /// copy.
  std::optional<std::uint64_t> start{};
};

/// What is reduced or scanned: one array, or pairs of elements of two.
struct Input {
  Range first;
  std::optional<Range> second{};
  /// Of kernels that take it: elements from where a pack begins to the first one.
  std::optional<std::uint64_t> lead{};
};

/// The number of elements: in device memory where there is a range, and then `n` at most.
struct Count {
  std::uint64_t n;
  std::optional<Range> memory{};
};

/// The initial value, as kernels hold an accumulator: in device memory where there is a range.
struct Init {
  /// Where n lies in device memory: what stands for the value of nothing, and n.
  struct Counted {
    StoredAccumulator nothing;
    Range count;
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

/// One call's data, checked and ready: n is at least 1 where all values are the host's.
struct Call {
  backend::Queue& queue;
  Input input;
  Range output;
  Count count;
  Init init;
  Total total;
  bool in_place;
  Scratch scratch;
};

/// A kernel with the group size it was compiled for.
struct PlannedKernel {
  std::shared_ptr<const backend::Kernel> kernel;
  std::uint32_t group_size = 1;
};

}  // namespace bifold::core

namespace bifold::detail {

struct QueueState;

/// Immutable; shared between threads. One class per launch sequence, in *_sequences.cpp.
class Plan {
 public:
  Plan(const Device& device, const gallery::Variant& variant, core::PlanShape shape);
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

 private:
  const void* context_;
  const void* device_;
  const gallery::Variant& variant_;
  core::PlanShape shape_;
  bool gives_first_;
  bool counts_for_init_;
};

}  // namespace bifold::detail

namespace bifold::core {

/// The row that runs on this device for `name` ("production" resolved), after checking that it
/// can. Throws invalid_argument for an unknown name or an operator not defined on the accumulator,
/// unsupported with the reason when the device cannot run it.
const gallery::Variant& choose_variant(const Device& device, Algorithm algorithm,
                                       std::string_view name, const PlanShape& shape);

/// Builds the plan of a row; compiles what is not in the kernel cache.
std::shared_ptr<const detail::Plan> build_plan(const Device& device,
                                               const gallery::Variant& variant,
                                               const PlanShape& shape, const Tuning& tuning);

/// Whom a plan is for: a call of up to n elements.
struct Caller {
  detail::QueueState& queue;
  std::uint64_t n;
};

/// The device's plan of that shape, built at the first use: for all sizes, or at least for that of
/// a call, which compiles no other kernel than it runs. For a call, throws unsupported when it
/// would be built while the queue's work is captured in a graph.
std::shared_ptr<const detail::Plan> find_plan(const Device& device, Algorithm algorithm,
                                              std::string_view variant, PlanShape shape,
                                              const std::optional<Caller>& caller = {});

/// Plans with tuning values of the caller's choice, for tests and for the tuner. They are not kept
/// by the device.
ReducePlan make_plan(const Device& device, const ReduceShape& shape, const Tuning& tuning);
ScanPlan make_plan(const Device& device, const ScanShape& shape, const Tuning& tuning);

/// An initial value as the operator counts it: logical ones count it as 0 or 1, as an element.
Value lift(const Operator& op, const Value& init);

/// A number as one of another type, rounded once.
Value convert(const Value& value, Type to);

/// The memory of a call. It refers to the views.
struct CallViews {
  const ErasedView& input;
  const std::optional<ErasedView>& second;
  const ErasedView& output;
};

/// What the options of both algorithms say of a call. It refers to them.
struct CallOptions {
  const std::vector<Event>& wait;
  Event* done;
  const Workspace* workspace;
  const std::optional<ErasedView>& count_from;
  const std::optional<ErasedView>& init_from;
  const std::optional<ErasedView>& total;
};

/// What a plan has to be made for, to be called with these options.
inline DeviceValues values_on_device(const CallOptions& options) {
  DeviceValues values{{}, options.init_from.has_value(), options.total.has_value()};
  if (options.count_from) values.count = options.count_from->type;
  return values;
}

/// Bytes of workspace for calls of a plan on up to n elements.
std::uint64_t workspace_bytes(const detail::Plan& plan, std::uint64_t n) noexcept;

/// Checks a call, gathers its scratch and enqueues it under the queue's lock: the one way that both
/// algorithms go. Of nothing the result is `of_nothing`; without one it is init, or else
/// Operator::of_nothing().
void run_plan(const detail::Plan& plan, Queue& queue, const CallViews& views,
              const std::optional<Value>& init, const CallOptions& options,
              const std::optional<Value>& of_nothing = {});

/// An initial value, and what is the result of nothing.
struct Beginning {
  Value init;
  Value of_nothing;
};

/// As the transform_reduce() that returns a value of init's type.
Value transform_reduce(Queue& queue, const ErasedView& input, const Operator& op,
                       const Beginning& beginning, const Map& map, const ReduceOptions& options);

}  // namespace bifold::core
