// What a call threw, as a value that checks can look at.
#pragma once

#include <bifold/error.hpp>
#include <optional>
#include <string>

namespace bifold::test {

/// The failure of a call. No category: it did not throw a bifold::Error.
struct Failure {
  std::optional<ErrorCategory> category{};
  std::string what;
  std::string log;
  std::string source;
  std::string backend;
  std::string call;
  std::int64_t native_code = 0;

  [[nodiscard]] bool mentions(const std::string& words) const {
    return what.find(words) != std::string::npos;
  }
};

template <class Body>
Failure failure_of(Body&& body) {
  Failure failure;
  try {
    body();
    failure.what = "nothing was thrown";
  } catch (const Error& error) {
    failure.category = error.category();
    failure.what = error.what();
    failure.log = error.log();
    failure.source = error.source();
    failure.backend = error.backend();
    failure.call = error.call();
    failure.native_code = error.native_code();
  } catch (const std::exception& error) {
    failure.what = std::string("not a bifold::Error: ") + error.what();
  }
  return failure;
}

}  // namespace bifold::test
