// The local ranks of a plan over a StreamTransport: memory that their runs use, and what travels.
#pragma once

#include <bifold/group/stream_transport.hpp>
#include <bifold/queue.hpp>
#include <bifold/value.hpp>
#include <bifold/workspace.hpp>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/slices/device_array.hpp"
#include "core/slices/elements.hpp"
#include "core/slices/split.hpp"

namespace bifold::core {

/// StagedViews of memory that a plan keeps.
struct Staged {
  DeviceArray input;
  DeviceArray second;
};

/// Local ranks are counted from 0.
class StreamRanks {
 public:
  /// `most` values travel from each rank.
  StreamRanks(StreamTransport& transport, std::vector<std::uint32_t> local, Split split,
              std::uint64_t most);

  [[nodiscard]] const Split& split() const noexcept { return split_; }
  [[nodiscard]] std::uint32_t rank(std::size_t local) const { return local_[local]; }
  [[nodiscard]] std::size_t count() const noexcept { return local_.size(); }

  /// Allocates what a rank's runs use: `scratch` bytes of workspace, the staged unit in front of
  /// elements of that type, and room for values and init.
  void make(std::size_t local, const Elements& elements, std::uint64_t scratch, Type accumulator,
            const std::optional<Value>& init);

  [[nodiscard]] const Workspace* workspace(std::size_t local) const {
    return &ranks_[local].workspace;
  }
  [[nodiscard]] const Staged& staged(std::size_t local) const { return ranks_[local].staged; }
  /// Where a rank leaves its values.
  [[nodiscard]] const DeviceArray& mine(std::size_t local) const { return ranks_[local].mine; }
  /// The values of all ranks, `most` of each, and init behind them if there is one.
  [[nodiscard]] const DeviceArray& all(std::size_t local) const { return ranks_[local].all; }
  /// Where value `index` of a rank lies in there, and init.
  [[nodiscard]] std::uint64_t place(std::uint32_t rank, std::uint64_t index) const {
    return rank * most_ + index;
  }
  [[nodiscard]] std::uint64_t place_of_init() const { return split_.ranks() * most_; }

  /// Enqueues what the split's borders say, so that units are whole.
  void exchange_fronts(const std::vector<Elements>& slices);
  /// Enqueues the exchange of values.
  void gather(const std::vector<Elements>& slices);
  /// The same of one value of each rank, for one more purpose.
  void gather(const std::vector<Elements>& slices, const std::vector<DeviceArray>& mine,
              const std::vector<DeviceArray>& all);

 private:
  struct Rank {
    Buffer<std::uint8_t> scratch;
    Workspace workspace;
    Staged staged;
    DeviceArray mine;
    DeviceArray all;
  };

  StreamTransport& transport_;
  std::vector<std::uint32_t> local_;
  Split split_;
  std::uint64_t most_;
  std::vector<Rank> ranks_;
};

}  // namespace bifold::core
