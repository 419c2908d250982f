/// @file
/// Groups over the application's NCCL: bytes travel between GPUs by commands on the ranks' streams.
///
///     ncclComm_t comms[2];  ncclCommInitAll(comms, 2, nullptr);
///     bifold::Queue a(bifold::open_device("cuda:0")), b(bifold::open_device("cuda:1"));
///     bifold::Group group = bifold::interop::nccl::group({{comms[0], a}, {comms[1], b}});
///     bifold::GroupReducePlan plan(group, {.input = bifold::Type::f32,
///                                          .accumulator = bifold::Type::f32}, {{a, n}, {b, n}});
///     plan.run({{a, x}, {b, y}}, {sum_a, sum_b});
///
/// bifold links no NCCL: this header is compiled with the application's own. NCCL combines nothing.
#pragma once

#include <nccl.h>

#include <algorithm>
#include <bifold/buffer.hpp>
#include <bifold/error.hpp>
#include <bifold/event.hpp>
#include <bifold/group/group.hpp>
#include <bifold/group/stream_transport.hpp>
#include <bifold/interop/cuda.hpp>
#include <bifold/queue.hpp>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace bifold::interop::nccl {

/// @addtogroup adoption_nccl
/// @{

/// A rank of this process.
struct Rank {
  ncclComm_t comm;  ///< Outlives the group, and is for its calls alone while these go on.
  Queue queue;      ///< Of the communicator's device, in its primary context.
};

/// @}

/// @cond internal
namespace detail {

inline Error failure_of(ncclResult_t result, const char* call, ErrorCategory category) {
  Error::Details details;
  details.backend = "nccl";
  details.call = call;
  details.native_code = result;
  details.native_name = ncclGetErrorString(result);
  return {category, "a group's messages", std::move(details)};
}

// Throws backend_failure for a result other than success.
inline void require(ncclResult_t result, const char* call,
                    ErrorCategory category = ErrorCategory::backend_failure) {
  if (result != ncclSuccess) throw failure_of(result, call, category);
}

[[noreturn]] inline void refuse(const std::string& why) {
  throw Error(ErrorCategory::invalid_argument, "a group over NCCL: " + why);
}

class Transport final : public StreamTransport {
 public:
  // An abort is waited for until `most_abort` is over.
  Transport(std::vector<Rank> ranks, const GroupOptions& options,
            std::chrono::nanoseconds most_abort = std::chrono::seconds(10))
      : ranks_(std::move(ranks)), deadline_(options.deadline), most_abort_(most_abort) {
    if (ranks_.empty()) refuse("there is no communicator");
    for (const Rank& rank : ranks_) {
      if (rank.comm == nullptr) refuse("a communicator is null");
      int size = 0;
      int number = 0;
      int device = 0;
      ncclResult_t state = ncclSuccess;
      constexpr auto bad = ErrorCategory::invalid_argument;
      require(ncclCommCount(rank.comm, &size), "ncclCommCount", bad);
      require(ncclCommUserRank(rank.comm, &number), "ncclCommUserRank", bad);
      require(ncclCommCuDevice(rank.comm, &device), "ncclCommCuDevice", bad);
      require(ncclCommGetAsyncError(rank.comm, &state), "ncclCommGetAsyncError", bad);
      require(state, "ncclCommGetAsyncError", bad);
      if (!numbers_.empty() && size != size_) refuse("communicators of different sizes");
      size_ = size;
      numbers_.push_back(static_cast<std::uint32_t>(number));
      streams_.push_back(cuda::native_stream(rank.queue));
      const DeviceInfo& info = rank.queue.device().info();
      if (info.index != static_cast<std::uint32_t>(device)) {
        refuse("the communicator of rank " + std::to_string(number) + " is for device " +
               std::to_string(device) + ", its queue is of " + info.selector);
      }
    }
    staging_.resize(ranks_.size());
  }

  [[nodiscard]] std::uint32_t size() const override { return static_cast<std::uint32_t>(size_); }
  [[nodiscard]] std::vector<std::uint32_t> local_ranks() const override { return numbers_; }

  void all_gather(std::span<const std::byte> mine, std::span<std::byte> all,
                  Deadline deadline) override {
    const std::size_t bytes = mine.size() / ranks_.size();
    if (bytes == 0) return;
    // An upload behind work that never ends would not end.
    wait(queues(), deadline);
    std::vector<StreamGather> gathers;
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
      Queue& queue = ranks_[i].queue;
      const View<std::uint8_t> memory = staged(i, bytes * (1 + size()));
      const View<std::uint8_t> own = memory.subview(0, bytes);
      queue.upload_bytes(own, mine.data() + i * bytes, bytes);
      gathers.push_back({queue, own, memory.subview(bytes, bytes * size())});
    }
    enqueue_all_gather(gathers);
    wait(queues(), deadline);
    ranks_.front().queue.download_bytes(gathers.front().all, all.data(), all.size());
  }

