// What else a reader of results wants to know about a device: clocks, tuning, the self-check.
#pragma once

#include <bifold/bifold.hpp>
#include <cstddef>
#include <string>
#include <vector>

#include "peers/clocks.hpp"

namespace bench {

struct DeviceFacts {
  Clocks clocks;
  std::size_t tuned_rows = 0;         ///< Rows and classes that a tuning file has values for.
  std::size_t rows_checked = 0;       ///< By `bifold-bench check`, as stored; 0: none.
  std::vector<std::string> problems;  ///< What it found wrong.
};

DeviceFacts facts_of(const bifold::Device& device);

}  // namespace bench
