// What calls of a configuration work on, and whether they are right.
#pragma once

#include <bifold/bifold.hpp>
#include <cstdint>
#include <functional>
#include <optional>

#include "data/host_data.hpp"
#include "data/matrix.hpp"
#include "measure/result.hpp"

namespace bench {

/// What the calls work on.
struct Arena {
  const HostData& data;
  bifold::ErasedView input;
  bifold::ErasedView output;   ///< n elements of a scan, one for each line, or one.
  MatrixReference& reference;  ///< Of calls on lines.
};

/// The elements of a buffer from number `first` on.
[[nodiscard]] bifold::ErasedView elements_of(bifold::Buffer<std::uint8_t>& buffer,
                                             bifold::Type type, std::uint64_t first,
                                             std::uint64_t count);

/// Blocks. Writes other values into the output, makes the call, and compares what it leaves there.
[[nodiscard]] std::optional<Mismatch> check_call(bifold::Queue& queue, const Configuration& what,
                                                 const Arena& arena,
                                                 const std::function<void()>& enqueue,
                                                 Verifier& verifier,
                                                 Equality equality = Equality::bits);

}  // namespace bench
