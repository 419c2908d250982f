// A device without a driver: it reports capabilities, and keeps the texts that planning asks it to
// build.
#pragma once

#include <bifold/device.hpp>
#include <memory>
#include <string>
#include <vector>

#include "interface.hpp"

namespace bifold::test {

/// A program that planning built: its text, and the kernels wanted of it.
struct WantedProgram {
  backend::Source source;
  std::vector<std::string> entries;
};

/// The programs in the order in which they were built.
using WantedPrograms = std::vector<std::shared_ptr<WantedProgram>>;

/// What is known of a device without having it.
struct Description {
  std::string name;
  std::string options;  ///< Of every program, as Device::compile_options().
  Capabilities capabilities;
};

/// An OpenCL device to plan on. Whatever is planned on it lands in `programs`, each text once.
Device offline_device(const Description& description, WantedPrograms& programs);

}  // namespace bifold::test
