// Internal logging: spdlog inside, a callback outside. Only log.cpp sees spdlog, whose headers cost
// every file that includes them a second of compilation.
#pragma once

#include <bifold/log.hpp>
#include <string>
#include <utility>

#include "core/base/format.hpp"

namespace bifold::core {

/// Formats only what somebody listens to. Thread-safe; throws nothing but bad_alloc.
class Logger {
 public:
  template <class... Args>
  void debug(fmt::format_string<Args...> format, Args&&... args) const {
    write_if(LogLevel::debug, format, std::forward<Args>(args)...);
  }
  template <class... Args>
  void info(fmt::format_string<Args...> format, Args&&... args) const {
    write_if(LogLevel::info, format, std::forward<Args>(args)...);
  }
  template <class... Args>
  void warn(fmt::format_string<Args...> format, Args&&... args) const {
    write_if(LogLevel::warning, format, std::forward<Args>(args)...);
  }
  template <class... Args>
  void error(fmt::format_string<Args...> format, Args&&... args) const {
    write_if(LogLevel::error, format, std::forward<Args>(args)...);
  }

  /// Whether a message of that level would reach anybody.
  [[nodiscard]] static bool listens(LogLevel level) noexcept;

 private:
  template <class... Args>
  void write_if(LogLevel level, fmt::format_string<Args...> format, Args&&... args) const {
    if (listens(level)) write(level, formatted(format, std::forward<Args>(args)...));
  }
  static void write(LogLevel level, const std::string& message);
};

/// The library's logger; off until set_log. Usage: log().debug("... {}", value).
const Logger& log() noexcept;

}  // namespace bifold::core
