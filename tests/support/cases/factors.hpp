// The factors that programs are combined from: kernel file, type, operator, scan kind, group size.
#pragma once

#include <bifold/gallery.hpp>
#include <span>
#include <vector>

#include "pairwise.hpp"
#include "workload.hpp"

namespace bifold::test {

/// The factors of one algorithm on the device under test.
class Factors {
 public:
  explicit Factors(Algorithm algorithm);

  [[nodiscard]] std::span<const std::size_t> levels() const { return levels_; }

  /// Whether the device runs that combination.
  [[nodiscard]] bool legal(const Combination& combination) const;

  /// The combination as something to compile, its group size forced where it names one.
  [[nodiscard]] Workload workload(const Combination& combination) const;

  /// Workloads in which every possible pair of levels meets.
  [[nodiscard]] std::vector<Workload> pairwise_workloads() const;

 private:
  [[nodiscard]] Workload shape(const Combination& combination) const;

  /// By kernel file: its rows take turns as the other factors change, as each combination is a
  /// program to compile and some files have dozens of rows.
  std::vector<std::vector<const gallery::Variant*>> files_;
  std::vector<std::size_t> levels_;
};

/// The production row of `algorithm` on every type of the device and operator legal on it.
std::vector<Workload> production_workloads(Algorithm algorithm, ScanKind kind);

}  // namespace bifold::test
