// Scans over a group.
#pragma once

#include <bifold/group/distributed.hpp>
#include <optional>
#include <vector>

namespace bifold::core {

/// What is scanned how, the same on every rank.
struct GroupScan {
  ScanKind kind;
  const Operator& op;
  const std::optional<Value>& init;
  const Map& map;
  const DistributedOptions& options;
};

/// As the public calls say.
void scan_over(Group& group, const std::vector<ScanSlice>& slices, const GroupScan& asked);

}  // namespace bifold::core
