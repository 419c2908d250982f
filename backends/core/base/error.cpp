#include <bifold/error.hpp>
#include <new>
#include <stdexcept>

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

// Never destroyed: destructors of static objects in a program may still call.
const Error& no_host_memory() {
  static const auto* const error =  // NOLINTNEXTLINE(cppcoreguidelines-owning-memory)
      new Error(ErrorCategory::out_of_memory, "the host has no memory left");
  return *error;
}

// Made while the library is loaded, as there may be no memory for it later.
[[maybe_unused]] const Error& made_early = no_host_memory();

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

void detail::rethrow() {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    throw Error(no_host_memory());
  } catch (const std::length_error&) {  // More elements than a container can have.
    throw Error(no_host_memory());
  }
}

Error::~Error() = default;
Error::Error(const Error&) noexcept = default;
Error& Error::operator=(const Error&) noexcept = default;

}  // namespace bifold
