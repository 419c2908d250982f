// CUB's DeviceReduce and DeviceScan on bifold's stream. Scratch memory is asked for and allocated
// when a call is prepared, so that no timing contains it. Accumulators are of the elements' type:
// with its operators for any type, CUB would add bytes as int, in scratch of four times the size.
// It counts in 32 bits, which is the quickest of its forms.
#include <cub/cub.cuh>
#include <cuda/functional>
#include <cuda/version>

#include "peers/cuda_parts.hpp"
#include "peers/visit.hpp"

namespace {

using bench::PeerTask;

struct Ops {
  template <class T>
  using Plus = cuda::std::plus<T>;
  template <class T>
  using Minimum = cuda::minimum<T>;
  template <class T>
  using Maximum = cuda::maximum<T>;
};

template <class T, class Op>
class Call final : public bench::PeerCall {
 public:
  explicit Call(const PeerTask& task)
      : task_(task),
        input_(reinterpret_cast<const T*>(task.input)),
        output_(reinterpret_cast<T*>(task.output)),
        identity_(task.identity.as<T>()),
        stream_(static_cast<cudaStream_t>(task.queue)) {
    bench::use_device_of(task);
    // A size of 0 from CUB would be taken for another question about the size.
    bench::check_cuda(call(nullptr, bytes_), "CUB's question for scratch");
    bytes_ = bytes_ == 0 ? 1 : bytes_;
    memory_ = scratch_.at_least(bytes_);
    enqueue();
    bench::check_cuda(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
  }

  void enqueue() override { bench::check_cuda(call(memory_, bytes_), "CUB"); }

  [[nodiscard]] bool can_be_captured() const override { return true; }

  void block(void* value) override {
    enqueue();
    if (task_.algorithm == bifold::Algorithm::reduce) {
      bench::check_cuda(cudaMemcpyAsync(value, output_, sizeof(T), cudaMemcpyDeviceToHost, stream_),
                        "cudaMemcpyAsync");
    }
    bench::check_cuda(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
  }

 private:
  cudaError_t call(void* scratch, std::size_t& bytes) const {
    const auto n = static_cast<std::int32_t>(task_.n);
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
  T identity_;
  cudaStream_t stream_;
  bench::CudaScratch scratch_;
  char* memory_ = nullptr;
  std::size_t bytes_ = 0;
};

class Cub final : public bench::Peer {
 public:
  [[nodiscard]] std::string_view name() const override { return "CUB"; }
  [[nodiscard]] std::string version() const override {
    return bench::cuda_version_text(CCCL_VERSION);
  }
  [[nodiscard]] bench::PeerSide side() const override { return bench::PeerSide::cuda; }
  [[nodiscard]] std::string obstacle(const PeerTask& task) const override {
    if (task.n > 0x7fffffff) return "it is compiled to count in 32 bits";
    return bench::obstacle_of_peer_with_structs(task);
  }
  [[nodiscard]] std::unique_ptr<bench::PeerCall> prepare(const PeerTask& task) const override {
    return bench::make_call_with_structs<Call, Ops>(task);
  }
};

}  // namespace

BIFOLD_BENCH_PEER_MODULE(Cub)
