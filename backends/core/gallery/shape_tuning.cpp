#include "core/gallery/shape_tuning.hpp"

#include <algorithm>
#include <bit>

#include "core/device/state.hpp"
#include "core/gallery/gallery.hpp"
#include "core/gallery/tuning_file.hpp"
#include "core/plan/make_spec.hpp"
#include "core/tuning/parameters.hpp"
#include "core/tuning/tuning_space.hpp"

namespace bifold::core {

namespace {

bool is_amd(const Device& device) { return device.capabilities().architecture.starts_with("gfx"); }

// The input, in MiB, from which a ring is quicker than the rows for small inputs on an H200. A
// ring's tile has about as many bytes whatever the type, while theirs has fewer of a narrow one,
// and waits as often. Of numbers of 8 bytes the ring's roles have more to exchange, while structs
// take longer by those rows, too. Short runs make tiles of half as many bytes: those of halves, and
// of 4-byte elements that become as wide as 8, of which nothing newer was measured.
std::uint32_t ring_from_mib(const Request& request, std::size_t widest, std::uint32_t of_words) {
  const PlanShape& shape = request.shape;
  if (request.layout.run_bytes == 8) return size_of(shape.input) == 2 ? 20 : 28;
  switch (widest) {
    case 1: return 4;
    case 2: return 9;
    case 8: return shape.input.is_struct() ? of_words : 24;
    case 12: return 7;
    case 16: return 9;
    default: return of_words;
  }
}

}  // namespace

Tuning built_in_tuning(const Request& request, const gallery::Variant& variant) {
  const Device& device = request.device;
  const PlanShape& shape = request.shape;
  const Row row = row_of(variant);
  const std::size_t widest =
      std::max({size_of(shape.input), size_of(shape.accumulator), size_of(shape.output)});
  Tuning values =
      default_tuning(variant, row.recipe.fixed, device.info().kind, device.capabilities(), widest);
  // Of 16-byte elements an H200 wants small groups for longer. Of narrower ones that become as
  // wide, and of other GPUs, nothing was measured.
  const bool wide = size_of(shape.input) == 16 && widest == 16;
  if (wide && variant.family == "reduce_order_single" &&
      device.capabilities().architecture == "sm_90") {
    values.large_from_mib = 512;
  }
  // Packs of 8 and 16 values take more than 128 registers of AMD's with as many rows as others, and
  // with 128 four waves fit on a SIMD of gfx90a, and eight on one of gfx1030.
  if (is_amd(device) && values.rows && values.vector_bytes) {
    const std::uint32_t width = pack_width(row, shape, values);
    const std::uint32_t most = width >= 16 ? 4 : width >= 8 ? 6 : *values.rows;
    values.rows = std::min(*values.rows, most);
  }
  if (values.at_least_mib && variant.family == "scan_order_ring") {
    values.at_least_mib = ring_from_mib(request, widest, *values.at_least_mib);
  }
  return values;
}

Tuning tuning_for(const Request& request, const gallery::Variant& variant) {
  const Device& device = request.device;
  const PlanShape& shape = request.shape;
  Tuning values = built_in_tuning(request, variant);
  const Tunings& tunings = *device.state()->tunings;
  const Tuning* tuned = tunings.find(variant, element_class(variant.algorithm, shape));
  if (tuned == nullptr) return values;
  values = changed(values, *tuned);
  if (tuned->group_size) {
    const std::uint32_t most = std::bit_floor(std::max(device.capabilities().max_group_size, 1U));
    values.group_size = std::min(*tuned->group_size, most);
  }
  return values;
}

}  // namespace bifold::core
