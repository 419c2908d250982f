#include "core/gallery/gallery_support.hpp"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>
#include <vector>

#include "core/device/state.hpp"
#include "core/element/accumulator.hpp"
#include "core/gallery/gallery.hpp"
#include "core/gallery/type_trials.hpp"
#include "core/operators/operator_text.hpp"

namespace bifold {

namespace {

using core::PlanShape;
using gallery::Requirements;
using gallery::Support;
using gallery::Variant;

Support no(std::string reason) { return {false, std::move(reason)}; }

Support check_operator(const Variant& variant, Type type, const Operator& op) {
  if (!op.supports(type)) {
    return no("operator " + std::string(op.name()) + " is not defined on " +
              std::string(name_of(type)));
  }
  if (variant.requirements.commutative && !op.commutative()) {
    return no("it combines operands out of order, and operator " + std::string(op.name()) +
              " is not commutative");
  }
  return {};
}

// What only the kernels of order v1 do: they skip what is absent, and know indices and pairs.
Support check_reach(const Variant& variant, const PlanShape& shape) {
  if (variant.order == gallery::Order::v1) return {};
  if (!shape.op.has_identity()) {
    return no("it pads with the operator's identity, and operator " + std::string(shape.op.name()) +
              " has none");
  }
  if (shape.second) return no("its kernels read one array");
  if (!shape.more_outputs.empty()) return no("its kernels write one array");
  if (core::uses_word(shape.map.expression(), "i")) return no("its kernels know no indices");
  return {};
}

// What texts of the user's do to values, beside those of the shape's own types.
struct TextUse {
  bool has_f64;
  bool divides_f32;  // Takes square roots, too.
};

TextUse text_use(const PlanShape& shape) {
  TextUse use{};
  const auto add = [&use](const core::WrittenText& text) {
    use.has_f64 = use.has_f64 || text.has_f64;
    use.divides_f32 = use.divides_f32 || text.divides_f32;
  };
  const bool user = shape.op.kind() == OperatorKind::user;
  if (user && shape.op.supports(shape.accumulator)) {
    add(core::operator_text(shape.op, shape.accumulator));
  }
  if (!shape.map.is_identity()) {
    add(core::map_text(shape.map.expression(), core::arrays_of(shape), shape.accumulator,
                       shape.map.scalars()));
  }
  if (!shape.result_map.is_identity()) {
    add(core::result_text(shape.result_map.expression(), shape.accumulator, shape.output,
                          shape.result_map.scalars()));
  }
  for (const OutputShape& output : shape.more_outputs) {
    if (output.result_map.is_identity()) continue;
    add(core::result_text(output.result_map.expression(), shape.accumulator, output.type,
                          output.result_map.scalars()));
  }
  return use;
}

// Whether there are 16-bit types, which become f32 by arithmetic.
bool has_storage(const PlanShape& shape) {
  return std::ranges::any_of(core::stored_types(shape), [](Type type) { return is_storage(type); });
}

// Whether all that happens to f32 values is that some are chosen, by comparisons that look at bits
// where a device flushes denormals.
bool only_chooses_f32(const PlanShape& shape) {
  for (const Type type : core::stored_types(shape)) {
    if (type == Type::f64) return false;
  }
  const std::string text = shape.op.expression(shape.accumulator);
  const bool chooses = shape.op.exact(shape.accumulator) && text.find("!=") == std::string::npos;
  return chooses && !core::computes(shape.map.expression()) &&
         !core::computes(shape.result_map.expression()) &&
         std::ranges::none_of(shape.more_outputs, [](const OutputShape& output) {
           return core::computes(output.result_map.expression());
         });
}

// What order v1 asks of a device's arithmetic.
Support check_arithmetic(const Device& device, const PlanShape& shape) {
  const TextUse use = text_use(shape);
  if (use.has_f64 && !device.supports(Type::f64)) {
    return no("the device has no f64 arithmetic, and a text computes with f64");
  }
  if (shape.order == Order::any) return {};
  const Capabilities& has = device.capabilities();
  const auto flushes = [](Type type) {
    return no("the device flushes denormal " + std::string(name_of(type)) +
              " values or rounds otherwise than to nearest");
  };
  const Type type = shape.accumulator;
  if (contains(type, Type::f64) && !has.denormals_f64) return flushes(Type::f64);
  const bool computes_f32 =
      has_storage(shape) || (contains(type, Type::f32) && !only_chooses_f32(shape));
  if (computes_f32 && !has.denormals_f32) return flushes(Type::f32);
  if (!has.rounds_division_f32 && use.divides_f32) {
    return no("the device rounds division and square root of f32 otherwise than correctly");
  }
  return {};
}

Support check_device(const Variant& variant, const Device& device, Type type) {
  const Requirements& needs = variant.requirements;
  const Capabilities& has = device.capabilities();
  if (!device.supports(type)) {
    return no("the device has no " + std::string(name_of(type)) + " arithmetic");
  }
  if (!needs.backend.empty() && device.info().backend != needs.backend) {
    return no("its kernels exist for " + std::string(needs.backend) + " only");
  }
  if (needs.gpu && device.info().kind == DeviceKind::cpu) {
    return no("its groups meet where compilers for CPUs fail");
  }
  const bool words = needs.published_words || needs.counted_groups;
  if (words && !has.atomics64) return no("the device has no 64-bit atomics");
  if (words && has.atomic_scope != AtomicScope::device) {
    return no("the device promises atomics within a work-group only");
  }
  if (needs.counted_groups && !has.acquire_release) {
    return no("the device promises no acquire and release across work-groups");
  }
  // Who waits for another group asks again and again, and who draws tiles may draw most of them.
  constexpr std::uint64_t waiting_turns = std::uint64_t{1} << 20;
  if (needs.published_words && has.loop_turns > 0 && has.loop_turns < waiting_turns) {
    return no("loops of the device end after " + std::to_string(has.loop_turns) +
              " turns, and its groups may wait longer for one another");
  }
  if (variant.lines && has.loop_turns > 0) {
    return no("loops of the device end after " + std::to_string(has.loop_turns) +
              " turns, which kernels over lines do not count");
  }
  if (has.ring_bytes < needs.ring_bytes) {
    return no("the device has no " + std::to_string(needs.ring_bytes / 1024) +
              " KiB of local memory that bulk copies fill");
  }
  if (needs.atomic_accumulator && (size_of(type) > 8 || !std::has_single_bit(size_of(type)))) {
    return no("no atomic holds an accumulator of " + std::to_string(size_of(type)) + " bytes");
  }
  if (needs.atomic_accumulator && size_of(type) == 8 && !has.atomics64) {
    return no("the device has no 64-bit atomics");
  }
  return {};
}

}  // namespace

namespace core {

// The first type of the shape that the device cannot compute with decides for all.
Support supports_shape(const Request& request, const Variant& variant) {
  const Device& device = request.device;
  const PlanShape& shape = request.shape;
  const Layout& layout = request.layout;
  if (shape.selection.has_value() != (variant.algorithm == Algorithm::select)) {
    return no("its kernels are those of another kind of call");
  }
  if (shape.selection && shape.selection->rejected == Rejected::in_order &&
      !recipe_of(variant).counts_first) {
    return no("its groups store before all is counted, and what is rejected lies behind that");
  }
  std::vector<Type> types = core::stored_types(shape);
  for (const core::PlanScalar& one : shape.scalars) types.push_back(one.declared.type);
  for (const Type type : types) {
    if (!device.supports(type)) {
      return no("the device has no " + std::string(name_of(type)) + " arithmetic");
    }
  }
  if (Support possible = check_device(variant, device, shape.accumulator); !possible) {
    return possible;
  }
  if (Support possible = check_arithmetic(device, shape); !possible) return possible;
  if (shape.on_device.any() && !variant.device_values) {
    return no("its kernels take n and the initial value from the host only");
  }
  const bool one_array = shape.lines == core::LineLayout::none && !shape.reverse;
  if (shape.keys) return no("its kernels take no keys");
  if (shape.segments.has_value() != variant.segments) {
    return no(variant.segments ? "its kernels take segments" : "its kernels take no segments");
  }
  if (!one_array && !variant.segments && !variant.lines) {
    return no("its kernels take one array, from the first element to the last");
  }
  if (Support possible = check_reach(variant, shape); !possible) return possible;
  if (recipe_of(variant).one_array && (shape.second || !shape.more_outputs.empty())) {
    return no("its kernels read one array and write one");
  }
  if (variant.requirements.vectors && !layout.combines_vectors) {
    return no(
        "it takes one type, without a map: integers by built-in operators that are not "
        "logical ones, or sums and products of floating values");
  }
  if (variant.requirements.ring_bytes > 0) {
    if (shape.second && !shape.selection) return no("its ring holds one array");
    if (shape.selection && !shape.more_outputs.empty()) {
      return no("its warps store one result of an element");
    }
    if (shape.selection && layout.warp_tile_rows == 0) {
      return no("its warps gather results of at most eight times an element's size");
    }
    if (!shape.op.has_identity()) {
      return no("its ring holds no accumulators that may be absent, and operator " +
                std::string(shape.op.name()) + " has no identity");
    }
    if (size_of(shape.accumulator) > 16) {
      return no("its lanes keep a warp tile of accumulators, of at most 16 bytes each");
    }
    const std::uint32_t run = layout.run_bytes;
    const bool words = run == 12 && layout.three_words;
    if (run != 8 && run != 16 && !words) {
      return no(
          "its lanes read runs of 8 or 16 bytes at once, or elements of three words, and "
          "here a run has " +
          std::to_string(run));
    }
  }
  if (Support possible = check_operator(variant, shape.accumulator, shape.op); !possible) {
    return possible;
  }
  std::string problem = device.state()->trials->problem(device, shape);
  return problem.empty() ? Support{} : no(std::move(problem));
}

}  // namespace core
}  // namespace bifold
