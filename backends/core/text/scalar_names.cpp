#include "core/text/scalar_names.hpp"

#include <algorithm>
#include <bifold/error.hpp>
#include <string>

#include "core/base/format.hpp"
#include "core/base/hash.hpp"
#include "core/base/printable.hpp"
#include "core/element/struct_types.hpp"
#include "core/text/kernel_names.hpp"
#include "core/text/text_functions.hpp"

namespace bifold::core {

namespace {

/// Why a text cannot have a scalar of that name; empty where it can.
std::string_view why_not(std::string_view name, std::span<const std::string_view> operands) {
  if (!detail::is_identifier(name)) return "its name must be an identifier";
  if (std::find(operands.begin(), operands.end(), name) != operands.end()) {
    return "the text has an operand of that name";
  }
  if (find_text_function(name) != nullptr) return "there is a function of that name";
  if (parse_type(name)) return "there is a type of that name";
  if (name == "true" || name == "false") return "that is a number";
  if (name.starts_with("make_")) return "so begin the names of functions that make structs";
  return {};
}

}  // namespace

void check_scalars(std::string_view subject, std::span<const ScalarType> scalars,
                   std::span<const std::string_view> operands) {
  if (scalars.size() > max_scalars) {
    throw Error(ErrorCategory::invalid_argument,
                formatted("{}: {} scalars, and a text has at most {}", subject, scalars.size(),
                          max_scalars));
  }
  for (std::size_t i = 0; i < scalars.size(); ++i) {
    const std::string& name = scalars[i].name;
    std::string_view why = why_not(name, operands);
    const auto earlier = scalars.first(i);
    if (std::any_of(earlier.begin(), earlier.end(),
                    [&name](const ScalarType& one) { return one.name == name; })) {
      why = "there are two of that name";
    }
    if (why.empty()) continue;
    throw Error(ErrorCategory::invalid_argument,
                formatted("{}: scalar \"{}\": {}", subject, printable(name), why));
  }
}

void add_scalars(TextScope& scope, std::span<const ScalarType> scalars) {
  for (const ScalarType& one : scalars) {
    scope.names.push_back({one.name, std::nullopt, scalar_word(one.name)});
    if (!scope.has_types) continue;
    scope.names.back().type = accumulator_of(one.type);
    if (one.type.is_struct()) scope.structs.push_back(one.type);
  }
}

void keep_types(std::vector<ScalarType>& scalars) {
  for (ScalarType& one : scalars) one.type = kept(one.type);
}

std::uint64_t hash_of(std::span<const ScalarType> scalars, std::uint64_t from) {
  for (const ScalarType& one : scalars) from = hash(name_of(one.type), hash(one.name, from));
  return from;
}

bool same_scalars(std::span<const ScalarType> left, std::span<const ScalarType> right) noexcept {
  return std::equal(left.begin(), left.end(), right.begin(), right.end());
}

void merge_scalars(std::vector<ScalarType>& all, std::span<const ScalarType> scalars) {
  for (const ScalarType& one : scalars) {
    const auto known = std::find_if(
        all.begin(), all.end(), [&one](const ScalarType& other) { return other.name == one.name; });
    if (known == all.end()) {
      all.push_back(one);
    } else if (known->type != one.type) {
      throw Error(ErrorCategory::invalid_argument,
                  formatted("scalar \"{}\" is of {} in one text and of {} in another", one.name,
                            name_of(known->type), name_of(one.type)));
    }
  }
}

}  // namespace bifold::core
