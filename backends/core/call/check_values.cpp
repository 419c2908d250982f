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

bool overlaps_results(const Device& device, const Placement& call, const ErasedView& view) {
  for (std::size_t k = 0; k < outputs_of(call); ++k) {
    if (overlap(device, view, output_at(call, k))) return true;
  }
  return false;
}

// The same, and what else is written.
bool overlaps_outputs(const Device& device, const Placement& call, const ErasedView& view) {
  return overlaps_results(device, call, view) ||
         std::ranges::any_of(call.also_written, [&](const NamedView& written) {
           return overlap(device, view, written.view);
         });
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
  return std::ranges::any_of(
      call.also_read, [&](const NamedView& read) { return overlap(device, view, read.view); });
}

// What a call reads besides has no memory in common with its outputs, and what it writes besides
// none with anything else.
void check_also_apart(const Device& device, const Placement& call) {
  const auto refuse_overlap = [](const NamedView& one, const char* other) {
    refuse(std::string(one.name) + " overlap " + other);
  };
  for (const NamedView& read : call.also_read) {
    if (overlaps_results(device, call, read.view)) refuse_overlap(read, "the output");
  }
  for (const NamedView& written : call.also_written) {
    if (overlaps_results(device, call, written.view)) refuse_overlap(written, "the output");
    if (overlaps_inputs(device, call, written.view)) refuse_overlap(written, "what is read");
    for (const NamedView& other : call.also_written) {
      if (&other == &written) break;
      if (overlap(device, written.view, other.view)) refuse_overlap(written, other.name);
    }
  }
}

}  // namespace

void check_segments(const Device& device, const Placement& call, const Segments& segments) {
  if (segments.ends.type != segments.begins.type) {
    refuse("begins and ends of segments have different types");
  }
  check_view(device, segments.begins, Access::read, "begins of segments");
  check_view(device, segments.ends, Access::read, "ends of segments");
  if (segments.faults) check_value(device, *segments.faults, Type::u64, Access::write, "faults");
  check_also_apart(device, call);
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
  check_also_apart(device, call);
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
  for (const auto* value :
       {&options.count_from, &options.init_from, &options.total, &options.lines_from}) {
    if (*value && overlaps(**value)) refuse("the workspace overlaps a value in device memory");
  }
  for (const Scalar& scalar : options.scalars) {
    if (scalar.from && overlaps(*scalar.from)) refuse("the workspace overlaps a scalar");
  }
}

}  // namespace bifold::core
