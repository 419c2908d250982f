// What may be tuned: parameters of production's rows, and the values that each may take.
#pragma once

#include <bifold/gallery.hpp>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/shape/plan_shape.hpp"
#include "core/tuning/parameters.hpp"

namespace bifold::core {

/// The version of all spaces together: it changes when a value that was allowed no longer is, or
/// means something else.
inline constexpr std::uint32_t tuning_spaces_version = 7;

/// A parameter of a row's family, and its values, ascending. Any combination of values is a plan
/// that computes the same.
struct TuningParameter {
  TuningMember member;
  std::vector<std::uint32_t> values;

  [[nodiscard]] std::string_view name() const noexcept { return parameter_of(member).name; }
  [[nodiscard]] bool allows(std::uint32_t value) const noexcept;
};

/// The parameters of a row; none where it is not production's, as a paper's values are its own.
std::span<const TuningParameter> tuning_space(const gallery::Variant& row);

/// What elements are as far as tuning goes: how they are computed with, and how wide what moves is.
struct ElementClass {
  enum class Kind : std::uint8_t { integer, floating, structure };
  Kind kind = Kind::integer;
  std::uint32_t bytes = 4;  ///< A power of two, rounded up for structs.

  friend bool operator==(const ElementClass&, const ElementClass&) = default;
};

/// The class of what a row moves for a call of that shape: of input elements, and in a scan of
/// output elements if they are wider.
ElementClass element_class(Algorithm algorithm, const PlanShape& shape);

/// "floating 4".
std::string name_of(const ElementClass& elements);
/// The class of such a name, in two words.
std::optional<ElementClass> element_class_of(std::string_view kind, std::string_view bytes);

}  // namespace bifold::core
