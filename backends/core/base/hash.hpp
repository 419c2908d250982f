// FNV-1a: names of cache entries and identities of operators, nothing that must resist an attacker.
#pragma once

#include <cstdint>
#include <string_view>

namespace bifold::core {

constexpr std::uint64_t hash(std::string_view bytes,
                             std::uint64_t seed = 0xcbf29ce484222325U) noexcept {
  for (const char byte : bytes) {
    seed = (seed ^ static_cast<unsigned char>(byte)) * 0x100000001b3U;
  }
  return seed;
}

}  // namespace bifold::core
