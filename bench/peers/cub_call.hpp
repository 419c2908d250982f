// Calls of CUB's DeviceReduce and DeviceScan on bifold's stream.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <bifold/half.hpp>
#include <cub/cub.cuh>
#include <cuda/functional>
#include <cuda/version>

#include "peers/cuda_parts.hpp"
#include "peers/peer.hpp"

namespace bench {

/// What elements `T` are accumulated in, beginning with a reduction's or scan's initial value.
template <class T>
struct Accumulated {
  using Type = T;
  static T of(const bifold::Value& value) { return value.as<T>(); }
};

/// 16-bit floating types in float, as bifold does.
template <>
struct Accumulated<__half> {
  using Type = float;
  static float of(const bifold::Value& value) { return value.as<bifold::f16>(); }
};
template <>
struct Accumulated<__nv_bfloat16> {
  using Type = float;
  static float of(const bifold::Value& value) { return value.as<bifold::bf16>(); }
};

/// A sum of 16-bit floating elements. CUB accumulates in what an operator gives.
struct SumInFloat {
  __host__ __device__ float operator()(float a, float b) const { return a + b; }
};

/// A call of CUB that counts in `Count`. Scratch memory is asked for and allocated when it is
/// prepared, so that no timing contains it.
template <class T, class Op, class Count>
class CubCall final : public PeerCall {
 public:
  explicit CubCall(const PeerTask& task)
      : task_(task),
        input_(reinterpret_cast<const T*>(task.input)),
        output_(reinterpret_cast<T*>(task.output)),
        identity_(Accumulated<T>::of(task.identity)),
        stream_(static_cast<cudaStream_t>(task.queue)) {
    use_device_of(task);
    // A size of 0 from CUB would be taken for another question about the size.
    check_cuda(call(nullptr, bytes_), "CUB's question for scratch");
    bytes_ = bytes_ == 0 ? 1 : bytes_;
    memory_ = scratch_.at_least(bytes_);
    enqueue();
    check_cuda(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
  }

  void enqueue() override { check_cuda(call(memory_, bytes_), "CUB"); }

  [[nodiscard]] bool can_be_captured() const override { return true; }

  void block(void* value) override {
    enqueue();
    if (task_.algorithm == bifold::Algorithm::reduce) {
      check_cuda(cudaMemcpyAsync(value, output_, sizeof(T), cudaMemcpyDeviceToHost, stream_),
                 "cudaMemcpyAsync");
    }
    check_cuda(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
  }

 private:
  cudaError_t call(void* scratch, std::size_t& bytes) const {
    const auto n = static_cast<Count>(task_.n);
    if (task_.algorithm == bifold::Algorithm::reduce) {
      return cub::DeviceReduce::Reduce(scratch, bytes, input_, output_, n, Op{}, identity_,
                                       stream_);
    }
    if (task_.kind == bifold::ScanKind::exclusive) {
      return cub::DeviceScan::ExclusiveScan(scratch, bytes, input_, output_, Op{}, identity_, n,
                                            stream_);
    }
    return cub::DeviceScan::InclusiveScan(scratch, bytes, input_, output_, Op{}, n, stream_);
  }

  PeerTask task_;
  const T* input_;
  T* output_;
  typename Accumulated<T>::Type identity_;
  cudaStream_t stream_;
  CudaScratch scratch_;
  char* memory_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace bench
