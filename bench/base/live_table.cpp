#include "base/live_table.hpp"

#include <algorithm>
#include <utility>

#include "base/format.hpp"

namespace bench {
namespace {

constexpr std::size_t more_indent = 4;  ///< Of lines that a remark needs beside its row.

}  // namespace

LiveTable::LiveTable(std::vector<Field> fields, std::size_t indent)
    : fields_(std::move(fields)), indent_(indent) {
  for (Field& field : fields_) field.width = std::max(field.width, field.column.heading.size());
}

std::string LiveTable::heading(const std::string& remark) const {
  std::vector<std::string> cells;
  cells.reserve(fields_.size());
  for (const Field& field : fields_) cells.push_back(field.column.heading);
  return row(cells, remark);
}

std::string LiveTable::row(const std::vector<std::string>& cells, const std::string& remark) const {
  std::string line(indent_, ' ');
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const auto& [column, width] = fields_[i];
    line += column.number ? formatted("{:>{}}  ", cells[i], width)
                          : formatted("{:<{}}  ", cells[i], width);
  }
  if (line.size() + remark.size() <= text_width()) {
    line += remark;
    line.erase(line.find_last_not_of(' ') + 1);
    return line + '\n';
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line + '\n' + wrapped(remark, indent_ + more_indent);
}

void print_now(const std::string& lines) {
  write_text(lines);
  flush_text();
}

}  // namespace bench
