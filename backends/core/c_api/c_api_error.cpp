#include "core/c_api/c_api_error.hpp"

#include <bifold/bifold.hpp>
#include <new>
#include <optional>

#include "core/c_api/c_api_structs.hpp"

namespace bifold::c_api {

namespace {

constexpr bifold_status code_of(ErrorCategory category) {
  return static_cast<bifold_status>(category) + 1;
}
static_assert(code_of(ErrorCategory::invalid_argument) == BIFOLD_INVALID_ARGUMENT);
static_assert(code_of(ErrorCategory::unsupported) == BIFOLD_UNSUPPORTED);
static_assert(code_of(ErrorCategory::unavailable) == BIFOLD_UNAVAILABLE);
static_assert(code_of(ErrorCategory::build_failure) == BIFOLD_BUILD_FAILURE);
static_assert(code_of(ErrorCategory::out_of_memory) == BIFOLD_OUT_OF_MEMORY);
static_assert(code_of(ErrorCategory::timeout) == BIFOLD_TIMEOUT);
static_assert(code_of(ErrorCategory::device_lost) == BIFOLD_DEVICE_LOST);
static_assert(code_of(ErrorCategory::backend_failure) == BIFOLD_BACKEND_FAILURE);

// Without memory for a copy of what was thrown, a fixed text stands for it.
struct Failure {
  std::optional<Error> error;
  const char* message = "";
  bifold_status status = BIFOLD_OK;
};

Failure& last_failure() noexcept {
  thread_local Failure failure;
  return failure;
}

bifold_status keep(const Error& error) noexcept {
  Failure& failure = last_failure();
  failure.error = error;
  failure.message = failure.error->what();
  return failure.status = code_of(error.category());
}

bifold_status keep(bifold_status status, const char* message) noexcept {
  Failure& failure = last_failure();
  failure.error.reset();
  failure.message = message;
  return failure.status = status;
}

}  // namespace

bifold_status keep_failure() noexcept {
  try {
    throw;
  } catch (const Error& error) {
    return keep(error);
  } catch (const std::bad_alloc&) {
    return keep(BIFOLD_OUT_OF_MEMORY, "the host has no memory left");
  } catch (const std::exception& error) {
    try {
      return keep(Error(ErrorCategory::backend_failure, error.what()));
    } catch (...) {
      return keep(BIFOLD_BACKEND_FAILURE, "a failure, and no memory left to say which");
    }
  } catch (...) {
    return keep(BIFOLD_BACKEND_FAILURE, "a failure of unknown kind");
  }
}

void refuse(const std::string& why) { throw Error(ErrorCategory::invalid_argument, why); }

}  // namespace bifold::c_api

using namespace bifold::c_api;

const char* bifold_last_error(void) { return last_failure().message; }

bifold_status bifold_last_error_details(bifold_error* error) {
  return guard([&] {
    const Failure& failure = last_failure();
    bifold_error details{};
    details.status = failure.status;
    details.message = failure.message;
    details.backend = details.call = details.native_name = details.log = details.source = "";
    if (failure.error) {
      const bifold::Error& kept = *failure.error;
      details.backend = kept.backend().c_str();
      details.call = kept.call().c_str();
      details.native_code = kept.native_code();
      details.native_name = kept.native_name().c_str();
      details.log = kept.log().c_str();
      details.source = kept.source().c_str();
    }
    write_struct(error, details, BIFOLD_C_SIZE_TO(bifold_error, source), "error");
  });
}

const char* bifold_status_name(bifold_status status) {
  if (status == BIFOLD_OK) return "ok";
  if (status < BIFOLD_OK || status > BIFOLD_BACKEND_FAILURE) return "unknown";
  // The names are literals, so they end with a zero.
  return bifold::name_of(static_cast<bifold::ErrorCategory>(status - 1)).data();
}

const char* bifold_version(void) { return bifold::version().data(); }

bifold_status bifold_set_log(bifold_log_level level, bifold_log_callback callback, void* user) {
  return guard([&] {
    if (level < BIFOLD_LOG_DEBUG || level > BIFOLD_LOG_OFF) refuse("no such log level");
    if (callback == nullptr) return bifold::set_log(bifold::LogLevel::off, {});
    bifold::set_log(static_cast<bifold::LogLevel>(level),
                    [callback, user](bifold::LogLevel of, std::string_view message) {
                      callback(user, static_cast<bifold_log_level>(of),
                               std::string(message).c_str());
                    });
  });
}
