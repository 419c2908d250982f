// One kernel configuration, run over many lengths and offsets and compared with the reference.
#pragma once

#include <bifold/gallery.hpp>
#include <bifold/op.hpp>
#include <bifold/queue.hpp>
#include <bifold/reduce.hpp>
#include <bifold/scan.hpp>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "core/shape/test_hooks.hpp"
#include "core/tuning/tuning.hpp"
#include "support/values/data.hpp"

namespace bifold::test {

/// The host's version of a user operator, on values widened to 64 bits; its result is narrowed.
using HostCombine = std::uint64_t (*)(std::uint64_t earlier, std::uint64_t later);

/// What is compiled: a gallery row, its types, operator and tuning.
struct Workload {
  const gallery::Variant* row = nullptr;
  Type input = Type::i32;
  Type accumulator = Type::i32;
  Type output = Type::i32;
  Operator op = plus;
  ScanKind kind = ScanKind::inclusive;
  std::optional<core::Tuning> tuning{};  ///< The row's default when empty.
  core::TestHooks hooks{};
  Flavor flavor = Flavor::exact;
  HostCombine combine = nullptr;  ///< Of a user operator.
  DeviceValues on_device{};
};

/// Values of a call in device memory: those that the workload names.
struct ValueViews {
  std::optional<ErasedView> count{};
  std::optional<ErasedView> init{};
  std::optional<ErasedView> total{};
};

/// A workload on one element type, and its accumulator's.
Workload workload_of(const gallery::Variant& row, Type type, const Operator& op,
                     ScanKind kind = ScanKind::inclusive);

/// For messages: everything a reader needs to run it again.
std::string describe(const Workload& workload);

/// One call of a workload.
struct Run {
  std::uint64_t n = 0;
  std::uint64_t offset = 0;  ///< Of the input, in elements.
  bool in_place = false;     ///< Scans only.
  bool with_init = false;    ///< Otherwise the operator's identity.
  /// Elements of the output behind a multiple of 16; where it happens to lie when empty.
  std::optional<std::uint64_t> output_place{};
};

/// Whether the device can run the workload's row on its types.
gallery::Support supports(const Workload& workload);

/// The workload's plan, ready to be called.
class AnyPlan {
 public:
  explicit AnyPlan(const Workload& workload);

  void run(Queue& queue, const ErasedView& input, const ErasedView& output, const Value& init,
           const Workspace* workspace = nullptr, const ValueViews& values = {}) const;
  [[nodiscard]] std::uint64_t workspace_bytes(std::uint64_t n) const;
  [[nodiscard]] const gallery::Variant& variant() const;

 private:
  std::variant<ReducePlan, ScanPlan> plan_;
};

/// Enqueues every run, each into its own slot of one guarded output, and compares everything: the
/// results with the reference, the guard zones and the input with what they were. Failures are
/// doctest failures that name the first bad index.
void check_runs(Queue& queue, const Workload& workload, std::span<const Run> runs);

/// check_runs() with a plan made before.
void check_runs(Queue& queue, const AnyPlan& plan, const Workload& workload,
                std::span<const Run> runs);

}  // namespace bifold::test
