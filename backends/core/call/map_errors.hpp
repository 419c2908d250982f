// Errors about users' maps, where calls hand on texts made of them.
#pragma once

#include <bifold/error.hpp>
#include <bifold/reductions.hpp>
#include <vector>

#include "core/operators/map.hpp"
#include "core/text/expression_text.hpp"

namespace bifold::core {

/// Calls `body`, which hands on a text made of those of these maps. Where that is refused because
/// of a map, the error is about that map, its text and its columns.
template <class Body>
auto naming(const std::vector<Reduction>& maps, Type input, const Body& body) {
  try {
    return body();
  } catch (const Error& error) {
    if (error.category() != ErrorCategory::invalid_argument) throw;
    for (const Reduction& one : maps) {
      if (one.map.is_identity()) continue;
      static_cast<void>(
          map_text(one.map.expression(), {&input, 1}, one.accumulator, one.map.scalars()));
    }
    throw;
  }
}

}  // namespace bifold::core
