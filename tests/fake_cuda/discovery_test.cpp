// What the CUDA backend finds behind stand-ins that have no usable device, no compiler, or are no
// driver at all.
#include <doctest/doctest.h>

#include <bifold/bifold.hpp>
#include <initializer_list>
#include <string>
#include <string_view>

#include "fake_cuda/fixture.hpp"
#include "fake_cuda/samples.hpp"
#include "interface.hpp"

namespace {
using namespace fake_cuda;
using bifold::ErrorCategory;
}  // namespace

TEST_SUITE("cuda driver") {
  TEST_CASE("a device before sm_70 is listed and refused" * unless("old_device")) {
    CHECK(cuda().probe().available);
    CHECK(cuda().devices().size() == 1);
    const Error error = error_of([] { static_cast<void>(cuda().open(0)); });
    CHECK(error.category() == ErrorCategory::unsupported);
    CHECK(contains(error.what(), "sm_61"));
    CHECK(count("contexts") == 0);
  }

  TEST_CASE("a device's name is text on one line, whatever the driver says" *
            unless("old_device")) {
    // NOLINTBEGIN(concurrency-mt-unsafe): no other thread is there.
    REQUIRE(setenv("FAKE_CUDA_NAME", "| two\r\nlines \x1b[31m, \xe4\n", 1) == 0);
    const auto devices = cuda().devices();
    REQUIRE(unsetenv("FAKE_CUDA_NAME") == 0);
    // NOLINTEND(concurrency-mt-unsafe)
    REQUIRE(devices.size() == 1);
    CHECK(devices[0].name == "| two lines [31m, ?");
  }

  TEST_CASE("a driver older than bulk copies offers no ring" * unless("old_hopper")) {
    const auto device = cuda().open(0);
    CHECK(device->capabilities().architecture == "sm_90");
    CHECK(device->capabilities().ring_bytes == 0);
  }

  TEST_CASE("without NVRTC binaries still load" * unless("without_nvrtc")) {
    const bifold::BackendInfo info = cuda().probe();
    CHECK(info.available);
    CHECK(contains(info.version, "no NVRTC for a driver of CUDA 10.2"));
    {
      const auto device = cuda().open(0);
      const Error error =
          error_of([&] { static_cast<void>(device->build(source_of(*device, sample_text))); });
      CHECK(error.category() == ErrorCategory::unavailable);
      CHECK(contains(error.what(), "sample.cu"));
      CHECK(contains(error.what(), "no NVRTC"));
      const std::string ptx = ".version 6.5\n.target sm_70\n.visible .entry sample(\n) { ret; }\n";
      const auto program = device->load(std::as_bytes(std::span(ptx)), device->compile_options());
      CHECK(program->kernel("sample")->max_group_size() == 1024);
    }
    CHECK(count("modules") == 0);
    CHECK(count("contexts") == 0);
  }

  void check_unavailable(std::initializer_list<std::string_view> words) {
    const bifold::BackendInfo info = cuda().probe();
    CHECK_FALSE(info.available);
    for (const std::string_view word : words) {
      CHECK_MESSAGE(contains(info.reason, word), "\"", word, "\" is not in: ", info.reason);
    }
    CHECK(cuda().devices().empty());
    const Error error = error_of([] { static_cast<void>(cuda().open(0)); });
    CHECK(error.category() == ErrorCategory::unavailable);
    bool listed = false;
    for (const bifold::BackendInfo& row : bifold::backends()) {
      listed = listed || (row.name == "cuda" && !row.available && row.reason == info.reason);
    }
    CHECK(listed);
    CHECK_THROWS_AS(bifold::open_device("cuda:0"), Error);
  }

  TEST_CASE("no driver" * unless("absent")) {
    check_unavailable({"the CUDA driver was not found", "libcuda.so.1"});
  }

  TEST_CASE("a driver without the functions in use" * unless("too_old")) {
    check_unavailable({"too old", "libcuda.so.1 has no cu"});
  }

  TEST_CASE("a driver without a device" * unless("no_device")) {
    check_unavailable({"cuInit returned CUDA_ERROR_NO_DEVICE", "no CUDA-capable device"});
  }

  TEST_CASE("the toolkit's stub library" * unless("stub")) {
    check_unavailable({"cuInit returned CUDA_ERROR_STUB_LIBRARY"});
  }

  TEST_CASE("a driver that counts no device" * unless("zero_devices")) {
    check_unavailable({"found no device"});
  }
}
