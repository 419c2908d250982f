// The programs that a build of the library holds, as text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/kernel/embedded.hpp"

namespace bifold::test {

inline bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// PTX as its text, machine code as its bytes.
inline std::string bytes_of(const core::EmbeddedProgram& program) {
  const std::vector<std::byte> bytes = core::unpacked(program);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

inline std::vector<core::EmbeddedProgram> programs_in(core::EmbeddedForm form) {
  std::vector<core::EmbeddedProgram> programs;
  for (const auto& program : core::embedded_table().programs) {
    if (program.id.form == form) programs.push_back(program);
  }
  return programs;
}

}  // namespace bifold::test
