/// @file
/// What the library says about its choices. Silent until a program asks.
#pragma once

#include <bifold/export.hpp>
#include <cstdint>
#include <functional>
#include <string_view>

namespace bifold {

/// @addtogroup errors
/// @{

/// How much a message matters, from the least on.
enum class LogLevel : std::uint8_t {
  debug,    ///< Which variant was chosen and why, what was compiled, what came from a cache.
  info,     ///< Between debug and warning; no message has it today.
  warning,  ///< What works around a problem.
  error,    ///< Failures that could not be thrown, as those met by a destructor.
  off,      ///< Above every message.
};

/// Receives a message, without a newline at its end. `message` is valid during the call.
using LogCallback = std::function<void(LogLevel level, std::string_view message)>;

/// Sends every message of at least `level` to `callback`, process-wide; an empty callback or
/// LogLevel::off silences the library, which is the default. Thread-safe; the callback is called
/// under locks of the library, from whichever thread logs: it must not call into bifold. What it
/// throws is dropped.
BIFOLD_API void set_log(LogLevel level, LogCallback callback);

/// @}

}  // namespace bifold
