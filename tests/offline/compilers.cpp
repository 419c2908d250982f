// Runs the compilers that need no device, and reads what they say of kernels.
#include <elf.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>

#include "core/base/format.hpp"
#include "support/environment.hpp"
#include "targets.hpp"

namespace bifold::test {

namespace fs = std::filesystem;

namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
  return value != nullptr ? value : "";
}

/// A word for the shell.
std::string shell_word(std::string_view text) {
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

/// Runs a command; whether it succeeded, and what it printed.
bool succeeds(const std::string& command, std::string& printed) {
  std::FILE* const pipe = popen((command + " 2>&1").c_str(), "r");  // NOLINT(cert-env33-c)
  if (pipe == nullptr) return false;
  std::array<char, 4096> part{};
  while (const std::size_t got = std::fread(part.data(), 1, part.size(), pipe)) {
    printed.append(part.data(), got);
  }
  return pclose(pipe) == 0;
}

std::string content_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// The device libraries know their architectures; one that is newer takes its neighbour's.
std::string amd_libraries(const Target& target) {
  const fs::path folder = environment("BIFOLD_TEST_BITCODE");
  const std::string number(target.architecture.substr(3));
  if (fs::exists(folder / ("oclc_isa_version_" + number + ".bc"))) {
    return " --rocm-device-lib-path=" + shell_word(folder.string());
  }
  std::string options = " -nogpulib";
  for (const std::string& name :
       {std::string("opencl"), std::string("ocml"), std::string("ockl"),
        std::string("oclc_isa_version_1030"),
        std::string("oclc_wavefrontsize64_") + (target.width == 64 ? "on" : "off"),
        std::string("oclc_daz_opt_off"), std::string("oclc_finite_only_off"),
        std::string("oclc_unsafe_math_off"), std::string("oclc_correctly_rounded_sqrt_on"),
        std::string("oclc_abi_version_400")}) {
    options +=
        " -Xclang -mlink-builtin-bitcode -Xclang " + shell_word((folder / (name + ".bc")).string());
  }
  return options;
}

std::string amd_command(const Target& target, const backend::Source& source, const fs::path& text,
                        const fs::path& compiled) {
  std::string command = shell_word(environment("BIFOLD_TEST_COMPILER")) +
                        " -x cl -target amdgcn-amd-amdhsa -O3 -mcpu=";
  command += target.architecture;
  command += target.width == 64 ? " -mwavefrontsize64 " : " -mno-wavefrontsize64 ";
  command += source.options + amd_libraries(target);
  return command + " -S -o " + shell_word(compiled.string()) + ' ' + shell_word(text.string());
}

std::string intel_command(const Target& target, const backend::Source& source,
                          const fs::path& text) {
  return core::formatted(
      "{} compile -file {} -device {} -options {} -internal_options -cl-intel-allow-zebin "
      "-out_dir {} -output {} -output_no_suffix",
      shell_word(environment("BIFOLD_TEST_COMPILER")), shell_word(text.string()),
      target.architecture, shell_word(source.options), shell_word(text.parent_path().string()),
      shell_word(text.stem().string() + ".bin"));
}

template <class T>
std::optional<T> at(std::string_view bytes, std::uint64_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return {};
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

/// A section of a 64-bit ELF file of this machine's byte order; empty where there is none.
std::string_view section(std::string_view file, std::string_view name) {
  const auto header = at<Elf64_Ehdr>(file, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return {};
  const auto section_at = [&](std::uint64_t i) {
    return at<Elf64_Shdr>(file, header->e_shoff + i * sizeof(Elf64_Shdr));
  };
  const auto names = section_at(header->e_shstrndx);
  for (std::uint64_t i = 0; names && i < header->e_shnum; ++i) {
    const auto one = section_at(i);
    if (!one || one->sh_offset > file.size()) break;
    const std::uint64_t name_at = names->sh_offset + one->sh_name;
    if (name_at >= file.size() || file.substr(name_at, name.size() + 1) != std::string(name) + '\0')
      continue;
    return file.substr(one->sh_offset, one->sh_size);
  }
  return {};
}

/// A line "key: value" of YAML, in either vendor's layout, and how far it is indented.
struct Entry {
  std::size_t indent;
  bool begins_item;
  std::string_view key;
  std::string_view value;

  [[nodiscard]] std::uint32_t number() const {
    std::uint32_t result = 0;
    std::from_chars(value.data(), value.data() + value.size(), result);
    return result;
  }
};

std::vector<Entry> entries_of(std::string_view text) {
  std::vector<Entry> entries;
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const std::size_t dash = line.find_first_not_of(' ');
    if (dash == std::string_view::npos) continue;
    const bool item = line[dash] == '-' && dash + 1 < line.size() && line[dash + 1] == ' ';
    const std::size_t indent = item ? line.find_first_not_of(' ', dash + 1) : dash;
    const std::size_t colon = line.find(':', indent);
    if (indent == std::string_view::npos || colon == std::string_view::npos) continue;
    std::string_view value = line.substr(colon + 1);
    value.remove_prefix(std::min(value.size(), value.find_first_not_of(' ')));
    entries.push_back({indent, item, line.substr(indent, colon - indent), value});
  }
  return entries;
}

}  // namespace

std::vector<KernelUse> read_amd_metadata(std::string_view assembly) {
  const std::size_t begin = assembly.find("\namdhsa.kernels:");
  if (begin == std::string_view::npos) return {};
  std::vector<KernelUse> kernels;
  for (const Entry& entry : entries_of(assembly.substr(begin))) {
    if (entry.indent == 0 && !entry.key.starts_with("amdhsa.kernels")) break;
    if (entry.indent != 4) continue;
    if (entry.begins_item) kernels.emplace_back();
    if (kernels.empty()) continue;
    KernelUse& kernel = kernels.back();
    if (entry.key == ".name") kernel.name = entry.value;
    if (entry.key == ".vgpr_count") kernel.registers = entry.number();
    if (entry.key == ".sgpr_count") kernel.scalar_registers = entry.number();
    if (entry.key == ".vgpr_spill_count") kernel.spilled = entry.number();
    if (entry.key == ".sgpr_spill_count") kernel.scalars_spilled = entry.number();
    if (entry.key == ".private_segment_fixed_size") kernel.private_bytes = entry.number();
    if (entry.key == ".group_segment_fixed_size") kernel.local_bytes = entry.number();
    if (entry.key == ".wavefront_size") kernel.width = entry.number();
  }
  return kernels;
}

std::vector<KernelUse> read_intel_metadata(std::string_view ze_info) {
  std::vector<KernelUse> kernels;
  std::string_view part;
  std::string_view usage;
  std::uint32_t size = 0;
  bool in_kernels = false;
  for (const Entry& entry : entries_of(ze_info)) {
    if (entry.indent == 0) in_kernels = entry.key == "kernels";
    if (!in_kernels || entry.indent == 0) continue;
    if (entry.indent == 4 && entry.begins_item) kernels.emplace_back();
    if (kernels.empty()) continue;
    KernelUse& kernel = kernels.back();
    if (entry.indent == 4) {
      part = entry.key;
      if (entry.key == "name") kernel.name = entry.value;
      continue;
    }
    if (part == "execution_env") {
      if (entry.key == "grf_count") kernel.registers = entry.number();
      if (entry.key == "simd_size") kernel.width = entry.number();
      if (entry.key == "slm_size") kernel.local_bytes = entry.number();
    } else if (part == "per_thread_memory_buffers") {
      if (entry.key == "usage") usage = entry.value;
      if (entry.key == "size" && usage == "spill_fill_space") kernel.spilled += entry.number();
      if (entry.key == "size") kernel.private_bytes += size = entry.number();
      // This size is a work-item's; the others are those of a hardware thread.
      if (entry.key == "is_simt_thread" && entry.value == "true") {
        kernel.private_bytes += size * (kernel.width - 1);
      }
    }
  }
  return kernels;
}

std::string compiler_name() {
  std::string printed;
  succeeds(shell_word(environment("BIFOLD_TEST_COMPILER")) + " --version", printed);
  return printed.substr(0, printed.find('\n'));
}

std::vector<KernelUse> compile(const Target& target, const backend::Source& source,
                               std::string& log) {
  const fs::path folder = fresh_folder(core::formatted("offline-{}", target.name));
  const fs::path text = folder / "kernel.cl";
  std::ofstream(text) << source.text;
  if (target.vendor == Vendor::amd) {
    const fs::path compiled = folder / "kernel.s";
    if (!succeeds(amd_command(target, source, text, compiled), log)) return {};
    return read_amd_metadata(content_of(compiled));
  }
  if (!succeeds(intel_command(target, source, text), log)) return {};
  const std::string compiled = content_of(folder / "kernel.bin");
  std::vector<KernelUse> kernels = read_intel_metadata(section(compiled, ".ze_info"));
  // Memory is that of a hardware thread, whose work-items are those of a sub-group.
  for (KernelUse& kernel : kernels) kernel.private_bytes /= std::max(kernel.width, 1U);
  return kernels;
}

}  // namespace bifold::test
