// Another library that computes what bifold computes: a peer. Each is a module of its own, a shared
// object beside the tool, which is opened when it is asked for: so the tool starts wherever what a
// peer links is missing.
#pragma once

#include <bifold/gallery.hpp>
#include <bifold/lines.hpp>
#include <bifold/op.hpp>
#include <bifold/scan.hpp>
#include <bifold/type.hpp>
#include <bifold/value.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace bench {

/// Where a peer computes.
enum class PeerSide : std::uint8_t { cuda, opencl, host };

/// A call that a peer is asked for.
struct PeerTask {
  bifold::Algorithm algorithm = bifold::Algorithm::reduce;
  bifold::ScanKind kind = bifold::ScanKind::inclusive;  ///< Of a scan.
  bifold::Type type = bifold::Type::i32;
  bifold::OperatorKind op = bifold::OperatorKind::plus;
  bifold::Value identity;  ///< Of the operator, of that type.
  std::uint64_t n = 0;
  std::optional<bifold::Lines> lines{};  ///< Of the n elements, each to be reduced or scanned.
  void* queue = nullptr;     ///< CUstream or cl_command_queue, in our context; of a host peer null.
  std::uintptr_t input = 0;  ///< CUdeviceptr, cl_mem or host address of n elements.
  /// The same of n elements of a scan, of one of a reduction or one for each line.
  std::uintptr_t output = 0;
};

/// A call that is ready: its scratch memory is there, and its kernels are compiled. What fails is
/// thrown as std::exception.
class PeerCall {
 public:
  PeerCall() = default;
  virtual ~PeerCall() = default;
  PeerCall(const PeerCall&) = delete;
  PeerCall& operator=(const PeerCall&) = delete;

  /// Blocks until what a host waits for is there: a scan in the task's output, a reduction's result
  /// in `value`.
  virtual void block(void* value) = 0;
  /// Enqueues the call, whose result will be in the task's output. A peer that has only calls that
  /// block makes one of those.
  virtual void enqueue() = 0;
  /// Whether enqueue() blocks, and leaves a reduction's result nowhere.
  [[nodiscard]] virtual bool only_blocks() const { return false; }
  /// Whether enqueue() may be captured into a CUDA graph, which is launched as long as the call is
  /// there.
  [[nodiscard]] virtual bool can_be_captured() const { return false; }
};

class Peer {
 public:
  Peer() = default;
  virtual ~Peer() = default;
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  [[nodiscard]] virtual std::string_view name() const = 0;
  [[nodiscard]] virtual std::string version() const = 0;
  [[nodiscard]] virtual PeerSide side() const = 0;
  /// Whether it has calls on lines, for which it is asked then.
  [[nodiscard]] virtual bool takes_lines() const { return false; }
  /// Why the peer has no such call; empty where it has one. The handles may still be missing.
  [[nodiscard]] virtual std::string obstacle(const PeerTask& task) const = 0;
  /// Blocks until the call is ready. The task has no obstacle.
  [[nodiscard]] virtual std::unique_ptr<PeerCall> prepare(const PeerTask& task) const = 0;
};

/// What every module exports, under this name. The number changes with the classes above.
using PeerEntry = const Peer* (*)();
inline constexpr const char* peer_entry_name = "bifold_bench_peer_3";

}  // namespace bench

/// Defines a module's entry, which tells of the one object of `Class`.
#define BIFOLD_BENCH_PEER_MODULE(Class)                                                       \
  extern "C" __attribute__((visibility("default"))) const bench::Peer* bifold_bench_peer_3(); \
  extern "C" const bench::Peer* bifold_bench_peer_3() {                                       \
    static const Class peer;                                                                  \
    return &peer;                                                                             \
  }
