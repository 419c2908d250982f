// A rank's part of an array.
#pragma once

#include <bifold/buffer.hpp>
#include <bifold/queue.hpp>
#include <optional>

namespace bifold::core {

/// A rank's elements.
struct Elements {
  Queue queue;
  ErasedView input;
  std::optional<ErasedView> second;
};

/// The first unit of a rank in memory of its own, as far as the rank's elements go: those of
/// others, then its own. Of no elements where no others have a part of it.
struct StagedViews {
  ErasedView input;
  ErasedView second;
};

}  // namespace bifold::core
