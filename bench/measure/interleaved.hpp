// A configuration measured in all regimes: our calls in turn with those of peers, and with what
// ours are compared with besides.
#pragma once

#include <bifold/bifold.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "data/host_data.hpp"
#include "measure/arena.hpp"
#include "measure/result.hpp"
#include "measure/timing.hpp"
#include "peers/cuda_graph.hpp"
#include "peers/peer.hpp"

namespace bench {

/// Our call of a configuration, which has been verified.
struct OurCall {
  std::function<void(bifold::Queue&)> enqueue;
  /// Blocks until the host can go on: a scan is done, a reduction's value has been returned.
  std::function<void(bifold::Queue&)> block;
  /// As `enqueue`, on a stream that is captured; empty where no graphs are measured.
  std::function<void(bifold::Queue&)> enqueue_captured{};
};

/// A call that ours is compared with, back to back: a limit's, or one that does nothing.
struct Yardstick {
  std::function<void()> call;  ///< Enqueues on the queue of the timing.
  std::function<void(Result&, double median_s)> tell;
};

/// Whether a peer's calls run where ours do. A device would idle while another processor has its
/// turn, and be slower after it: whoever came next would pay for that. So those on either processor
/// take turns among themselves.
[[nodiscard]] bool shares_processor(PeerSide side, bifold::DeviceKind device);

/// What is written before each call that is to find a last-level cache cold.
struct FlushBytes {
  std::uint64_t device;
  std::uint64_t host;
};

/// The peers that compete on a device, and what their measurements need.
class InterleavedTiming {
 public:
  InterleavedTiming(bifold::Queue queue, const Budget& budget, FlushBytes flush,
                    std::vector<const Peer*> peers);

  /// Blocks. Verifies the peers, then measures those that share a processor in turn, back to back
  /// with the yardsticks, and fills in the timings and peers of `result`, and what yardsticks tell.
  /// What fails in a peer is told there, what fails in a yardstick in Limits::problem; errors of
  /// ours are thrown, and any after which the device is of no use. Where ours is wrong in a graph,
  /// returns how, and leaves the rest undone.
  [[nodiscard]] std::optional<Mismatch> run(Result& result, const OurCall& ours,
                                            std::span<const Yardstick> yardsticks,
                                            const Arena& arena, Verifier& verifier);

  /// Frees what was kept for the data at hand.
  void unload() { host_output_.reset(); }

 private:
  struct Entrant;  ///< A peer, over one configuration.
  struct Gauge;    ///< A yardstick, beside one configuration.
  class Round;     ///< Those who take turns with one another.

  Entrant enter(const Peer& peer, const Configuration& what, const Arena& arena,
                Verifier& verifier);
  [[nodiscard]] std::optional<Mismatch> check(Entrant& entrant, const Configuration& what,
                                              const Arena& arena, Verifier& verifier);
  /// Of what `enqueue` leaves in the arena's output.
  [[nodiscard]] std::optional<Mismatch> check_output(const std::function<void()>& enqueue,
                                                     const Configuration& what, const Arena& arena,
                                                     Verifier& verifier, Equality equality);
  /// A graph of so many of our calls. What fails is no reason to skip them: they were right before.
  [[nodiscard]] std::unique_ptr<CudaGraph> capture(const OurCall& ours, unsigned calls);
  /// The same of the entrant's, which are verified; what fails is told in its result.
  void capture(Entrant& entrant, unsigned calls, const Configuration& what, const Arena& arena,
               Verifier& verifier);
  [[nodiscard]] std::string obstacle(const Peer& peer, const PeerTask& task,
                                     const Configuration& what) const;
  /// Bytes that a host peer's result takes beyond those that are there.
  [[nodiscard]] std::uint64_t host_output_needed(const Configuration& what) const;
  std::byte* host_output(const Configuration& what);
  Stopwatch stopwatch(Entrant& entrant, Regime regime);
  Stopwatch stopwatch(const OurCall& ours, const std::function<void()>& enqueue, Regime regime);
  void flush();
  void flush_host();
  double isolated(const std::function<void(bifold::Queue&)>& enqueue);

  bifold::Queue queue_;
  bifold::Queue timed_;  ///< Its events tell device time; no other regime pays for that.
  Budget budget_;
  std::vector<const Peer*> peers_;
  bifold::Buffer<std::uint32_t> flushed_;
  std::vector<std::uint32_t> flushed_on_host_;
  std::uint32_t flush_value_ = 0;
  std::unique_ptr<std::byte[]> host_output_;
  std::uint64_t host_output_bytes_ = 0;
};

}  // namespace bench
