// A table of text cells, for the terminal and as Markdown.
#pragma once

#include <string>
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

/// Lines of equal columns, each behind `indent` blanks.
std::string as_text(const Grid& grid, std::size_t indent);
std::string as_markdown(const Grid& grid);

/// `text` in lines of at most 100 columns, each behind `indent` blanks.
std::string wrapped(const std::string& text, std::size_t indent);

}  // namespace bench
