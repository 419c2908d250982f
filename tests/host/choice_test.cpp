// Which of some made-up devices a selector names.
#include <doctest/doctest.h>

#include <array>
#include <cctype>
#include <string>
#include <string_view>
#include <utility>

#include "core/device/selector.hpp"
#include "support/devices/made_up_devices.hpp"
#include "support/errors.hpp"
#include "support/turkish.hpp"

namespace bifold {

using test::Failure;
using test::failure_of;
using test::made_up_backends;
using test::made_up_devices;

namespace {

/// The selector of the device that is chosen, or the words of the refusal.
std::string chosen(std::string_view selector) {
  static const auto devices = made_up_devices();
  static const auto backends = made_up_backends();
  std::string result;
  const Failure failure =
      failure_of([&] { result = core::select(selector, devices, backends).selector; });
  return failure.category ? failure.what : result;
}

Failure refusal(std::string_view selector) {
  static const auto devices = made_up_devices();
  static const auto backends = made_up_backends();
  return failure_of([&] { (void)core::select(selector, devices, backends); });
}

}  // namespace

TEST_SUITE_BEGIN("selector");

TEST_CASE("a kind alone is the best device of that kind, by whatever backend") {
  CHECK(chosen("gpu") == "cuda:0");
  CHECK(chosen("GPU") == "cuda:0");
  CHECK(chosen("cpu") == "opencl:0");
  CHECK(chosen("Cpu") == "opencl:0");
  CHECK(chosen("") == "cuda:0");
}

TEST_CASE("names of backends and kinds count in either case") {
  CHECK(chosen("CUDA") == "cuda:0");
  CHECK(chosen("OpenCL") == "opencl:0");
  CHECK(chosen("OpenCL:1") == "opencl:1");
  CHECK(chosen("OPENCL:GPU") == "opencl:2");
  CHECK(chosen("opencl:nvidia") == "opencl:2");
  CHECK(chosen("OpenCL:BASIC") == "opencl:1");
}

TEST_CASE("what is no selector is answered with the one that was meant, if any is near") {
  for (const auto& [selector, meant] : {std::pair("cud", "cuda"),
                                        {"cuba:0", "cuda:0"},
                                        {"opncl:cpu", "opencl:cpu"},
                                        {"openCL2", "opencl"},
                                        {"open", "opencl"},
                                        {" opencl", "opencl"},
                                        {"gpus", "gpu"},
                                        {"gpu:0", "gpu"},
                                        {"0", "cuda:0"},
                                        {"2", "opencl:2"},
                                        {"nvidia", "cuda:0"},
                                        {"H200:0", "cuda:0"},
                                        {"portable", "opencl:0"}}) {
    CAPTURE(selector);
    const Failure failure = refusal(selector);
    CHECK(failure.category == ErrorCategory::invalid_argument);
    CHECK(failure.mentions("did you mean \"" + std::string(meant) + "\"?"));
    CHECK(chosen(meant).find(' ') == std::string::npos);
  }
  for (const std::string selector : {"vulkan", "metal:0", ":", ":0", "x", "7", "99999999999"}) {
    CAPTURE(selector);
    const Failure failure = refusal(selector);
    CHECK(failure.category == ErrorCategory::invalid_argument);
    CHECK_FALSE(failure.mentions("did you mean"));
  }
}

TEST_CASE("a kind that no device is of is unavailable, with all that there is") {
  const std::array devices{test::made_up_device("opencl", 0, DeviceKind::cpu, "XEON", "Intel", "")};
  const std::array backends{BackendInfo{"cuda", false, "no driver", ""},
                            BackendInfo{"opencl", true, "", "3.0"}};
  const Failure failure = failure_of([&] { (void)core::select("gpu", devices, backends); });
  CHECK(failure.category == ErrorCategory::unavailable);
  CHECK(failure.mentions("opencl:0"));
  CHECK(failure.mentions("cuda: no driver"));
}

TEST_CASE("a Turkish locale changes no selector") {
  const test::Turkish turkish;
  if (!turkish.is_set()) {
    MESSAGE("no Turkish locale is here, nor can localedef make one");
    return;
  }
  REQUIRE(std::tolower('I') != 'i');
  CHECK(chosen("opencl:nvidia") == "opencl:2");
  CHECK(chosen("cuda:NVIDIA") == "cuda:0");
  CHECK(chosen("OPENCL:BASIC") == "opencl:1");
  CHECK(refusal("nvidia").mentions("did you mean \"cuda:0\"?"));
}

TEST_SUITE_END();

}  // namespace bifold
