// How long selections take from CUDA and OpenCL on one GPU, beside CUB's DeviceSelect and
// DevicePartition, and beside a copy of as many bytes as are read and stored. Every result is
// compared with the host's before it is timed; contenders take turns, back to back. The arguments
// are a file for the medians, as bench/results/medians.py takes them, and types: all of them take
// four minutes.
//
//   nvcc -std=c++20 -O2 -arch=sm_90 -cudart static -Iinclude -Ibench bench/peers/select_times.cu
//     build/libbifold.a -lspdlog -lfmt -lzstd -lOpenCL -lcuda -o select_times
//   ./select_times select.csv i32 f64
//   bench/results/medians.py bench/results/medians/DEVICE.csv select select.csv
#include <algorithm>
#include <bifold/bifold.hpp>
#include <bifold/interop/cuda.hpp>
#include <cstdint>
#include <cub/cub.cuh>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "peers/times.cuh"

struct Float4 {
  float x, y, z, w;
  friend __host__ __device__ bool operator==(const Float4& a, const Float4& b) {
    return a.x == b.x && a.y == b.y && a.z == b.z && a.w == b.w;
  }
};
BIFOLD_STRUCT_NAMED(Float4, SelectTimesFloat4, x, y, z, w);

namespace {

using bifold::ErasedView;

// Elements are kept whose number is at least this.
constexpr int first_kept = 64;

template <class T>
T element(int number) {
  return static_cast<T>(number);
}
template <>
Float4 element<Float4>(int number) {
  return {static_cast<float>(number), 1, 2, 3};
}

template <class T>
__host__ __device__ bool is_kept(const T& x) {
  return x >= first_kept;
}
__host__ __device__ inline bool is_kept(const Float4& x) { return x.x >= first_kept; }

struct Kept {
  template <class T>
  __host__ __device__ bool operator()(const T& x) const {
    return is_kept(x);
  }
};
struct Texts {
  const char* predicate;
  const char* equality;
};
template <class T>
constexpr Texts texts{"x >= 64", "x == y"};
template <>
constexpr Texts texts<Float4>{"x.x >= 64", "x.x == y.x && x.y == y.y && x.z == y.z && x.w == y.w"};

// One type and size, with arrays for both backends.
template <class T>
class Selections {
 public:
  Selections(bifold::Queue& cuda, bifold::Queue& opencl, std::uint64_t n, Table& table)
      : cuda_(cuda),
        opencl_(opencl),
        stream_(bifold::interop::cuda::native_stream(cuda)),
        n_(n),
        table_(table),
        host_(n),
        input_(cuda.allocate<T>(n)),
        output_(cuda.allocate<T>(n)),
        kept_(cuda.allocate<std::uint64_t>(1)),
        opencl_input_(opencl.allocate<T>(n)),
        opencl_output_(opencl.allocate<T>(n)),
        opencl_kept_(opencl.allocate<std::uint64_t>(1)) {}

  // Selections and partitions that keep so many percent.
  void select(int percent) {
    Random random(static_cast<std::uint32_t>(percent));
    for (T& x : host_) {
      const std::uint32_t bits = random.next();
      const bool kept = static_cast<int>(bits >> 16) < 65536 * percent / 100;
      x = element<T>((kept ? first_kept : 0) + static_cast<int>(bits >> 10 & 63));
    }
    upload();
    std::vector<T> want;
    want.reserve(n_);
    std::copy_if(host_.begin(), host_.end(), std::back_inserter(want), Kept{});
    const std::string what = "kept " + std::to_string(percent) + " %";
    const auto n = static_cast<std::int64_t>(n_);
    const char* predicate = texts<T>.predicate;
    run(
        "select", what, want, want.size(),
        [&](bifold::Queue& queue, const ErasedView& input, const ErasedView& output,
            const ErasedView& kept) { bifold::select(queue, input, output, kept, predicate); },
        [&](void* scratch, std::size_t& bytes) {
          return cub::DeviceSelect::If(scratch, bytes, at(input_), at(output_), at(kept_), n,
                                       Kept{}, stream_);
        });
    if (percent != 50) return;
    const std::size_t front = want.size();
    for (auto x = host_.rbegin(); x != host_.rend(); ++x) {
      if (!is_kept(*x)) want.push_back(*x);
    }
    const auto partition = [&](void* scratch, std::size_t& bytes) {
      return cub::DevicePartition::If(scratch, bytes, at(input_), at(output_), at(kept_), n, Kept{},
                                      stream_);
    };
    run(
        "partition_reversed", what, want, front,
        [&](bifold::Queue& queue, const ErasedView& input, const ErasedView& output,
            const ErasedView& kept) {
          bifold::partition_reversed(queue, input, output, kept, predicate);
        },
        partition);
    std::reverse(want.begin() + static_cast<std::ptrdiff_t>(front), want.end());
    run(
        "partition", what, want, front,
        [&](bifold::Queue& queue, const ErasedView& input, const ErasedView& output,
            const ErasedView& kept) { bifold::partition(queue, input, output, kept, predicate); },
        nullptr);
  }

