#include "document/field.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <utility>

#include "base/format.hpp"
#include "base/usage_error.hpp"
#include "core/base/printable.hpp"

namespace bench {

Field Field::document(const std::filesystem::path& file) {
  std::error_code ignored;
  std::ifstream in;
  if (!std::filesystem::is_directory(file, ignored)) in.open(file, std::ios::binary);
  if (!in.is_open()) throw UsageError(formatted("{}: cannot be read", file.string()));
  return document(std::string{std::istreambuf_iterator<char>(in), {}}, file.string());
}

Field Field::document(std::string_view text, const std::string& file) {
  try {
    auto root = std::make_shared<const Json>(Json::parse(text));
    const Json* json = root.get();
    return {std::move(root), json, "", file};
  } catch (const Json::parse_error& error) {
    const std::size_t end = std::min(error.byte, text.size());
    const auto line =
        1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(end), '\n');
    throw UsageError(error.byte > text.size() ? formatted("{}: cut off in line {}", file, line)
                                              : formatted("{}: no JSON in line {}", file, line));
  } catch (const Json::out_of_range&) {
    throw UsageError(formatted("{}: a number is too large", file));
  }
}

void Field::fail(std::string_view message) const {
  throw UsageError(formatted("{}: {}: {}", file_, pointer_.empty() ? "/" : pointer_, message));
}

void Field::require(bool is_that, std::string_view what) const {
  if (!is_that) fail(formatted("{} is expected, not {}", what, json_->type_name()));
}

Field Field::child(const Json& json, std::string_view token) const {
  return {root_, &json, formatted("{}/{}", pointer_, token), file_};
}

Field Field::at(std::string_view name) const {
  require(json_->is_object(), "an object");
  const auto found = json_->find(name);
  if (found == json_->end()) fail(formatted("has no '{}'", name));
  return child(*found, name);
}

std::optional<Field> Field::find(std::string_view name) const {
  require(json_->is_object(), "an object");
  const auto found = json_->find(name);
  if (found == json_->end() || found->is_null()) return {};
  return child(*found, name);
}

std::vector<Field> Field::items() const {
  require(json_->is_array(), "an array");
  std::vector<Field> items;
  for (const Json& item : *json_) items.push_back(child(item, std::to_string(items.size())));
  return items;
}

std::string Field::string() const {
  require(json_->is_string(), "a text");
  return bifold::core::printable(json_->get_ref<const std::string&>());
}

double Field::number() const {
  require(json_->is_number(), "a number");
  const auto value = json_->get<double>();
  if (!std::isfinite(value)) fail("is not finite");
  return value;
}

double Field::positive() const {
  const double value = number();
  if (value <= 0) fail("has to be more than 0");
  return value;
}

std::uint64_t Field::count() const {
  require(json_->is_number_unsigned(), "a whole number of at least 0");
  return json_->get<std::uint64_t>();
}

bool Field::flag() const {
  require(json_->is_boolean(), "true or false");
  return json_->get<bool>();
}

double Field::number_or(std::string_view name, double otherwise) const {
  const auto field = find(name);
  return field ? field->number() : otherwise;
}

std::uint64_t Field::count_or(std::string_view name, std::uint64_t otherwise) const {
  const auto field = find(name);
  return field ? field->count() : otherwise;
}

std::string Field::string_or(std::string_view name, std::string otherwise) const {
  const auto field = find(name);
  return field ? field->string() : std::move(otherwise);
}

bool Field::flag_or(std::string_view name, bool otherwise) const {
  const auto field = find(name);
  return field ? field->flag() : otherwise;
}

}  // namespace bench
