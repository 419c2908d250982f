// A table whose rows are printed as they come up.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/grid.hpp"

namespace bench {

/// Columns of widths that are known before; behind them, a remark of any length.
class LiveTable {
 public:
  struct Field {
    Column column;
    std::size_t width = 0;  ///< At least; a heading may be longer.
  };

  explicit LiveTable(std::vector<Field> fields, std::size_t indent = 2);

  /// The headings, and what stands above the remarks.
  [[nodiscard]] std::string heading(const std::string& remark = {}) const;
  /// A remark for which the line has no room follows below, broken at blanks.
  [[nodiscard]] std::string row(const std::vector<std::string>& cells,
                                const std::string& remark = {}) const;

 private:
  std::vector<Field> fields_;
  std::size_t indent_;
};

/// Writes lines for people and shows them at once.
void print_now(const std::string& lines);

}  // namespace bench
