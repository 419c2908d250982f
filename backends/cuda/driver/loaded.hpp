// A library's functions, looked for once per process.
#pragma once

#include <bifold/error.hpp>
#include <optional>

namespace bifold::backend::cuda {

/// What a loader found, or the Error it threw: both are kept, so that a machine without the library
/// is not searched again by every probe, and so that no static initialiser throws while other
/// threads wait for it. Immutable, hence thread-safe.
template <class Api>
class Loaded {
 public:
  explicit Loaded(Api (*load)()) {
    try {
      api_.emplace(load());
    } catch (const Error& error) {
      error_.emplace(error);
    }
  }

  /// The functions; throws what the loader threw.
  [[nodiscard]] const Api& get() const {
    // One of the two is there.
    if (!api_) throw Error(*error_);  // NOLINT(bugprone-unchecked-optional-access)
    return *api_;
  }

 private:
  std::optional<Api> api_;
  std::optional<Error> error_;
};

}  // namespace bifold::backend::cuda
