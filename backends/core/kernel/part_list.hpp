// The parts that a kernel's text is made of, found by what each says that it uses.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "interface.hpp"

namespace bifold::core {

/// What a part says of itself in its first lines, which are comments:
///   // Provides: lanes, lane_folds
///   // Uses: words
/// They refer to the part's text.
struct PartHead {
  std::vector<std::string_view> provides;  ///< Names; its own is one besides.
  std::vector<std::string_view> uses;      ///< Names that have to be provided in front of it.
};
PartHead part_head(std::string_view text);

/// The part as it is compiled: without these lines.
std::string part_body(std::string_view text);

/// Which part provides a name, where several could.
using PartChoice = std::function<std::string(std::string_view name)>;

/// Parts in an order in which each comes behind what it uses.
class PartList {
 public:
  PartList(const backend::Device& device, PartChoice choose)
      : device_(device), choose_(std::move(choose)) {}

  /// Adds the part that provides `name`, behind what it uses, unless a part that is here provides
  /// it. Throws build_failure where there is no such part, where the chosen one does not provide
  /// the name, or where parts use each other. The message names the part that asked.
  void add(std::string_view name);

  [[nodiscard]] const std::vector<std::string>& parts() const noexcept { return parts_; }
  /// Whether a part is here that provides the name.
  [[nodiscard]] bool has(std::string_view name) const { return provided_.contains(name); }

 private:
  [[nodiscard]] std::string_view text_of(const std::string& part, std::string_view name) const;
  [[noreturn]] void fail(std::string_view why, std::string_view name) const;

  const backend::Device& device_;
  PartChoice choose_;
  std::vector<std::string> parts_;
  std::set<std::string, std::less<>> provided_;
  std::vector<std::string> open_;  // Parts whose uses are being added, each asked for by the last.
};

}  // namespace bifold::core
