/// @file
/// Groups over MPI, by the application's own MPI: a rank of the communicator is a rank of the
/// group.
///
///     #include <mpi.h>
///     #include <bifold/interop/mpi.hpp>
///
///     bifold::Group group = bifold::interop::mpi::group(MPI_COMM_WORLD);
///     const float sum = bifold::reduce(queue, group, mine, bifold::plus, 0.0f);
///
/// All of it is in this header, so that it fits whatever MPI the program is compiled with. bifold
/// hands MPI host memory only, and bytes: MPI combines nothing. Waits test and end at the group's
/// deadline; what a call that gave up may still write to is kept until MPI is done with it.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <bifold/error.hpp>
#include <bifold/group/group.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace bifold::interop::mpi {

/// @cond internal
namespace detail {

// Throws backend_failure for a code other than MPI_SUCCESS.
inline void check(int code, const char* call) {
  if (code == MPI_SUCCESS) return;
  std::string name(MPI_MAX_ERROR_STRING, '\0');
  int length = 0;
  if (MPI_Error_string(code, name.data(), &length) != MPI_SUCCESS) length = 0;
  name.resize(static_cast<std::size_t>(length));
  Error::Details details;
  details.backend = "mpi";
  details.call = call;
  details.native_code = code;
  details.native_name = std::move(name);
  throw Error(ErrorCategory::backend_failure, "a group's messages", std::move(details));
}

inline bool is_running() {
  int initialized = 0;
  int finalized = 0;
  return MPI_Initialized(&initialized) == MPI_SUCCESS && initialized != 0 &&
         MPI_Finalized(&finalized) == MPI_SUCCESS && finalized == 0;
}

// Requests on their way, with the memory that they read and write.
struct Flight {
  std::vector<MPI_Request> requests{};
  std::vector<std::byte> memory{};
  std::vector<MPI_Status> statuses{};

  // From here on nothing moves that MPI knows.
  void begin(std::size_t bytes, std::size_t most_requests) {
    memory.resize(bytes);
    requests.clear();
    statuses.clear();
    requests.reserve(most_requests);
    statuses.reserve(most_requests);
  }

  // MPI_Testall's code; for "see the statuses" that of the first request that failed.
  int test(int& done) {
    const int code =
        MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, statuses.data());
    if (code != MPI_ERR_IN_STATUS) return code;
    for (const MPI_Status& one : statuses) {
      if (one.MPI_ERROR != MPI_SUCCESS && one.MPI_ERROR != MPI_ERR_PENDING) return one.MPI_ERROR;
    }
    return code;
  }
  MPI_Request* add() {
    statuses.emplace_back();
    requests.push_back(MPI_REQUEST_NULL);
    return &requests.back();
  }
};

// Those that a deadline has left behind. They end when MPI is done with them, or never.
class Strays {
 public:
  static void keep(std::unique_ptr<Flight> flight) {
    const std::lock_guard lock(mutex());
    list().push_back(std::move(flight));
  }
  static void release() {
    const std::lock_guard lock(mutex());
    auto& all = list();
    all.erase(std::remove_if(all.begin(), all.end(),
                             [](const std::unique_ptr<Flight>& flight) {
                               int done = 0;
                               return flight->test(done) == MPI_SUCCESS && done != 0;
                             }),
              all.end());
  }

 private:
  static std::mutex& mutex() {
    static std::mutex one;
    return one;
  }
  // Never destroyed: MPI may write to it until the process ends.
  static std::vector<std::unique_ptr<Flight>>& list() {
    static auto* const all = new std::vector<std::unique_ptr<Flight>>;
    return *all;
  }
};

