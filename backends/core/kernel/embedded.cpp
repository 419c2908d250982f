#include "core/kernel/embedded.hpp"

#include <algorithm>
#include <bifold/error.hpp>
#include <iterator>
#include <string_view>
#include <tuple>

#include "core/base/hash.hpp"

#if BIFOLD_EMBED_PTX
#include <zstd.h>
#endif

namespace bifold::core {

bool asks_for_architecture(const backend::Source& source) {
  return source.text.find("__CUDA_ARCH__") != std::string::npos;
}

EmbeddedKey embedded_key(const backend::Source& source) {
  const std::string_view options = source.options;
  std::string all(options.substr(0, options.rfind(target_option)));
  all += '\n';
  all += source.text;
  const std::uint64_t first = hash(all);
  return {{first, hash(all, ~first)}, all.size()};
}

std::vector<std::byte> unpacked([[maybe_unused]] const EmbeddedProgram& program) {
#if BIFOLD_EMBED_PTX
  const EmbeddedPack& pack = embedded_table().packs[program.pack];
  std::vector<std::byte> all(pack.uncompressed);
  const std::size_t size =
      ZSTD_decompress(all.data(), all.size(), pack.words.data(), pack.compressed);
  if (ZSTD_isError(size) != 0 || size != all.size()) {
    throw Error(
        ErrorCategory::backend_failure,
        std::string("a program in the library could not be unpacked: ") + ZSTD_getErrorName(size));
  }
  const auto* const begin = all.data() + program.offset;
  return {begin, begin + program.bytes};
#else
  return {};
#endif
}

std::vector<std::byte> embedded(const EmbeddedKey& key, EmbeddedForm form, int architecture) {
  const auto programs = embedded_table().programs;
  // The last one behind which only later architectures, other forms and other texts come.
  const auto next = std::upper_bound(
      programs.begin(), programs.end(), EmbeddedId{key, form, architecture},
      [](const EmbeddedId& wanted, const EmbeddedProgram& program) { return wanted < program.id; });
  if (next == programs.begin()) return {};
  const EmbeddedProgram& found = *std::prev(next);
  if (found.id.key != key || found.id.form != form) return {};
  if (form == EmbeddedForm::machine_code && found.id.architecture != architecture) return {};
  return unpacked(found);
}

std::optional<EmbeddedTwin> embedded_twin(const EmbeddedKey& text, int architecture) {
  const auto twins = embedded_table().twins;
  const auto next = std::upper_bound(twins.begin(), twins.end(), std::tie(text, architecture),
                                     [](const auto& wanted, const EmbeddedTwin& twin) {
                                       return wanted < std::tie(twin.text, twin.architecture);
                                     });
  if (next == twins.begin() || std::prev(next)->text != text) return std::nullopt;
  return *std::prev(next);
}

std::string about_embedded() {
  if (embedded_table().programs.empty())
    return "this build holds nothing for machines without NVRTC";
  return "without NVRTC there are reduce and scan of i8 to u64, f32 and f64 with plus, multiplies, "
         "minimum and maximum, and sums of f16 and bf16, from sm_75 on";
}

}  // namespace bifold::core
