#include "core/planning.hpp"

#include <algorithm>
#include <bifold/error.hpp>

#include "core/gallery_rows.hpp"
#include "core/log.hpp"
#include "core/operator_text.hpp"
#include "core/state.hpp"

namespace bifold::core {

namespace {

void check_conversion(Type from, Type to, const char* what) {
  if (is_floating(from) && !is_floating(to)) {
    throw Error(ErrorCategory::invalid_argument,
                std::string(what) + ": " + std::string(name_of(from)) +
                    " does not convert to an integer type such as " + std::string(name_of(to)));
  }
}

void check_shape(const PlanShape& shape) {
  if (!is_logical(shape.op.kind())) {
    check_conversion(shape.input, shape.accumulator, "input to accumulator");
  }
  check_conversion(shape.accumulator, shape.output, "accumulator to output");
  static_cast<void>(shape.op.identity(shape.accumulator));  // Throws where it is not defined.
}

const gallery::Variant& row_named(Algorithm algorithm, std::string_view name) {
  const gallery::Variant* row = gallery::find(algorithm, name);
  if (row == nullptr) {
    throw Error(
        ErrorCategory::invalid_argument,
        "no " + std::string(name_of(algorithm)) + " variant named \"" + std::string(name) + "\"");
  }
  return *row;
}

// The first type of the shape that the device cannot compute with decides for all.
gallery::Support supports_shape(const Device& device, const gallery::Variant& variant,
                                const PlanShape& shape) {
  for (const Type type : {shape.input, shape.output}) {
    if (!device.supports(type)) {
      return {false, "the device has no " + std::string(name_of(type)) + " arithmetic"};
    }
  }
  return gallery::supports(device, variant, shape.accumulator, shape.op);
}

}  // namespace

}  // namespace bifold::core

namespace bifold::detail {

Plan::Plan(const Device& device, const gallery::Variant& variant, core::PlanShape shape)
    : context_(device.state()->backend->context()), variant_(variant), shape_(std::move(shape)) {}

}  // namespace bifold::detail

namespace bifold::core {

Scalar lift(const Operator& op, const Scalar& init) {
  if (!is_logical(op.kind())) return init;
  return visit_type(init.type(), [&init](auto zero) -> Scalar {
    using T = decltype(zero);
    return static_cast<T>(init.as<T>() != T{0});
  });
}

KernelSpec make_spec(const gallery::Variant& variant, const PlanShape& shape, const Tuning& tuning,
                     std::string_view entry) {
  KernelSpec spec;
  spec.family = variant.family;
  spec.entry = entry;
  spec.input = shape.input;
  spec.accumulator = shape.accumulator;
  spec.output = shape.output;
  spec.op = shape.op;
  for (const auto& [name, value] : tuning.entries()) {
    if (std::isupper(static_cast<unsigned char>(name.front())) != 0) {
      spec.defines.emplace_back(name, value);
    }
  }
  return spec;
}

PlannedKernel build_kernel(const Device& device, const KernelSpec& spec) {
  PlannedKernel planned;
  for (const auto& [name, value] : spec.defines) {
    if (name == "GROUP_SIZE") planned.group_size = value;
  }
  planned.kernel = device.state()->kernels.get(spec);
  if (planned.kernel->max_group_size() < planned.group_size) {
    throw GroupTooLarge{planned.kernel->max_group_size()};
  }
  return planned;
}

const gallery::Variant& choose_variant(const Device& device, Algorithm algorithm,
                                       std::string_view name, const PlanShape& shape) {
  check_shape(shape);
  const gallery::Variant& asked = row_named(algorithm, name);
  const auto refuse = [&](const std::string& reason) -> Error {
    return {ErrorCategory::unsupported, std::string(name_of(algorithm)) + " variant " +
                                            std::string(name) + " on " + device.info().selector +
                                            ": " + reason};
  };
  if (row_of(asked).planner != nullptr) {
    const gallery::Support support = supports_shape(device, asked, shape);
    if (!support) throw refuse(support.reason);
    return asked;
  }
  std::string reasons;
  for (const gallery::Variant* candidate : candidates(device, asked)) {
    gallery::Support support = may_run_unattended(device, *candidate);
    if (support) support = supports_shape(device, *candidate, shape);
    if (support) {
      log().debug("{} of {} on {}: {} chosen{}{}", name_of(algorithm), name_of(shape.input),
                  device.info().selector, candidate->name, reasons.empty() ? "" : "; not ",
                  reasons);
      return *candidate;
    }
    reasons += (reasons.empty() ? "" : "; ") + std::string(candidate->name) + ": " + support.reason;
  }
  throw refuse(reasons);
}

std::shared_ptr<const detail::Plan> build_plan(const Device& device,
                                               const gallery::Variant& variant,
                                               const PlanShape& shape, const Tuning& tuning) {
  const Row& row = row_of(variant);
  Tuning values = tuning;
  for (const auto& [name, value] : row.fixed.entries()) values.set(name, value);
  for (;;) {
    try {
      return row.planner(device, variant, shape, values);
    } catch (const GroupTooLarge& too_large) {
      const std::uint32_t group = values.get("GROUP_SIZE");
      if (group <= 1 || too_large.limit == 0) {
        throw Error(ErrorCategory::unsupported,
                    std::string(variant.name) + " does not fit a work-group of this device");
      }
      log().debug("{}: a group of {} is too large for this device", variant.name, group);
      values.set("GROUP_SIZE", std::min(group / 2, std::bit_floor(too_large.limit)));
    }
  }
}

std::shared_ptr<const detail::Plan> find_plan(const Device& device, Algorithm algorithm,
                                              std::string_view variant, const PlanShape& shape) {
  const gallery::Variant& asked = row_named(algorithm, variant);
  const PlanKey key{shape.op.id(),     index_of(asked), shape.input,
                    shape.accumulator, shape.output,    static_cast<std::uint8_t>(shape.kind)};
  PlanTable& plans = device.state()->plans;
  if (auto known = plans.find(key, shape.op)) return known;
  const gallery::Variant& chosen = choose_variant(device, algorithm, variant, shape);
  const std::size_t widest =
      std::max({size_of(shape.input), size_of(shape.accumulator), size_of(shape.output)});
  const auto plan =
      build_plan(device, chosen, shape,
                 default_tuning(chosen, device.info().kind, device.capabilities(), widest));
  return plans.add(key, shape.op, plan);
}

}  // namespace bifold::core
