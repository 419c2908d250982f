// What stands behind a Group.
#pragma once

#include <bifold/error.hpp>
#include <bifold/group/group.hpp>
#include <bifold/group/stream_transport.hpp>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "core/group/call_records.hpp"
#include "core/group/fold.hpp"
#include "core/slices/parts.hpp"

namespace bifold::detail {

struct GroupState {
  std::shared_ptr<Transport> transport;
  StreamTransport* streams = nullptr;  // The transport, where it is one.
  std::chrono::nanoseconds deadline;
  std::uint32_t size = 0;
  std::vector<std::uint32_t> local;
  std::mutex in_use;                  // Held by a call.
  std::uint64_t calls = 0;            // So far, this one included.
  std::optional<Error> broken;        // The transport's failure.
  std::vector<std::uint64_t> counts;  // Elements of the ranks in the last call; empty before it.
  std::vector<core::FoldKernel> folds;
  core::KnownParts<core::ReductionParts> reductions;
  core::KnownParts<core::ScanTotals> scans;
  core::CallRecords records;
};

}  // namespace bifold::detail
