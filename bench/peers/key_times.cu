// How long calls by key take from CUDA and OpenCL on one GPU, beside CUB's, and beside a copy of as
// many bytes as they read and store. Keys are i64, in runs of any length up to twice the mean;
// values have the type that is named. Keys, lengths and sums of integers are compared with the
// host's before they are timed; of floating ones, both backends have the same bits, and differ from
// CUB's by less than 1e-4 of these. Contenders take turns, back to back. The arguments are a file
// for the medians, as bench/results/medians.py takes them, and types.
//
//   nvcc -std=c++20 -O2 -arch=sm_90 -cudart static -Iinclude -Ibench bench/peers/key_times.cu
//     build/libbifold.a -lspdlog -lfmt -lzstd -lOpenCL -lcuda -o key_times
//   ./key_times keys.csv f32 i32
//   bench/results/medians.py bench/results/medians/DEVICE.csv keys keys.csv
#include <bifold/bifold.hpp>
#include <bifold/interop/cuda.hpp>
#include <cmath>
#include <cstdint>
#include <cub/cub.cuh>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "peers/times.cuh"

namespace {

using Key = std::int64_t;
using Length = std::uint32_t;

std::vector<Length> lengths_of(std::uint64_t n, std::uint32_t mean) {
  Random random(mean);
  std::vector<Length> lengths;
  for (std::uint64_t all = 0; all < n; all += lengths.back()) {
    const std::uint64_t length = 1 + (random.next() >> 8) % (2 * mean - 1);
    lengths.push_back(static_cast<Length>(std::min(length, n - all)));
  }
  return lengths;
}

// What a call reads and leaves on one device.
template <class T>
struct Memory {
  Memory(bifold::Queue& queue, const std::vector<Key>& host_keys, const std::vector<T>& host,
         std::size_t runs)
      : keys(queue.upload(std::span<const Key>(host_keys))),
        input(queue.upload(std::span<const T>(host))),
        unique(queue.allocate<Key>(runs)),
        values(queue.allocate<T>(runs)),
        lengths(queue.allocate<Length>(runs)),
        count(queue.allocate<std::uint64_t>(1)) {}

  bifold::Buffer<Key> keys;
  bifold::Buffer<T> input;
  bifold::Buffer<Key> unique;
  bifold::Buffer<T> values;
  bifold::Buffer<Length> lengths;
  bifold::Buffer<std::uint64_t> count;
};

template <class T>
class Keyed {
 public:
  Keyed(bifold::Queue& cuda, bifold::Queue& opencl, std::uint64_t n, std::uint32_t mean,
        Table& table)
      : cuda_(cuda),
        opencl_(opencl),
        stream_(bifold::interop::cuda::native_stream(cuda)),
        n_(n),
        what_("mean " + std::to_string(mean)),
        table_(table),
        lengths_(lengths_of(n, mean)),
        keys_(n),
        host_(n),
        copied_(cuda.allocate<Key>(n)) {
    Random random(11);
    std::uint64_t i = 0;
    for (std::size_t run = 0; run < lengths_.size(); ++run) {
      for (Length e = 0; e < lengths_[run]; ++e, ++i) {
        keys_[i] = static_cast<Key>(run);
        const std::uint32_t bits = random.next() >> 10;
        host_[i] =
            std::is_floating_point_v<T> ? static_cast<T>(bits / 4194304.0) : static_cast<T>(bits);
      }
    }
  }

  void measure() {
    const std::size_t runs = lengths_.size();
    Memory<T> ours(cuda_, keys_, host_, runs);
    Memory<T> peers(cuda_, keys_, host_, runs);
    Memory<T> others(opencl_, keys_, host_, runs);
    const auto sums = [](bifold::Queue& queue, Memory<T>& on) {
      bifold::reduce_by_key(queue, on.keys, on.input, on.unique, on.values, on.count, bifold::plus);
    };
    const auto n = static_cast<std::int64_t>(n_);
    const double each = static_cast<double>(n_);
    const double all = static_cast<double>(runs);
    compare(
        "reduce_by_key", ours, peers, others, sums,
        [&](void* scratch, std::size_t& bytes) {
          return cub::DeviceReduce::ReduceByKey(scratch, bytes, at(peers.keys), at(peers.unique),
                                                at(peers.input), at(peers.values), at(peers.count),
                                                cuda::std::plus<T>{}, n, stream_);
        },
        [&] { check_sums(ours, peers, others); },
        each * (sizeof(Key) + sizeof(T)) + all * (sizeof(Key) + sizeof(T)));
    const auto counts = [](bifold::Queue& queue, Memory<T>& on) {
      bifold::run_length_encode(queue, on.keys, on.unique, on.lengths, on.count);
    };
    compare(
        "run_length_encode", ours, peers, others, counts,
        [&](void* scratch, std::size_t& bytes) {
          return cub::DeviceRunLengthEncode::Encode(scratch, bytes, at(peers.keys),
                                                    at(peers.unique), at(peers.lengths),
                                                    at(peers.count), n, stream_);
        },
        [&] { check_lengths(ours, peers, others); },
        each * sizeof(Key) + all * (sizeof(Key) + sizeof(Length)));
    const auto firsts = [](bifold::Queue& queue, Memory<T>& on) {
      bifold::unique_by_key(queue, on.keys, on.input, on.unique, on.values, on.count);
    };
    compare(
        "unique_by_key", ours, peers, others, firsts,
        [&](void* scratch, std::size_t& bytes) {
          return cub::DeviceSelect::UniqueByKey(scratch, bytes, at(peers.keys), at(peers.input),
                                                at(peers.unique), at(peers.values), at(peers.count),
                                                n, stream_);
        },
        [&] { check_firsts(ours, peers, others); },
        each * (sizeof(Key) + sizeof(T)) + all * (sizeof(Key) + sizeof(T)));
  }