  void exchange(std::span<const Outgoing> sent, std::span<const Incoming> received,
                Deadline deadline) override {
    wait(queues(), deadline);
    std::vector<std::size_t> used(ranks_.size());
    for (const Outgoing& one : sent) used[local(one.from)] += one.bytes.size();
    for (const Incoming& one : received) used[local(one.to)] += one.bytes.size();
    std::vector<View<std::uint8_t>> memory;
    for (std::size_t i = 0; i < ranks_.size(); ++i) memory.push_back(staged(i, used[i]));
    std::fill(used.begin(), used.end(), 0);
    const auto take = [&](std::uint32_t rank, std::size_t bytes) {
      const std::size_t i = local(rank);
      return memory[i].subview(std::exchange(used[i], used[i] + bytes), bytes);
    };
    std::vector<StreamMessage> out;
    for (const Outgoing& one : sent) {
      Queue& queue = ranks_[local(one.from)].queue;
      const View<std::uint8_t> place = take(one.from, one.bytes.size());
      queue.upload_bytes(place, one.bytes.data(), one.bytes.size());
      out.push_back({one.from, one.to, queue, place});
    }
    std::vector<StreamMessage> in;
    for (const Incoming& one : received) {
      in.push_back({one.from, one.to, ranks_[local(one.to)].queue, take(one.to, one.bytes.size())});
    }
    enqueue_exchange(out, in);
    wait(queues(), deadline);
    for (std::size_t i = 0; i < received.size(); ++i) {
      in[i].queue.download_bytes(in[i].elements, received[i].bytes.data(),
                                 received[i].bytes.size());
    }
  }

