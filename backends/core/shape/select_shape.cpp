#include "core/shape/select_shape.hpp"

#include <bifold/error.hpp>
#include <string>

#include "core/operators/map.hpp"

namespace bifold::core {

namespace {

[[noreturn]] void refuse(const std::string& why) {
  throw Error(ErrorCategory::invalid_argument, why);
}

const Map& flagged() {
  static const Map map = "y != 0 ? 1 : 0";
  return map;
}

Map map_of(const SelectShape& shape) {
  if (shape.flags) return flagged();
  if (!shape.first_of_runs) return counting_map(shape.predicate);
  // What begins a run, where the text says what goes on with one.
  return around(shape.predicate, "x == y", "(", ") ? 0 : 1");
}

}  // namespace

PlanShape plan_shape(const SelectShape& shape) {
  if (shape.flags && shape.first_of_runs) refuse("flags beside runs");
  if (shape.flags && !shape.predicate.is_identity()) refuse("a predicate beside flags");
  const bool first_keys = shape.first_of_runs && shape.selected == Selected::elements &&
                          shape.rejected == Rejected::dropped;
  if (shape.values && !first_keys) {
    refuse("values beside the elements are those of the first keys of runs");
  }
  const bool indices = shape.selected == Selected::indices;
  if (indices && shape.output != Type::u32 && shape.output != Type::u64) {
    refuse("indices are u32 or u64, not " + std::string(name_of(shape.output)));
  }
  if (shape.kept != Type::u32 && shape.kept != Type::u64) {
    refuse("kept is u32 or u64, not " + std::string(name_of(shape.kept)));
  }
  PlanShape made{.input = shape.input,
                 .accumulator = shape.kept,
                 .output = shape.output,
                 .op = plus,
                 .map = map_of(shape),
                 .on_device = shape.on_device,
                 .second = shape.flags,
                 .selection = Selection{indices, shape.first_of_runs, shape.rejected,
                                        shape.values ? Beside::values : Beside::none}};
  if (shape.values) {
    made.more_inputs = {*shape.values};
    made.more_outputs = {{shape.stored_values.value_or(*shape.values), {}}};
  }
  made.on_device.init = false;
  made.on_device.total = true;
  return made;
}

PlanShape selection_of_runs(const PlanShape& shape) {
  const KeyShape keys = shape.keys.value_or(KeyShape{});
  PlanShape made = plan_shape(SelectShape{.input = keys.keys,
                                          .output = keys.unique,
                                          .kept = keys.runs,
                                          .predicate = keys.equality,
                                          .on_device = shape.on_device,
                                          .first_of_runs = true});
  made.selection = Selection{.by_runs = true, .beside = Beside::indices};
  made.more_outputs = {{keys.runs, {}}};
  made.sizes = shape.sizes;
  made.scalars = shape.scalars;
  return made;
}

}  // namespace bifold::core
