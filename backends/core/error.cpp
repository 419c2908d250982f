#include <bifold/error.hpp>

namespace bifold {

namespace {

// The message a reader meets first: what happened, and which driver call said so.
std::string compose(const std::string& message, const Error::Details& details) {
  std::string text = message;
  if (!details.call.empty()) {
    text += " (" + details.backend + ": " + details.call;
    if (!details.native_name.empty()) {
      text += " returned " + details.native_name + " = " + std::to_string(details.native_code);
    }
    text += ")";
  }
  if (!details.log.empty()) text += "\n" + details.log;
  return text;
}

}  // namespace

std::string_view name_of(ErrorCategory category) noexcept {
  switch (category) {
    case ErrorCategory::invalid_argument: return "invalid_argument";
    case ErrorCategory::unsupported: return "unsupported";
    case ErrorCategory::unavailable: return "unavailable";
    case ErrorCategory::build_failure: return "build_failure";
    case ErrorCategory::out_of_memory: return "out_of_memory";
    case ErrorCategory::timeout: return "timeout";
    case ErrorCategory::device_lost: return "device_lost";
    case ErrorCategory::backend_failure: break;
  }
  return "backend_failure";
}

Error::Error(ErrorCategory category, const std::string& message)
    : Error(category, message, Details{}) {}

Error::Error(ErrorCategory category, const std::string& message, Details details)
    : std::runtime_error(compose(message, details)),
      category_(category),
      details_(std::make_shared<const Details>(std::move(details))) {}

Error::~Error() = default;
Error::Error(const Error&) noexcept = default;
Error& Error::operator=(const Error&) noexcept = default;

}  // namespace bifold