class Transport final : public bifold::Transport {
 public:
  explicit Transport(MPI_Comm comm) {
    check(MPI_Comm_dup(comm, &comm_), "MPI_Comm_dup");
    check(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    check(MPI_Comm_rank(comm_, &rank_), "MPI_Comm_rank");
    check(MPI_Comm_size(comm_, &size_), "MPI_Comm_size");
  }
  ~Transport() override {
    // What a failure has left behind may be on its way in it for ever.
    if (!strayed_ && is_running()) MPI_Comm_free(&comm_);
  }
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;

  [[nodiscard]] std::uint32_t size() const override { return static_cast<std::uint32_t>(size_); }
  [[nodiscard]] std::vector<std::uint32_t> local_ranks() const override {
    return {static_cast<std::uint32_t>(rank_)};
  }

  void all_gather(std::span<const std::byte> mine, std::span<std::byte> all,
                  Deadline deadline) override {
    begin();
    const auto ranks = static_cast<std::size_t>(size_);
    for (std::size_t at = 0; at < mine.size(); at += most_bytes) {
      const std::size_t bytes = (std::min)(most_bytes, mine.size() - at);
      auto flight = new_flight(bytes * (1 + ranks), 1);
      std::byte* const own = flight->memory.data();
      std::memcpy(own, mine.data() + at, bytes);
      const auto count = static_cast<int>(bytes);
      const int code =
          MPI_Iallgather(own, count, MPI_BYTE, own + bytes, count, MPI_BYTE, comm_, flight->add());
      if (code != MPI_SUCCESS) keep(std::move(flight));
      check(code, "MPI_Iallgather");
      land(std::move(flight), deadline, "MPI_Iallgather");
      for (std::size_t rank = 0; rank < ranks; ++rank) {
        std::memcpy(all.data() + rank * mine.size() + at,
                    landed_->memory.data() + (1 + rank) * bytes, bytes);
      }
    }
  }

  void exchange(std::span<const Outgoing> sent, std::span<const Incoming> received,
                Deadline deadline) override {
    begin();
    std::size_t bytes = 0;
    std::size_t parts = 0;
    const auto count = [&](std::size_t more) {
      bytes += more;
      parts += (more + most_bytes - 1) / most_bytes;
    };
    for (const Outgoing& one : sent) count(one.bytes.size());
    for (const Incoming& one : received) count(one.bytes.size());
    auto flight = new_flight(bytes, parts);
    std::byte* at = flight->memory.data();
    try {
      for (const Incoming& one : received) {
        each_part(at, one.bytes.size(), [&](std::byte* part, int size) {
          check(MPI_Irecv(part, size, MPI_BYTE, static_cast<int>(one.from), tag, comm_,
                          flight->add()),
                "MPI_Irecv");
        });
        at += one.bytes.size();
      }
      for (const Outgoing& one : sent) {
        std::copy(one.bytes.begin(), one.bytes.end(), at);
        each_part(at, one.bytes.size(), [&](std::byte* part, int size) {
          check(
              MPI_Isend(part, size, MPI_BYTE, static_cast<int>(one.to), tag, comm_, flight->add()),
              "MPI_Isend");
        });
        at += one.bytes.size();
      }
    } catch (...) {
      keep(std::move(flight));
      throw;
    }
    land(std::move(flight), deadline, "MPI_Isend, MPI_Irecv");
    const std::byte* from = landed_->memory.data();
    for (const Incoming& one : received) {
      std::copy_n(from, one.bytes.size(), one.bytes.begin());
      from += one.bytes.size();
    }
  }

 private:
  static constexpr int tag = 0;
  // MPI counts with int.
  static constexpr std::size_t most_bytes = std::size_t{1} << 30;

  static void begin() {
    if (!is_running()) {
      throw Error(ErrorCategory::invalid_argument, "MPI was finalized before the group's call");
    }
    Strays::release();
  }

  void keep(std::unique_ptr<Flight> flight) {
    strayed_ = true;
    Strays::keep(std::move(flight));
  }

  // The last one that landed, if there is one: its memory is there.
  std::unique_ptr<Flight> new_flight(std::size_t bytes, std::size_t requests) {
    auto flight = landed_ ? std::move(landed_) : std::make_unique<Flight>();
    flight->begin(bytes, requests);
    return flight;
  }

  template <class Body>
  static void each_part(std::byte* bytes, std::size_t size, const Body& body) {
    for (std::size_t at = 0; at < size; at += most_bytes) {
      body(bytes + at, static_cast<int>((std::min)(most_bytes, size - at)));
    }
  }

  // Waits for all of them, and keeps them as landed_; what is not there in time becomes a stray.
  void land(std::unique_ptr<Flight> flight, Deadline deadline, const char* call) {
    constexpr std::uint64_t turns_alone = 2000;  // Before other threads and processes get a turn.
    for (std::uint64_t turn = 0;; ++turn) {
      int done = 0;
      const int code = flight->test(done);
      if (code == MPI_SUCCESS && done != 0) {
        landed_ = std::move(flight);
        return;
      }
      const bool late = turn % 16 == 15 && std::chrono::steady_clock::now() >= deadline;
      if (code == MPI_SUCCESS && !late) {
        if (turn > turns_alone) std::this_thread::yield();
        continue;
      }
      keep(std::move(flight));
      check(code, call);
      throw Error(ErrorCategory::timeout,
                  std::string("other ranks did not come before the deadline, in ") + call);
    }
  }

  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0;
  int size_ = 0;
  bool strayed_ = false;  // At some time.
  std::unique_ptr<Flight> landed_{};
};

}  // namespace detail
/// @endcond

/// @addtogroup adoption_mpi
/// @{

/// The group of a communicator's ranks, over a copy of the communicator: messages of several groups
/// and the application's own do not meet. All ranks of `comm` call it, as MPI_Comm_dup. The group's
/// last handle frees the copy, unless MPI is finalized by then. Of a call's threads, MPI sees one
/// at a time. Throws invalid_argument where MPI does not run, and for MPI_COMM_NULL and an
/// intercommunicator; backend_failure for an error of MPI's.
inline Group group(MPI_Comm comm, const GroupOptions& options = {}) {
  if (!detail::is_running()) {
    throw Error(ErrorCategory::invalid_argument, "a group over MPI: MPI is not initialized");
  }
  if (comm == MPI_COMM_NULL) {
    throw Error(ErrorCategory::invalid_argument, "a group over MPI_COMM_NULL");
  }
  int between = 0;
  detail::check(MPI_Comm_test_inter(comm, &between), "MPI_Comm_test_inter");
  if (between != 0) {
    throw Error(ErrorCategory::invalid_argument, "a group over an intercommunicator");
  }
  return Group(std::make_shared<detail::Transport>(comm), options);
}

/// @}

}  // namespace bifold::interop::mpi
