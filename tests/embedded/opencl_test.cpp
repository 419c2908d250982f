// The programs in the library on NVIDIA's OpenCL, under the layer that counts and fails its calls.
#include "opencl.hpp"

#include <CL/cl.h>
#include <doctest/doctest.h>

#include <algorithm>
#include <bifold/bifold.hpp>
#include <chrono>
#include <cstddef>
#include <iostream>
#include <span>
#include <string>
#include <vector>

#include "opencl_layer/loaded_layer.hpp"
#include "shapes.hpp"

namespace bifold {

namespace {

/// A first sum, a first running sum of so many elements; whether both are right.
bool first_calls_are_right(const Device& device, std::size_t n) {
  Queue queue(device);
  const std::vector<float> ones(n, 0.5F);
  const auto values = queue.upload(std::span(ones));
  auto running = queue.allocate<float>(n);
  const auto timed = [&](const char* what, const auto& call) {
    const auto start = std::chrono::steady_clock::now();
    call();
    queue.finish();
    const std::chrono::duration<double, std::milli> taken =
        std::chrono::steady_clock::now() - start;
    std::cout << "first " << what << " of " << n << " f32: " << taken.count() << " ms\n";
  };
  float sum = 0;
  timed("reduce", [&] { sum = reduce(queue, values, plus, 0.0F); });
  timed("inclusive_scan", [&] { inclusive_scan(queue, values, running, plus); });
  const float expected = 0.5F * static_cast<float>(n);
  return sum == expected && queue.download(running).back() == expected;
}

constexpr std::size_t short_input = 4096;
constexpr std::size_t ring_input = std::size_t{6} << 20U;  // 24 MiB.

}  // namespace

TEST_SUITE_BEGIN("embedded_opencl");

TEST_CASE("first calls compile nothing") {
  const test::LoadedLayer layer;
  for (const std::size_t n : {short_input, ring_input}) {
    const Device device = test::fresh_device();
    const test::Programs programs(layer);
    CHECK(first_calls_are_right(device, n));
    CHECK(programs.compiled() == 0);
    CHECK(programs.loaded() == 2);
  }
}

TEST_CASE("plans of all listed shapes compile nothing where there is machine code") {
  test::check_plans(test::LoadedLayer());
}

TEST_CASE("where the driver refuses machine code it gets PTX, and where it refuses that the text") {
  const test::LoadedLayer layer;
  if (test::has_machine_code()) {
    layer.fail("clCreateProgramWithBinary", CL_INVALID_BINARY);
    const Device device = test::fresh_device();
    const test::Programs programs(layer);
    std::cout << "machine code refused:\n";
    CHECK(first_calls_are_right(device, ring_input));
    CHECK(programs.compiled() == 0);
    CHECK(programs.loaded() == 2);
  }
  {
    layer.fail("clCreateProgramWithBinary", CL_INVALID_BINARY, test::has_machine_code() ? 2 : 1);
    if (test::has_machine_code()) layer.fail("clGetProgramInfo", CL_OUT_OF_HOST_MEMORY);
    const Device device = test::fresh_device();
    const test::Programs programs(layer);
    std::cout << "both refused:\n";
    CHECK(first_calls_are_right(device, ring_input));
    CHECK(programs.compiled() == 2);
    CHECK(programs.loaded() == 0);
  }
}

TEST_CASE("one program that is refused leaves the others as they are") {
  const test::LoadedLayer layer;
  const Device device = test::fresh_device();
  CHECK(first_calls_are_right(device, short_input));
  for (const char* call :
       {"clCreateProgramWithBinary", "clBuildProgram", "clGetProgramInfo", "clCreateKernel"}) {
    CAPTURE(call);
    const Device another = test::fresh_device();
    warm(another, ReduceShape{.input = Type::u8, .accumulator = Type::u8});
    const test::Programs programs(layer);
    layer.fail(call, CL_OUT_OF_HOST_MEMORY);
    CHECK(first_calls_are_right(another, short_input));
    CHECK(programs.compiled() == 1);
    layer.clear();
  }
}

TEST_CASE("every listed shape gives the bits of the host reference") {
  Queue queue(test::device());
  test::check_listed_shapes(queue);
}

TEST_SUITE_END();

}  // namespace bifold
