// A call of a plan: checked, then enqueued.
#pragma once

#include <bifold/buffer.hpp>
#include <bifold/device_values.hpp>
#include <bifold/event.hpp>
#include <bifold/keys/keys.hpp>
#include <bifold/map.hpp>
#include <bifold/queue.hpp>
#include <bifold/scalar.hpp>
#include <bifold/segments/segments.hpp>
#include <bifold/value.hpp>
#include <bifold/workspace.hpp>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/plan/plan.hpp"

namespace bifold::core {

/// The memory of a call. It refers to the views.
struct CallViews {
  const ErasedView& input;
  const std::optional<ErasedView>& second;
  const ErasedView& output;
  std::span<const ErasedView> more_inputs{};  ///< Behind the second one.
};

/// The memory of several arrays, which a call's views refer to.
class Arrays {
 public:
  explicit Arrays(const Zipped& all) : all_(all) {
    if (!all.more.empty()) second_ = all.more.front();
  }
  [[nodiscard]] CallViews views(const ErasedView& output) const {
    const std::span<const ErasedView> more(all_.more);
    return {all_.x, second_, output, more.subspan(more.empty() ? 0 : 1)};
  }

 private:
  const Zipped& all_;
  std::optional<ErasedView> second_;
};

inline const std::vector<Scalar> no_scalars;
inline const std::optional<Segments> no_segments;
inline const std::optional<Keys> no_keys;

/// What the options of both algorithms say of a call. It refers to them.
struct CallOptions {
  const std::vector<Event>& wait;
  Event* done;
  const Workspace* workspace;
  const std::optional<ErasedView>& count_from;
  const std::optional<ErasedView>& init_from;
  const std::optional<ErasedView>& total;
  const std::optional<Lines>& lines;
  const std::optional<Lines>& output_lines;  ///< Those of a reduction's results.
  const std::optional<Lines>& second_lines;
  const std::optional<ErasedView>& lines_from;
  /// Of a call with a workspace; without one it comes behind everything.
  backend::Ordering ordering = backend::Ordering::events;
  const std::vector<Scalar>& scalars = no_scalars;
  std::span<const Output> more_outputs{};
  const std::optional<Segments>& segments = no_segments;
  const std::optional<Keys>& keys = no_keys;
};

/// What a plan has to be made for, to read the arrays beside the first.
inline std::vector<Type> types_beside(const CallViews& views) {
  std::vector<Type> types;
  if (views.second) types.push_back(views.second->type);
  for (const ErasedView& view : views.more_inputs) types.push_back(view.type);
  return types;
}

/// What a plan has to be made for, to write these.
inline std::vector<OutputShape> shapes_of(std::span<const Output> outputs) {
  std::vector<OutputShape> shapes;
  shapes.reserve(outputs.size());
  for (const Output& output : outputs) shapes.push_back({output.view.type, output.result_map});
  return shapes;
}

/// What a plan has to be made for, to be called with these segments.
inline std::optional<SegmentShape> shape_of(const std::optional<Segments>& segments) {
  if (!segments) return {};
  return SegmentShape{segments->begins.type, segments->faults.has_value()};
}

/// The same of keys.
inline std::optional<KeyShape> shape_of(const std::optional<Keys>& keys) {
  if (!keys) return {};
  return KeyShape{keys->keys.type, keys->unique.type, keys->runs.type, keys->equality};
}

/// What a plan has to be made for, to be called with these options and with scalars in device
/// memory as a word of DeviceValues says.
inline DeviceValues values_on_device(const CallOptions& options, std::uint32_t scalars) {
  DeviceValues values{{}, options.init_from.has_value(), options.total.has_value(), {}, scalars};
  if (options.count_from) values.count = options.count_from->type;
  if (options.lines_from) values.lines = options.lines_from->type;
  return values;
}

/// Bytes of workspace for calls of a plan on up to n elements, or on lines.
std::uint64_t workspace_bytes(const detail::Plan& plan, std::uint64_t n) noexcept;
std::uint64_t workspace_bytes(const detail::Plan& plan, const Lines& lines);

/// What run_plan() refuses as invalid_argument before it enqueues anything, but for the workspace.
void check_plan(const detail::Plan& plan, const Device& device, const CallViews& views,
                const std::optional<Value>& init, const CallOptions& options);

/// Checks a call, gathers its scratch and enqueues it under the queue's lock: the one way that both
/// algorithms go. Of nothing the result is `of_nothing`; without one it is init, or else
/// Operator::of_nothing().
void run_plan(const detail::Plan& plan, Queue& queue, const CallViews& views,
              const std::optional<Value>& init, const CallOptions& options,
              const std::optional<Value>& of_nothing = {});

}  // namespace bifold::core
