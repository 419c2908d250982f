#include "core/call/check_values.hpp"

#include <algorithm>
#include <bifold/error.hpp>
#include <string>
#include <tuple>

#include "core/device/ranges.hpp"
#include "core/device/workspace.hpp"

namespace bifold::core {

namespace {

[[noreturn]] void refuse(const std::string& why) {
  throw Error(ErrorCategory::invalid_argument, why);
}

bool overlaps_outputs(const Device& device, const Placement& call, const ErasedView& view) {
  for (std::size_t k = 0; k < outputs_of(call); ++k) {
    if (overlap(device, view, output_at(call, k))) return true;
  }
  return std::ranges::any_of(
      call.also_written, [&](const ErasedView& written) { return overlap(device, view, written); });
}

// A value in device memory, or one for each of `lines` lines.
void check_value(const Device& device, const ErasedView& view, Type type, Access access,
                 const char* role, std::uint64_t lines = 1) {
  if (view.count != lines) {
    refuse(std::string(role) + ": a view of " + std::to_string(lines) +
           (lines == 1 ? " element is" : " elements are") + " wanted, not of " +
           std::to_string(view.count));
  }
  if (view.type != type) {
    refuse(std::string(role) + ": the element is " + std::string(name_of(view.type)) +
           " instead of " + std::string(name_of(type)));
  }
  check_view(device, view, access, role);
}

bool overlaps_inputs(const Device& device, const Placement& call, const ErasedView& view) {
  if (overlap(device, view, call.input)) return true;
  for (std::size_t j = 0; j < inputs_beside(call); ++j) {
    if (overlap(device, view, input_beside(call, j))) return true;
  }
  return std::ranges::any_of(call.also_read,
                             [&](const ErasedView& read) { return overlap(device, view, read); });
}

}  // namespace

void check_segments(const Device& device, const Placement& call, const Segments& segments) {
  const auto check = [&](const ErasedView& bounds, const char* role) {
    if (bounds.type != segments.begins.type) {
      refuse("begins and ends of segments have different types");
    }
    check_view(device, bounds, Access::read, role);
    if (overlaps_outputs(device, call, bounds)) refuse(std::string(role) + " overlap the output");
  };
  check(segments.begins, "begins of segments");
  check(segments.ends, "ends of segments");
  if (!segments.faults) return;
  const ErasedView& faults = *segments.faults;
  check_value(device, faults, Type::u64, Access::write, "faults");
  const bool apart =
      !overlaps_inputs(device, call, faults) && !overlaps_outputs(device, call, faults) &&
      !overlap(device, faults, segments.begins) && !overlap(device, faults, segments.ends);
  if (!apart) refuse("faults overlap other memory of the call");
}

void check_keys(const Device& device, const Placement& call, const KeyShape& shape,
                const Keys& keys) {
  constexpr std::uint64_t most_of_u32 = 0xffffffff;
  if (shape.keys != keys.keys.type || shape.unique != keys.unique.type) {
    refuse("the keys have other types than the plan's");
  }
  if (shape.runs == Type::u32 && call.n > most_of_u32) {
    refuse("u32 does not count " + std::to_string(call.n) + " elements");
  }
  check_view(device, keys.keys, Access::read, "keys");
  check_view(device, keys.unique, Access::write, "unique keys");
  check_value(device, keys.runs, shape.runs, Access::write, "runs");
  for (std::size_t k = 0; k < outputs_of(call); ++k) {
    const ErasedView& output = output_at(call, k);
    if (overlap(device, output, keys.keys)) refuse("keys overlap the output");
    if (overlap(device, output, keys.unique)) refuse("unique keys overlap the output");
    if (overlap(device, output, keys.runs)) refuse("runs overlap the output");
  }
  if (overlaps_inputs(device, call, keys.unique)) refuse("unique keys overlap what is read");
  if (overlaps_inputs(device, call, keys.runs)) refuse("runs overlap what is read");
  if (overlap(device, keys.runs, keys.unique)) refuse("runs overlap unique keys");
}

void check_values(const detail::Plan& plan, const Device& device, const Placement& call,
                  const CallOptions& options) {
  const PlanShape& shape = plan.shape();
  const auto overlaps_output = [&](const ErasedView& view) {
    return overlaps_outputs(device, call, view);
  };
  const auto& [count_from, init_from, total, lines_from] =
      std::tie(options.count_from, options.init_from, options.total, options.lines_from);
  if (count_from) {
    check_value(device, *count_from, shape.on_device.count.value_or(Type::u64), Access::read,
                "count_from");
    if (overlaps_output(*count_from)) refuse("count_from overlaps the output");
  }
  if (init_from) {
    check_value(device, *init_from, shape.accumulator, Access::read, "init_from",
                init_from->count == 1 || options.keys ? 1 : call.lines);
    // A reduction reads its initial value last of all, and writes its result behind that. What a
    // result map makes is no initial value.
    const bool side_by_side = call.side_by_side && init_from->count == call.lines;
    const bool accumulates = plan.variant().algorithm == Algorithm::reduce && side_by_side &&
                             shape.result_map.is_identity() && shape.more_outputs.empty() &&
                             same_range(device, *init_from, call.output);
    if (!accumulates && overlaps_output(*init_from)) {
      refuse("init_from overlaps the output");
    }
  }
  for (const Scalar& scalar : options.scalars) {
    if (!scalar.from) continue;
    const auto role = [&scalar] { return "scalar \"" + scalar.name + "\""; };
    if (scalar.from->count != 1) refuse(role() + ": a view of 1 element is wanted");
    check_view(device, *scalar.from, Access::read, scalar.name.c_str());
    if (overlaps_output(*scalar.from)) refuse(role() + " overlaps the output");
    if (total && overlap(device, *total, *scalar.from)) refuse("total overlaps " + role());
  }
  if (lines_from) {
    check_value(device, *lines_from, shape.on_device.lines.value_or(Type::u64), Access::read,
                "lines_from");
    if (overlaps_output(*lines_from)) refuse("lines_from overlaps the output");
    if (total && overlap(device, *total, *lines_from)) refuse("total overlaps lines_from");
  }
  if (total) {
    const char* const role = shape.selection ? "kept" : "total";
    const auto apart = [&](bool overlaps, const char* other) {
      if (overlaps) refuse(std::string(role) + " overlaps " + other);
    };
    check_value(device, *total, shape.accumulator, Access::write, role, call.lines);
    apart(overlaps_inputs(device, call, *total), "the input");
    apart(overlaps_output(*total), "the output");
    apart(count_from && overlap(device, *total, *count_from), "count_from");
    apart(init_from && overlap(device, *total, *init_from), "init_from");
  }
}

void check_workspace(const Workspace& workspace, const Device& device, ScratchSize size,
                     const Placement& call, const CallOptions& options) {
  check_view(device, workspace.memory(), Access::both, "workspace");
  const std::uint64_t needed = workspace_bytes(size);
  if (workspace.size() < needed) {
    refuse("the workspace has " + std::to_string(workspace.size()) + " bytes, this call needs " +
           std::to_string(needed));
  }
  const auto overlaps = [&](const ErasedView& view) {
    return overlap(device, workspace.memory(), view);
  };
  const bool overlaps_data = overlaps_inputs(device, call, workspace.memory()) ||
                             overlaps_outputs(device, call, workspace.memory());
  if (overlaps_data) refuse("the workspace overlaps the data");
  if (options.segments && (overlaps(options.segments->begins) || overlaps(options.segments->ends) ||
                           (options.segments->faults && overlaps(*options.segments->faults)))) {
    refuse("the workspace overlaps the segments");
  }
  for (const auto* value :
       {&options.count_from, &options.init_from, &options.total, &options.lines_from}) {
    if (*value && overlaps(**value)) refuse("the workspace overlaps a value in device memory");
  }
  for (const Scalar& scalar : options.scalars) {
    if (scalar.from && overlaps(*scalar.from)) refuse("the workspace overlaps a scalar");
  }
}

}  // namespace bifold::core
