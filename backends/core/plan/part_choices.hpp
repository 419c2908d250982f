// Which part of a kernel's text provides what several do: THE table of choices, by what the device
// offers and by the shape.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "core/kernel/kernel_source.hpp"
#include "core/plan/row.hpp"
#include "core/shape/request.hpp"

namespace bifold::core {

/// A part for a name, instead of the one that the table would choose.
using ForcedPart = std::pair<std::string_view, std::string_view>;

/// What decides about the parts of a kernel.
struct PartQuestion {
  const Request& request;
  Algorithm algorithm = Algorithm::reduce;
  bool by_vectors = false;   ///< A CPU's work-items combine vectors, where a layout can be so.
  bool loads_again = false;  ///< Elements of a tile are loaded once more for their results.
  std::span<const ForcedPart> forced{};
};

/// The part that provides `name`: of that name where there is no choice.
std::string chosen_part(const PartQuestion& question, std::string_view name);

/// Finds the parts of the spec's kernel, and adds what these want to be defined. The spec has its
/// kernel, types, operator and map by then.
void add_parts(const PartQuestion& question, KernelSpec& spec);

/// The same for a kernel without a plan's shape: by its types alone.
void add_parts(const Device& device, KernelSpec& spec);

/// Whether the row's entry exchanges values between lanes on that device, which runs the row:
/// others may lack its parts, which throws build_failure.
bool exchanges_lanes(const Device& device, const Row& row);

}  // namespace bifold::core
