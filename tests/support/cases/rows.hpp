// The gallery's rows that the device under test can run.
#pragma once

#include <algorithm>
#include <bifold/gallery.hpp>
#include <vector>

#include "core/gallery/choose_row.hpp"
#include "core/gallery/gallery.hpp"
#include "core/shape/plan_shape.hpp"
#include "support/environment.hpp"

namespace bifold::test {

/// Whether the row takes these types, this operator and this map together: a row for one size of
/// elements, or one that pads, refuses others.
inline bool takes(const gallery::Variant& row, const core::PlanShape& shape) {
  return core::choose_row({device(), shape}, row).variant != nullptr;
}

/// Rows of `algorithm` that the device supports on that type and operator.
inline std::vector<const gallery::Variant*> rows_on_device(Algorithm algorithm, Type type,
                                                           const Operator& op) {
  std::vector<const gallery::Variant*> rows;
  if (!device().supports(type)) return rows;
  for (const auto& row : gallery::variants()) {
    if (row.algorithm == algorithm && gallery::supports(device(), row, type, op)) {
      rows.push_back(&row);
    }
  }
  return rows;
}

/// One row of each kernel, where rows differ by a tuning value only.
inline std::vector<const gallery::Variant*> families_on_device(Algorithm algorithm, Type type,
                                                               const Operator& op) {
  std::vector<const gallery::Variant*> rows;
  const auto same_kernel = [](const gallery::Variant& left, const gallery::Variant& right) {
    return left.family == right.family &&
           core::row_of(left).entry() == core::row_of(right).entry() &&
           left.requirements.vectors == right.requirements.vectors;
  };
  for (const auto* row : rows_on_device(algorithm, type, op)) {
    if (rows.empty() || !same_kernel(*rows.back(), *row)) rows.push_back(row);
  }
  return rows;
}

/// One row of each kernel file, another one for each `turn`: files of related kernels and of rows
/// that differ by a tuning value have dozens.
inline std::vector<const gallery::Variant*> files_on_device(Algorithm algorithm, Type type,
                                                            const Operator& op, std::size_t turn) {
  std::vector<std::vector<const gallery::Variant*>> files;
  for (const auto* row : families_on_device(algorithm, type, op)) {
    const auto same = [row](const auto& file) { return file.front()->family == row->family; };
    const auto found = std::find_if(files.begin(), files.end(), same);
    if (found == files.end()) {
      files.push_back({row});
    } else {
      found->push_back(row);
    }
  }
  std::vector<const gallery::Variant*> rows;
  rows.reserve(files.size());
  for (const auto& file : files) rows.push_back(file[turn % file.size()]);
  return rows;
}

/// The production row and one more, another one for each `turn`: for promises that a test checks on
/// many types, as compiling every row for each of them would take minutes on a CPU.
inline std::vector<const gallery::Variant*> rows_in_turn(Algorithm algorithm, Type type,
                                                         const Operator& op, std::size_t turn) {
  auto rows = families_on_device(algorithm, type, op);
  if (rows.size() > 2) rows = {rows[0], rows[1 + turn % (rows.size() - 1)]};
  return rows;
}

/// Whether the row's look-back publishes words between groups.
inline bool publishes(const gallery::Variant& row) { return row.requirements.published_words; }

}  // namespace bifold::test
