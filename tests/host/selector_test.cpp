// Selectors and enumeration on whatever machine this is, with or without devices.
#include <doctest/doctest.h>

#include <algorithm>
#include <bifold/device.hpp>
#include <bifold/version.hpp>
#include <set>
#include <string>
#include <vector>

#include "support/errors.hpp"

namespace bifold {

using test::Failure;
using test::failure_of;

TEST_SUITE_BEGIN("selector");

TEST_CASE("every backend is listed, and one without devices says why") {
  const auto all = backends();
  REQUIRE(all.size() >= 2);
  std::set<std::string> names;
  for (const BackendInfo& backend : all) {
    CHECK(names.insert(backend.name).second);
    CHECK(backend.available == backend.reason.empty());
  }
  CHECK(names.count("cuda") == 1);
  CHECK(names.count("opencl") == 1);
}

TEST_CASE("each device belongs to an available backend and is numbered in order") {
  std::set<std::string> selectors;
  for (const DeviceInfo& info : devices()) {
    CHECK(selectors.insert(info.selector).second);
    CHECK(info.selector == info.backend + ":" + std::to_string(info.index));
    CHECK_FALSE(info.name.empty());
    const auto all = backends();
    const auto owner = std::find_if(all.begin(), all.end(), [&](const BackendInfo& backend) {
      return backend.name == info.backend;
    });
    REQUIRE(owner != all.end());
    CHECK(owner->available);
  }
}

TEST_CASE("malformed selectors and unknown backends are refused in words") {
  std::vector<std::string> selectors{":", ":0", "vulkan", "vulkan:0", "op encl", " opencl"};
  for (const BackendInfo& backend : backends()) {
    if (backend.available) selectors.push_back(backend.name + ":");
  }
  for (const std::string& selector : selectors) {
    CAPTURE(selector);
    const Failure failure = failure_of([&] { (void)open_device(selector); });
    CHECK(failure.category == ErrorCategory::invalid_argument);
    CHECK(failure.mentions(selector));
  }
}

TEST_CASE("a device that is not there is unavailable, with a reason") {
  for (const char* selector :
       {"opencl:4242", "cuda:4242", "opencl:no-such-vendor", "cuda:no-such-vendor"}) {
    CAPTURE(std::string(selector));
    const Failure failure = failure_of([&] { (void)open_device(selector); });
    CHECK(failure.category == ErrorCategory::unavailable);
    CHECK(failure.what.size() > std::string(selector).size());
  }
}

TEST_CASE("an absent backend is unavailable with the backend's own reason") {
  for (const BackendInfo& backend : backends()) {
    if (backend.available) continue;
    const Failure failure = failure_of([&] { (void)open_device(backend.name); });
    CHECK(failure.category == ErrorCategory::unavailable);
    CHECK(failure.mentions(backend.reason));
  }
}

TEST_CASE("the version is three numbers") {
  const std::string text(version());
  CHECK(std::count(text.begin(), text.end(), '.') == 2);
  CHECK(text.find_first_not_of("0123456789.") == std::string::npos);
}

TEST_SUITE_END();

}  // namespace bifold
