// The programs in the library on a GPU, with NVRTC hidden: the same bits as the host's.
#include <doctest/doctest.h>

#include <bifold/bifold.hpp>
#include <chrono>
#include <iostream>
#include <span>
#include <string>
#include <vector>

#include "shapes.hpp"
#include "support/environment.hpp"

namespace bifold {

TEST_SUITE_BEGIN("embedded_runs");

TEST_CASE("NVRTC is hidden") {
  for (const BackendInfo& info : backends()) {
    if (info.name == "cuda") {
      REQUIRE(info.version.find("no NVRTC for a driver of CUDA") != std::string::npos);
    }
  }
}

TEST_CASE("the first call of a sum, of a running sum") {
  const Device device = test::open_again({.disk = false});
  Queue queue(device);
  const std::vector<float> ones(1000, 1.0F);
  const auto values = queue.upload(std::span(ones));
  auto running = queue.allocate<float>(1000);
  const auto timed = [](const char* what, const auto& call) {
    const auto start = std::chrono::steady_clock::now();
    call();
    const std::chrono::duration<double, std::milli> taken =
        std::chrono::steady_clock::now() - start;
    std::cout << "first " << what << " of f32: " << taken.count() << " ms\n";
  };
  timed("reduce", [&] { CHECK(reduce(queue, values, plus, 0.0F) == 1000.0F); });
  timed("inclusive_scan", [&] {
    inclusive_scan(queue, values, running, plus);
    CHECK(queue.download(running).back() == 1000.0F);
  });
}

TEST_CASE("every shape of the list gives the bits of the host reference") {
  Queue queue(test::device());
  test::check_listed_shapes(queue);
}

TEST_CASE("the fastest order runs, too") {
  Queue queue(test::device());
  const std::vector<double> host(100000, 1.0);
  const auto ones = queue.upload(std::span(host));
  ReduceOptions options;
  options.order = Order::any;
  CHECK(reduce(queue, ones, plus, 0.0, options) == 100000.0);
  CHECK(reduce(queue, ones, multiplies, 1.0, options) == 1.0);
  auto running = queue.allocate<double>(100000);
  ScanOptions scan_options;
  scan_options.order = Order::any;
  exclusive_scan(queue, ones, running, plus, 0.0, scan_options);
  CHECK(queue.download(running).back() == 99999.0);
}

TEST_SUITE_END();

}  // namespace bifold
