#include "opencl/program/image_marks.hpp"

#include <algorithm>
#include <bifold/error.hpp>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "core/base/format.hpp"
#include "opencl/driver/error.hpp"

namespace bifold::backend::opencl {
namespace {

[[noreturn]] void refuse(const std::string& what) {
  opencl::refuse(ErrorCategory::backend_failure,
                 "a program of the library is not as expected: " + what);
}

// --- PTX: lines of the entry's head, one declaration each ---

constexpr std::string_view pointer_parameter = ".param .u64 ";

bool starts_entry(std::string_view line) { return line.find(".entry ") != std::string_view::npos; }

/// `.extern .shared .align A .b8 NAME[];` with its size, and without the word that makes it grow.
std::string sized(std::string_view line, std::uint32_t bytes) {
  constexpr std::string_view external = ".extern ";
  constexpr std::string_view open = "[];";
  line.remove_prefix(external.size());
  if (!line.ends_with(open)) refuse("dynamic local memory of a size");
  line.remove_suffix(open.size());
  return core::formatted("{}[{}];", line, bytes);
}

std::string marked_ptx(std::string_view text, const core::EmbeddedTraits& traits) {
  std::string result;
  result.reserve(text.size() + 256);
  std::uint32_t parameters = 0;
  std::uint32_t pointers = 0;
  bool in_entry = false;
  bool sizes = traits.local_bytes == 0;
  bool requires_items = false;
  while (!text.empty() && text.front() != '{') {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    in_entry = in_entry || starts_entry(line);
    if (line.starts_with(".extern .shared ") && !sizes) {
      result += sized(line, traits.local_bytes);
      sizes = true;
    } else if (line.starts_with(".maxntid ")) {
      result += ".reqntid ";
      result += line.substr(std::string_view(".maxntid ").size());
      requires_items = true;
    } else if (in_entry && line.starts_with(".param ")) {
      const std::uint32_t bit = parameters < 32 ? 1U << parameters : 0;
      ++parameters;
      if ((traits.pointers & bit) != 0) {
        if (!line.starts_with(pointer_parameter)) refuse("a pointer is no word of 64 bits");
        result += ".param .u64 .ptr .global .align 1 ";
        result += line.substr(pointer_parameter.size());
        pointers |= bit;
      } else {
        result += line;
      }
    } else {
      result += line;
    }
    result += '\n';
  }
  if (!in_entry || !sizes || !requires_items || pointers != traits.pointers) {
    refuse("PTX without what is to be marked");
  }
  return result.append(text);
}

// --- Machine code: an ELF file ---

// The layout of ELF, by its specification, as far as it is needed: offsets into the header of the
// file and into that of a section.
constexpr std::size_t file_sections_at = 0x28;
constexpr std::size_t file_section_bytes_at = 0x3a;
constexpr std::size_t file_section_count_at = 0x3c;
constexpr std::size_t file_names_at = 0x3e;
constexpr std::size_t section_offset_at = 0x18;
constexpr std::size_t section_size_at = 0x20;

// What describes a kernel in its section of .nv.info: a form, a name and the number of bytes that
// follow; or, in other forms, two bytes of value instead of that number.
constexpr std::uint8_t form_sized = 4;
constexpr std::uint8_t attribute_most_items = 0x05;
constexpr std::uint8_t attribute_required_items = 0x10;
constexpr std::uint8_t attribute_parameter = 0x17;
// Of a parameter: its place in the list, and what it points to.
constexpr std::size_t parameter_ordinal_at = 4;
constexpr std::size_t parameter_flags_at = 8;
constexpr std::uint32_t points_to_global = 0x400;

class MachineCode {
 public:
  explicit MachineCode(std::vector<std::byte>& bytes) : bytes_(bytes) {
    constexpr std::string_view magic =
        "\x7f"
        "ELF\x02\x01";
    if (bytes_.size() < magic.size() || std::memcmp(bytes_.data(), magic.data(), magic.size()) != 0)
      refuse("no ELF file of 64 bits");
  }

