// What the peers on the CUDA runtime have in common.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <stdexcept>
#include <string>

#include "peers/peer.hpp"

namespace bench {

inline void check_cuda(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  cudaGetLastError();  // CUB would take what stays there for a failure of its next call.
  throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(status));
}

/// Device memory that grows.
class CudaScratch {
 public:
  CudaScratch() = default;
  ~CudaScratch() { cudaFree(memory_); }
  CudaScratch(const CudaScratch&) = delete;
  CudaScratch& operator=(const CudaScratch&) = delete;

  /// At least `bytes` bytes, as long as nobody asks for more.
  char* at_least(std::size_t bytes) {
    if (bytes <= bytes_) return memory_;
    check_cuda(cudaFree(memory_), "cudaFree");
    memory_ = nullptr;
    bytes_ = 0;
    void* memory = nullptr;
    check_cuda(cudaMalloc(&memory, bytes), "cudaMalloc");
    memory_ = static_cast<char*>(memory);
    bytes_ = bytes;
    return memory_;
  }

 private:
  char* memory_ = nullptr;
  std::size_t bytes_ = 0;
};

/// The primary context of the device that the task's memory lives on becomes the thread's: it is
/// the one that bifold works in.
inline void use_device_of(const PeerTask& task) {
  cudaPointerAttributes attributes{};
  check_cuda(cudaPointerGetAttributes(&attributes, reinterpret_cast<const void*>(task.input)),
             "cudaPointerGetAttributes");
  check_cuda(cudaSetDevice(attributes.device), "cudaSetDevice");
}

inline std::string cuda_version_text(int cccl) {
  int runtime = 0;
  check_cuda(cudaRuntimeGetVersion(&runtime), "cudaRuntimeGetVersion");
  const auto text = [](int number) { return std::to_string(number); };
  return "CCCL " + text(cccl / 1000000) + "." + text(cccl / 1000 % 1000) + "." + text(cccl % 1000) +
         " of CUDA " + text(runtime / 1000) + "." + text(runtime % 1000 / 10);
}

}  // namespace bench
