// Scans over a group.
#pragma once

#include <bifold/group/distributed.hpp>
#include <memory>
#include <optional>
#include <vector>

#include "core/group/group_work.hpp"

namespace bifold::core {

/// What is scanned how, the same on every rank.
struct GroupScan {
  ScanKind kind;
  const Operator& op;
  const std::optional<Value>& init;
  const Map& map;
  const DistributedOptions& options;
};

class StreamScan;

/// A scan that ranks have agreed on.
struct PlannedScan {
  Agreement agreed;
  std::vector<Type> outputs;  ///< Of the local ranks.
  bool with_total = false;
  std::unique_ptr<StreamScan> stream;  ///< Over a StreamTransport.

  PlannedScan();
  PlannedScan(const PlannedScan&) = delete;
  PlannedScan& operator=(const PlannedScan&) = delete;
  ~PlannedScan();
};

/// As the public calls say.
void scan_over(Group& group, const std::vector<ScanSlice>& slices, const GroupScan& asked);

/// Agrees on slices without memory. Runs have a total where these have one.
void plan_over(Group& group, const std::vector<ScanSlice>& slices, const GroupScan& asked,
               PlannedScan& planned);
/// Blocks until the ranks have exchanged totals, then enqueues.
void run_over(Group& group, const std::vector<ScanSlice>& slices, const GroupScan& asked,
              const PlannedScan& planned);
/// Enqueues it.
void enqueue_over(Group& group, const std::vector<ScanSlice>& slices, const GroupScan& asked,
                  PlannedScan& planned);

}  // namespace bifold::core
