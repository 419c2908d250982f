// Elements that a rank gets from those in front of it, so that its first unit is whole.
#pragma once

#include <bifold/buffer.hpp>
#include <bifold/queue.hpp>
#include <optional>
#include <vector>

#include "core/group/device_array.hpp"
#include "core/group/group_call.hpp"
#include "core/group/split.hpp"

namespace bifold::core {

/// A rank's elements.
struct Elements {
  Queue queue;
  ErasedView input;
  std::optional<ErasedView> second;
};

/// The first unit of a rank in memory of its own, as far as the rank's elements go: those of
/// others, then its own. Of no elements where no others have a part of it.
struct Staged {
  DeviceArray input;
  DeviceArray second;
};

/// Exchanges what the split's borders say, and copies the rest. One for each local rank.
std::vector<Staged> exchange_fronts(GroupCall& call, const Split& split,
                                    const std::vector<Elements>& slices);

}  // namespace bifold::core
