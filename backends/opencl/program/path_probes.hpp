// Whether a device computes right by the paths that some kernels take. Each probe builds and runs a
// small kernel on a queue of its own, which takes some milliseconds. A failure of any kind is "no",
// said in the debug log: it only means that the kernels take another path.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "opencl/driver/clhpp.hpp"

namespace bifold::backend::opencl {

/// Runs a kernel, whose parameter `result` points to a word for each work-item, in one group of
/// `items` on a queue of its own, and waits: those words. Its other arguments are set.
std::vector<std::uint64_t> run_group(const cl::Context& context, const cl::Device& device,
                                     cl::Kernel& kernel, cl_uint result, std::size_t items);

/// Whether the compiler passes inline PTX through: shuffles and device-scope loads, stores, fences.
bool ptx_works(const cl::Context& context, const cl::Device& device) noexcept;

/// Local memory of a group that the bulk copy engine fills by inline PTX, in bytes; 0: none.
std::uint64_t ring_bytes(const cl::Context& context, const cl::Device& device) noexcept;

/// Whether kernels compiled with `options` and a required sub-group size of `width` have sub-groups
/// of `width` consecutive work-items that exchange values by shuffles.
bool subgroups_work(const cl::Context& context, const cl::Device& device, std::uint32_t width,
                    const std::string& options) noexcept;

/// Turns of loops that a work-item was seen to make: `most_loop_turns`, or fewer where the driver
/// ends loops before their end. As many as the most limited driver known makes where nothing ran.
inline constexpr std::uint64_t most_loop_turns = std::uint64_t{1} << 20;
std::uint64_t loop_turns(const cl::Context& context, const cl::Device& device) noexcept;

}  // namespace bifold::backend::opencl
