#include "core/gallery/disabled_rows.hpp"

#include <algorithm>
#include <bifold/gallery.hpp>
#include <cstdlib>
#include <string>
#include <vector>

#include "core/base/ascii.hpp"
#include "core/base/log.hpp"
#include "core/base/nearest.hpp"
#include "core/base/printable.hpp"
#include "core/text/checked_text.hpp"

namespace bifold::core {
namespace {

// Calls `use` with each name, without blanks around it; `list` outlives the call.
template <class Use>
void for_each_name(std::string_view list, Use use) {
  while (!list.empty()) {
    std::string_view name = take(list, ',');
    while (!name.empty() && is_blank(name.front())) name.remove_prefix(1);
    while (!name.empty() && is_blank(name.back())) name.remove_suffix(1);
    if (!name.empty()) use(name);
  }
}

std::string_view listed() {
  const char* const list = std::getenv("BIFOLD_DISABLE");  // NOLINT(concurrency-mt-unsafe)
  return list == nullptr ? std::string_view() : std::string_view(list);
}

}  // namespace

bool is_disabled(std::string_view row) {
  bool found = false;
  for_each_name(listed(), [&](std::string_view name) { found = found || name == row; });
  return found;
}

void warn_of_unknown_rows() {
  const std::string_view list = listed();
  if (list.empty()) return;
  std::vector<std::string_view> rows;
  for (const gallery::Variant& row : gallery::variants()) rows.push_back(row.name);
  for_each_name(list, [&](std::string_view name) {
    if (std::find(rows.begin(), rows.end(), name) != rows.end()) return;
    log().warn("BIFOLD_DISABLE: no row is called \"{}\"{}", printable(name),
               suggestion(name, rows));
  });
}

}  // namespace bifold::core
