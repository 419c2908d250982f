// An environment variable that a test needs as it says, whatever the test was started with.
#pragma once

#include <doctest/doctest.h>

#include <cstdlib>
#include <optional>
#include <string>
#include <utility>

namespace bifold::test {

/// Has the value while this lives, or none; then what it had before. No other thread is there.
class Variable {
 public:
  explicit Variable(std::string name, const std::optional<std::string>& value = {})
      : name_(std::move(name)) {
    const char* const before = std::getenv(name_.c_str());  // NOLINT(concurrency-mt-unsafe)
    if (before != nullptr) before_ = before;
    REQUIRE(set(value));
  }
  ~Variable() { CHECK(set(before_)); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  [[nodiscard]] bool set(const std::optional<std::string>& value) const {
    // NOLINTBEGIN(concurrency-mt-unsafe)
    return (value ? setenv(name_.c_str(), value->c_str(), 1) : unsetenv(name_.c_str())) == 0;
    // NOLINTEND(concurrency-mt-unsafe)
  }

  std::string name_;
  std::optional<std::string> before_;
};

}  // namespace bifold::test
