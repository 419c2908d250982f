// What is measured, and what came out.
#pragma once

#include <array>
#include <bifold/bifold.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "data/host_data.hpp"
#include "data/matrix.hpp"
#include "data/places.hpp"
#include "data/types.hpp"
#include "measure/device_facts.hpp"
#include "measure/host.hpp"
#include "measure/limits.hpp"
#include "measure/options.hpp"
#include "measure/timing.hpp"
#include "peers/modules.hpp"

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
  DataKind data = DataKind::exact;
  bool together = false;           ///< Several reductions in one pass, as together.hpp names them.
  std::optional<Matrix> matrix{};  ///< Of n elements: each of its lines is reduced or scanned.

  /// `op`, as calls on elements of the type take it.
  [[nodiscard]] bifold::Operator operation() const {
    return operator_on(type, element_operator(op));
  }
  /// Of the elements that a call writes.
  [[nodiscard]] bifold::Type output_type() const { return is_argmax(op) ? place_type(type) : type; }

  /// Bytes a perfect kernel moves: the input, and the output of a scan or of lines.
  [[nodiscard]] std::uint64_t bytes() const {
    const bool scan = algorithm == bifold::Algorithm::scan;
    // NOLINTNEXTLINE(bugprone-unchecked-optional-access): it throws where there is none.
    const std::uint64_t results = matrix ? matrix->lines().count() : 0;
    return n * bifold::size_of(type) + (scan ? n : results) * bifold::size_of(output_type());
  }
  /// Elements that a call writes.
  [[nodiscard]] std::uint64_t outputs() const {
    if (algorithm == bifold::Algorithm::scan) return n;
    return matrix ? matrix->lines().count() : 1;
  }
  [[nodiscard]] std::optional<bifold::Lines> lines() const {
    return matrix ? std::optional(matrix->lines()) : std::nullopt;
  }
  /// Of a call on a matrix.
  [[nodiscard]] MatrixCall matrix_call() const {
    const bool scan = algorithm == bifold::Algorithm::scan;
    // NOLINTNEXTLINE(bugprone-unchecked-optional-access): it throws where there is none.
    return {matrix.value(), op.kind(), scan ? std::optional(kind) : std::nullopt};
  }
  /// The copy rate is the limit of what writes as well, the read rate that of other reductions.
  [[nodiscard]] bool only_reads() const {
    return algorithm == bifold::Algorithm::reduce && !matrix;
  }
};

enum class Outcome {
  timed,    ///< Verified, then timed.
  skipped,  ///< Not possible here; `reason` says why.
  wrong,    ///< Ran, but the result differs from the reference; not timed.
  failed,   ///< The library reported an error.
};

/// How calls follow one another when they are timed.
enum class Regime : std::uint8_t {
  back_to_back,  ///< Many are enqueued, then waited for: throughput.
  isolated,      ///< One at a time, its device time, the last-level cache cold.
  blocking,      ///< One at a time, the host's time until it has the result.
  graph,         ///< Many captured into a CUDA graph, whose launches follow one another.
};
inline constexpr std::array regimes{Regime::back_to_back, Regime::isolated, Regime::blocking,
                                    Regime::graph};

/// What came out of a peer beside ours.
struct PeerResult {
  std::string name;
  Outcome outcome = Outcome::skipped;
  std::string reason;                          ///< Of everything but `timed`.
  bool only_blocks = false;                    ///< It waits in each call, back to back, too.
  std::array<Timing, regimes.size()> timings;  ///< Of `timed`; no samples where it has no regime.

  [[nodiscard]] Timing& timing_in(Regime regime) {
    return timings[static_cast<std::size_t>(regime)];
  }
  [[nodiscard]] const Timing& timing_in(Regime regime) const {
    return timings[static_cast<std::size_t>(regime)];
  }
};

struct Result {
  Configuration what;
  Outcome outcome = Outcome::skipped;
  std::string reason;            ///< Of everything but `timed`.
  std::string variant_ran;       ///< What "production" stood for; empty when it did not run.
  Timing timing;                 ///< Of `timed`, back to back.
  Timing isolated;               ///< Of `timed`, where peers were asked for; else of no samples.
  Timing blocking;               ///< As `isolated`.
  Timing graph;                  ///< Of no samples also where calls are not captured.
  unsigned calls_per_graph = 0;  ///< Of `graph`.
  /// Ours once more, in turns with `timing`: what the two differ by is noise. As `isolated`.
  Timing again;
  Timing aligned;  ///< In turns with `timing`, from where buffers start; or no samples.
  /// Measured with buffers of the same byte count; beside peers and in a suite, those that the
  /// result is a share of back to back, in turns with it.
  Limits limits;
  bool in_cache = false;       ///< The buffers fit the last-level cache.
  double enqueue_s = 0;        ///< The host's part of a call back to back; 0: not measured.
  double empty_enqueue_s = 0;  ///< That of a launch that does nothing, in turns with it.
  double empty_launch_s = 0;   ///< Such a launch's time, back to back in turns with ours.
  std::optional<std::uint64_t> digest;  ///< Of the result's bits, where there was one.
  std::vector<PeerResult> peers;        ///< Those that compete on the device.

