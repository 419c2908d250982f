// How long sums of segments take from CUDA and OpenCL on one GPU, beside CUB's
// DeviceSegmentedReduce, and beside a copy of as many bytes as values, offsets and results have.
// Integers are compared with the host's sums before they are timed; of floating ones, both backends
// have the same bits, and differ from CUB's by less than 1e-4 of these. Contenders take turns, back
// to back. The arguments are a file for the medians, as bench/results/medians.py takes them, and
// types.
//
//   nvcc -std=c++20 -O2 -arch=sm_90 -cudart static -Iinclude -Ibench bench/peers/segment_times.cu
//     build/libbifold.a -lspdlog -lfmt -lzstd -lOpenCL -lcuda -o segment_times
//   ./segment_times segments.csv f32 i32
//   bench/results/medians.py bench/results/medians/DEVICE.csv segments segments.csv
#include <bifold/bifold.hpp>
#include <bifold/interop/cuda.hpp>
#include <cmath>
#include <cstdint>
#include <cub/cub.cuh>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "peers/times.cuh"

namespace {

using Offsets = std::vector<std::uint32_t>;

// Any length up to twice the mean is as likely, until the segments have n elements.
Offsets uniform(std::uint64_t n, std::uint32_t mean) {
  Random random(mean);
  Offsets offsets{0};
  while (offsets.back() < n) {
    const std::uint64_t next = offsets.back() + (random.next() >> 8) % (2 * mean + 1);
    offsets.push_back(static_cast<std::uint32_t>(std::min(next, n)));
  }
  return offsets;
}

// A length is more than x with probability 1 / x.
Offsets power_law(std::uint64_t n) {
  Random random(7);
  Offsets offsets{0};
  while (offsets.back() < n) {
    const double x = (random.next() >> 8) / 16777216.0;
    const std::uint64_t next = offsets.back() + static_cast<std::uint64_t>(1 / (x + 1e-7));
    offsets.push_back(static_cast<std::uint32_t>(std::min(next, n)));
  }
  return offsets;
}

// One of many segments has all elements, or none has any.
Offsets all_in_one(std::uint64_t n, std::uint64_t segments) {
  Offsets offsets(segments + 1, static_cast<std::uint32_t>(n));
  for (std::uint64_t s = 0; s <= segments / 2; ++s) offsets[s] = 0;
  return offsets;
}

template <class T>
class Segmented {
 public:
  Segmented(bifold::Queue& cuda, bifold::Queue& opencl, std::uint64_t n, Table& table)
      : cuda_(cuda),
        opencl_(opencl),
        stream_(bifold::interop::cuda::native_stream(cuda)),
        n_(n),
        table_(table),
        host_(n),
        input_(cuda.allocate<T>(n)),
        opencl_input_(opencl.allocate<T>(n)),
        copied_(cuda.allocate<T>(n)) {
    Random random(11);
    for (T& x : host_) {
      const std::uint32_t bits = random.next() >> 10;
      x = std::is_floating_point_v<T> ? static_cast<T>(bits / 4194304.0) : static_cast<T>(bits);
    }
    cuda_.upload(std::span<const T>(host_), input_);
    opencl_.upload(std::span<const T>(host_), opencl_input_);
  }

