// What the tests of the library's programs on NVIDIA's OpenCL share: over a GPU and over the
// stand-in.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <bifold/bifold.hpp>
#include <iostream>
#include <string>

#include "opencl_layer/loaded_layer.hpp"
#include "programs.hpp"
#include "shapes.hpp"
#include "support/environment.hpp"

namespace bifold::test {

/// How programs came to a device since then.
class Programs {
 public:
  explicit Programs(const LoadedLayer& layer) : layer_(layer) {}
  [[nodiscard]] long compiled() const {
    return layer_.calls("clCreateProgramWithSource") - from_source_;
  }
  [[nodiscard]] long loaded() const {
    return layer_.calls("clCreateProgramWithBinary") - from_binary_;
  }

 private:
  const LoadedLayer& layer_;
  long from_source_ = layer_.calls("clCreateProgramWithSource");
  long from_binary_ = layer_.calls("clCreateProgramWithBinary");
};

/// Without the disk, where an earlier run may have left something.
inline Device fresh_device() { return open_again({.disk = false}); }

/// Whether the library has machine code for this GPU.
inline bool has_machine_code() {
  const std::string architecture = device().capabilities().architecture;
  const auto programs = programs_in(core::EmbeddedForm::machine_code);
  return std::any_of(programs.begin(), programs.end(), [&](const core::EmbeddedProgram& program) {
    return architecture == "sm_" + std::to_string(program.id.architecture);
  });
}

/// Plans of all listed shapes take their programs from the library, and compile nothing where it
/// has machine code.
inline void check_plans(const LoadedLayer& layer) {
  const Device device = fresh_device();
  const Programs programs(layer);
  warm_listed_shapes(device);
  std::cout << programs.loaded() << " loaded, " << programs.compiled() << " compiled\n";
  CHECK(programs.compiled() <= (has_machine_code() ? 0 : 26));
  CHECK(programs.loaded() > 200);
}

}  // namespace bifold::test
