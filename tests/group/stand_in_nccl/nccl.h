// A stand-in for NCCL: the ranks of one process, whose bytes are copied by the CUDA driver.
#pragma once

#include <cuda.h>
#include <dlfcn.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <thread>
#include <vector>

using cudaStream_t = CUstream;

enum ncclResult_t {
  ncclSuccess = 0,
  ncclSystemError = 2,
  ncclInvalidArgument = 4,
  ncclInvalidUsage = 5,
  ncclInProgress = 7,
};
enum ncclDataType_t { ncclInt8 = 0 };

namespace stand_in {

/// What may be asked and told of all communicators.
struct Clique {
  std::vector<std::unique_ptr<struct Comm>> ranks;
  CUcontext context = nullptr;
  ncclResult_t state = ncclSuccess;     ///< Of ncclCommGetAsyncError.
  ncclResult_t of_group = ncclSuccess;  ///< Of the next ncclGroupEnd.
  std::atomic<int> aborted = 0;
  std::atomic<bool> holds_aborts = false;  ///< They do not end until this is false.
};

struct Comm {
  std::shared_ptr<Clique> clique;
  int rank;
  int device;
};

struct Operation {
  Comm* comm;
  CUstream stream;
  bool sends;
  bool receives;
  int peer;  ///< Less than 0: all.
  const void* from;
  void* to;
  std::size_t bytes;
};

inline std::vector<Operation>& operations() {
  static std::vector<Operation> all;
  return all;
}

template <class Function>
Function* driver(const char* name) {
  static void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  return reinterpret_cast<Function*>(dlsym(library, name));
}

/// Each stream goes on behind what all have enqueued.
inline void meet(const std::vector<Operation>& all) {
  std::vector<CUevent> events(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    driver<decltype(cuEventCreate)>("cuEventCreate")(&events[i], CU_EVENT_DISABLE_TIMING);
    driver<decltype(cuEventRecord)>("cuEventRecord")(events[i], all[i].stream);
  }
  for (const Operation& one : all) {
    for (const CUevent event : events) {
      driver<decltype(cuStreamWaitEvent)>("cuStreamWaitEvent")(one.stream, event, 0);
    }
  }
}

inline void copy(CUstream stream, const void* from, void* to, std::size_t bytes) {
  driver<decltype(cuMemcpyDtoDAsync)>("cuMemcpyDtoDAsync_v2")(
      reinterpret_cast<CUdeviceptr>(to), reinterpret_cast<CUdeviceptr>(from), bytes, stream);
}

inline ncclResult_t run() {
  const std::vector<Operation> all = std::move(operations());
  operations().clear();
  if (all.empty()) return ncclSuccess;
  Clique& clique = *all.front().comm->clique;
  driver<decltype(cuCtxPushCurrent)>("cuCtxPushCurrent_v2")(clique.context);
  meet(all);
  ncclResult_t result = clique.of_group;
  for (const Operation& to : all) {
    std::size_t senders = 0;
    for (const Operation& from : all) {
      const bool gathers = to.peer < 0 && from.peer < 0;
      const bool meant = to.receives && !to.sends && from.sends && !from.receives &&
                         from.comm->rank == to.peer && from.peer == to.comm->rank;
      if (!gathers && !meant) continue;
      ++senders;
      const std::size_t offset = gathers ? static_cast<std::size_t>(from.comm->rank) * to.bytes : 0;
      if (from.bytes != to.bytes) result = ncclInvalidUsage;
      copy(to.stream, from.from, static_cast<char*>(to.to) + offset, to.bytes);
    }
    const std::size_t expected = to.peer < 0 ? clique.ranks.size() : to.receives ? 1 : 0;
    if (senders != expected) result = ncclInvalidUsage;
  }
  meet(all);
  CUcontext popped = nullptr;
  driver<decltype(cuCtxPopCurrent)>("cuCtxPopCurrent_v2")(&popped);
  return result;
}

/// As ncclCommInitAll, of one device in its primary context.
inline std::shared_ptr<Clique> make(int ranks, int device, CUcontext context) {
  auto clique = std::make_shared<Clique>();
  clique->context = context;
  for (int rank = 0; rank < ranks; ++rank) {
    clique->ranks.push_back(std::make_unique<Comm>(Comm{clique, rank, device}));
  }
  return clique;
}

}  // namespace stand_in

using ncclComm_t = stand_in::Comm*;

inline const char* ncclGetErrorString(ncclResult_t) { return "of the stand-in"; }
inline ncclResult_t ncclCommCount(ncclComm_t comm, int* count) {
  *count = static_cast<int>(comm->clique->ranks.size());
  return ncclSuccess;
}
inline ncclResult_t ncclCommUserRank(ncclComm_t comm, int* rank) {
  *rank = comm->rank;
  return ncclSuccess;
}
inline ncclResult_t ncclCommCuDevice(ncclComm_t comm, int* device) {
  *device = comm->device;
  return ncclSuccess;
}
inline ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t* state) {
  *state = comm->clique->state;
  // What was on its way has ended by the next time.
  if (*state == ncclInProgress) comm->clique->state = ncclSuccess;
  return ncclSuccess;
}
inline ncclResult_t ncclCommAbort(ncclComm_t comm) {
  const std::shared_ptr<stand_in::Clique> clique = comm->clique;
  while (clique->holds_aborts) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  ++clique->aborted;
  return ncclSuccess;
}
inline ncclResult_t ncclGroupStart() { return ncclSuccess; }
inline ncclResult_t ncclGroupEnd() { return stand_in::run(); }
inline ncclResult_t ncclAllGather(const void* from, void* to, std::size_t count, ncclDataType_t,
                                  ncclComm_t comm, cudaStream_t stream) {
  stand_in::operations().push_back({comm, stream, true, true, -1, from, to, count});
  return ncclSuccess;
}
inline ncclResult_t ncclSend(const void* from, std::size_t count, ncclDataType_t, int peer,
                             ncclComm_t comm, cudaStream_t stream) {
  stand_in::operations().push_back({comm, stream, true, false, peer, from, nullptr, count});
  return ncclSuccess;
}
inline ncclResult_t ncclRecv(void* to, std::size_t count, ncclDataType_t, int peer, ncclComm_t comm,
                             cudaStream_t stream) {
  stand_in::operations().push_back({comm, stream, false, true, peer, nullptr, to, count});
  return ncclSuccess;
}
