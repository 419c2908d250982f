// The search for tuning values: candidates verified, compared in turns, and kept if they are
// better.
#pragma once

#include <bifold/bifold.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "commands/tune/interleaved.hpp"
#include "commands/tune/units.hpp"
#include "core/gallery/tuning_file.hpp"
#include "core/probe/comparison.hpp"
#include "measure/timing.hpp"

namespace bench {

/// One line of the table.
struct TuneLine {
  TuneUnit unit;
  bifold::core::Tuning built_in;  ///< Of the parameters that can be tuned.
  bifold::core::Tuning chosen;    ///< What differs; nothing: the built-in values stay.
  unsigned tried = 0;             ///< Candidates that were measured.
  bifold::core::Tuning best{};    ///< What differs in the best candidate, kept or not.
  TuningComparison compared{};    ///< Of that one, if there is one.
  std::string problem{};          ///< What was wrong or failed; empty: nothing.
};

/// Tunes rows on one device, for elements of one type at a time.
class TuneBench {
 public:
  using Clock = std::chrono::steady_clock;

  /// Makes room for inputs and results of `bytes` bytes of elements of the type.
  TuneBench(const bifold::Device& device, bifold::Type type, std::uint64_t bytes);

  /// Blocks, until about `deadline`, or `stopped` says so. Errors of the library become the line's
  /// problem; a device that was hung or lost is thrown on.
  TuneLine tune(const TuneUnit& unit, const std::vector<std::uint64_t>& sizes,
                Clock::time_point deadline, const std::function<bool()>& stopped);

  /// The input from which `large` is to be taken instead of `small`, each with its chosen values.
  TuneLine switch_point(const TuneLine& small, const TuneLine& large);

 private:
  struct Candidate;
  class Search;

  [[nodiscard]] bifold::ErasedView view(bifold::Buffer<std::uint8_t>& buffer,
                                        std::uint64_t count) const;
  void find_switch_point(const TuneLine& small, const TuneLine& large, TuneLine& line);
  /// Whether both leave the same bits behind.
  bool same(const TuneUnit& unit, const TunePlan& left, const TunePlan& right,
            const TuneInput& input);
  /// Samples of the plans in turns, [plan][turn].
  Samples measure(const TuneUnit& unit, const std::vector<const TunePlan*>& plans,
                  const TuneInput& of, unsigned turns);

  bifold::Device device_;
  bifold::Type type_;
  bifold::Queue queue_;
  std::uint64_t bytes_;
  bifold::Buffer<std::uint8_t> input_;
  bifold::Buffer<std::uint8_t> expected_;
  bifold::Buffer<std::uint8_t> output_;
  bifold::core::Comparison comparison_;
};

}  // namespace bench
