// Programs that were compiled with the library, for NVIDIA's GPUs: there sooner than a compiler's,
// and on machines without one. CUDA loads them as they are; OpenCL, of whose texts each has a twin
// among CUDA's, once they say what OpenCL wants to know of a kernel (opencl/library_images.hpp).
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "interface.hpp"

namespace bifold::core {

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

inline constexpr std::array embedded_forms{EmbeddedForm::machine_code, EmbeddedForm::ptx};

/// For messages.
constexpr std::string_view name_of(EmbeddedForm form) noexcept {
  return form == EmbeddedForm::ptx ? "PTX" : "machine code";
}

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

/// What OpenCL wants to know of a kernel and CUDA's compiler does not write down.
struct EmbeddedTraits {
  std::uint32_t pointers;  ///< Bit i: the parameter i is a pointer to global memory.
  std::uint32_t
      local_bytes;  ///< Local memory that a launch from CUDA names, and its text does not.

  friend bool operator==(const EmbeddedTraits&, const EmbeddedTraits&) = default;
};

/// A text in OpenCL C, and the one in CUDA C++ that the same plan has in its place.
struct EmbeddedTwin {
  EmbeddedKey text;
  int architecture;  ///< From which on it is that one, until a row of the text says otherwise.
  EmbeddedKey twin;
  bool any_architecture;  ///< asks_for_architecture() of it is false.
  EmbeddedTraits traits;

  friend bool operator==(const EmbeddedTwin&, const EmbeddedTwin&) = default;
};

struct EmbeddedTable {
  std::span<const EmbeddedProgram> programs;  ///< By id.
  std::span<const EmbeddedPack> packs;
  std::span<const EmbeddedTwin> twins;  ///< By text and architecture.
  std::uint64_t digest;                 ///< Of all of it; 0 where there is nothing.
};

/// Everything that this build embeds; empty where it embeds nothing. Generated.
const EmbeddedTable& embedded_table();

/// Stands in options between those that count and the target, which does not.
inline constexpr std::string_view target_option = " --gpu-architecture=";

/// Whether a text in CUDA C++ is another one for each architecture: it gains by being compiled for
/// the device's own, where that can be.
bool asks_for_architecture(const backend::Source& source);

/// Of the text with these options, whatever target they name.
EmbeddedKey embedded_key(const backend::Source& source);

/// The program's bytes; PTX without a terminating zero.
std::vector<std::byte> unpacked(const EmbeddedProgram& program);

/// That form of the text for a device of that architecture (90 for 9.0); empty where there is none.
std::vector<std::byte> embedded(const EmbeddedKey& key, EmbeddedForm form, int architecture);

/// The twin of a text in OpenCL C for a device of that architecture.
std::optional<EmbeddedTwin> embedded_twin(const EmbeddedKey& text, int architecture);

/// For messages: what runs without NVRTC in this build.
std::string about_embedded();

}  // namespace bifold::core
