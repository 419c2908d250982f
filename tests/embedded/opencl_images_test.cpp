// How the library's programs come to NVIDIA's OpenCL, over a stand-in for it: what is taken in
// which form, what a driver that refuses them or does not run them as it should comes to. What they
// compute shows on a GPU alone (opencl_test.cpp).
#include <CL/cl.h>
#include <doctest/doctest.h>

#include <bifold/bifold.hpp>
#include <bifold/log.hpp>
#include <cstdlib>
#include <string>

#include "core/kernel/architecture.hpp"
#include "opencl.hpp"
#include "opencl/device/backend.hpp"
#include "support/errors.hpp"
#include "support/messages.hpp"

namespace bifold {

namespace {

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
  const test::Messages messages(LogLevel::debug);
  const test::Programs programs(layer);
  warm(device, sum_of(Type::f32));
  std::string all;
  if (messages.mention("from the machine code in the library")) all += "machine code";
  if (messages.mention("from the PTX in the library")) all += "PTX";
  if (programs.compiled() > 0) all += "text";
  return all;
}

}  // namespace

TEST_SUITE_BEGIN("opencl_images");

TEST_CASE("programs come in the first form that works") {
  const test::LoadedLayer layer;
  const Capabilities& has = test::device().capabilities();
  CHECK((has.ring_bytes > 0) == (core::ptx_architecture(has) >= 90));
  const std::string best = test::has_machine_code() ? "machine code" : "PTX";
  CHECK(made_from(layer) == best);

  layer.fail("clCreateProgramWithBinary", CL_INVALID_BINARY);
  CHECK(made_from(layer) == (test::has_machine_code() ? "PTX" : "text"));
  CHECK(made_from(layer) == best);
}

TEST_CASE("plans of all listed shapes compile nothing where there is machine code") {
  test::check_plans(test::LoadedLayer());
}

TEST_CASE("a driver that computes wrongly gets texts, and that is a warning") {
  const test::LoadedLayer layer;
  const Images wrong("wrong");
  const test::Warnings warnings;
  const Device device = test::fresh_device();
  CHECK(warnings.count("computes wrongly") == (test::has_machine_code() ? 2 : 1));
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
  const long loaded = programs.loaded();
  warm(device, sum_of(Type::f32));
  CHECK(programs.compiled() == 0);
  CHECK(programs.loaded() > loaded);
}

TEST_CASE("NVIDIA's compiler is told how many registers leave room for several groups") {
  const test::LoadedLayer layer;
  const auto device = backend::opencl_backend().open(0);
  const auto told = [&](std::uint32_t groups, std::uint32_t group_size) {
    return device->options_to_hold(groups, group_size);
  };
  const std::string hint = " -Dreqd_work_group_size=work_group_size_hint";
  CHECK(told(3, 128) == " -cl-nv-maxrregcount=168" + hint);
  CHECK(told(8, 256) == " -cl-nv-maxrregcount=32" + hint);
  CHECK(told(257, 1) == " -cl-nv-maxrregcount=248" + hint);
  CHECK(told(1, 256).empty());
  CHECK(told(3, 0).empty());
  CHECK(told(3, 512).empty());
  CHECK(told(65537, 1).empty());
}

TEST_SUITE_END();

}  // namespace bifold
