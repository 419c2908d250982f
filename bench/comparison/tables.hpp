// A comparison for the terminal, as Markdown and as CSV.
#pragma once

#include <string>
#include <vector>

#include "base/grid.hpp"
#include "comparison/comparison.hpp"

namespace bench {

struct CompareSection {
  std::string id;  ///< "devices", "largest", "every", "starts" or "split".
  std::string heading;
  Grid grid;
  std::string note;
};

/// Those that have something to show.
std::vector<CompareSection> sections_of(const Comparison& comparison);

/// "Bits: 12 of 14 configurations agree, ..."; of one device, what was measured.
std::string bits_summary(const Comparison& comparison);

/// Bits and warnings first; then a summary of at most 60 lines, or every table.
std::string comparison_as_text(const Comparison& comparison, bool full);
std::string comparison_as_markdown(const Comparison& comparison);
/// A line for each configuration and side.
std::string comparison_as_csv(const Comparison& comparison);

/// "agree", "DIFFER", "-".
std::string bits_text(BitsAgreement bits);

}  // namespace bench
