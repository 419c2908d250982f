// Calls of one configuration that block: over a group, and of one device alone.
#pragma once

#include <bifold/bifold.hpp>
#include <bifold/group/group.hpp>
#include <cstdint>
#include <optional>
#include <vector>

#include "data/host_data.hpp"
#include "measure/result.hpp"

namespace bench {

/// A rank of this process.
struct LocalRank {
  std::uint32_t rank;
  bifold::Device device;
  bifold::Queue queue;
  bifold::Buffer<std::uint8_t> input{};  ///< Rank 0 has the whole array, others their slices.
  bifold::Buffer<std::uint8_t> output{};
};

/// What such a rank has of the array.
struct GroupPart {
  LocalRank* local;
  std::uint64_t first;
  std::uint64_t count;
};

class GroupCalls {
 public:
  /// All have to outlive the calls. `group` is null where this process has no rank of it.
  GroupCalls(const Configuration& what, std::vector<GroupPart> parts, bifold::Group* group);

  [[nodiscard]] bool scans() const { return what_.algorithm == bifold::Algorithm::scan; }
  [[nodiscard]] const std::vector<GroupPart>& parts() const noexcept { return parts_; }

  /// Blocks. One device's call on its first `count` elements; gives a reduction's result.
  bifold::Value alone(LocalRank& local, std::uint64_t count);
  /// Blocks. The group's call, with the parts of this process, of which there is one at least.
  bifold::Value together();

  /// Has no element of a scan's output what it should be.
  void spoil(LocalRank& local, std::uint64_t count);
  /// Of what a call left that gave `value`, whose first element has that number in the array.
  std::uint64_t digest(LocalRank& local, std::uint64_t first, std::uint64_t count,
                       const bifold::Value& value);
  /// Where one device's call on the whole array is wrong. Not asked of long arrays.
  [[nodiscard]] std::optional<Mismatch> mismatch(LocalRank& local,
                                                 const bifold::Value& value) const;

 private:
  const Configuration& what_;
  bifold::Operator op_;
  std::vector<GroupPart> parts_;
  bifold::Group* group_;
};

/// Of a value's bits.
std::uint64_t digest_of(const bifold::Value& value);

}  // namespace bench
