// How the library's programs come to NVIDIA's OpenCL, over a stand-in for it: what is taken in
// which form, what a driver that refuses them or does not run them as it should comes to. What they
// compute shows on a GPU alone (embedded_opencl_test.cpp).
#include <CL/cl.h>
#include <doctest/doctest.h>

#include <algorithm>
#include <bifold/bifold.hpp>
#include <bifold/log.hpp>
#include <cstdlib>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "embedded_opencl.hpp"
#include "embedded_shapes.hpp"
#include "support/errors.hpp"

namespace bifold {

namespace {

/// What the library says while it lives.
class Messages {
 public:
  Messages() {
    set_log(LogLevel::debug, [this](LogLevel, std::string_view message) {
      const std::lock_guard hold(mutex_);
      messages_.emplace_back(message);
    });
  }
  Messages(const Messages&) = delete;
  Messages& operator=(const Messages&) = delete;
  ~Messages() { set_log(LogLevel::off, {}); }

  /// Of those, how many have the part.
  [[nodiscard]] long with(std::string_view part) const {
    const std::lock_guard hold(mutex_);
    return std::count_if(messages_.begin(), messages_.end(),
                         [&](const std::string& message) { return test::contains(message, part); });
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> messages_;
};

/// What the stand-in does with images, while this lives.
class Images {
 public:
  explicit Images(const char* how) { setenv(name, how, 1); }  // NOLINT(concurrency-mt-unsafe)
  Images(const Images&) = delete;
  Images& operator=(const Images&) = delete;
  ~Images() { unsetenv(name); }  // NOLINT(concurrency-mt-unsafe)

 private:
  static constexpr const char* name = "BIFOLD_LAYER_NVIDIA_IMAGES";
};

ReduceShape sum_of(Type type) { return {.input = type, .accumulator = type}; }

/// What the programs of a sum on a newly opened device are made from.
std::string made_from(const test::LoadedLayer& layer) {
  const Device device = test::fresh_device();
  const Messages messages;
  const test::Programs programs(layer);
  warm(device, sum_of(Type::f32));
  std::string all;
  if (messages.with("from the machine code in the library") > 0) all += "machine code";
  if (messages.with("from the PTX in the library") > 0) all += "PTX";
  if (programs.compiled() > 0) all += "text";
  return all;
}

}  // namespace

TEST_SUITE_BEGIN("opencl_images");

TEST_CASE("programs come in the first form that works") {
  const test::LoadedLayer layer;
  const std::string best = test::has_machine_code() ? "machine code" : "PTX";
  CHECK(made_from(layer) == best);

  layer.fail("clCreateProgramWithBinary", CL_INVALID_BINARY);
  CHECK(made_from(layer) == (test::has_machine_code() ? "PTX" : "text"));
  CHECK(made_from(layer) == best);
}

TEST_CASE("plans of all listed shapes compile nothing where there is machine code") {
  const test::LoadedLayer layer;
  const Device device = test::fresh_device();
  const test::Programs programs(layer);
  test::warm_listed_shapes(device);
  CHECK(programs.compiled() <= (test::has_machine_code() ? 0 : 16));
  CHECK(programs.loaded() > 200);
}

TEST_CASE("a driver that computes wrongly gets texts, and that is a warning") {
  const test::LoadedLayer layer;
  const Images wrong("wrong");
  const Messages messages;
  const Device device = test::fresh_device();
  CHECK(messages.with("computes wrongly") == (test::has_machine_code() ? 2 : 1));
  CHECK(made_from(layer) == "text");
}

TEST_CASE("a driver that takes memory objects for numbers runs nothing with them") {
  const test::LoadedLayer layer;
  const auto launches_of_opening = [&] {
    const long before = layer.calls("clEnqueueNDRangeKernel");
    static_cast<void>(test::fresh_device());
    return layer.calls("clEnqueueNDRangeKernel") - before;
  };
  const long with_check = launches_of_opening();
  const Images numbers("numbers");
  CHECK(launches_of_opening() == with_check - 1);
  CHECK(made_from(layer) == "text");
}

TEST_CASE("one program that is refused leaves the others as they are") {
  const test::LoadedLayer layer;
  const Device device = test::fresh_device();
  for (const char* call :
       {"clCreateProgramWithBinary", "clBuildProgram", "clGetProgramInfo", "clCreateKernel"}) {
    CAPTURE(call);
    const Device another = test::fresh_device();
    const test::Programs programs(layer);
    layer.fail(call, CL_OUT_OF_HOST_MEMORY);
    warm(another, sum_of(Type::f32));
    CHECK(programs.compiled() == 1);
    warm(another, sum_of(Type::u8));
    CHECK(programs.compiled() == 1);
    CHECK(programs.loaded() > 1);
  }
}

TEST_CASE("a device that is lost while a program is loaded is no reason to compile") {
  const test::LoadedLayer layer;
  const Device device = test::fresh_device();
  const test::Programs programs(layer);
  layer.fail("clBuildProgram", CL_DEVICE_NOT_AVAILABLE);
  CHECK(test::failure_of([&] { warm(device, sum_of(Type::f32)); }).category ==
        ErrorCategory::device_lost);
  CHECK(programs.compiled() == 0);
  warm(device, sum_of(Type::f32));
  CHECK(programs.compiled() == 0);
}

TEST_SUITE_END();

}  // namespace bifold
