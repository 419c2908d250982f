#include "production.hpp"

#include <bifold/error.hpp>
#include <bifold/struct.hpp>

#include "core/call/find_plan.hpp"
#include "core/call/select.hpp"
#include "core/device/state.hpp"
#include "core/gallery/self_check.hpp"
#include "core/plan/plan.hpp"
#include "core/shape/plan_shape.hpp"

// Of twelve bytes, an odd number of words, and without f64, which not every device has.
struct Spread {
  float low;
  float high;
  std::int32_t count;
};
BIFOLD_STRUCT(Spread, low, high, count);

struct Range64 {
  double low;
  double high;
};
BIFOLD_STRUCT(Range64, low, high);

namespace bifold::test {

namespace {

using core::PlanShape;

PlanShape shape_of(Type type, const Operator& op, Order order = Order::v1) {
  return {type, accumulator_of(type), type, ScanKind::inclusive, op, {}, {}, order};
}

// Texts by which the operand on the left differs from the one on the right.
Operator last_present(Type type) {
  return Operator::user("last_present", "b != 0 ? b : a",
                        visit_scalar_type(type, [](auto zero) { return Value(zero); }));
}

std::vector<PlanShape> selections(bool f64) {
  std::vector<SelectShape> all;
  for (const Type type : {Type::u8, Type::i32, Type::f32, Type::f64, Type::f16}) {
    if (type == Type::f64 && !f64) continue;
    all.push_back({.input = type, .output = type, .predicate = "x > 3"});
  }
  const Type spread = type_of<Spread>();
  all.push_back({.input = spread, .output = spread, .kept = Type::u32, .flags = Type::u8});
  all.push_back({.input = Type::bf16, .output = Type::u64, .selected = Selected::indices});
  all.back().on_device.count = Type::u64;
  all.push_back({.input = Type::i64, .output = Type::i64, .first_of_runs = true});
  all.back().values = Type::f32;
  all.push_back(
      {.input = spread, .output = spread, .predicate = "x.low == y.low", .first_of_runs = true});
  all.back().values = Type::u8;
  std::vector<PlanShape> shapes;
  shapes.reserve(all.size());
  for (const SelectShape& shape : all) shapes.push_back(core::plan_shape(shape));
  return shapes;
}

std::vector<PlanShape> shapes(Algorithm algorithm, bool f64) {
  if (algorithm == Algorithm::select) return selections(f64);
  std::vector<PlanShape> all;
  const auto add = [&](const PlanShape& shape) {
    all.push_back(shape);
    if (algorithm == Algorithm::reduce) return;
    all.push_back(shape);
    all.back().kind = ScanKind::exclusive;
  };
  std::vector<Type> types(all_types.begin(), all_types.end());
  types.insert(types.end(), storage_types.begin(), storage_types.end());
  for (const Type type : types) {
    if (type == Type::f64 && !f64) continue;
    add(shape_of(type, plus));
    add(shape_of(type, minimum));
    if (is_floating(type)) add(shape_of(type, plus, Order::any));
    if (!is_storage(type)) add(shape_of(type, last_present(type)));
  }
  add(shape_of(Type::u8, logical_or));
  PlanShape widening = shape_of(Type::i8, plus);
  widening.accumulator = widening.output = Type::i64;
  add(widening);

  const Type spread = type_of<Spread>();
  add(shape_of(spread, Operator::fieldwise(spread, {minimum, maximum, plus})));
  add(shape_of(spread, Operator::user("merged",
                                      "make_Spread(minimum_f32(a.low, b.low), "
                                      "a.high + b.high, a.count - b.count)",
                                      spread)));
  if (f64) {
    const Type range = type_of<Range64>();
    add(shape_of(range, Operator::fieldwise(range, {minimum, maximum})));
    add(shape_of(range, Operator::fieldwise(range, {plus, plus})));
  }

  PlanShape on_device = shape_of(Type::f32, plus);
  on_device.on_device = {Type::u64, true, algorithm == Algorithm::scan};
  add(on_device);
  on_device = shape_of(Type::u32, plus);
  on_device.on_device = {Type::u32, true, algorithm == Algorithm::scan};
  add(on_device);
  if (algorithm == Algorithm::scan) return all;

  PlanShape pairs = shape_of(Type::f32, plus);
  pairs.map = "x * y";
  pairs.second = Type::f32;
  add(pairs);
  PlanShape indexed = shape_of(Type::i32, Operator::user("later", "b > a ? b : a", Type::i64));
  indexed.accumulator = indexed.output = Type::i64;
  indexed.map = "(i64)i * x";
  add(indexed);

  const auto add_segments = [&](PlanShape shape, const SegmentShape& segments) {
    shape.lines = core::LineLayout::segments;
    shape.segments = segments;
    add(shape);
  };
  for (const Type type : {Type::u8, Type::i32, Type::f32, Type::f64, Type::bf16}) {
    if (type == Type::f64 && !f64) continue;
    add_segments(shape_of(type, plus), {Type::u32, type == Type::i32});
  }
  add_segments(shape_of(Type::u32, last_present(Type::u32)), {Type::u64, false});
  add_segments(shape_of(spread, Operator::fieldwise(spread, {minimum, maximum, plus})),
               {Type::u64, true});
  add_segments(pairs, {Type::u32, false});
  add_segments(on_device, {Type::u32, false});
  const auto add_keys = [&](PlanShape shape, const KeyShape& keys) {
    shape.lines = core::LineLayout::segments;
    shape.keys = keys;
    if (algorithm == Algorithm::reduce) add(shape);
  };
  add_keys(shape_of(Type::f32, plus), {Type::i64, Type::i64, Type::u64, {}});
  PlanShape counted = shape_of(Type::u32, plus);
  counted.map = "1";
  add_keys(counted, {Type::u8, Type::i32, Type::u32, "x / 2 == y / 2"});
  return all;
}

}  // namespace

Device planned_device(const Description& description, Checked checked, WantedPrograms& programs) {
  Device device = offline_device(description, programs);
  if (checked == Checked::no) return device;
  const auto set = [&](std::string_view name, Algorithm algorithm, const std::string& problem) {
    for (const core::Judged judged : core::all_judged) {
      device.state()->self_check->set({gallery::find(algorithm, name), judged, problem});
    }
  };
  for (const gallery::Variant& row : gallery::variants()) {
    if (row.requirements.published_words) set(row.name, row.algorithm, {});
  }
  if (checked == Checked::passed) return device;
  set("order_v1_single", Algorithm::reduce, "wrong");
  if (checked == Checked::order_failed) set("order_v1", Algorithm::reduce, "wrong");
  return device;
}

std::string_view production_row(const Device& device, Algorithm algorithm, const PlanShape& shape) {
  return core::find_plan(device, algorithm, "production", shape)->variant().name;
}

WantedPrograms production_programs(const Description& description) {
  WantedPrograms programs;
  for (const Checked checked :
       {Checked::no, Checked::passed, Checked::single_failed, Checked::order_failed}) {
    const Device device = planned_device(description, checked, programs);
    for (const Algorithm algorithm : {Algorithm::reduce, Algorithm::scan, Algorithm::select}) {
      for (const PlanShape& shape : shapes(algorithm, description.capabilities.f64)) {
        try {
          (void)production_row(device, algorithm, shape);
        } catch (const Error& error) {
          // Without rows of order v1 there is nothing that floating sums may take.
          if (checked != Checked::order_failed) throw;
        }
      }
    }
  }
  return programs;
}

}  // namespace bifold::test
