// What the library says, for tests of it.
#pragma once

#include <algorithm>
#include <bifold/log.hpp>
#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace bifold::test {

/// Messages of at least a level while it lives; one at a time. Threads of the library may log.
class Messages {
 public:
  explicit Messages(LogLevel least) {
    set_log(least, [this](LogLevel, std::string_view message) {
      const std::lock_guard hold(mutex_);
      all_.emplace_back(message);
    });
  }
  ~Messages() { set_log(LogLevel::off, {}); }
  Messages(const Messages&) = delete;
  Messages& operator=(const Messages&) = delete;

  [[nodiscard]] std::size_t count() const {
    const std::lock_guard hold(mutex_);
    return all_.size();
  }
  /// Of those with these words.
  [[nodiscard]] std::size_t count(std::string_view words) const {
    const std::lock_guard hold(mutex_);
    return static_cast<std::size_t>(std::count_if(
        all_.begin(), all_.end(),
        [words](const std::string& message) { return message.find(words) != std::string::npos; }));
  }
  [[nodiscard]] bool mention(std::string_view words) const { return count(words) > 0; }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> all_;
};

class Warnings : public Messages {
 public:
  Warnings() : Messages(LogLevel::warning) {}
};

}  // namespace bifold::test
