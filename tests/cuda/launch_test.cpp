// How the CUDA backend launches kernels, against the fake driver.
#include <doctest/doctest.h>

#include <bifold/bifold.hpp>
#include <cstdint>
#include <span>
#include <vector>

#include "fake_cuda/fixture.hpp"
#include "fake_cuda/samples.hpp"
#include "interface.hpp"

namespace {

using namespace fake_cuda;
using bifold::ErrorCategory;
using bifold::Timing;

TEST_SUITE("cuda driver") {
  TEST_CASE_FIXTURE(Working, "launches are checked and counted" * unless("working")) {
    const auto device = cuda().open(0);
    const auto queue = device->create_queue(Timing::disabled);
    const auto program = device->build(source_of(*device, sample_text));
    const auto kernel = program->kernel("sample");
    CHECK(kernel->max_group_size() == 1024);
    const std::uint64_t zero = 0;
    const std::vector<backend::Argument> arguments(33, backend::Argument{&zero, sizeof zero});
    const std::span<const backend::Argument> two(arguments.data(), 2);
    const std::int64_t before = count("launches");
    const std::int64_t overlapped = count("overlapped_launches");
    queue->launch(*kernel, (1ULL << 31) - 1, 1024, two);
    queue->finish({});
    CHECK(count("launches") == before + 1);
    const auto refused = [&](std::uint64_t groups, std::uint32_t size, std::size_t arguments_used) {
      return error_of([&] {
               queue->launch(*kernel, groups, size, {arguments.data(), arguments_used});
             }).category() == ErrorCategory::invalid_argument;
    };
    CHECK(refused(1ULL << 31, 32, 2));
    CHECK(refused((1ULL << 32) + 1, 32, 2));
    CHECK(refused(0, 32, 2));
    CHECK(refused(1, 0, 2));
    CHECK(refused(1, 1025, 2));
    CHECK(refused(1, 32, 33));
    {
      const Failing launch("cuLaunchKernel", 701);
      const Error error = error_of([&] { queue->launch(*kernel, 1, 32, two); });
      CHECK(error.category() == ErrorCategory::backend_failure);
      CHECK(error.native_name() == "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES");
    }
    queue->launch(*kernel, 1, 32, two);
    queue->finish({});
    CHECK(count("launches") == before + 2);
    CHECK(count("overlapped_launches") == overlapped);
  }

  TEST_CASE_FIXTURE(
      Working,
      "kernels that wait by themselves are launched so where the driver can" * unless("working")) {
    const auto device = cuda().open(0);
    const auto queue = device->create_queue(Timing::disabled);
    const auto program = device->build(source_of(*device, sample_text));
    const auto plain = program->kernel("sample");
    const auto waiting = program->kernel("sample", {.local_bytes = 1 << 16, .overlaps = true});
    const std::uint64_t zero = 0;
    const std::vector<backend::Argument> two(2, backend::Argument{&zero, sizeof zero});
    const std::int64_t launches = count("launches");
    const std::int64_t overlapped = count("overlapped_launches");
    queue->launch(*waiting, 7, 32, two);
    queue->launch(*plain, 7, 32, two);
    queue->finish({});
    CHECK(count("launches") == launches + 2);
    CHECK(count("overlapped_launches") == overlapped + 1);
    {
      const Failing launch("cuLaunchKernelEx", 701);
      const Error error = error_of([&] { queue->launch(*waiting, 1, 32, two); });
      CHECK(error.category() == ErrorCategory::backend_failure);
      CHECK(error.call() == "cuLaunchKernelEx");
    }
    queue->launch(*waiting, 1, 32, two);
    queue->finish({});
    CHECK(count("overlapped_launches") == overlapped + 2);
  }
}

}  // namespace
