// Versioned structs of the C interface, from callers of any version.
#pragma once

#include <bifold/bifold.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>

#include "core/c_api/c_api_error.hpp"

namespace bifold::c_api {

/// Refuses a versioned struct that is smaller than in the version that introduced it (`first`), or
/// larger than the `known` bytes and not zero there. A size that was never set may be any number:
/// nothing is looked at beyond what structs grow to, and nothing is written beyond what is known.
inline void check_size(const void* given, std::size_t size, std::size_t first, std::size_t known,
                       const char* what) {
  constexpr std::size_t limit = 4096;
  const auto* bytes = static_cast<const unsigned char*>(given);
  const bool known_bytes =
      size <= known || (size <= limit && std::all_of(bytes + known, bytes + size,
                                                     [](unsigned char byte) { return byte == 0; }));
  if (size >= first && known_bytes) return;
  refuse(std::string(what) + ": struct_size is " + std::to_string(size) +
         (size < first ? "" : ", and sets what this library does not know"));
}

/// A versioned struct as this library knows it. NULL gives one of zeros. `first` is its size in the
/// version that introduced it; of a larger one than known here, the rest must be zero.
/// What is added begins behind the padding that the struct ended with, which callers need not zero.
template <class Struct>
Struct read_struct(const Struct* given, std::size_t first, const char* what) {
  Struct known{};
  known.struct_size = sizeof known;
  if (given == nullptr) return known;
  const std::size_t size = given->struct_size;
  check_size(given, size, first, sizeof known, what);
  std::memcpy(&known, given, std::min(size, sizeof known));
  return known;
}

/// Puts out as much of a versioned struct as the caller has room for; what this library does not
/// know is zero by then.
template <class Struct>
void write_struct(Struct* out, Struct value, std::size_t first, const char* what) {
  const std::size_t size = need(out, what).struct_size;
  check_size(out, size, first, sizeof value, what);
  value.struct_size = size;
  std::memcpy(out, &value, std::min(size, sizeof value));
}

}  // namespace bifold::c_api

/// The size of a versioned struct that ends with `member`.
#define BIFOLD_C_SIZE_TO(Struct, member) (offsetof(Struct, member) + sizeof(Struct::member))