  // Those whose flag in an array of bytes is set, at random.
  void select_flagged() {
    Random random(3);
    std::vector<std::uint8_t> flags(n_);
    std::vector<T> want;
    want.reserve(n_);
    for (std::uint64_t i = 0; i < n_; ++i) {
      const std::uint32_t bits = random.next();
      host_[i] = element<T>(static_cast<int>(bits >> 10 & 127));
      flags[i] = static_cast<std::uint8_t>(bits >> 31);
      if (flags[i] != 0) want.push_back(host_[i]);
    }
    upload();
    auto marks = cuda_.upload(std::span<const std::uint8_t>(flags));
    const auto opencl_marks = opencl_.upload(std::span<const std::uint8_t>(flags));
    run(
        "select_flagged", "kept 50 %", want, want.size(),
        [&](bifold::Queue& queue, const ErasedView& input, const ErasedView& output,
            const ErasedView& kept) {
          const bool on_cuda = &queue == &cuda_;
          bifold::select_flagged(queue, input, bifold::erase(on_cuda ? marks : opencl_marks),
                                 output, kept);
        },
        [&](void* scratch, std::size_t& bytes) {
          return cub::DeviceSelect::Flagged(scratch, bytes, at(input_), at(marks), at(output_),
                                            at(kept_), static_cast<std::int64_t>(n_), stream_);
        },
        sizeof(std::uint8_t));
  }

  // The first elements of runs of four on average.
  void unique() {
    Random random(5);
    int number = 0;
    for (T& x : host_) {
      if (random.next() >> 30 == 0) number = (number + 1) % 128;
      x = element<T>(number);
    }
    upload();
    std::vector<T> want = host_;
    want.erase(std::unique(want.begin(), want.end()), want.end());
    run(
        "unique", "runs of 4", want, want.size(),
        [&](bifold::Queue& queue, const ErasedView& input, const ErasedView& output,
            const ErasedView& kept) {
          bifold::unique(queue, input, output, kept, texts<T>.equality);
        },
        [&](void* scratch, std::size_t& bytes) {
          return cub::DeviceSelect::Unique(scratch, bytes, at(input_), at(output_), at(kept_),
                                           static_cast<std::int64_t>(n_), stream_);
        });
  }

 private:
  using Select =
      std::function<void(bifold::Queue&, const ErasedView&, const ErasedView&, const ErasedView&)>;
  using Peer = std::function<cudaError_t(void*, std::size_t&)>;

  void upload() {
    cuda_.upload(std::span<const T>(host_), input_);
    opencl_.upload(std::span<const T>(host_), opencl_input_);
  }

  void verify(bifold::Queue& queue, const char* call, const Contender& one,
              bifold::Buffer<T>& output, bifold::Buffer<std::uint64_t>& kept,
              const std::vector<T>& want, std::uint64_t count) {
    queue.fill(kept, 0);
    queue.fill(bifold::erase(output), bifold::Value(element<T>(127)));
    queue.finish();
    one.enqueue();
    one.finish();
    const bool right =
        queue.download(kept)[0] == count && queue.download(output.view(0, want.size())) == want;
    if (right) return;
    std::fprintf(stderr, "%s of %s by %s: wrong\n", call, one.backend.c_str(), one.library.c_str());
    std::exit(1);
  }

