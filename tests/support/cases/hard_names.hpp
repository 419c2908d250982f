// Names that a struct or a field may have in C++ or in Python, and that mean something else to a
// kernel's compiler.
#pragma once

#include <bifold/device.hpp>
#include <string>
#include <vector>

#include "interface.hpp"

namespace bifold::test {

/// Words of C++, OpenCL C and CUDA, and of the kernels themselves; some 350, each once.
const std::vector<std::string>& hard_names();

/// The text of a scan, in front of which stands a struct of each name, all names being those of
/// fields as well, with an operator on each.
backend::Source source_with_hard_names(const Device& device);

}  // namespace bifold::test
