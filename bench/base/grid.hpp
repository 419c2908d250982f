// A table of text cells, for the terminal and as Markdown.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace bench {

struct Column {
  std::string heading;
  bool number = false;  ///< Aligned on the right.
};

struct Grid {
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows;  ///< Of as many cells as there are columns.
};

/// The most columns that a table for people takes; without a limit once `--wide` was given.
std::size_t text_width() noexcept;
void allow_wide_text() noexcept;

/// Lines of equal columns, each behind `indent` blanks. Where they would be wider than
/// text_width(), cells of words are broken at blanks. What still does not fit follows in a further
/// table, which begins with the columns of words that this one begins with.
std::string as_text(const Grid& grid, std::size_t indent);
std::string as_markdown(const Grid& grid);

/// `text` in lines of at most 100 columns, each behind `indent` blanks.
std::string wrapped(const std::string& text, std::size_t indent);
/// `text` broken at blanks into lines of at most `width` columns; a longer word is a line.
std::vector<std::string> lines_of(std::string_view text, std::size_t width);

}  // namespace bench
