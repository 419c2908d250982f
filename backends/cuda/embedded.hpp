// PTX that was compiled with the library: there sooner than NVRTC's, and on machines without it.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "interface.hpp"

namespace bifold::backend::cuda {

/// What tells texts apart: a digest of options and text, and their length. So what was compiled
/// from another text, of an older kernel or with other tuning values, is not found.
struct EmbeddedKey {
  std::array<std::uint64_t, 2> digest;
  std::uint64_t bytes;

  friend auto operator<=>(const EmbeddedKey&, const EmbeddedKey&) = default;
};

/// Where the PTX of one text lies.
struct EmbeddedPtx {
  EmbeddedKey key;
  int architecture;      ///< The oldest that runs it: 75 for sm_75.
  std::uint32_t pack;    ///< Index in EmbeddedTable::packs.
  std::uint32_t offset;  ///< In the pack, uncompressed.
  std::uint32_t bytes;
};

/// The PTX of kernels that resemble each other, compressed together by Zstandard.
struct EmbeddedPack {
  std::span<const std::uint64_t> words;  ///< Bytes, as the host keeps them.
  std::size_t compressed;
  std::size_t uncompressed;
};

struct EmbeddedTable {
  std::span<const EmbeddedPtx> entries;  ///< By key.
  std::span<const EmbeddedPack> packs;
};

/// Everything that this build embeds; empty where it embeds nothing. Generated.
const EmbeddedTable& embedded_table();

/// Of the text with these options, whatever target they name.
EmbeddedKey embedded_key(const Source& source);

/// The entry's PTX, without a terminating zero.
std::vector<std::byte> unpacked(const EmbeddedPtx& entry);

/// The PTX of that source for a device of that architecture (90 for 9.0); empty where there is
/// none.
std::vector<std::byte> embedded_ptx(const Source& source, int architecture);

/// For messages: what runs without NVRTC in this build.
std::string about_embedded_ptx();

}  // namespace bifold::backend::cuda
