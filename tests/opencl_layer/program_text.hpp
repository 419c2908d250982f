// Texts of programs on their way through the layer.
#pragma once

#include <CL/cl_icd.h>

#include <cstddef>
#include <string>

namespace bifold::test {

/// The strings of a clCreateProgramWithSource as one.
inline std::string joined(cl_uint count, const char** strings, const std::size_t* lengths) {
  std::string text;
  for (cl_uint i = 0; i < count; ++i) {
    const bool ends_itself = lengths == nullptr || lengths[i] == 0;
    text += ends_itself ? std::string(strings[i]) : std::string(strings[i], lengths[i]);
  }
  return text;
}

inline cl_program create_program(cl_api_clCreateProgramWithSource create, cl_context owner,
                                 const std::string& text, cl_int* code) {
  const char* start = text.c_str();
  const std::size_t length = text.size();
  return create(owner, 1, &start, &length, code);
}

}  // namespace bifold::test
