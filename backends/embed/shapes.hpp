// What runs on CUDA without NVRTC: the one list of it, for the program that compiles it and for
// the tests.
#pragma once

#include <array>
#include <bifold/device.hpp>
#include <bifold/reduce.hpp>
#include <bifold/scan.hpp>
#include <vector>

namespace bifold::embed {

/// The architectures whose kernels differ in their text, oldest first: a text that several have is
/// compiled to PTX for the first, and from there on.
inline constexpr std::array embedded_architectures{75, 90};

/// Shapes of both algorithms, for "production".
struct EmbeddedShapes {
  std::vector<ReduceShape> reductions;
  std::vector<ScanShape> scans;
};

/// What is compiled for each: plus, multiplies, minimum and maximum on every number of its own
/// type, and plus in wider accumulators, by reductions and by scans of both kinds, in either order.
/// Of halves, plus in f32: reductions to f32 and to their own type, scans to that.
EmbeddedShapes embedded_shapes();

/// Compiles what the benchmark needs beside the algorithms.
void warm_benchmark(const bifold::Device& device);

}  // namespace bifold::embed
