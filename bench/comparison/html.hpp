// A comparison as one page that needs nothing else: tables, and charts drawn by Chart.js.
#pragma once

#include <string>
#include <string_view>

#include "base/grid.hpp"
#include "comparison/comparison.hpp"

namespace bench {

/// Whether this build has the library that draws.
bool can_draw_charts();
/// Throws UsageError, which starts with `option`, where it does not.
void check_charts(std::string_view option);

std::string comparison_as_html(const Comparison& comparison);

/// A table with a caption, which scrolls by itself where it is too wide.
std::string as_html(const Grid& grid, const std::string& caption);

}  // namespace bench
