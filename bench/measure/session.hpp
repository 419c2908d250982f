// One device during a run: its queue, its buffers, its limits.
#pragma once

#include <bifold/bifold.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "data/host_data.hpp"
#include "data/matrix.hpp"
#include "measure/interleaved.hpp"
#include "measure/limits.hpp"
#include "measure/result.hpp"

namespace bench {

class Session {
 public:
  Session(bifold::Device device, const Budget& budget, const HostInfo& host);

  /// Has the elements of every configuration from now on start so many elements behind where
  /// buffers do, input and output of a scan alike; without regimes, each in turns with the same
  /// elements from where buffers do.
  void start_at(std::uint64_t element) { first_element_ = element; }

  /// Has every configuration from now on measured in all regimes that the device has, with how long
  /// the host takes to enqueue a call, beside those of the peers that compete here: on this
  /// device's backend, or on the host. The peers must outlive the session.
  void compete_with(const std::vector<PeerModule>& peers);
  /// Of the regimes, leaves out that one.
  void leave_out_graphs() { in_graphs_ = false; }

  /// The same without peers, and without graphs, which suites do not have.
  void measure_in_regimes();

  /// Limits that an earlier run measured need not be measured again.
  void restore(const std::vector<Limits>& limits) { limits_.restore(limits); }

  [[nodiscard]] const bifold::Device& device() const noexcept { return device_; }
  /// Buffers as long as the elements that a configuration takes.
  [[nodiscard]] unsigned buffers() const noexcept { return beside_aligned() ? 3 : 2; }
  /// Whether device memory is taken from the host's.
  [[nodiscard]] bool shares_host_memory() const;
  /// Why this configuration cannot run here, as far as that is known beforehand; empty when it can.
  [[nodiscard]] std::string obstacle(const Configuration& what) const;

  /// Blocks. Makes room for `n` elements, buffers() times, and uploads the first `n` of `data`,
  /// which must outlive the use of it.
  void load(const HostData& data, std::uint64_t n);
  /// Frees what load() took.
  void unload();

  /// Blocks. Verifies, then times a configuration of at most the elements loaded. Errors of the
  /// library become the result's outcome. After a lost or hung device all others are skipped.
  Result run(const Configuration& what, Verifier& verifier);

  /// Blocks. How fast data get to the device and back, from memory that the driver did not make.
  [[nodiscard]] Transfers transfers();

  /// Blocks. What the least launch costs, where configurations are measured in all regimes.
  [[nodiscard]] EmptyLaunch empty_launch();

  /// Statistics and limits so far; `sizes` is left to the caller.
  [[nodiscard]] DeviceReport report() const;

 private:
  /// Seconds that the host takes to enqueue each of the calls, in turns, back to back; `timing` is
  /// that of the first.
  [[nodiscard]] std::vector<double> enqueue_seconds(const std::vector<std::function<void()>>& calls,
                                                    const Timing& timing);
  void interleave_with(std::vector<const Peer*> peers);
  [[nodiscard]] bool beside_aligned() const noexcept { return first_element_ > 0 && !interleaved_; }

  using Enqueue = std::function<void(bifold::Queue&)>;

  /// The elements of a configuration, and where its results go.
  struct Place {
    bifold::ErasedView input;
    bifold::ErasedView output;
  };
  [[nodiscard]] Place place_of(const Configuration& what, bifold::Buffer<std::uint8_t>& input,
                               std::uint64_t first);
  [[nodiscard]] Arena arena_of(const Place& place) {
    return {*data_, place.input, place.output, reference_};
  }
  /// All have to outlive the call. Without a workspace it has the queue's.
  [[nodiscard]] Enqueue call_of(const Configuration& what, const Place& place,
                                const bifold::Workspace* workspace = nullptr);
  [[nodiscard]] std::optional<Mismatch> mismatch_of(const Configuration& what, const Place& place,
                                                    const Enqueue& enqueue, Verifier& verifier);
  /// Returns how a call is wrong in a graph, or nothing.
  [[nodiscard]] std::optional<Mismatch> time_in_regimes(Result& result, const Place& place,
                                                        const Enqueue& enqueue, Verifier& verifier);
  void measure_into(Result& result, Verifier& verifier);
  [[nodiscard]] bifold::ErasedView elements(bifold::Buffer<std::uint8_t>& buffer,
                                            std::uint64_t first, std::uint64_t count) const;

  bifold::Device device_;
  bifold::Queue queue_;
  Budget budget_;
  LimitMeter limits_;
  std::uint64_t own_cache_bytes_;  ///< Of the last cache, what the device can count on.
  std::uint64_t cache_bytes_;
  std::uint64_t host_cache_bytes_;
  std::unique_ptr<InterleavedTiming> interleaved_;  ///< Null where no regimes were asked for.
  bool in_graphs_ = false;                          ///< Whether these are among the regimes.
  std::uint64_t first_element_ = 0;
  std::string lost_;  ///< Why the device can no longer be used; empty while it can.

  const HostData* data_ = nullptr;
  MatrixReference reference_;
  bifold::Buffer<std::uint8_t> input_;
  bifold::Buffer<std::uint8_t> aligned_input_;  ///< The same elements, where beside_aligned().
  bifold::Buffer<std::uint8_t> output_;
  bifold::Buffer<std::uint8_t> total_;
};

}  // namespace bench
