// One device under check.
#pragma once

#include <bifold/bifold.hpp>
#include <functional>
#include <string>
#include <vector>

#include "base/progress.hpp"
#include "commands/check/check.hpp"
#include "commands/check/result.hpp"

namespace bench {

/// The lines of that device, not yet checked: of the rows that production may pick there, of every
/// row, or of the rows named.
std::vector<CheckLine> lines_for(const bifold::Device& device, const CheckOptions& options);

/// What checking the lines costs, as Progress counts it.
double cost_of(const std::vector<CheckLine>& lines, const CheckOptions& options);

/// Blocks. Checks the lines one after another, and calls `after_each` with each. A device that is
/// lost or hangs, and an interrupt from the keyboard, leave the rest unchecked.
void check_lines(const bifold::Device& device, std::vector<CheckLine>& lines,
                 const CheckOptions& options, Progress& progress,
                 const std::function<void(const CheckLine&)>& after_each);

/// What production picks on that device now, for each kind of call.
std::vector<ProductionChoice> production_choices(const bifold::Device& device);

}  // namespace bench
