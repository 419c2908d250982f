// GPUs as ranks over NCCL, and graphs of their work. A program beside it takes one line without
// CMake, here with a static bifold that was built:
//   g++ -std=c++20 -O2 tests/group/nccl_test.cpp -o nccl_test -Iinclude -Itests
//     -I/usr/local/cuda/include build/libbifold.a -L/usr/local/cuda/lib64 -lnccl -lcudart
//     -lzstd -lOpenCL -ldl
#pragma once

#include <nccl.h>

#include <atomic>
#include <bifold/bifold.hpp>
#include <bifold/group/group_plans.hpp>
#include <bifold/interop/nccl.hpp>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace bifold::test {

inline std::atomic<int> wrong = 0;

inline void check(bool right, const std::string& what) {
  if (right) return;
  ++wrong;
  std::printf("FAILED: %s\n", what.c_str());
}

// Other ranks would wait for one that has failed.
[[noreturn]] inline void give_up(const std::string& why) {
  std::printf("FAILED: %s\n", why.c_str());
  std::_Exit(1);
}

inline void cuda(cudaError_t result, const char* what) {
  if (result != cudaSuccess) give_up(std::string(what) + ": " + cudaGetErrorString(result));
}
#define CUDA(call) cuda(call, #call)

// A rank: a GPU with a stream of its own.
struct Gpu {
  explicit Gpu(int number)
      : device(open_device("cuda:" + std::to_string(number))), queue(device), index(number) {}

  [[nodiscard]] cudaStream_t stream() const { return interop::cuda::native_stream(queue); }

  Device device;
  Queue queue;
  int index;
};

// Work of a GPU that is launched again and again.
class Graph {
 public:
  Graph(const Gpu& gpu, const std::function<void()>& body) : Graph(std::vector{&gpu}, body) {}
  Graph(const std::vector<const Gpu*>& gpus, const std::function<void()>& body) : gpus_(gpus) {
    for (const Gpu* gpu : gpus_) {
      CUDA(cudaSetDevice(gpu->index));
      CUDA(cudaStreamBeginCapture(gpu->stream(), cudaStreamCaptureModeThreadLocal));
    }
    body();
    // Nothing is instantiated before all captures have ended.
    std::vector<cudaGraph_t> graphs(gpus_.size());
    for (std::size_t i = 0; i < gpus_.size(); ++i) {
      CUDA(cudaSetDevice(gpus_[i]->index));
      CUDA(cudaStreamEndCapture(gpus_[i]->stream(), &graphs[i]));
    }
    for (std::size_t i = 0; i < gpus_.size(); ++i) {
      CUDA(cudaSetDevice(gpus_[i]->index));
      CUDA(cudaGraphInstantiate(&launched_.emplace_back(), graphs[i], 0));
      CUDA(cudaGraphDestroy(graphs[i]));
    }
  }
  ~Graph() {
    for (cudaGraphExec_t one : launched_) cudaGraphExecDestroy(one);
  }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  void launch() const {
    for (std::size_t i = 0; i < gpus_.size(); ++i) {
      CUDA(cudaSetDevice(gpus_[i]->index));
      CUDA(cudaGraphLaunch(launched_[i], gpus_[i]->stream()));
    }
  }

 private:
  std::vector<const Gpu*> gpus_;
  std::vector<cudaGraphExec_t> launched_;
};

// One process's view of a group: all ranks in a thread, or one rank of several threads.
struct Process {
  std::vector<Gpu*> gpus;
  std::vector<std::uint32_t> ranks;
  Group group;
};

inline std::vector<Gpu> open_gpus(int most) {
  std::vector<Gpu> gpus;
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) count = 0;  // Without a driver, too.
  for (int i = 0; i < count && i < most; ++i) gpus.emplace_back(i);
  std::printf("%zu x %s, NCCL %d\n", gpus.size(),
              gpus.empty() ? "no GPU" : gpus[0].device.info().name.c_str(), NCCL_VERSION_CODE);
  if (gpus.size() < 2) std::printf("SKIPPED: there are no two GPUs\n");
  return gpus;
}

inline std::vector<ncclComm_t> communicators(const std::vector<Gpu>& gpus) {
  std::vector<ncclComm_t> comms(gpus.size());
  std::vector<int> devices;
  devices.reserve(gpus.size());
  for (const Gpu& gpu : gpus) devices.push_back(gpu.index);
  const auto ranks = static_cast<int>(gpus.size());
  if (ncclCommInitAll(comms.data(), ranks, devices.data()) != ncclSuccess) {
    give_up("ncclCommInitAll");
  }
  return comms;
}

// Calls body(process) with all ranks in one thread, or with a thread a rank. Communicators are new.
inline void with_processes(std::vector<Gpu>& gpus, bool threads, const GroupOptions& options,
                           const std::function<void(Process&)>& body, bool destroy = true) {
  const std::vector<ncclComm_t> comms = communicators(gpus);
  const auto run = [&](std::size_t first, std::size_t last) {
    std::vector<interop::nccl::Rank> ranks;
    Process process{{}, {}, Group::in_process(1)};
    for (std::size_t i = first; i < last; ++i) {
      ranks.push_back({comms[i], gpus[i].queue});
      process.gpus.push_back(&gpus[i]);
      process.ranks.push_back(static_cast<std::uint32_t>(i));
    }
    process.group = interop::nccl::group(ranks, options);
    body(process);
  };
  if (threads) {
    std::vector<std::thread> all;
    for (std::size_t i = 0; i < gpus.size(); ++i) {
      all.emplace_back([&, i] {
        try {
          run(i, i + 1);
        } catch (const std::exception& error) {
          give_up("rank " + std::to_string(i) + ": " + error.what());
        }
      });
    }
    for (std::thread& thread : all) thread.join();
  } else {
    run(0, gpus.size());
  }
  if (!destroy) return;
  for (ncclComm_t comm : comms) ncclCommDestroy(comm);
}

// A program's main(): its arguments may be a number of GPUs, all by default.
inline int run_on_gpus(int argc, char** argv, const std::function<void(std::vector<Gpu>&)>& body) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  try {
    std::vector<Gpu> gpus = open_gpus(argc > 1 ? std::stoi(argv[1]) : 1 << 10);
    if (gpus.size() < 2) return 0;
    body(gpus);
  } catch (const std::exception& error) {
    std::printf("FAILED: %s\n", error.what());
    return 1;
  }
  std::printf("%s\n", wrong == 0 ? "all right" : "WRONG");
  return wrong == 0 ? 0 : 1;
}

}  // namespace bifold::test
