// How long planned calls over NCCL take on a host with several GPUs, beside NCCL's all-gather of as
// many bytes and one device's call on its slice. nccl_gpus.hpp says how it is built.
#include <algorithm>
#include <barrier>
#include <bit>
#include <memory>

#include "group/nccl_gpus.hpp"

namespace bifold::test {

namespace {

// Microseconds of device time that `launches` of the body take each, on one stream.
double microseconds(const Gpu& gpu, int launches, const std::function<void()>& body) {
  cudaEvent_t begin = nullptr;
  cudaEvent_t end = nullptr;
  CUDA(cudaSetDevice(gpu.index));
  CUDA(cudaEventCreate(&begin));
  CUDA(cudaEventCreate(&end));
  CUDA(cudaEventRecord(begin, gpu.stream()));
  for (int i = 0; i < launches; ++i) body();
  CUDA(cudaEventRecord(end, gpu.stream()));
  CUDA(cudaEventSynchronize(end));
  float milliseconds = 0;
  CUDA(cudaEventElapsedTime(&milliseconds, begin, end));
  CUDA(cudaEventDestroy(begin));
  CUDA(cudaEventDestroy(end));
  return milliseconds * 1e3 / launches;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// A column of the table: what is timed.
struct Timed {
  const char* name;
  std::function<void()> body;
  std::vector<double> times{};
};

// Everything in turns, at once and in graphs; the slowest rank counts.
void time_size(std::vector<Gpu>& gpus, std::uint64_t each) {
  const std::size_t ranks = gpus.size();
  std::vector<Buffer<float>> inputs;
  std::vector<Buffer<float>> outputs;
  for (Gpu& gpu : gpus) {
    inputs.emplace_back(gpu.device, each);
    outputs.emplace_back(gpu.device, each);
    gpu.queue.fill(inputs.back(), 1.25F);
    gpu.queue.finish();
  }
  std::barrier meet(static_cast<std::ptrdiff_t>(ranks));
  std::vector<std::vector<std::vector<double>>> times(ranks);
  std::vector<const char*> names;
  const int launches = each > (1 << 24) ? 5 : 40;
  constexpr int rounds = 15;
  const std::vector<ncclComm_t> comms = communicators(gpus);
  with_processes(gpus, true, {}, [&](Process& process) {
    Gpu& gpu = *process.gpus[0];
    const std::uint32_t rank = process.ranks[0];
    const std::vector<Share> shares{{gpu.queue, each}};
    Buffer<float> result(gpu.device, 1);
    const ReduceShape sum{.input = Type::f32, .accumulator = Type::f32};
    const ScanShape sums{.input = Type::f32, .output = Type::f32, .accumulator = Type::f32};
    GroupReducePlan reduction(process.group, sum, shares);
    GroupScanPlan scanning(process.group, sums, shares);
    const ReducePlan reduction_alone(gpu.device, sum);
    const ScanPlan scanning_alone(gpu.device, sums);
    Buffer<std::uint8_t> scratch(
        gpu.device,
        std::max(reduction_alone.workspace_bytes(each), scanning_alone.workspace_bytes(each)) + 1);
    Workspace workspace(scratch.view());
    workspace.prepare(gpu.queue);
    // As many bytes as a reduction's all-gather, and a scan's.
    const std::size_t scan_bytes = std::max<std::size_t>(each >> 18, 1) * sizeof(float);
    Buffer<std::uint8_t> mine(gpu.device, scan_bytes);
    Buffer<std::uint8_t> all(gpu.device, scan_bytes * ranks);
    const auto address = [](const ErasedView& view) {
      // NOLINTNEXTLINE(performance-no-int-to-ptr)
      return reinterpret_cast<void*>(interop::cuda::native_address(view));
    };
    const auto gather = [&](std::size_t bytes) {
      ncclAllGather(address(mine), address(all), bytes, ncclInt8, comms[rank], gpu.stream());
    };
    std::vector<Timed> timed{
        {"reduce, group",
         [&] {
           reduction.run({{gpu.queue, inputs[rank]}}, {result});
         }},
        {"reduce, alone",
         [&] {
           reduction_alone.run(gpu.queue, inputs[rank], result, {}, {.workspace = &workspace});
         }},
        {"all-gather", [&] { gather(sizeof(float)); }},
        {"scan, group",
         [&] {
           scanning.run({{gpu.queue, inputs[rank], outputs[rank]}});
         }},
        {"scan, alone",
         [&] {
           scanning_alone.run(gpu.queue, inputs[rank], outputs[rank], {},
                              {.workspace = &workspace});
         }},
        {"its all-gather", [&] { gather(scan_bytes); }},
    };
    for (const bool in_graph : {false, true}) {
      std::vector<std::unique_ptr<Graph>> graphs;
      for (Timed& one : timed) {
        one.body();
        gpu.queue.finish();
        meet.arrive_and_wait();
        if (in_graph) graphs.push_back(std::make_unique<Graph>(gpu, one.body));
        one.times.clear();
      }
      for (int round = 0; round <= rounds; ++round) {
        for (std::size_t i = 0; i < timed.size(); ++i) {
          meet.arrive_and_wait();
          const double took = microseconds(gpu, launches, [&] {
            if (in_graph) {
              graphs[i]->launch();
            } else {
              timed[i].body();
            }
          });
          if (round > 0) timed[i].times.push_back(took);
        }
      }
      for (const Timed& one : timed) times[rank].push_back(one.times);
      meet.arrive_and_wait();
      if (rank != 0) continue;
      std::printf("2^%-2d a device, %-10s", static_cast<int>(std::bit_width(each)) - 1,
                  in_graph ? "graphs" : "streams");
      for (std::size_t i = 0; i < timed.size(); ++i) {
        std::vector<double> slowest = times[0][times[0].size() - timed.size() + i];
        for (std::size_t other = 1; other < ranks; ++other) {
          const auto& theirs = times[other][times[0].size() - timed.size() + i];
          for (std::size_t k = 0; k < slowest.size(); ++k) {
            slowest[k] = std::max(slowest[k], theirs[k]);
          }
        }
        std::printf(" %s %.1f us;", timed[i].name, median(slowest));
      }
      std::printf("\n");
      std::fflush(stdout);
    }
    meet.arrive_and_wait();
  });
  for (ncclComm_t comm : comms) ncclCommDestroy(comm);
}

void run(std::vector<Gpu>& gpus) {
  for (const int bits : {16, 20, 24, 27, 29}) time_size(gpus, std::uint64_t{1} << bits);
}

}  // namespace

}  // namespace bifold::test

int main(int argc, char** argv) { return bifold::test::run_on_gpus(argc, argv, bifold::test::run); }
