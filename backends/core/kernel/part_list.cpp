#include "core/kernel/part_list.hpp"

#include <algorithm>
#include <bifold/error.hpp>

#include "core/base/format.hpp"

namespace bifold::core {

namespace {

constexpr std::string_view provides = "// Provides: ";
constexpr std::string_view uses = "// Uses: ";
/// A list may go on in the next line.
constexpr std::string_view more = "//   ";

/// The first line, which is taken off the text.
std::string_view next_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

void add_names(std::vector<std::string_view>& names, std::string_view list) {
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(','), list.size());
    std::string_view name = list.substr(0, end);
    list.remove_prefix(std::min(end + 1, list.size()));
    while (name.starts_with(' ')) name.remove_prefix(1);
    if (!name.empty()) names.push_back(name);
  }
}

/// Calls with each line of the part's first comment, and the list that it goes on with: 1 what is
/// provided, 2 what is used, 0 neither.
template <class Function>
void for_each_head_line(std::string_view text, const Function& function) {
  int list = 0;
  while (text.starts_with("//")) {
    std::string_view line = next_line(text);
    if (line.starts_with(provides)) {
      list = 1;
      function(line, list, line.substr(provides.size()));
    } else if (line.starts_with(uses)) {
      list = 2;
      function(line, list, line.substr(uses.size()));
    } else if (list != 0 && line.starts_with(more)) {
      function(line, list, line.substr(more.size()));
    } else {
      list = 0;
      function(line, list, std::string_view{});
    }
  }
}

}  // namespace

PartHead part_head(std::string_view text) {
  PartHead head;
  for_each_head_line(text, [&](std::string_view, int list, std::string_view names) {
    if (list != 0) add_names(list == 1 ? head.provides : head.uses, names);
  });
  return head;
}

std::string part_body(std::string_view text) {
  std::string body;
  std::size_t length = 0;
  for_each_head_line(text, [&](std::string_view line, int list, std::string_view) {
    length += line.size() + 1;
    if (list == 0) body.append(line) += '\n';
  });
  return body.append(text.substr(std::min(length, text.size())));
}

std::string_view PartList::text_of(const std::string& part, std::string_view name) const {
  try {
    return device_.kernel_file(part);
  } catch (const Error& error) {
    fail(error.what(), name);
  }
}

void PartList::fail(std::string_view why, std::string_view name) const {
  if (open_.empty()) {
    throw Error(ErrorCategory::build_failure, formatted("{}, as the kernel {}", why, name));
  }
  std::string asking = open_.back();
  if (open_.size() > 1) asking += formatted(" of the kernel {}", open_.front());
  throw Error(ErrorCategory::build_failure,
              formatted("{}; {} is asked for by the part {}", why, name, asking));
}

void PartList::add(std::string_view name) {
  if (provided_.contains(name)) return;
  const std::string part = choose_(name);
  const PartHead head = part_head(text_of(part, name));
  const bool provides_it = part == name || std::find(head.provides.begin(), head.provides.end(),
                                                     name) != head.provides.end();
  if (!provides_it) fail(formatted("the kernel part {} does not provide it", part), name);
  if (std::find(open_.begin(), open_.end(), part) != open_.end()) {
    fail(formatted("the kernel part {} is used by what it uses", part), name);
  }
  open_.push_back(part);
  for (const std::string_view used : head.uses) add(used);
  open_.pop_back();
  parts_.push_back(part);
  provided_.insert(part);
  provided_.insert(head.provides.begin(), head.provides.end());
}

}  // namespace bifold::core