  void mark(const core::EmbeddedTraits& traits) {
    traits_ = traits;
    const auto sections = load<std::uint64_t>(file_sections_at);
    const auto each = load<std::uint16_t>(file_section_bytes_at);
    const auto count = load<std::uint16_t>(file_section_count_at);
    const std::uint64_t names = sections + std::uint64_t{each} * load<std::uint16_t>(file_names_at);
    const auto text = load<std::uint64_t>(names + section_offset_at);
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint64_t header = sections + i * each;
      const std::string_view name = text_at(text + load<std::uint32_t>(header));
      if (name.starts_with(".nv.info.")) mark_attributes(header);
      if (name.starts_with(".nv.shared.") && !name.starts_with(".nv.shared.reserved")) {
        enlarge(header);
      }
    }
    if (pointers_ != traits_.pointers || kernels_ != 1) refuse("machine code of another kernel");
    if (traits_.local_bytes != 0 && !enlarged_) refuse("machine code without local memory");
  }

 private:
  template <class Word>
  [[nodiscard]] Word load(std::uint64_t at) const {
    Word word{};
    if (at > bytes_.size() || bytes_.size() - at < sizeof word) refuse("it ends too soon");
    std::memcpy(&word, bytes_.data() + at, sizeof word);
    return word;
  }

  template <class Word>
  void store(std::uint64_t at, Word word) {
    static_cast<void>(load<Word>(at));
    std::memcpy(bytes_.data() + at, &word, sizeof word);
  }

  [[nodiscard]] std::string_view text_at(std::uint64_t at) const {
    if (at >= bytes_.size()) refuse("it ends too soon");
    const std::string_view rest(reinterpret_cast<const char*>(bytes_.data()) + at,
                                bytes_.size() - at);
    return rest.substr(0, rest.find('\0'));
  }

  void mark_attributes(std::uint64_t header) {
    ++kernels_;
    auto at = load<std::uint64_t>(header + section_offset_at);
    const std::uint64_t end = at + load<std::uint64_t>(header + section_size_at);
    while (at < end) {
      const auto form = load<std::uint8_t>(at);
      const auto attribute = load<std::uint8_t>(at + 1);
      const std::uint64_t size = form == form_sized ? load<std::uint16_t>(at + 2) : 0;
      if (form == form_sized && attribute == attribute_most_items) {
        store(at + 1, attribute_required_items);
      }
      if (form == form_sized && attribute == attribute_parameter) mark_parameter(at + 4);
      at += 4 + size;
    }
  }

  void mark_parameter(std::uint64_t at) {
    const auto ordinal = load<std::uint16_t>(at + parameter_ordinal_at);
    const std::uint32_t bit = ordinal < 32 ? 1U << ordinal : 0;
    if ((traits_.pointers & bit) == 0) return;
    pointers_ |= bit;
    store(at + parameter_flags_at, load<std::uint32_t>(at + parameter_flags_at) | points_to_global);
  }

  /// What a launch from CUDA adds lies behind what the text declares, aligned as our rings are.
  void enlarge(std::uint64_t header) {
    if (traits_.local_bytes == 0) return;
    constexpr std::uint64_t alignment = 128;
    const auto declared = load<std::uint64_t>(header + section_size_at);
    const std::uint64_t begin = (declared + alignment - 1) / alignment * alignment;
    store(header + section_size_at, begin + traits_.local_bytes);
    enlarged_ = true;
  }

  std::vector<std::byte>& bytes_;
  core::EmbeddedTraits traits_{};
  std::uint32_t pointers_ = 0;
  int kernels_ = 0;
  bool enlarged_ = false;
};

}  // namespace

std::vector<std::byte> marked(std::vector<std::byte> image, core::EmbeddedForm form,
                              const core::EmbeddedTraits& traits) {
  if (form == core::EmbeddedForm::machine_code) {
    MachineCode(image).mark(traits);
    return image;
  }
  const std::string text =
      marked_ptx({reinterpret_cast<const char*>(image.data()), image.size()}, traits);
  const auto* const begin = reinterpret_cast<const std::byte*>(text.data());
  return {begin, begin + text.size()};
}

}  // namespace bifold::backend::opencl
