// The plan of a call: known, or made of the row that is chosen and the values that it is tuned
// with.
#include <algorithm>
#include <bifold/error.hpp>
#include <bit>
#include <exception>
#include <utility>

#include "core/by_size.hpp"
#include "core/gallery_rows.hpp"
#include "core/log.hpp"
#include "core/planning.hpp"
#include "core/ranges.hpp"
#include "core/state.hpp"
#include "core/tuning_space.hpp"

namespace bifold::core {

namespace {

// Values that were measured on one type of a class may be too much for another, as for a struct
// with a large accumulator: that must not keep the call from being made.
std::shared_ptr<const detail::Plan> build_tuned(const Device& device,
                                                const gallery::Variant& variant,
                                                const PlanShape& shape) {
  const Tuning built_in = built_in_tuning(device, variant, shape);
  const Tuning tuned = tuning_for(device, variant, shape);
  if (tuned == built_in) return build_plan(device, variant, shape, built_in);
  try {
    return build_plan(device, variant, shape, tuned);
  } catch (const Error& error) {
    log().warn("{}: {} {} of {} takes its built-in values, not those of the tuning file: {}",
               device.info().selector, name_of(variant.algorithm), variant.name,
               name_of(shape.input), error.what());
    return build_plan(device, variant, shape, built_in);
  }
}

bool is_amd(const Device& device) { return device.capabilities().architecture.starts_with("gfx"); }

// The input, in MiB, from which a ring is quicker than the rows for small inputs on an H200. A
// ring's tile has about as many bytes whatever the type, while theirs has fewer of a narrow one,
// and waits as often. Of numbers of 8 bytes the ring's roles have more to exchange, while structs
// take longer by those rows, too. Short runs make tiles of half as many bytes: those of halves, and
// of 4-byte elements that become as wide as 8, of which nothing newer was measured.
std::uint32_t ring_from_mib(const PlanShape& shape, std::size_t widest, std::uint32_t of_words) {
  if (ring_run_bytes(shape) == 8) return size_of(shape.input) == 2 ? 20 : 28;
  switch (widest) {
    case 1: return 4;
    case 2: return 6;
    case 8: return shape.input.is_struct() ? of_words : 24;
    case 12: return 7;
    case 16: return 9;
    default: return of_words;
  }
}

// From how many elements on production runs the row, where another one is there for fewer.
std::uint64_t first_size(const Device& device, const gallery::Variant& row,
                         const PlanShape& shape) {
  return (std::uint64_t{tuning_for(device, row, shape).get_or(at_least_mib, 0)} << 20) /
         size_of(shape.input);
}

// The plan of the first row that can be built, with that of the row for fewer elements beside it.
// On a device without its compiler, production passes over rows whose kernels are not to be had;
// when there is none, the first row says why.
std::shared_ptr<const detail::Plan> build_first(const Device& device, const gallery::Variant& asked,
                                                const PlanShape& shape) {
  const gallery::Variant* row = &choose_variant(device, asked.algorithm, asked.name, shape);
  if (row == &asked) return build_tuned(device, asked, shape);
  const auto plan_of = [&](const gallery::Variant* variant) {
    return [&, variant] { return build_tuned(device, *variant, shape); };
  };
  std::exception_ptr first;
  for (;;) {
    try {
      const gallery::Variant* fewer = row_for_fewer(device, asked, shape, *row);
      if (fewer == nullptr) return build_tuned(device, *row, shape);
      return by_size(device, *row, shape, first_size(device, *row, shape), plan_of(fewer),
                     plan_of(row));
    } catch (const Error& error) {
      if (error.category() != ErrorCategory::unavailable) throw;
      if (!first) first = std::current_exception();
      log().debug("{} passed over: {}", row->name, error.what());
    }
    const gallery::Variant* next = choose_row(device, asked, shape, row).variant;
    if (next == nullptr) std::rethrow_exception(first);
    row = next;
  }
}

}  // namespace

const gallery::Variant* row_for_fewer(const Device& device, const gallery::Variant& asked,
                                      const PlanShape& shape, const gallery::Variant& row) {
  if (first_size(device, row, shape) == 0) return nullptr;
  const gallery::Variant* next = &row;
  do {
    next = choose_row(device, asked, shape, next).variant;
  } while (next != nullptr && first_size(device, *next, shape) > 0);
  return next;
}

Tuning built_in_tuning(const Device& device, const gallery::Variant& variant,
                       const PlanShape& shape) {
  const std::size_t widest =
      std::max({size_of(shape.input), size_of(shape.accumulator), size_of(shape.output)});
  Tuning values = default_tuning(variant, device.info().kind, device.capabilities(), widest);
  // Of 16-byte elements an H200 wants small groups for longer. Of narrower ones that become as
  // wide, and of other GPUs, nothing was measured.
  const bool wide = size_of(shape.input) == 16 && widest == 16;
  if (wide && variant.family == "reduce_order_single" &&
      device.capabilities().architecture == "sm_90") {
    values.set("large_from_mib", 512);
  }
  // Packs of 8 and 16 values take more than 128 registers of AMD's with as many rows as others, and
  // with 128 four waves fit on a SIMD of gfx90a, and eight on one of gfx1030.
  if (is_amd(device) && values.get_or("ROWS", 0) > 0 && values.get_or("pack_bytes", 0) > 0) {
    const std::uint32_t width = pack_width(variant, shape, values);
    const std::uint32_t most = width >= 16 ? 4 : width >= 8 ? 6 : values.get("ROWS");
    values.set("ROWS", std::min(values.get("ROWS"), most));
  }
  if (values.get_or(at_least_mib, 0) > 0 && variant.family == "scan_order_ring") {
    values.set(at_least_mib, ring_from_mib(shape, widest, values.get(at_least_mib)));
  }
  return values;
}

Tuning tuning_for(const Device& device, const gallery::Variant& variant, const PlanShape& shape) {
  Tuning values = built_in_tuning(device, variant, shape);
  const Tunings& tunings = device.state()->tunings;
  const Tuning* tuned = tunings.find(variant, element_class(variant.algorithm, shape));
  if (tuned == nullptr) return values;
  const std::uint32_t most = std::bit_floor(std::max(device.capabilities().max_group_size, 1U));
  for (const auto& [name, value] : tuned->entries()) {
    values.set(name, name == "GROUP_SIZE" ? std::min(value, most) : value);
  }
  return values;
}

std::shared_ptr<const detail::Plan> find_plan(const Device& device, Algorithm algorithm,
                                              std::string_view variant, PlanShape shape,
                                              const std::optional<Caller>& caller) {
  if (caller) shape.sizes = Sizes::of(caller->n);
  const gallery::Variant& asked = row_named(algorithm, variant);
  const PlanKey key{shape.op.id(), shape.map.id(), index_of(asked), shape.input, shape.accumulator,
                    shape.output,  shape.kind,     shape.on_device, shape.order, shape.second};
  PlanTable& plans = device.state()->plans;
  if (auto known = plans.find(key, shape)) return known;
  if (caller) {
    const std::lock_guard lock(caller->queue.mutex);
    refuse_in_graph(caller->queue, "planning the first call of a shape and about that size");
  }
  return plans.add(key, build_first(device, asked, shape));
}

}  // namespace bifold::core
