/// @file
/// What moves device memory between ranks by commands on their queues, so that no host waits.
#pragma once

#include <bifold/buffer.hpp>
#include <bifold/export.hpp>
#include <bifold/group/group.hpp>
#include <bifold/queue.hpp>
#include <cstdint>
#include <span>

namespace bifold {

/// @addtogroup groups
/// @{

/// What a rank of this process gives to all ranks, in its device's memory.
struct StreamGather {
  Queue queue;      ///< Of the rank.
  ErasedView mine;  ///< As many elements of every rank.
  ErasedView all;   ///< Those of all ranks, in their order. Does not overlap `mine`.
};

/// Elements of a rank of this process on their way to or from another rank.
struct StreamMessage {
  std::uint32_t from;   ///< The rank that sends.
  std::uint32_t to;     ///< The rank that receives.
  Queue queue;          ///< Of the rank of this process.
  ErasedView elements;  ///< Read by who sends, written by who receives; both have as many bytes.
};

/// A transport that also enqueues. Commands are done behind those that were enqueued on a rank's
/// queue before, and in front of those that come later. Memory stays in use until they are done.
/// A call is made by one thread of a process at a time; what it throws ends the group.
class BIFOLD_API_CLASS StreamTransport : public Transport {
 public:
  /// Throws invalid_argument unless the local ranks' queues are those that it can enqueue on.
  virtual void check(std::span<const Queue> queues) = 0;
  /// Enqueues for all local ranks, in their order. Every process makes the same calls in the same
  /// order.
  virtual void enqueue_all_gather(std::span<const StreamGather> ranks) = 0;
  /// Enqueues messages, in the order of receivers, then of senders, at most one from a rank to
  /// another one. Called by the processes that have some.
  virtual void enqueue_exchange(std::span<const StreamMessage> sent,
                                std::span<const StreamMessage> received) = 0;
  /// Blocks until the queues' work is done. Throws timeout past the deadline; the work that other
  /// ranks keep from ending is given up.
  virtual void finish(std::span<const Queue> queues, Deadline deadline) = 0;
};

/// @}

}  // namespace bifold
