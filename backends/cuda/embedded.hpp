// Programs that were compiled with the library: there sooner than NVRTC's, and on machines without
// it.
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

enum class EmbeddedForm : std::uint8_t {
  machine_code,  ///< A cubin, for one architecture.
  ptx,           ///< For an architecture and all later ones, whose driver translates it.
};

/// One of a text's programs.
struct EmbeddedId {
  EmbeddedKey key;
  EmbeddedForm form;
  int architecture;  ///< 75 for sm_75.

  friend auto operator<=>(const EmbeddedId&, const EmbeddedId&) = default;
};

/// Where it lies.
struct EmbeddedProgram {
  EmbeddedId id;
  std::uint32_t pack;    ///< Index in EmbeddedTable::packs.
  std::uint32_t offset;  ///< In the pack, uncompressed.
  std::uint32_t bytes;
};

/// Programs of one form that resemble each other, compressed together by Zstandard.
struct EmbeddedPack {
  std::span<const std::uint64_t> words;  ///< Bytes, as the host keeps them.
  std::size_t compressed;
  std::size_t uncompressed;
};

struct EmbeddedTable {
  std::span<const EmbeddedProgram> programs;  ///< By id.
  std::span<const EmbeddedPack> packs;
};

/// Everything that this build embeds; empty where it embeds nothing. Generated.
const EmbeddedTable& embedded_table();

/// Of the text with these options, whatever target they name.
EmbeddedKey embedded_key(const Source& source);

/// The program's bytes; PTX without a terminating zero.
std::vector<std::byte> unpacked(const EmbeddedProgram& program);

/// That form of the source for a device of that architecture (90 for 9.0); empty where there is
/// none.
std::vector<std::byte> embedded(const Source& source, EmbeddedForm form, int architecture);

/// For messages: what runs without NVRTC in this build.
std::string about_embedded();

}  // namespace bifold::backend::cuda
