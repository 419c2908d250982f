// A value in a JSON document that somebody else may have written: every error names file and field.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "document/parts.hpp"

namespace bench {

class Field {
 public:
  /// The whole document of `file`. Throws UsageError when it cannot be read or is no JSON.
  static Field document(const std::filesystem::path& file);
  /// The same of that text; `file` is what errors call it.
  static Field document(std::string_view text, const std::string& file);

  /// A member that has to be there.
  [[nodiscard]] Field at(std::string_view name) const;
  /// A member that is there and not null.
  [[nodiscard]] std::optional<Field> find(std::string_view name) const;
  [[nodiscard]] std::vector<Field> items() const;

  /// On one line, without control characters.
  [[nodiscard]] std::string string() const;
  /// Finite.
  [[nodiscard]] double number() const;
  [[nodiscard]] double positive() const;
  [[nodiscard]] std::uint64_t count() const;
  [[nodiscard]] bool flag() const;
  [[nodiscard]] bool is_string() const { return json_->is_string(); }

  [[nodiscard]] double number_or(std::string_view name, double otherwise) const;
  [[nodiscard]] std::uint64_t count_or(std::string_view name, std::uint64_t otherwise) const;
  [[nodiscard]] std::string string_or(std::string_view name, std::string otherwise) const;
  [[nodiscard]] bool flag_or(std::string_view name, bool otherwise) const;

  /// What the text names among `choices`, by name_of().
  template <class T, class Choices>
  [[nodiscard]] T one_of(const Choices& choices) const {
    const std::string name = string();
    for (const T choice : choices) {
      if (name_of(choice) == name) return choice;
    }
    fail("'" + name + "' is none of the names that this bifold-bench knows");
  }

  /// Throws UsageError: "FILE: /results/3/median_s: MESSAGE".
  [[noreturn]] void fail(std::string_view message) const;

 private:
  Field(std::shared_ptr<const Json> root, const Json* json, std::string pointer, std::string file)
      : root_(std::move(root)), json_(json), pointer_(std::move(pointer)), file_(std::move(file)) {}
  [[nodiscard]] Field child(const Json& json, std::string_view token) const;
  void require(bool is_that, std::string_view what) const;

  std::shared_ptr<const Json> root_;
  const Json* json_;
  std::string pointer_;
  std::string file_;
};

}  // namespace bench
