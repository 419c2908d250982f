#include "core/text/checked_text.hpp"

#include <algorithm>
#include <cstdint>

#include "core/base/format.hpp"
#include "core/base/hash.hpp"

namespace bifold::core {

std::string on_one_line(std::string_view text) {
  std::string line(text);
  std::replace(line.begin(), line.end(), '\n', ' ');
  std::replace(line.begin(), line.end(), '\r', ' ');
  return line;
}

std::string_view take(std::string_view& text, char separator) {
  const std::size_t end = text.find(separator);
  const std::string_view first = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return first;
}

std::string checked_header(std::string_view format, std::string_view body) {
  return formatted("{} {} {:016x}\n", format, body.size(), hash(body));
}

std::optional<std::string_view> checked_body(std::string_view format, std::string_view text) {
  std::string_view body = text;
  std::string_view header = take(body, '\n');
  if (!header.starts_with(format)) return {};
  header.remove_prefix(format.size());
  if (!take(header, ' ').empty()) return {};
  const auto length = number_in<std::uint64_t>(take(header, ' '));
  const auto checksum = number_in<std::uint64_t>(header, 16);
  if (length != body.size() || checksum != hash(body)) return {};
  return body;
}

std::string foreign_part(std::string_view& body, std::string_view key, std::size_t& line) {
  while (!key.empty()) {
    const std::string_view wanted = take(key, '\n');
    const std::string_view found = take(body, '\n');
    if (found != wanted) return formatted(R"("{}" instead of "{}")", found, wanted);
    ++line;
  }
  return {};
}

}  // namespace bifold::core
