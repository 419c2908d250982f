// Programs that the library holds, on devices that have NVRTC, too.
#include <doctest/doctest.h>

#include <bifold/bifold.hpp>
#include <string>

#include "fake_cuda/fixture.hpp"

namespace {

using namespace fake_cuda;

TEST_SUITE("cuda driver") {
  TEST_CASE_FIXTURE(Working,
                    "where the driver translates no PTX, machine code serves, the library's or "
                    "NVRTC's" *
                        unless("working")) {
    constexpr int jit_compiler_not_found = 221;
    bifold::DeviceOptions options;
    options.cache.disk = false;
    const bifold::Device device = bifold::open_device("cuda:0", options);
    // Of a device that is newer than it, NVRTC makes PTX as well.
    if (std::stoi(device.capabilities().architecture.substr(3)) > 120) return;
    bifold::Queue queue(device);
    bifold::Buffer<float> values(device, 1000);
    const Failing ptx("PTX", jit_compiler_not_found);
    CHECK_NOTHROW(bifold::inclusive_scan(queue, values, values, bifold::plus));
    queue.finish();
  }
}

}  // namespace