  [[nodiscard]] double gb_per_s() const {
    return static_cast<double>(what.bytes()) / timing.median_s / 1e9;
  }
  /// The rate as a fraction of that of `aligned`.
  [[nodiscard]] double share_of_aligned() const { return aligned.median_s / timing.median_s; }
  [[nodiscard]] const Timing& timing_in(Regime regime) const {
    switch (regime) {
      case Regime::back_to_back: return timing;
      case Regime::isolated: return isolated;
      case Regime::blocking: return blocking;
      case Regime::graph: break;
    }
    return graph;
  }
  [[nodiscard]] Timing& timing_in(Regime regime) {
    return const_cast<Timing&>(std::as_const(*this).timing_in(regime));
  }
};

/// A rank of a group, and what it alone does of a call.
struct RankReport {
  std::uint32_t host = 0;  ///< The number of the host that it runs on.
  std::string selector;    ///< Of its device.
  std::string device_name;
  std::uint64_t elements = 0;
  Timing slice;           ///< One device's blocking call on the slice.
  double exchange_s = 0;  ///< Of the group's call, what its process is in the transport for.
};

/// Another way to the sum of all ranks' elements.
struct GroupPeer {
  std::string name;
  Outcome outcome = Outcome::skipped;
  std::string reason;      ///< Of everything but `timed`.
  bool same_bits = false;  ///< As one device's call, which it need not have.
  Timing timing;
};

/// A blocking call over a group of ranks.
struct GroupResult {
  Configuration what;  ///< Of all ranks' elements.
  Scaling scaling = Scaling::strong;
  std::string transport;  ///< "in_process", "mpi".
  std::vector<RankReport> ranks;
  Outcome outcome = Outcome::skipped;
  std::string reason;  ///< Of everything but `timed`.
  Timing timing;       ///< Of the process that takes longest.
  Timing whole;        ///< One device's blocking call on the whole array, that of rank 0.
  std::optional<std::uint64_t> digest;
  std::optional<std::uint64_t> whole_digest;
  std::uint64_t transport_calls = 0;  ///< Of one process, in a call.
  std::uint64_t sent_bytes = 0;       ///< By all ranks, in a call.
  std::vector<GroupPeer> peers;

  /// Of the ranks' slices, the one that takes longest.
  [[nodiscard]] double slice_s() const;
  /// Of the ranks' exchanges, the shortest: who comes last waits for nobody.
  [[nodiscard]] double exchange_s() const;
  /// How fast the call is beside the slices alone, of which it is made.
  [[nodiscard]] double share_of_slice() const { return slice_s() / timing.median_s; }
  /// How fast it is beside one device that has all elements.
  [[nodiscard]] double speedup() const { return whole.median_s / timing.median_s; }
  /// Whether one device's call gives the same bits.
  [[nodiscard]] bool same_bits() const { return digest && digest == whole_digest; }
};

/// A device that was found but could not be opened.
struct UnopenedDevice {
  bifold::DeviceInfo info;
  std::string reason;
};

/// What it took in a process whose kernel caches were in some state.
struct Start {
  double open_s = 0;    ///< To open the device.
  double first_s = 0;   ///< The first call, until its result is there.
  double second_s = 0;  ///< The same call again.
  bifold::CacheStatistics kernels{};
};

struct StartResult {
  std::string device;
  bifold::Algorithm algorithm = bifold::Algorithm::reduce;
  bifold::Type type;
  Outcome outcome = Outcome::failed;
  std::string reason;
  Start cold;  ///< No kernel in any cache.
  Start warm;  ///< A new process' start: those of `cold` on disk, none in memory.
};

/// GB/s between the host's memory and the device's; 0 where not measured.
struct Transfers {
  std::uint64_t bytes = 0;
  double upload = 0;
  double download = 0;
};

/// What a launch of a kernel costs that does nothing, in seconds; 0: not measured.
struct EmptyLaunch {
  double back_to_back_s = 0;
  double enqueue_s = 0;  ///< Of that, the host's.
};

/// A device that took part.
struct DeviceReport {
  bifold::DeviceInfo info;
  bifold::Capabilities capabilities;
  std::vector<std::uint64_t> sizes;
  std::vector<Limits> limits;  ///< One per byte count that was needed.
  bifold::CacheStatistics kernels;
  DeviceFacts facts;
  Transfers transfers;
  EmptyLaunch empty_launch;  ///< Where regimes were asked for.
};

/// What was measured, and where.
struct Measurements {
  std::string library_version;
  std::string time;
  HostInfo host;
  std::vector<DeviceReport> devices;
  std::vector<UnopenedDevice> unopened;
  std::vector<Result> results;
  std::vector<GroupResult> groups;  ///< Calls over several devices.

  /// Whether there was a device, each could be opened, and no result was wrong or failed.
  [[nodiscard]] bool all_well() const;
};

/// The measurements of `run`: its results are ordered by device, algorithm, type, operator,
/// variant, size.
struct Report : Measurements {
  RunOptions options;
  std::vector<PeerModule> peers;    ///< Those asked for.
  std::vector<StartResult> starts;  ///< Of a suite.
  std::size_t kept = 0;             ///< Results of an earlier, interrupted run.
  bool complete = true;             ///< False: it was interrupted, and has what was measured.
};

/// "4,096", or "64 x 64, axis 1".
std::string size_text(const Configuration& what);

/// The quickest timed call of a device, nearly all of it the cost of a call as such; or null.
const Result* quickest_call(const Measurements& measurements, std::size_t device);

}  // namespace bench
