#include "base/grid.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
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

constexpr std::size_t gap = 2;  ///< Between two columns.
/// No column is made narrower than this by breaking its cells.
constexpr std::size_t least_width = 16;
/// Nor are columns repeated in a further table that take more.
constexpr std::size_t most_repeated = 60;
std::size_t most_columns = 100;

std::ptrdiff_t as_offset(std::size_t i) { return static_cast<std::ptrdiff_t>(i); }

std::vector<std::size_t> natural_widths(const Grid& grid) {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < grid.columns.size(); ++c) {
    widths.push_back(grid.columns[c].heading.size());
    for (const auto& row : grid.rows) widths[c] = std::max(widths[c], row[c].size());
  }
  return widths;
}

std::size_t total_of(const std::vector<std::size_t>& widths, std::size_t indent) {
  return std::accumulate(widths.begin(), widths.end(), indent + gap * (widths.size() - 1));
}

std::size_t longest_word(std::string_view text) {
  std::size_t longest = 0;
  for (const std::string& word : lines_of(text, 1)) longest = std::max(longest, word.size());
  return longest;
}

/// Takes from the widest columns of words what is too much, as far as their words allow.
void narrow(const Grid& grid, std::vector<std::size_t>& widths, std::size_t indent) {
  std::vector<std::size_t> least = widths;
  for (std::size_t c = 0; c < widths.size(); ++c) {
    if (grid.columns[c].number) continue;
    least[c] = std::max(least_width, longest_word(grid.columns[c].heading));
    for (const auto& row : grid.rows) least[c] = std::max(least[c], longest_word(row[c]));
  }
  for (std::size_t total = total_of(widths, indent); total > most_columns; --total) {
    std::size_t widest = widths.size();
    for (std::size_t c = 0; c < widths.size(); ++c) {
      if (widths[c] <= least[c]) continue;
      if (widest == widths.size() || widths[c] > widths[widest]) widest = c;
    }
    if (widest == widths.size()) return;
    --widths[widest];
  }
}

void draw(std::string& text, const std::vector<std::string>& cells, const Grid& grid,
          const std::vector<std::size_t>& widths, std::size_t indent) {
  std::vector<std::vector<std::string>> broken;
  std::size_t height = 1;
  for (std::size_t c = 0; c < cells.size(); ++c) {
    broken.push_back(cells[c].size() <= widths[c] ? std::vector{cells[c]}
                                                  : lines_of(cells[c], widths[c]));
    height = std::max(height, broken.back().size());
  }
  for (std::size_t line = 0; line < height; ++line) {
    std::string row(indent, ' ');
    for (std::size_t c = 0; c < cells.size(); ++c) {
      const std::string cell = line < broken[c].size() ? broken[c][line] : std::string();
      row += padded(cell, widths[c], grid.columns[c].number) + std::string(gap, ' ');
    }
    row.erase(row.find_last_not_of(' ') + 1);
    text += row + '\n';
  }
}

std::string drawn(const Grid& grid, const std::vector<std::size_t>& widths, std::size_t indent) {
  std::vector<std::string> headings;
  headings.reserve(grid.columns.size());
  for (const Column& column : grid.columns) headings.push_back(column.heading);
  std::string text;
  draw(text, headings, grid, widths, indent);
  for (const auto& row : grid.rows) draw(text, row, grid, widths, indent);
  return text;
}

/// The first `keys` columns, and those from `begin` to before `end`.
Grid part_of(const Grid& grid, std::size_t keys, std::size_t begin, std::size_t end) {
  const auto part = [&](const auto& all) {
    auto chosen = all;
    chosen.assign(all.begin(), all.begin() + as_offset(keys));
    chosen.insert(chosen.end(), all.begin() + as_offset(begin), all.begin() + as_offset(end));
    return chosen;
  };
  Grid result{part(grid.columns), {}};
  for (const auto& row : grid.rows) result.rows.push_back(part(row));
  return result;
}

}  // namespace

std::size_t text_width() noexcept { return most_columns; }

void allow_wide_text() noexcept { most_columns = std::numeric_limits<std::size_t>::max(); }

std::string as_text(const Grid& grid, std::size_t indent) {
  std::vector<std::size_t> widths = natural_widths(grid);
  if (total_of(widths, indent) > most_columns) narrow(grid, widths, indent);
  if (total_of(widths, indent) <= most_columns) return drawn(grid, widths, indent);
  // As many columns as fit behind the leading ones of words, then the rest behind the same.
  std::size_t keys = 1;
  while (keys < grid.columns.size() && !grid.columns[keys].number &&
         total_of({widths.begin(), widths.begin() + as_offset(keys + 1)}, indent) <=
             most_repeated) {
    ++keys;
  }
  std::size_t used = total_of({widths.begin(), widths.begin() + as_offset(keys)}, indent);
  std::size_t end = keys;
  while (end < widths.size() && (end == keys || used + gap + widths[end] <= most_columns)) {
    used += gap + widths[end++];
  }
  if (end == widths.size()) return drawn(grid, widths, indent);
  return as_text(part_of(grid, keys, keys, end), indent) + '\n' +
         as_text(part_of(grid, keys, end, widths.size()), indent);
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

std::vector<std::string> lines_of(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  bool begun = false;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    if (word.empty()) continue;
    if (begun && lines.back().size() + 1 + word.size() <= width) {
      lines.back() += ' ';
      lines.back() += word;
    } else {
      lines.emplace_back(word);
      begun = true;
    }
  }
  if (lines.empty()) lines.emplace_back();
  return lines;
}

std::string wrapped(const std::string& text, std::size_t indent) {
  std::string result;
  for (const std::string& line : lines_of(text, 100 - indent)) {
    result += std::string(indent, ' ') + line + '\n';
  }
  return result;
}

}  // namespace bench
