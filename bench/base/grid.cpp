#include "base/grid.hpp"

#include <algorithm>
#include <string_view>

#include "base/format.hpp"

namespace bench {
namespace {

/// A cell must neither end its column nor be read as a mark of emphasis.
std::string escaped(std::string_view cell) {
  std::string text;
  for (const char c : cell) {
    if (c == '|' || c == '*' || c == '<') text += '\\';
    text += c;
  }
  return text;
}

std::string padded(std::string_view cell, std::size_t width, bool number) {
  return number ? formatted("{:>{}}", cell, width) : formatted("{:<{}}", cell, width);
}

}  // namespace

std::string as_text(const Grid& grid, std::size_t indent) {
  std::vector<std::string> headings;
  headings.reserve(grid.columns.size());
  for (const Column& column : grid.columns) headings.push_back(column.heading);
  std::vector<std::vector<std::string>> lines = grid.rows;
  lines.insert(lines.begin(), std::move(headings));

  std::string text;
  for (const auto& line : lines) {
    std::string row(indent, ' ');
    for (std::size_t c = 0; c < line.size(); ++c) {
      std::size_t width = 0;
      for (const auto& other : lines) width = std::max(width, other[c].size());
      row += padded(line[c], width, grid.columns[c].number) + "  ";
    }
    row.erase(row.find_last_not_of(' ') + 1);
    text += row + '\n';
  }
  return text;
}

std::string as_markdown(const Grid& grid) {
  std::string headings = "|";
  std::string rule = "|";
  for (const Column& column : grid.columns) {
    headings += ' ' + escaped(column.heading) + " |";
    rule += column.number ? " ---: |" : " --- |";
  }
  std::string text = headings + '\n' + rule + '\n';
  for (const auto& row : grid.rows) {
    text += '|';
    for (const std::string& cell : row) {
      text += cell.empty() ? std::string(" |") : ' ' + escaped(cell) + " |";
    }
    text += '\n';
  }
  return text;
}

std::string wrapped(const std::string& text, std::size_t indent) {
  constexpr std::size_t width = 100;
  std::string result;
  std::string line(indent, ' ');
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::string_view word = rest.substr(0, rest.find(' '));
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
    const bool begun = line.size() > indent;
    if (begun && line.size() + 1 + word.size() > width) {
      result += line + '\n';
      line.assign(indent, ' ');
    } else if (begun) {
      line += ' ';
    }
    line += word;
  }
  return result + line + '\n';
}

}  // namespace bench
