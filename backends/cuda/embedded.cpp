#include "cuda/embedded.hpp"

#include <algorithm>
#include <string_view>

#include "core/hash.hpp"
#include "cuda/compiler.hpp"
#include "cuda/error.hpp"

#if BIFOLD_EMBED_PTX
#include <zstd.h>
#endif

namespace bifold::backend::cuda {

EmbeddedKey embedded_key(const Source& source) {
  const std::string_view options = source.options;
  std::string all(options.substr(0, options.rfind(target_option)));
  all += '\n';
  all += source.text;
  const std::uint64_t first = core::hash(all);
  return {{first, core::hash(all, ~first)}, all.size()};
}

std::vector<std::byte> unpacked([[maybe_unused]] const EmbeddedPtx& entry) {
#if BIFOLD_EMBED_PTX
  const EmbeddedPack& pack = embedded_table().packs[entry.pack];
  std::vector<std::byte> all(pack.uncompressed);
  const std::size_t size =
      ZSTD_decompress(all.data(), all.size(), pack.words.data(), pack.compressed);
  if (ZSTD_isError(size) != 0 || size != all.size()) {
    throw plain_error(
        ErrorCategory::backend_failure,
        std::string("the PTX in the library could not be unpacked: ") + ZSTD_getErrorName(size),
        "ZSTD_decompress");
  }
  const auto* const begin = all.data() + entry.offset;
  return {begin, begin + entry.bytes};
#else
  return {};
#endif
}

std::vector<std::byte> embedded_ptx(const Source& source, int architecture) {
  const EmbeddedKey key = embedded_key(source);
  const auto entries = embedded_table().entries;
  const auto found = std::lower_bound(
      entries.begin(), entries.end(), key,
      [](const EmbeddedPtx& entry, const EmbeddedKey& wanted) { return entry.key < wanted; });
  if (found == entries.end() || found->key != key || found->architecture > architecture) return {};
  return unpacked(*found);
}

std::string about_embedded_ptx() {
  if (embedded_table().entries.empty())
    return "this build holds nothing for machines without NVRTC";
  return "without NVRTC there are reduce and scan of i8 to u64, f32 and f64 with plus, multiplies, "
         "minimum and maximum, from sm_75 on";
}

}  // namespace bifold::backend::cuda