  void sum(const std::string& what, const Offsets& offsets) {
    const std::uint64_t segments = offsets.size() - 1;
    auto bounds = cuda_.upload(std::span<const std::uint32_t>(offsets));
    auto opencl_bounds = opencl_.upload(std::span<const std::uint32_t>(offsets));
    auto output = cuda_.allocate<T>(segments);
    auto peers = cuda_.allocate<T>(segments);
    auto opencl_output = opencl_.allocate<T>(segments);
    const auto call = [&](bifold::Queue& queue, bifold::Buffer<T>& input,
                          bifold::Buffer<std::uint32_t>& by, bifold::Buffer<T>& out) {
      bifold::ReduceOptions options;
      options.segments = bifold::Segments::of_offsets(by);
      bifold::reduce_into(queue, bifold::erase(input), bifold::erase(out), bifold::plus, {},
                          options);
    };
    std::size_t bytes = 0;
    const auto peer = [&](void* scratch) {
      check(cub::DeviceSegmentedReduce::Sum(scratch, bytes, at(input_), at(peers),
                                            static_cast<std::int64_t>(segments), at(bounds),
                                            at(bounds) + 1, stream_),
            "CUB");
    };
    peer(nullptr);
    const CudaMemory<std::uint8_t> scratch(bytes + 1);
    std::vector<Contender> contenders{
        {"cuda", "bifold", [&] { call(cuda_, input_, bounds, output); }, [&] { cuda_.finish(); }},
        {"cuda", "CUB", [&] { peer(scratch.data); },
         [&] { check(cudaStreamSynchronize(stream_), "CUB"); }},
        {"opencl", "bifold", [&] { call(opencl_, opencl_input_, opencl_bounds, opencl_output); },
         [&] { opencl_.finish(); }},
        {"cuda", "copy",
         [&] {
           check(cudaMemcpyAsync(at(copied_), at(input_), n_ * sizeof(T), cudaMemcpyDeviceToDevice,
                                 stream_),
                 "copy");
         },
         [&] { check(cudaStreamSynchronize(stream_), "copy"); }}};
    for (const Contender& one : contenders) {
      one.enqueue();
      one.finish();
    }
    verify(what, offsets, cuda_.download(output), cuda_.download(peers),
           opencl_.download(opencl_output));
    time_in_turns(contenders);
    const double copy = percentile(contenders.back().seconds, 50);
    contenders.pop_back();
    contenders.push_back(contenders[1]);
    contenders.back().backend = "opencl";
    const double moved = static_cast<double>(offsets.back()) * sizeof(T) +
                         static_cast<double>(segments) * (sizeof(T) + sizeof(std::uint32_t));
    table_.add("segmented_reduce", what, bifold::name_of(bifold::type_of<T>()), n_, contenders,
               copy * moved / (2.0 * static_cast<double>(n_ * sizeof(T))));
  }

 private:
  void verify(const std::string& what, const Offsets& offsets, const std::vector<T>& ours,
              const std::vector<T>& peers, const std::vector<T>& opencl) {
    for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
      bool right = ours[s] == opencl[s];
      if constexpr (std::is_floating_point_v<T>) {
        right = right && std::abs(ours[s] - peers[s]) <= 1e-4 * std::abs(peers[s]);
      } else {
        std::make_unsigned_t<T> want = 0;
        for (std::uint32_t i = offsets[s]; i < offsets[s + 1]; ++i) {
          want += static_cast<std::make_unsigned_t<T>>(host_[i]);
        }
        right = right && ours[s] == static_cast<T>(want) && peers[s] == ours[s];
      }
      if (right) continue;
      std::fprintf(stderr, "segmented_reduce, %s: segment %zu is wrong\n", what.c_str(), s);
      std::exit(1);
    }
  }

  bifold::Queue& cuda_;
  bifold::Queue& opencl_;
  cudaStream_t stream_;
  std::uint64_t n_;
  Table& table_;
  std::vector<T> host_;
  bifold::Buffer<T> input_;
  bifold::Buffer<T> opencl_input_;
  bifold::Buffer<T> copied_;
};

template <class T>
void measure(bifold::Queue& cuda, bifold::Queue& opencl, Table& table) {
  for (const std::uint64_t n : {std::uint64_t{1} << 16, std::uint64_t{1} << 20,
                                std::uint64_t{1} << 24, std::uint64_t{1} << 28}) {
    Segmented<T> segmented(cuda, opencl, n, table);
    for (const std::uint32_t mean : {4U, 32U, 256U, 4096U}) {
      segmented.sum("mean " + std::to_string(mean), uniform(n, mean));
    }
    segmented.sum("power law", power_law(n));
    segmented.sum("all in one", all_in_one(n, n / 16));
    segmented.sum("all empty", Offsets(n / 16 + 1, 0));
  }
}

constexpr Measured types[] = {{"f32", measure<float>},
                              {"i32", measure<std::int32_t>},
                              {"f64", measure<double>},
                              {"u8", measure<std::uint8_t>}};

}  // namespace

int main(int argc, char** argv) { return measure_types(argc, argv, "segment_times", types); }