  void run(const char* call, const std::string& what, const std::vector<T>& want,
           std::uint64_t count, const Select& select, const Peer& peer,
           std::size_t bytes_beside = 0) {
    const ErasedView input = bifold::erase(input_);
    const ErasedView opencl_input = bifold::erase(opencl_input_);
    std::vector<Contender> contenders{
        {"cuda", "bifold",
         [&] { select(cuda_, input, bifold::erase(output_), bifold::erase(kept_)); },
         [&] { cuda_.finish(); }}};
    std::size_t bytes = 0;
    if (peer) check(peer(nullptr, bytes), "CUB's question for scratch");
    const CudaMemory<std::uint8_t> scratch(bytes + 1);
    if (peer) {
      contenders.push_back({"cuda", "CUB", [&] { check(peer(scratch.data, bytes), "CUB"); },
                            [&] { check(cudaStreamSynchronize(stream_), "CUB"); }});
    }
    for (const Contender& one : contenders) {
      // CUB's partition leaves what it rejects in reverse order, as partition_reversed does.
      verify(cuda_, call, one, output_, kept_, want, count);
    }
    contenders.push_back({"opencl", "bifold",
                          [&] {
                            select(opencl_, opencl_input, bifold::erase(opencl_output_),
                                   bifold::erase(opencl_kept_));
                          },
                          [&] { opencl_.finish(); }});
    verify(opencl_, call, contenders.back(), opencl_output_, opencl_kept_, want, count);
    contenders.push_back({"cuda", "copy",
                          [&] {
                            check(cudaMemcpyAsync(at(output_), at(input_), n_ * sizeof(T),
                                                  cudaMemcpyDeviceToDevice, stream_),
                                  "cudaMemcpyAsync");
                          },
                          [&] { check(cudaStreamSynchronize(stream_), "copy"); }});
    time_in_turns(contenders);
    const double copy = percentile(contenders.back().seconds, 50);
    contenders.pop_back();
    const auto moved = static_cast<double>((n_ + want.size()) * sizeof(T) + n_ * bytes_beside);
    // CUB stands beside both backends.
    if (peer) {
      contenders.push_back(contenders[1]);
      contenders.back().backend = "opencl";
    }
    table_.add(call, what, bifold::name_of(bifold::type_of<T>()), n_, contenders,
               copy * moved / (2.0 * static_cast<double>(n_ * sizeof(T))));
  }

  bifold::Queue& cuda_;
  bifold::Queue& opencl_;
  cudaStream_t stream_;
  std::uint64_t n_;
  Table& table_;
  std::vector<T> host_;
  bifold::Buffer<T> input_;
  bifold::Buffer<T> output_;
  bifold::Buffer<std::uint64_t> kept_;
  bifold::Buffer<T> opencl_input_;
  bifold::Buffer<T> opencl_output_;
  bifold::Buffer<std::uint64_t> opencl_kept_;
};

template <class T>
void measure(bifold::Queue& cuda, bifold::Queue& opencl, Table& table) {
  // The largest has 1 GiB, or 256 Mi elements.
  const std::uint64_t most = (std::uint64_t{1} << 30) / std::max<std::size_t>(sizeof(T), 4);
  for (const std::uint64_t n : {std::uint64_t{1} << 16, std::uint64_t{1} << 20,
                                std::uint64_t{1} << 22, std::uint64_t{1} << 24, most}) {
    Selections<T> selections(cuda, opencl, n, table);
    for (const int percent : {50, 0, 100}) selections.select(percent);
    selections.select_flagged();
    selections.unique();
  }
}

constexpr Measured types[] = {{"i32", measure<std::int32_t>},
                              {"f64", measure<double>},
                              {"float4", measure<Float4>},
                              {"i16", measure<std::int16_t>},
                              {"u8", measure<std::uint8_t>}};

}  // namespace

int main(int argc, char** argv) { return measure_types(argc, argv, "select_times", types); }
