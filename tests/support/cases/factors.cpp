#include "factors.hpp"

#include <algorithm>

#include "group_sizes.hpp"
#include "support/environment.hpp"

namespace bifold::test {

Factors::Factors(Algorithm algorithm) {
  for (const auto& row : gallery::variants()) {
    if (row.algorithm != algorithm) continue;
    const auto found = std::find_if(files_.begin(), files_.end(), [&](const auto& file) {
      return file.front()->family == row.family;
    });
    if (found == files_.end()) {
      files_.push_back({&row});
    } else {
      found->push_back(&row);
    }
  }
  const std::size_t kinds = algorithm == Algorithm::scan ? 2 : 1;
  levels_ = {files_.size(), all_types.size(), builtin_operators().size(), kinds,
             group_sizes.size()};
}

Workload Factors::shape(const Combination& combination) const {
  const auto& file = files_[combination[0]];
  const std::size_t turn = combination[1] + combination[2] + combination[4];
  return workload_of(*file[turn % file.size()], all_types[combination[1]],
                     builtin_operators()[combination[2]], static_cast<ScanKind>(combination[3]));
}

bool Factors::legal(const Combination& combination) const {
  const Workload candidate = shape(combination);
  return candidate.op.supports(candidate.input) && supports(candidate) &&
         tuning_with_group(candidate, group_sizes[combination[4]]);
}

Workload Factors::workload(const Combination& combination) const {
  Workload result = shape(combination);
  const std::uint32_t group_size = group_sizes[combination[4]];
  if (group_size != 0) result.tuning = tuning_with_group(result, group_size);
  return result;
}

std::vector<Workload> Factors::pairwise_workloads() const {
  std::vector<Workload> workloads;
  for (const Combination& combination :
       pairwise(levels_, [this](const Combination& c) { return legal(c); })) {
    workloads.push_back(workload(combination));
  }
  return workloads;
}

std::vector<Workload> production_workloads(Algorithm algorithm, ScanKind kind) {
  std::vector<Workload> workloads;
  const gallery::Variant* row = gallery::find(algorithm, "production");
  if (row == nullptr) return workloads;
  for (const Type type : all_types) {
    if (!device().supports(type)) continue;
    for (const Operator& op : builtin_operators()) {
      if (op.supports(type)) workloads.push_back(workload_of(*row, type, op, kind));
    }
  }
  return workloads;
}

}  // namespace bifold::test
