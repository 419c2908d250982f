// Maps that only the library itself makes.
#pragma once

#include <bifold/map.hpp>
#include <bifold/scalar.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bifold::core {

/// A map of a text that was made of users' by putting them in brackets, or is bifold's own: it may
/// be longer than theirs, and nothing in it is looked at before there are types.
Map composed_map(std::string expression, std::vector<ScalarType> scalars = {});

/// The map with text around its own, or around `otherwise` where it has none.
Map around(const Map& map, std::string_view otherwise, std::string_view before,
           std::string_view behind);

/// 1 where the expression holds, else 0; without one, where an element is not 0.
Map counting_map(const Map& predicate);

/// A map of a part of an array, whose index `i` is that in the whole array: a scalar is the index
/// of the part's first element.
struct PartMap {
  Map map;
  std::string first{};  ///< The scalar's name; empty where the map does not name `i`.

  /// The scalar of a part that begins with that element of the array, if there is one.
  [[nodiscard]] std::vector<Scalar> from(std::uint64_t index) const;
};
PartMap part_map(const Map& map);

}  // namespace bifold::core