 private:
  template <class Call, class Peer, class Verify>
  void compare(const char* name, Memory<T>& ours, Memory<T>& peers, Memory<T>& others,
               const Call& call, const Peer& peer, const Verify& verify, double moved) {
    name_ = name;
    std::size_t bytes = 0;
    check(peer(nullptr, bytes), "CUB");
    const CudaMemory<std::uint8_t> scratch(bytes + 1);
    const auto wait = [&] { check(cudaStreamSynchronize(stream_), name); };
    std::vector<Contender> contenders{
        {"cuda", "bifold", [&] { call(cuda_, ours); }, [&] { cuda_.finish(); }},
        {"cuda", "CUB", [&] { check(peer(scratch.data, bytes), "CUB"); }, wait},
        {"opencl", "bifold", [&] { call(opencl_, others); }, [&] { opencl_.finish(); }},
        {"cuda", "copy",
         [&] {
           check(cudaMemcpyAsync(at(copied_), at(peers.keys), n_ * sizeof(Key),
                                 cudaMemcpyDeviceToDevice, stream_),
                 "copy");
         },
         wait}};
    for (const Contender& one : contenders) {
      one.enqueue();
      one.finish();
    }
    verify();
    time_in_turns(contenders);
    const double copy = percentile(contenders.back().seconds, 50);
    contenders.pop_back();
    contenders.push_back(contenders[1]);
    contenders.back().backend = "opencl";
    table_.add(name, what_, bifold::name_of(bifold::type_of<T>()), n_, contenders,
               copy * moved / (2.0 * static_cast<double>(n_ * sizeof(Key))));
  }

  void require(bool right, std::size_t run) const {
    if (right) return;
    std::fprintf(stderr, "%s, %s: run %zu is wrong\n", name_.c_str(), what_.c_str(), run);
    std::exit(1);
  }

  // The number of runs and their keys, of all; `check` looks at what else there is of a run.
  template <class Check>
  void check_runs(Memory<T>& ours, Memory<T>& peers, Memory<T>& others, const Check& check) {
    const auto keys = cuda_.download(ours.unique);
    const auto others_keys = opencl_.download(others.unique);
    const std::uint64_t runs = lengths_.size();
    require(cuda_.download(ours.count)[0] == runs && cuda_.download(peers.count)[0] == runs &&
                opencl_.download(others.count)[0] == runs,
            runs);
    std::uint64_t first = 0;
    for (std::size_t run = 0; run < runs; ++run) {
      const Key want = keys_[first];
      require(keys[run] == want && others_keys[run] == want && check(run, first), run);
      first += lengths_[run];
    }
  }

  void check_sums(Memory<T>& ours, Memory<T>& peers, Memory<T>& others) {
    const auto mine = cuda_.download(ours.values);
    const auto theirs = cuda_.download(peers.values);
    const auto same = opencl_.download(others.values);
    check_runs(ours, peers, others, [&](std::size_t run, std::uint64_t first) {
      if (mine[run] != same[run]) return false;
      if constexpr (std::is_floating_point_v<T>) {
        return std::abs(mine[run] - theirs[run]) <= 1e-4 * std::abs(theirs[run]);
      } else {
        std::make_unsigned_t<T> want = 0;
        for (std::uint64_t i = first; i < first + lengths_[run]; ++i) {
          want += static_cast<std::make_unsigned_t<T>>(host_[i]);
        }
        return mine[run] == static_cast<T>(want) && theirs[run] == mine[run];
      }
    });
  }

  void check_lengths(Memory<T>& ours, Memory<T>& peers, Memory<T>& others) {
    const auto mine = cuda_.download(ours.lengths);
    const auto theirs = cuda_.download(peers.lengths);
    const auto same = opencl_.download(others.lengths);
    check_runs(ours, peers, others, [&](std::size_t run, std::uint64_t) {
      return mine[run] == lengths_[run] && theirs[run] == mine[run] && same[run] == mine[run];
    });
  }

  void check_firsts(Memory<T>& ours, Memory<T>& peers, Memory<T>& others) {
    const auto mine = cuda_.download(ours.values);
    const auto theirs = cuda_.download(peers.values);
    const auto same = opencl_.download(others.values);
    check_runs(ours, peers, others, [&](std::size_t run, std::uint64_t first) {
      return mine[run] == host_[first] && theirs[run] == mine[run] && same[run] == mine[run];
    });
  }

  bifold::Queue& cuda_;
  bifold::Queue& opencl_;
  cudaStream_t stream_;
  std::uint64_t n_;
  std::string what_;
  std::string name_;
  Table& table_;
  std::vector<Length> lengths_;
  std::vector<Key> keys_;
  std::vector<T> host_;
  bifold::Buffer<Key> copied_;
};

template <class T>
void measure(bifold::Queue& cuda, bifold::Queue& opencl, Table& table) {
  for (const std::uint64_t n : {std::uint64_t{1} << 16, std::uint64_t{1} << 20,
                                std::uint64_t{1} << 24, std::uint64_t{1} << 28}) {
    for (const std::uint32_t mean : {2U, 16U, 256U}) {
      Keyed<T>(cuda, opencl, n, mean, table).measure();
    }
  }
}

constexpr Measured types[] = {
    {"f32", measure<float>}, {"i32", measure<std::int32_t>}, {"f64", measure<double>}};

}  // namespace

int main(int argc, char** argv) { return measure_types(argc, argv, "key_times", types); }
