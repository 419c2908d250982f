// What reductions and scans of many lines share: their kernels, and how lines are shared out.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "core/plan/make_spec.hpp"
#include "core/plan/planning.hpp"

namespace bifold::core {

/// The layout of a call's lines: rows, along or across.
LineLayout layout_of(const Call& call) noexcept;

/// The lengths of all classes that `asked` meets. A class ends with each of `lasts`, which ascend;
/// behind those there is one more.
Sizes whole_classes(const Sizes& asked, std::initializer_list<std::uint64_t> lasts) noexcept;

/// What a plan has for each layout that its calls may bring.
template <class Kernels>
class ByLayout {
 public:
  /// `make` is given the request for lines of one layout.
  template <class Make>
  ByLayout(const Request& request, const Make& make) {
    for (const LineLayout layout : {LineLayout::rows, LineLayout::along, LineLayout::across}) {
      if (!brings(request.shape, layout)) continue;
      PlanShape shape = request.shape;
      shape.lines = layout;
      kernels_.at(index_of(layout)) = make(request.with(shape));
      has_.at(index_of(layout)) = true;
    }
  }

  [[nodiscard]] const Kernels& of(const Call& call) const {
    std::size_t index = index_of(layout_of(call));
    if (!has_.at(index)) index = index_of(LineLayout::along);
    if (!has_.at(index)) index = index_of(LineLayout::across);
    return kernels_.at(index);
  }

 private:
  // In reverse, no elements are neighbours in the order in which they are combined.
  static bool brings(const PlanShape& shape, LineLayout layout) noexcept {
    const bool rows = layout == LineLayout::rows;
    if (shape.lines == LineLayout::any) return !(rows && shape.reverse);
    if (shape.lines == LineLayout::none || (shape.lines == LineLayout::rows && shape.reverse)) {
      return layout == LineLayout::along;
    }
    return layout == shape.lines;
  }
  static std::size_t index_of(LineLayout layout) noexcept {
    return static_cast<std::size_t>(layout) - static_cast<std::size_t>(LineLayout::rows);
  }

  std::array<Kernels, 3> kernels_{};
  std::array<bool, 3> has_{};
};

/// The kernel over lines, its group size limited by what a work-item keeps in local
/// memory, in accumulators. Some load runs of so many elements, which a scan stores, too, or
/// elements of so many lines.
PlannedKernel build_line_kernel(const Request& request, const KernelPart& kernel,
                                const Tuning& tuning, const Defines& defines,
                                std::uint32_t accumulators_each, std::uint32_t run = 0,
                                std::uint32_t lines = 1);

/// Where the lines of a call lie, and how many there are.
LinePlaces places_of(const Call& call);

/// The smallest power of two that is not less, as an exponent.
std::uint64_t shift_of(std::uint64_t n) noexcept;

/// Groups that go over so many blocks.
std::uint64_t groups_of_blocks(std::uint64_t blocks) noexcept;

/// Short lines that lie side by side in memory: a work-item has several of them.
class ShortColumns {
 public:
  /// Of such a line, in elements.
  static constexpr std::uint64_t longest = 4;

  ShortColumns() = default;
  /// For lengths of the plan up to `last`, which is `longest` at most.
  ShortColumns(const Request& request, Algorithm algorithm, std::string_view name,
               const Tuning& tuning, std::uint64_t last);

  template <class... More>
  void enqueue(const Call& call, const More&... more) const {
    const bool single = call.count.n <= 1 && single_.kernel != nullptr;
    const PlannedKernel& kernel = single ? single_ : kernel_;
    const std::uint64_t blocks = divide_up(call.lines.count.n, kernel.group_size * lines_each_);
    launch(call.queue, kernel, groups_of_blocks(blocks), call.input, call.count, call.lines.count,
           call.init, call.output, call.more_outputs, places_of(call), blocks, more...);
  }

 private:
  PlannedKernel single_;  ///< Of one element: with fewer registers, more loads are under way.
  PlannedKernel kernel_;
  std::uint64_t lines_each_ = 1;
};

/// The last launch of a reduction: the tree over the nodes of each line.
class LineNodes {
 public:
  LineNodes(const Request& request, const Tuning& tuning);

  /// Combines up to `most` nodes of each line, each of so many elements.
  void enqueue(const Call& call, const Range& nodes, std::uint64_t most,
               std::uint64_t elements) const;

 private:
  PlannedKernel kernel_;
};

}  // namespace bifold::core
