#include "core/kernel/image_check.hpp"

namespace bifold::core {

KernelSpec image_check_spec(const Capabilities& has) {
  constexpr std::uint32_t ring = 200U << 10U;
  constexpr std::uint32_t large = 192U << 10U;
  constexpr std::uint32_t small = 16U << 10U;
  const std::uint32_t bytes = has.ring_bytes >= ring ? large : small;
  KernelSpec spec;
  spec.family = "image_check";
  spec.entry = "image_check";
  spec.parts = {"types", "image_check"};
  spec.type_parts = 1;
  spec.group_size = image_check_items;
  spec.defines = {{"LOCAL_WORDS", bytes / static_cast<std::uint32_t>(sizeof(std::uint64_t))}};
  spec.launch.local_bytes = bytes;
  return spec;
}

}  // namespace bifold::core
