// CUB's DeviceSegmentedReduce over segments of one size, which are a dense matrix' rows, and its
// DeviceSegmentedScan; without that, scans by key, where a row's number is the key. Before CCCL 3.1
// the reduction asks for where segments begin and end. That, and keys, are computed and not read.
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include "peers/cub_call.hpp"
#include "peers/visit.hpp"

#if __has_include(<cub/device/device_segmented_scan.cuh>)
#include <cub/device/device_segmented_scan.cuh>
#define BIFOLD_HAS_SEGMENTED_SCAN 1
#else
#define BIFOLD_HAS_SEGMENTED_SCAN 0
#endif

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

/// Where the segment of a number begins.
struct Begin {
  std::int64_t length;
  __host__ __device__ std::int64_t operator()(std::int64_t segment) const {
    return segment * length;
  }
};

#if !BIFOLD_HAS_SEGMENTED_SCAN
/// The segment that an element belongs to.
struct SegmentOf {
  std::uint32_t length;
  __host__ __device__ std::uint32_t operator()(std::uint32_t index) const { return index / length; }
};
#endif

template <class T, class Op>
class Call final : public bench::PeerCall {
 public:
  explicit Call(const PeerTask& task)
      : algorithm_(task.algorithm),
        kind_(task.kind),
        elements_(static_cast<std::uint32_t>(task.n)),
        input_(reinterpret_cast<const T*>(task.input)),
        output_(reinterpret_cast<T*>(task.output)),
        segments_(static_cast<std::int64_t>(task.lines->count())),
        length_(static_cast<int>(task.lines->length)),
        identity_(bench::Accumulated<T>::of(task.identity)),
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
  void block(void* /*value*/) override {
    enqueue();
    bench::check_cuda(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
  }

 private:
  cudaError_t call(void* scratch, std::size_t& bytes) const {
    return algorithm_ == bifold::Algorithm::scan ? scan(scratch, bytes) : reduce(scratch, bytes);
  }

  /// Where segments begin.
  auto begins() const {
    return thrust::make_transform_iterator(thrust::make_counting_iterator(std::int64_t{0}),
                                           Begin{length_});
  }

#if BIFOLD_HAS_SEGMENTED_SCAN
  cudaError_t scan(void* scratch, std::size_t& bytes) const {
    if (kind_ == bifold::ScanKind::exclusive) {
      return cub::DeviceSegmentedScan::ExclusiveSegmentedScan(scratch, bytes, input_, output_,
                                                              begins(), begins() + 1, segments_,
                                                              Op{}, identity_, stream_);
    }
    return cub::DeviceSegmentedScan::InclusiveSegmentedScan(
        scratch, bytes, input_, output_, begins(), begins() + 1, segments_, Op{}, stream_);
  }
#else
  cudaError_t scan(void* scratch, std::size_t& bytes) const {
    const auto keys =
        thrust::make_transform_iterator(thrust::make_counting_iterator(std::uint32_t{0}),
                                        SegmentOf{static_cast<std::uint32_t>(length_)});
    const cuda::std::equal_to<> same;
    if (kind_ == bifold::ScanKind::exclusive) {
      return cub::DeviceScan::ExclusiveScanByKey(scratch, bytes, keys, input_, output_, Op{},
                                                 identity_, elements_, same, stream_);
    }
    return cub::DeviceScan::InclusiveScanByKey(scratch, bytes, keys, input_, output_, Op{},
                                               elements_, same, stream_);
  }
#endif

  cudaError_t reduce(void* scratch, std::size_t& bytes) const {
#if CCCL_VERSION >= 3001000
    return cub::DeviceSegmentedReduce::Reduce(scratch, bytes, input_, output_, segments_, length_,
                                              Op{}, identity_, stream_);
#else
    return cub::DeviceSegmentedReduce::Reduce(scratch, bytes, input_, output_, segments_, begins(),
                                              begins() + 1, Op{}, identity_, stream_);
#endif
  }

  bifold::Algorithm algorithm_;
  bifold::ScanKind kind_;
  std::uint32_t elements_;  ///< Of a scan.
  const T* input_;
  T* output_;
  std::int64_t segments_;
  int length_;
  typename bench::Accumulated<T>::Type identity_;
  cudaStream_t stream_;
  bench::CudaScratch scratch_;
  char* memory_ = nullptr;
  std::size_t bytes_ = 0;
};

class CubSegmented final : public bench::Peer {
 public:
  [[nodiscard]] std::string_view name() const override { return "CUB, segments"; }
  [[nodiscard]] std::string version() const override {
    return bench::cuda_version_text(CCCL_VERSION);
  }
  [[nodiscard]] bench::PeerSide side() const override { return bench::PeerSide::cuda; }
  [[nodiscard]] bool takes_lines() const override { return true; }
  [[nodiscard]] std::string obstacle(const PeerTask& task) const override {
    if (!task.lines) return "it is for --lines alone";
    const bifold::Lines& lines = *task.lines;
    if (lines != bifold::Lines::rows(lines.count(), lines.length)) {
      return "its segments are contiguous";
    }
    if (lines.length > 0x7fffffff) return "a segment's size has 32 bits";
    if (task.algorithm == bifold::Algorithm::scan && task.n > 0xffffffff) {
      return "its scans by key count with 32 bits here";
    }
    return bench::obstacle_of_plain_peer(task);
  }
  [[nodiscard]] std::unique_ptr<bench::PeerCall> prepare(const PeerTask& task) const override {
    return bench::make_plain_call<Call, Ops>(task);
  }
};

}  // namespace

BIFOLD_BENCH_PEER_MODULE(CubSegmented)
