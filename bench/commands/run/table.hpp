// The results of a run as a table for people.
#pragma once

#include <string>

#include "base/live_table.hpp"
#include "measure/result.hpp"

namespace bench {

/// The rows of a run, each to be printed when it was measured.
class RunTable {
 public:
  /// Of a report whose devices are open and whose results are still to be measured. It must outlive
  /// the table.
  explicit RunTable(const Report& report);

  /// Where is measured, and the headings.
  [[nodiscard]] std::string heading() const;
  /// Of a result that was tried; nothing where it was skipped, which the summary tells.
  [[nodiscard]] std::string row(const Result& result) const;

 private:
  const Report& report_;
  bool several_;  ///< Devices: each row names its own.
  LiveTable table_;
};

/// What follows the rows: what was not measured, limits, what the columns mean, and the counts.
std::string summary_of(const Report& report);

}  // namespace bench
