// The gallery's rows as planners get them.
#pragma once

#include <bifold/gallery.hpp>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "core/tuning/tuning.hpp"

namespace bifold::detail {
class Plan;
}

namespace bifold::core {

struct Request;
struct Row;

/// Makes a row's plan: which kernels, which launches.
using Planner = std::shared_ptr<const detail::Plan> (*)(const Request& request, const Row& row,
                                                        const Tuning& tuning);

/// How a row is made, beside its public Variant. `production` has no planner: it names the rows to
/// try, best first, on each kind of device.
struct Recipe {
  Planner planner = nullptr;
  std::string_view entry{};  ///< The kernel in the family's file; empty: of the family's name.
  Tuning fixed{};  ///< Parameters that make this row of its family, as UNROLL for persistent_f8.
  std::vector<std::string_view> on_gpu{};
  /// The same where 32 lanes exchange registers, for elements of 4 bytes and more; empty: on_gpu.
  std::vector<std::string_view> on_lanes_of_32{};
  std::vector<std::string_view> on_cpu{};
  bool lanes_idle = false;  ///< Other kernels of the part exchange registers, not the entry.
  /// Results are stored as vectors: of as many elements as fit, of the wider of input and output.
  bool stores_vectors = false;
  /// Its kernels find n, the initial value and the total where the host says that they lie.
  bool takes_values = true;
  bool takes_lines = false;     ///< Its kernels take lines, and scan in reverse.
  bool takes_segments = false;  ///< Its kernels take segments, and nothing else.
  bool counts_first = false;    ///< Its kernels can select when all is counted.
  bool one_array = false;       ///< Its kernels read one array and write one.
  /// Production takes the row for elements and accumulators of so many bytes alone (0: of any).
  std::uint32_t only_bytes = 0;
};

/// A row of the gallery: what everybody sees of it, and how it is made. It refers to both.
struct Row {
  const gallery::Variant& variant;
  const Recipe& recipe;

  /// The kernel of its file.
  [[nodiscard]] std::string_view entry() const {
    return recipe.entry.empty() ? variant.family : recipe.entry;
  }
};

}  // namespace bifold::core