  void check(std::span<const Queue> queues) override {
    if (queues.size() != ranks_.size()) refuse("a plan has a queue for each communicator");
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
      if (&queues[i].state() == &ranks_[i].queue.state()) continue;
      refuse("the queue of rank " + std::to_string(numbers_[i]) + " is not the communicator's");
    }
  }

  void enqueue_all_gather(std::span<const StreamGather> ranks) override {
    grouped([&] {
      for (std::size_t i = 0; i < ranks.size(); ++i) {
        begun(ncclAllGather(address(ranks[i].mine), address(ranks[i].all), bytes(ranks[i].mine),
                            ncclInt8, ranks_[i].comm, streams_[i]),
              "ncclAllGather");
      }
    });
  }

  void enqueue_exchange(std::span<const StreamMessage> sent,
                        std::span<const StreamMessage> received) override {
    grouped([&] {
      for (const StreamMessage& one : sent) {
        const std::size_t i = local(one.from);
        begun(ncclSend(address(one.elements), bytes(one.elements), ncclInt8,
                       static_cast<int>(one.to), ranks_[i].comm, streams_[i]),
              "ncclSend");
      }
      for (const StreamMessage& one : received) {
        const std::size_t i = local(one.to);
        begun(ncclRecv(address(one.elements), bytes(one.elements), ncclInt8,
                       static_cast<int>(one.from), ranks_[i].comm, streams_[i]),
              "ncclRecv");
      }
    });
  }

  void finish(std::span<const Queue> queues, Deadline deadline) override {
    wait({queues.begin(), queues.end()}, deadline);
  }

 private:
  static void* address(const ErasedView& view) {
    // NOLINTNEXTLINE(performance-no-int-to-ptr)
    return reinterpret_cast<void*>(cuda::native_address(view));
  }
  static std::size_t bytes(const ErasedView& view) { return view.count * size_of(view.type); }

  [[nodiscard]] std::size_t local(std::uint32_t rank) const {
    const auto found = std::find(numbers_.begin(), numbers_.end(), rank);
    return static_cast<std::size_t>(found - numbers_.begin());
  }
  [[nodiscard]] std::vector<Queue> queues() const {
    std::vector<Queue> queues;
    queues.reserve(ranks_.size());
    for (const Rank& rank : ranks_) queues.push_back(rank.queue);
    return queues;
  }
  // Memory of a rank for what goes by hosts.
  View<std::uint8_t> staged(std::size_t i, std::size_t bytes) {
    Buffer<std::uint8_t>& memory = staging_[i];
    if (memory.size() < bytes) memory = Buffer<std::uint8_t>(ranks_[i].queue.device(), bytes);
    return memory.view();
  }

  // A communicator that does not block goes on by itself.
  static void begun(ncclResult_t result, const char* call) {
    if (result != ncclInProgress) require(result, call);
  }

  // All of it at once, as other ranks of this thread take part in it.
  template <class Body>
  void grouped(const Body& body) {
    if (ended_) throw Error(*ended_);
    require(ncclGroupStart(), "ncclGroupStart");
    try {
      body();
    } catch (...) {
      static_cast<void>(ncclGroupEnd());
      throw;
    }
    const ncclResult_t result = ncclGroupEnd();
    begun(result, "ncclGroupEnd");
    if (result != ncclInProgress) return;
    const Deadline now = std::chrono::steady_clock::now();
    const std::chrono::nanoseconds most = (Deadline::max)() - now;
    const Deadline until = now + (std::min)(deadline_, most);
    while (!is_enqueued()) give_up_after(until);
  }

  [[nodiscard]] bool is_enqueued() {
    bool all = true;
    for (const Rank& rank : ranks_) all = state_of(rank) == ncclSuccess && all;
    return all;
  }

  // Throws what has befallen a communicator.
  ncclResult_t state_of(const Rank& rank) {
    ncclResult_t state = ncclSuccess;
    require(ncclCommGetAsyncError(rank.comm, &state), "ncclCommGetAsyncError");
    if (state != ncclSuccess && state != ncclInProgress) {
      give_up(failure_of(state, "ncclCommGetAsyncError", ErrorCategory::backend_failure));
    }
    return state;
  }

  void give_up_after(Deadline deadline) {
    if (std::chrono::steady_clock::now() < deadline) {
      std::this_thread::yield();
      return;
    }
    give_up({ErrorCategory::timeout, "other ranks did not come before the deadline, in NCCL"});
  }

  // Ends the queues' work, too. What is told now is told of every later call.
  [[noreturn]] void give_up(const Error& error) {
    if (!ended_) {
      ended_ = error;
      abort_all();
    }
    throw Error(*ended_);
  }

  struct Aborts {
    std::mutex mutex;
    std::condition_variable changed;
    std::size_t left;
  };

  // NCCL waits in an abort for as long as a CUDA graph holds one of its runs.
  void abort_all() {
    const auto aborts = std::make_shared<Aborts>();
    aborts->left = ranks_.size();
    const auto end = [aborts](ncclComm_t comm) {
      static_cast<void>(ncclCommAbort(comm));
      const std::lock_guard lock(aborts->mutex);
      --aborts->left;
      aborts->changed.notify_all();
    };
    // One may wait for another.
    std::vector<ncclComm_t> without_thread;
    without_thread.reserve(ranks_.size());
    for (const Rank& rank : ranks_) {
      try {
        std::thread(end, rank.comm).detach();
      } catch (const std::system_error&) {
        without_thread.push_back(rank.comm);
      }
    }
    for (ncclComm_t comm : without_thread) end(comm);
    std::unique_lock lock(aborts->mutex);
    aborts->changed.wait_for(lock, most_abort_, [&] { return aborts->left == 0; });
  }

  void wait(std::vector<Queue> queues, Deadline deadline) {
    if (ended_) throw Error(*ended_);
    std::vector<Event> events;
    events.reserve(queues.size());
    for (Queue& queue : queues) events.push_back(queue.record());
    for (std::uint64_t turn = 0;; ++turn) {
      const auto complete = [](const Event& event) { return event.complete(); };
      if (std::all_of(events.begin(), events.end(), complete)) return;
      if (turn % 16 != 15) continue;
      for (const Rank& rank : ranks_) static_cast<void>(state_of(rank));
      give_up_after(deadline);
    }
  }

  std::vector<Rank> ranks_;
  std::vector<std::uint32_t> numbers_;
  std::vector<CUstream> streams_;
  std::vector<Buffer<std::uint8_t>> staging_;
  std::chrono::nanoseconds deadline_;
  int size_ = 0;
  std::chrono::nanoseconds most_abort_;
  std::optional<Error> ended_;  // What the communicators were aborted for.
};

}  // namespace detail
/// @endcond

/// @addtogroup adoption_nccl
/// @{

/// The group of the communicators' ranks, of which this process has `ranks`, in ascending order: a
/// rank a process, or several GPUs in one. One thread makes all calls of a process; a process may
/// also have a group for each of its GPUs, in a thread of its own. Plans work on these queues, and
/// can be captured in a CUDA graph. Other calls of the group block.
///
/// Past the deadline, and where NCCL reports an asynchronous error, the communicators are aborted,
/// which destroys them: behind a call that has thrown `timeout`, or backend_failure of
/// ncclCommGetAsyncError, the application uses and destroys them no more. NCCL does not end an
/// abort while a CUDA graph holds a run: after 10 seconds the call returns, and the abort goes on
/// in a thread. Throws invalid_argument for null, communicators that have failed, of other devices
/// than their queues, or of different sizes, and for queues that are not CUDA's.
inline Group group(const std::vector<Rank>& ranks, const GroupOptions& options = {}) {
  return Group(std::make_shared<detail::Transport>(ranks, options), options);
}

/// The same of one rank in this process.
inline Group group(ncclComm_t comm, const Queue& queue, const GroupOptions& options = {}) {
  return group({Rank{comm, queue}}, options);
}

/// @}

}  // namespace bifold::interop::nccl
