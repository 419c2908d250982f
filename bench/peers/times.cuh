// What the programs share that time calls from CUDA and OpenCL beside CUB's on one GPU: contenders
// take turns, back to back, and medians go to a file as bench/results/medians.py takes them.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <array>
#include <bifold/bifold.hpp>
#include <bifold/interop/cuda.hpp>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <cub/cub.cuh>
#include <fstream>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

using Clock = std::chrono::steady_clock;

inline void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(status));
  std::exit(1);
}

// A linear congruence, whose high bits are taken.
class Random {
 public:
  explicit Random(std::uint32_t seed) : state_(seed) {}
  std::uint32_t next() { return state_ = state_ * 1664525U + 1013904223U; }

 private:
  std::uint32_t state_;
};

// Waits for what was enqueued, after calls of it.
struct Contender {
  std::string backend;
  std::string library;
  std::function<void()> enqueue;
  std::function<void()> finish;
  std::vector<double> seconds{};
};

inline double percentile(std::vector<double> values, std::size_t percent) {
  std::sort(values.begin(), values.end());
  return values[(values.size() - 1) * percent / 100];
}

inline double seconds_of(const Contender& one, int calls) {
  const auto start = Clock::now();
  for (int i = 0; i < calls; ++i) one.enqueue();
  one.finish();
  return std::chrono::duration<double>(Clock::now() - start).count() / calls;
}

inline void time_in_turns(std::vector<Contender>& contenders) {
  constexpr int rounds = 7;
  constexpr double batch_s = 8e-3;  // So that waiting for it weighs little.
  int calls = 1;
  for (const Contender& one : contenders) {
    seconds_of(one, 2);
    calls = std::clamp(static_cast<int>(batch_s / seconds_of(one, 2)), calls, 200);
  }
  for (int round = 0; round < rounds; ++round) {
    for (Contender& one : contenders) one.seconds.push_back(seconds_of(one, calls));
  }
}

class Table {
 public:
  Table(const bifold::Device& cuda, const bifold::Device& opencl, const std::string& file)
      : out_(file), drivers_{cuda.info().driver, opencl.info().driver} {
    std::array<char, 16> date{};
    const std::time_t now = std::time(nullptr);
    std::strftime(date.data(), date.size(), "%Y-%m-%d", std::gmtime(&now));
    device_ = cuda.info().name;
    date_ = date.data();
    out_ << "backend,algorithm,variant,type,n,lines,offset,library,back_to_back_us,"
            "back_to_back_spread,back_to_back_ratio,samples,of_copy,device,driver,version,date\n";
  }

  // `least_s`: what a copy of the bytes that a call moves would take.
  void add(std::string_view call, const std::string& what, std::string_view type, std::uint64_t n,
           const std::vector<Contender>& contenders, double least_s) {
    double ours = 0;
    for (const Contender& one : contenders) {
      const double median = percentile(one.seconds, 50);
      const bool bifolds = one.library == "bifold";
      if (bifolds) ours = median;
      const double spread = (percentile(one.seconds, 90) - percentile(one.seconds, 10)) / median;
      std::array<char, 96> figures{};
      std::snprintf(figures.data(), figures.size(), "%.5g,%.2g,", median * 1e6, spread);
      std::array<char, 96> shares{};
      if (bifolds) {
        std::snprintf(shares.data(), shares.size(), ",%zu,%.4g", one.seconds.size(),
                      least_s / median);
      } else {
        std::snprintf(shares.data(), shares.size(), "%.4g,,", median / ours);
      }
      out_ << one.backend << ',' << call << ',' << what << ',' << type << ',' << n << ",,0,"
           << one.library << ',' << figures.data() << shares.data() << ',' << device_ << ','
           << drivers_[one.backend == "cuda" ? 0 : 1] << ','
           << (bifolds ? std::string(bifold::version())
                       : "CCCL " + std::to_string(CCCL_MAJOR_VERSION) + "." +
                             std::to_string(CCCL_MINOR_VERSION) + "." +
                             std::to_string(CCCL_PATCH_VERSION))
           << ',' << date_ << '\n';
      std::printf("%-19s %-12s %-7s %11llu %-7s %-7s %9.1f us %5.0f %% of copying\n",
                  std::string(call).c_str(), what.c_str(), std::string(type).c_str(),
                  static_cast<unsigned long long>(n), one.backend.c_str(), one.library.c_str(),
                  median * 1e6, 100 * least_s / median);
    }
    out_.flush();
    std::fflush(stdout);
  }

 private:
  std::ofstream out_;
  std::array<std::string, 2> drivers_;
  std::string device_;
  std::string date_;
};

// Where a buffer of the CUDA device lies.
template <class T>
T* at(bifold::Buffer<T>& buffer) {
  return reinterpret_cast<T*>(bifold::interop::cuda::native_address(bifold::erase(buffer)));
}

template <class T>
struct CudaMemory {
  explicit CudaMemory(std::uint64_t count) {
    check(cudaMalloc(&data, count * sizeof(T)), "cudaMalloc");
  }
  ~CudaMemory() { cudaFree(data); }
  CudaMemory(const CudaMemory&) = delete;
  CudaMemory& operator=(const CudaMemory&) = delete;

  T* data = nullptr;
};

// What a program measures of a type.
struct Measured {
  std::string_view type;
  void (*measure)(bifold::Queue& cuda, bifold::Queue& opencl, Table& table);
};

// Measures the types that the arguments name behind a file, or all.
inline int measure_types(int argc, char** argv, const char* program,
                         std::span<const Measured> types) {
  const std::vector<std::string_view> asked(argv + std::min(argc, 2), argv + argc);
  const auto is_known = [&](std::string_view type) {
    return std::any_of(types.begin(), types.end(),
                       [&](const Measured& one) { return one.type == type; });
  };
  if (argc < 2 || !std::all_of(asked.begin(), asked.end(), is_known)) {
    std::fprintf(stderr, "usage: %s FILE.csv [type]...; types are", program);
    for (const Measured& one : types) std::fprintf(stderr, " %s", std::string(one.type).c_str());
    std::fprintf(stderr, "\n");
    return 2;
  }
  check(cudaFree(nullptr), "cudaFree");
  const bifold::Device on_cuda = bifold::open_device("cuda:0");
  const bifold::Device on_opencl = bifold::open_device("opencl:gpu");
  bifold::Queue cuda(on_cuda);
  bifold::Queue opencl(on_opencl);
  Table table(on_cuda, on_opencl, argv[1]);
  for (const Measured& one : types) {
    if (asked.empty() || std::find(asked.begin(), asked.end(), one.type) != asked.end()) {
      one.measure(cuda, opencl, table);
    }
  }
  return 0;
}
