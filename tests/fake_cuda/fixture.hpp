// What a test needs to run the CUDA backend on the fake driver.
#pragma once

#include <dlfcn.h>
#include <doctest/doctest.h>

#include <array>
#include <bifold/error.hpp>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <string>
#include <string_view>

#include "interface.hpp"
#include "registry.hpp"

namespace fake_cuda {

namespace backend = bifold::backend;
using bifold::Error;

/// Skips a case unless this process runs with that kind of driver.
inline doctest::skip unless(std::string_view kind) {
  const char* text = std::getenv("BIFOLD_TEST_CUDA_DRIVER");  // NOLINT(concurrency-mt-unsafe)
  return {text == nullptr || text != kind};
}

/// An environment variable.
inline std::string setting(const char* name, const char* otherwise) {
  const char* text = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
  return text != nullptr ? text : otherwise;
}

inline const backend::Backend& cuda() {
  for (const backend::Registration& row : backend::registered_backends()) {
    if (row.name == "cuda" && row.backend != nullptr) return *row.backend;
  }
  FAIL("this build has no CUDA backend");
  std::abort();
}

/// A function of the fake driver.
template <class Function>
Function* fake(const char* symbol) {
  void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  REQUIRE(library != nullptr);
  void* address = dlsym(library, symbol);
  REQUIRE_MESSAGE(address != nullptr, std::string(symbol), ": not the fake driver");
  dlclose(library);  // The backend, or the fixture below, holds it too.
  return reinterpret_cast<Function*>(address);
}

/// As fake_cuda_count.
inline std::int64_t count(const char* what) {
  return fake<std::int64_t(const char*)>("fake_cuda_count")(what);
}

inline void* current_context() {
  void* context = nullptr;
  REQUIRE(fake<int(void**)>("cuCtxGetCurrent")(&context) == 0);
  return context;
}

/// Makes a driver function fail for the length of a scope.
class Failing {
 public:
  Failing(const char* function, int code, int after_calls = 0) {
    fake<void(const char*, int, int)>("fake_cuda_fail")(function, after_calls, code);
  }
  ~Failing() { fake<void()>("fake_cuda_reset")(); }
  Failing(const Failing&) = delete;
  Failing& operator=(const Failing&) = delete;
};

/// Around every case: another device's context is current, and is so at the end; nothing leaks, and
/// the driver was never misused.
class Working {
 public:
  Working() : library_(dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL)) {
    REQUIRE(library_ != nullptr);
    REQUIRE(fake<int(unsigned)>("cuInit")(0) == 0);
    REQUIRE(fake<int(void**, int)>("cuDevicePrimaryCtxRetain")(&foreign_, 1) == 0);
    REQUIRE(fake<int(void*)>("cuCtxPushCurrent_v2")(foreign_) == 0);
    for (std::size_t i = 0; i < alive.size(); ++i) before_[i] = count(alive[i]);
  }
  ~Working() {
    CHECK(current_context() == foreign_);
    for (std::size_t i = 0; i < alive.size(); ++i) {
      CHECK_MESSAGE(count(alive[i]) == before_[i], std::string(alive[i]));
    }
    void* popped = nullptr;
    CHECK(fake<int(void**)>("cuCtxPopCurrent_v2")(&popped) == 0);
    CHECK(fake<int(int)>("cuDevicePrimaryCtxRelease_v2")(1) == 0);
    dlclose(library_);
  }
  Working(const Working&) = delete;
  Working& operator=(const Working&) = delete;

  [[nodiscard]] void* foreign() const { return foreign_; }

 private:
  static constexpr std::array alive{"contexts",    "streams", "events",
                                    "allocations", "modules", "misuses"};
  void* library_;
  void* foreign_ = nullptr;
  std::array<std::int64_t, alive.size()> before_{};
};

/// What `call` throws; a failure of the test when it throws nothing.
inline Error error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    CHECK(error.backend() == "cuda");
    return error;
  }
  FAIL("nothing was thrown");
  std::abort();
}

inline bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

}  // namespace fake_cuda
