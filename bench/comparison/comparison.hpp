// Runs of several devices, configuration by configuration: what every form of output shows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "document/run_file.hpp"
#include "measure/result.hpp"

namespace bench {

/// A device of a run.
struct Side {
  std::string letter;  ///< "A".
  std::size_t file = 0;
  std::size_t device = 0;
};

enum class BitsAgreement : std::uint8_t {
  agree,
  differ,
  unknown,  ///< Fewer than two sides have digests of the same data.
};

/// A configuration that two sides at least have; in a run drawn alone, one.
struct ComparedRow {
  Configuration what;                  ///< Of the first side that has it.
  std::vector<const Result*> results;  ///< Of each side; null where it has none.
  BitsAgreement bits = BitsAgreement::unknown;
};

/// What most of the difference between two backends is.
enum class Cause : std::uint8_t {
  noise,    ///< There is none that the samples show.
  launch,   ///< The host's part of a call.
  kernels,  ///< Their time on the device.
  between,  ///< What lies between the kernels of successive calls.
};

/// Two backends on one device, at one configuration: where the time goes.
struct BackendSplit {
  std::size_t first;   ///< A side.
  std::size_t second;  ///< Another.
  const Result* a;
  const Result* b;
  Cause cause;
  std::string answer;  ///< Why the second is slower, or quicker, in words.
};

/// The rows point into the files, so that it can be moved only.
struct Comparison {
  Comparison() = default;
  Comparison(Comparison&&) = default;
  Comparison& operator=(Comparison&&) = default;
  Comparison(const Comparison&) = delete;
  Comparison& operator=(const Comparison&) = delete;
  ~Comparison() = default;

  std::vector<RunFile> files;
  std::vector<Side> sides;
  std::vector<ComparedRow> rows;
  std::vector<std::string> warnings;
  std::vector<BackendSplit> splits;

  [[nodiscard]] const DeviceReport& device(const Side& side) const {
    return files[side.file].devices[side.device];
  }
  /// "NVIDIA H200, cuda"; "NVIDIA H200, cuda:1" where its run has several by that name.
  [[nodiscard]] std::string name(const Side& side) const;
  [[nodiscard]] std::size_t count(BitsAgreement bits) const;
};

/// Compares every device of every run with every other; documents of `gallery` add their tables.
/// Throws UsageError where there are not two devices that share a configuration.
Comparison compare(std::vector<RunFile> files);
/// The devices of one run, of which there may be one alone, and all that was measured on them.
Comparison drawn_alone(RunFile run);

/// GB/s of the device that are the most for such a call; 0 unknown.
double limit_of_call(const Result& result);
/// The speed of `result` as a multiple of that of `base`.
double speed_over(const Result& result, const Result& base);
/// Whether the median of each lies among the samples of the other, so that the difference may be
/// chance. One that some other program delayed does not make up for a difference.
bool within_noise(const Result& a, const Result& b);
/// "reduce", "inclusive scan".
std::string algorithm_text(const Configuration& what);

}  // namespace bench
