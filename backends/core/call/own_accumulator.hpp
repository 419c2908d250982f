// Calls whose accumulator and result map are their own.
#pragma once

#include <bifold/error.hpp>
#include <bifold/map.hpp>
#include <bifold/type.hpp>
#include <string_view>

#include "core/base/format.hpp"

namespace bifold::core {

/// The options of such a call with these. Throws invalid_argument if the user gave others.
template <class Options>
Options with_own_accumulator(std::string_view call, Options options, Type accumulator,
                             const ResultMap& result_map) {
  if (options.accumulate || !options.result_map.is_identity()) {
    throw Error(ErrorCategory::invalid_argument,
                formatted("{} has an accumulator and a result map of its own", call));
  }
  options.accumulate = accumulator;
  options.result_map = result_map;
  return options;
}

}  // namespace bifold::core
