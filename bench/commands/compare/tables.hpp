// A comparison for the terminal, as Markdown and as CSV.
#pragma once

#include <string>
#include <vector>

#include "base/grid.hpp"
#include "commands/compare/comparison.hpp"

namespace bench {

struct CompareSection {
  std::string id;  ///< "devices", "largest", "every", "starts" or "split".
  std::string heading;
  Grid grid;
  std::string note;
};

/// Those that have something to show.
std::vector<CompareSection> sections_of(const Comparison& comparison);

/// "Bits: 12 of 14 configurations agree, ...".
std::string verdict_text(const Comparison& comparison);

std::string comparison_as_text(const Comparison& comparison);
std::string comparison_as_markdown(const Comparison& comparison);
/// A line for each configuration and side.
std::string comparison_as_csv(const Comparison& comparison);

/// "agree", "DIFFER", "-".
std::string bits_text(BitsAgreement bits);

}  // namespace bench
