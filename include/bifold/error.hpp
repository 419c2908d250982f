/// @file
/// The one exception type of the library.
#pragma once

#include <bifold/export.hpp>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

namespace bifold {

/// @addtogroup errors
/// @{

/// What kind of failure an Error reports; the part a program branches on.
enum class ErrorCategory : std::uint8_t {
  invalid_argument,  ///< The call is wrong: ranges, types, selectors. Nothing was written.
  unsupported,       ///< The call is right, but this device or variant cannot do it.
  unavailable,       ///< No such backend or device on this machine; the message says why.
  build_failure,     ///< A kernel did not compile; log() and source() tell where.
  out_of_memory,     ///< The device (or host) has no room for an allocation.
  timeout,           ///< A wait with a time limit passed it; the work goes on.
  device_lost,       ///< The device or its context is gone; its handles are no longer usable.
  backend_failure,   ///< Any other failure reported by a driver, or an event that has failed.
};

/// The category's name as it is spelled above.
BIFOLD_API std::string_view name_of(ErrorCategory category) noexcept;

/// Every failure of the library is thrown as this type, a lack of host memory included; strings and
/// vectors that a caller makes for a call fail as they do anywhere. After an error the Device and
/// the Queue stay usable unless the category is device_lost. Copying does not throw.
class BIFOLD_API_CLASS Error : public std::runtime_error {
 public:
  /// What is known beyond the message; fields that do not apply stay empty.
  struct Details {
    std::string backend;           ///< "cuda", "opencl", or empty when no driver was involved.
    std::string call;              ///< The driver entry point that failed.
    std::int64_t native_code = 0;  ///< The driver's own error code.
    std::string native_name;       ///< The driver's name of that code.
    std::string log;               ///< build_failure: the compiler's log.
    std::string source;            ///< build_failure: the source, with line numbers.
  };

  /// A failure that no driver has a part in.
  Error(ErrorCategory category, const std::string& message);
  /// what() is the message, then the driver's call and code, then the log, where there are any.
  Error(ErrorCategory category, const std::string& message, Details details);
  ~Error() override;
  /// The same failure.
  Error(const Error&) noexcept;
  /// The same failure.
  Error& operator=(const Error&) noexcept;

  /// What kind of failure it is.
  [[nodiscard]] ErrorCategory category() const noexcept { return category_; }
  /// Details::backend.
  [[nodiscard]] const std::string& backend() const noexcept { return details_->backend; }
  /// Details::call.
  [[nodiscard]] const std::string& call() const noexcept { return details_->call; }
  /// Details::native_code.
  [[nodiscard]] std::int64_t native_code() const noexcept { return details_->native_code; }
  /// Details::native_name.
  [[nodiscard]] const std::string& native_name() const noexcept { return details_->native_name; }
  /// Details::log.
  [[nodiscard]] const std::string& log() const noexcept { return details_->log; }
  /// Details::source.
  [[nodiscard]] const std::string& source() const noexcept { return details_->source; }

 private:
  ErrorCategory category_;
  std::shared_ptr<const Details> details_;
};

/// @}

/// @cond internal
namespace detail {

// Rethrows the exception being handled, and for a lack of host memory its Error, which was made
// while there was some. Every call of the library ends in it that does not succeed.
[[noreturn]] BIFOLD_API void rethrow();

// What a header makes for a call.
template <class Make>
auto guarded(Make make) {
  try {
    return make();
  } catch (...) {
    rethrow();
  }
}

}  // namespace detail
/// @endcond

}  // namespace bifold
