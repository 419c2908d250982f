// What is measured, and what came out.
#pragma once

#include <bifold/bifold.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "host.hpp"
#include "limits.hpp"
#include "measure.hpp"
#include "options.hpp"

namespace bench {

/// One line of the results table, before it is measured.
struct Configuration {
  std::size_t device = 0;  ///< Index into Report::devices.
  bifold::Algorithm algorithm = bifold::Algorithm::reduce;
  std::string variant;  ///< As requested.
  bifold::Type type = bifold::Type::i32;
  bifold::Operator op = bifold::plus;
  bifold::ScanKind kind = bifold::ScanKind::inclusive;  ///< Of a scan.
  std::uint64_t n = 0;
  bifold::Order order = bifold::Order::v1;  ///< Of "production".
  bool together = false;  ///< Several reductions in one pass, as together.hpp names them.

  /// Bytes a perfect kernel moves: the input, and the output of a scan.
  [[nodiscard]] std::uint64_t bytes() const {
    return n * bifold::size_of(type) * (algorithm == bifold::Algorithm::scan ? 2 : 1);
  }
};

enum class Outcome {
  timed,    ///< Verified, then timed.
  skipped,  ///< Not possible here; `reason` says why.
  wrong,    ///< Ran, but the result differs from the reference; not timed.
  failed,   ///< The library reported an error.
};

struct Result {
  Configuration what;
  Outcome outcome = Outcome::skipped;
  std::string reason;       ///< Of everything but `timed`.
  std::string variant_ran;  ///< What "production" stood for; empty when it did not run.
  Timing timing;            ///< Of `timed`.
  Limits limits;            ///< Measured with buffers of the same byte count.
  bool in_cache = false;    ///< The buffers fit the last-level cache.

  [[nodiscard]] double gb_per_s() const {
    return static_cast<double>(what.bytes()) / timing.median_s / 1e9;
  }
};

/// A device that was found but could not be opened.
struct UnopenedDevice {
  bifold::DeviceInfo info;
  std::string reason;
};

/// A device that took part.
struct DeviceReport {
  bifold::DeviceInfo info;
  bifold::Capabilities capabilities;
  std::vector<std::uint64_t> sizes;
  std::vector<Limits> limits;  ///< One per byte count that was needed.
  bifold::CacheStatistics kernels;
};

/// What was measured, and where.
struct Measurements {
  std::string library_version;
  std::string time;
  HostInfo host;
  std::vector<DeviceReport> devices;
  std::vector<UnopenedDevice> unopened;
  std::vector<Result> results;

  /// Whether there was a device, each could be opened, and no result was wrong or failed.
  [[nodiscard]] bool all_well() const;
};

/// The measurements of `run`: its results are ordered by device, algorithm, type, operator,
/// variant, size.
struct Report : Measurements {
  RunOptions options;
};

/// The quickest timed call of a device, nearly all of it the cost of a call as such; or null.
const Result* quickest_call(const Measurements& measurements, std::size_t device);

}  // namespace bench
