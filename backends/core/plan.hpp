// Plans: a variant with its kernels built and its launch sequence known.
#pragma once

#include <array>
#include <bifold/device.hpp>
#include <bifold/gallery.hpp>
#include <bifold/map.hpp>
#include <bifold/reduce.hpp>
#include <bifold/scan.hpp>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "core/arena.hpp"
#include "core/kernel_source.hpp"
#include "core/tuning.hpp"
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
};

/// A range of memory as kernels take it: the memory and an element offset.
struct Range {
  detail::Memory memory;
  std::uint64_t offset;
};

/// One call's data, checked and ready: n is at least 1.
struct Call {
  backend::Queue& queue;
  Range input;
  Range output;
  std::uint64_t n;
  Value init;  // Of the accumulator's type.
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
  /// Whether the kernels were built for that device.
  [[nodiscard]] bool runs_on(const backend::Device& device) const noexcept {
    return context_ == device.context() && device_ == device.identity();
  }

  /// Scratch for any input of up to n elements; monotone in n.
  [[nodiscard]] virtual core::ScratchSize scratch_size(std::uint64_t n) const noexcept = 0;
  /// Enqueues the launches of one call.
  virtual void enqueue(const core::Call& call) const = 0;

 private:
  const void* context_;
  const void* device_;
  const gallery::Variant& variant_;
  core::PlanShape shape_;
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

/// The device's plan of that shape, built at the first use. For a call on `queue`, throws
/// unsupported when it would be built while the queue's work is captured in a graph.
std::shared_ptr<const detail::Plan> find_plan(const Device& device, Algorithm algorithm,
                                              std::string_view variant, const PlanShape& shape,
                                              detail::QueueState* queue = nullptr);

/// Plans with tuning values of the caller's choice, for tests and for the tuner. They are not kept
/// by the device.
ReducePlan make_plan(const Device& device, const ReduceShape& shape, const Tuning& tuning);
ScanPlan make_plan(const Device& device, const ScanShape& shape, const Tuning& tuning);

/// An initial value as the operator counts it: logical ones count it as 0 or 1, as an element.
Value lift(const Operator& op, const Value& init);

/// Checks a call, gathers its scratch and enqueues it under the queue's lock: the one way that both
/// algorithms go.
void run_plan(const detail::Plan& plan, Queue& queue, const ErasedView& input,
              const ErasedView& output, const Value& init, const std::vector<Event>& wait,
              Event* done, const Workspace* workspace);

}  // namespace bifold::core
