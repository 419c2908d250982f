// What a test run was asked to use: its device, its seed, its private folders.
#pragma once

#include <bifold/device.hpp>
#include <bifold/queue.hpp>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

namespace bifold::test {

/// The exit status that ctest reports as skipped.
inline constexpr int skip_status = 77;

/// What an executable cannot do without.
enum class Needs : std::uint8_t {
  nothing,  ///< Host-only tests.
  device,   ///< The device that $BIFOLD_TEST_DEVICE selects.
  nvrtc,    ///< The CUDA backend with NVRTC over the stand-in driver library.
  offline,  ///< $BIFOLD_TEST_COMPILER, and its $BIFOLD_TEST_BITCODE where it takes one.
};

/// Of this program; each defines it through needs.cpp.
extern const Needs program_needs;

/// Opens the device under test and prints what it is. When it is missing, prints the reason and
/// returns the exit status: a skip, or a failure where $BIFOLD_REQUIRE (a comma list of backends,
/// "nvrtc" or "offline") asks for it.
std::optional<int> prepare(Needs needs);

/// Closes the device before the process leaves main, while its driver is certainly still there.
void close_device();

/// The device under test, shared by all tests of the process.
const Device& device();

/// Takes the place of the device under test.
void use_device(Device device);

/// The same device opened once more, with a kernel cache of its own.
Device open_again(const CacheOptions& cache);

/// A new, empty folder of that name, private to this process's device.
std::filesystem::path fresh_folder(std::string_view name);

/// $BIFOLD_TEST_SEED, or a fixed number. Printed at the start of a run and with every failure.
std::uint64_t seed();

/// Device memory a test may use at once: a part of what the device has.
std::uint64_t memory_budget();

}  // namespace bifold::test
