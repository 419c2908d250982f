#include "core/call/call_scalars.hpp"

#include <algorithm>
#include <bifold/error.hpp>
#include <string>

#include "core/base/printable.hpp"
#include "core/call/run_plan.hpp"
#include "core/operators/scalars.hpp"

namespace bifold::core {

namespace {

[[noreturn]] void refuse(std::string_view name, const std::string& why) {
  throw Error(ErrorCategory::invalid_argument, "scalar \"" + printable(name) + "\": " + why);
}

auto place_of(std::string_view name, const std::vector<Scalar>& given) {
  return std::find_if(given.begin(), given.end(),
                      [name](const Scalar& one) { return one.name == name; });
}

// Says which of the names that were given is wrong.
[[noreturn]] void refuse_number(const PlanShape& shape, const std::vector<Scalar>& given) {
  for (std::size_t i = 0; i < given.size(); ++i) {
    const std::string_view name = given[i].name;
    const auto declares = [name](const PlanScalar& one) { return one.declared.name == name; };
    if (std::none_of(shape.scalars.begin(), shape.scalars.end(), declares)) {
      refuse(name, "no text of this call declares it");
    }
    if (place_of(name, given) != given.begin() + static_cast<std::ptrdiff_t>(i)) {
      refuse(name, "it is given twice");
    }
  }
  refuse({}, "too many are given");
}

}  // namespace

std::uint32_t places_of(const std::vector<Scalar>& given, const Map& map, const Operator& op,
                        const ResultMap& result_map, std::span<const Output> more_outputs,
                        const Map& equality) {
  if (std::none_of(given.begin(), given.end(),
                   [](const Scalar& one) { return one.from.has_value(); })) {
    return 0;
  }
  std::uint32_t word = 0;
  std::uint32_t bit = 1;
  for (const ScalarType& one : scalars_of(map, op, result_map, shapes_of(more_outputs), equality)) {
    const auto found = place_of(one.name, given);
    if (found != given.end() && found->from) word |= bit;
    bit <<= 1U;
  }
  return word;
}

void check_named(const PlanShape& shape, const std::vector<Scalar>& given) {
  for (const PlanScalar& one : shape.scalars) {
    const auto& [name, type] = one.declared;
    const auto found = place_of(name, given);
    if (found == given.end()) refuse(name, "the call gives no value for it");
    const std::optional<ErasedView>& from = found->from;
    const Type is = from ? from->type : found->value.type();
    if (is != type) {
      refuse(name, "its value is of " + std::string(name_of(is)) + ", and it is declared as " +
                       std::string(name_of(type)));
    }
    if (from.has_value() != one.on_device) {
      refuse(name, one.on_device ? "the plan takes it from device memory"
                                 : "the plan takes it from the host");
    }
  }
  if (given.size() != shape.scalars.size()) refuse_number(shape, given);
}

const Scalar& scalar_of(const ScalarType& declared, const std::vector<Scalar>& given) {
  return *place_of(declared.name, given);
}

}  // namespace bifold::core
