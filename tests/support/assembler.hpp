// NVIDIA's assembler, of the toolkit.
#pragma once

#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "support/environment.hpp"

namespace bifold::test {

/// ptxas, and what it said last.
class Assembler {
 public:
  explicit Assembler(std::string_view name) : folder_(test::fresh_folder(name).string()) {
    const char* program = std::getenv("BIFOLD_PTXAS");  // NOLINT(concurrency-mt-unsafe)
    REQUIRE(program != nullptr);
    program_ = program;
  }

  [[nodiscard]] bool takes(const std::string& text, int target, std::string_view option) const {
    std::ofstream(folder_ + "/kernel.ptx") << text;
    const std::string command = program_ + ' ' + std::string(option) + " -arch=sm_" +
                                std::to_string(target) + " -o " + folder_ + "/kernel.cubin " +
                                folder_ + "/kernel.ptx >" + folder_ + "/log 2>&1";
    return std::system(command.c_str()) == 0;  // NOLINT(concurrency-mt-unsafe)
  }
  [[nodiscard]] std::string log() const { return read("/log"); }
  /// The machine code that it made last.
  [[nodiscard]] std::string machine_code() const { return read("/kernel.cubin"); }

 private:
  [[nodiscard]] std::string read(const std::string& name) const {
    std::ifstream file(folder_ + name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  std::string folder_;
  std::string program_;
};

}  // namespace bifold::test
