// The words of a kernel part, so that one in CUDA C++ can be compared with its twin in OpenCL C.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace bifold::test {

/// The tokens of a text: words, numbers, quoted texts and single signs, without comments.
std::vector<std::string> tokens_of(std::string_view text);

/// The tokens of a part in either dialect with the dialects' own words replaced: barriers, indices,
/// casts of addresses, structs' names. Qualifiers, attributes and `const` are dropped.
std::vector<std::string> common_tokens(std::string_view text);

}  // namespace bifold::test
