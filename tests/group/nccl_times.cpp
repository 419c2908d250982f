// How long planned calls over NCCL take on a host with several GPUs, beside one device's call on
// its slice, NCCL's all-gather of as many bytes, and its all-reduce of the slices' sums. The
// arguments are the number of GPUs, and a file for the medians, as bench/results/medians.py takes
// them. nccl_gpus.hpp says how it is built.
#include <algorithm>
#include <barrier>
#include <bit>
#include <cstdint>
#include <ctime>
#include <fstream>
#include <map>
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

double percentile(std::vector<double> values, std::size_t percent) {
  std::sort(values.begin(), values.end());
  return values[(values.size() - 1) * percent / 100];
}

// A column of the table: what is timed.
struct Timed {
  const char* name;
  const char* algorithm;
  const char* library;
  std::function<void()> body;
  std::vector<double> times{};
};

std::string short_text(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.5g", value);
  return text.data();
}

// Rows of medians. A call has its times in streams and in graphs.
class Table {
 public:
  Table(const std::vector<Gpu>& gpus, std::string file) : file_(std::move(file)) {
    const DeviceInfo& info = gpus[0].device.info();
    std::array<char, 16> date{};
    const std::time_t now = std::time(nullptr);
    std::strftime(date.data(), date.size(), "%Y-%m-%d", std::gmtime(&now));
    const std::string count = std::to_string(gpus.size());
    of_all_ = "cuda,\"over " + count + ", weak, nccl\",f32,,0";
    machine_ = count + " x " + info.name + "," + info.driver + "," + std::string(version()) + "," +
               date.data();
    ranks_ = gpus.size();
  }
  ~Table() {
    if (file_.empty()) return;
    std::ofstream out(file_);
    out << "backend,variant,type,lines,offset,algorithm,n,library,back_to_back_us,"
           "back_to_back_spread,graph_us,graph_spread,samples,of_slice,device,driver,version,"
           "date\n";
    for (const auto& [key, cells] : rows_) {
      out << of_all_ << ',' << key << ',' << cells[0] << ',' << cells[1] << ',' << samples_ << ','
          << (cells[2].empty() ? "" : cells[2]) << ',' << machine_ << '\n';
    }
  }
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;

  void add(const Timed& timed, std::uint64_t each, bool in_graph, const std::vector<double>& times,
           double of_slice) {
    const std::string key =
        std::string(timed.algorithm) + "," + std::to_string(each * ranks_) + "," + timed.library;
    auto& cells = rows_.try_emplace(key, std::array<std::string, 3>{",", ",", ""}).first->second;
    const double middle = median(times);
    const double spread = (percentile(times, 90) - percentile(times, 10)) / middle;
    cells[in_graph ? 1 : 0] = short_text(middle) + "," + short_text(spread);
    if (of_slice > 0 && !in_graph) cells[2] = short_text(of_slice);
    samples_ = times.size();
  }

 private:
  std::string file_;
  std::string of_all_;
  std::string machine_;
  std::size_t ranks_ = 0;
  std::size_t samples_ = 0;
  std::map<std::string, std::array<std::string, 3>> rows_;
};

// Everything in turns, at once and in graphs; the slowest rank counts.
void time_size(std::vector<Gpu>& gpus, std::uint64_t each, Table& table) {
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
        {"reduce, group", "reduce", "bifold",
         [&] {
           reduction.run({{gpu.queue, inputs[rank]}}, {result});
         }},
        {"reduce, alone", "reduce", "one device's slice",
         [&] {
           reduction_alone.run(gpu.queue, inputs[rank], result, {}, {.workspace = &workspace});
         }},
        {"all-gather", "reduce", "NCCL all-gather", [&] { gather(sizeof(float)); }},
        {"all-reduce of sums", "reduce", "NCCL all-reduce of the slices' sums",
         [&] {
           reduction_alone.run(gpu.queue, inputs[rank], result, {}, {.workspace = &workspace});
           ncclAllReduce(address(result), address(result), 1, ncclFloat, ncclSum, comms[rank],
                         gpu.stream());
         }},
        {"scan, group", "scan", "bifold",
         [&] {
           scanning.run({{gpu.queue, inputs[rank], outputs[rank]}});
         }},
        {"scan, alone", "scan", "one device's slice",
         [&] {
           scanning_alone.run(gpu.queue, inputs[rank], outputs[rank], {},
                              {.workspace = &workspace});
         }},
        {"its all-gather", "scan", "NCCL all-gather", [&] { gather(scan_bytes); }},
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
      std::vector<std::vector<double>> of_all;
      for (std::size_t i = 0; i < timed.size(); ++i) {
        std::vector<double> slowest = times[0][times[0].size() - timed.size() + i];
        for (std::size_t other = 1; other < ranks; ++other) {
          const auto& theirs = times[other][times[0].size() - timed.size() + i];
          for (std::size_t k = 0; k < slowest.size(); ++k) {
            slowest[k] = std::max(slowest[k], theirs[k]);
          }
        }
        std::printf(" %s %.1f us;", timed[i].name, median(slowest));
        of_all.push_back(std::move(slowest));
      }
      for (std::size_t i = 0; i < timed.size(); ++i) {
        // The next column is the slice's.
        const bool group = std::string_view(timed[i].library) == "bifold";
        const double of_slice = group ? median(of_all[i + 1]) / median(of_all[i]) : 0;
        table.add(timed[i], each, in_graph, of_all[i], of_slice);
      }
      std::printf("\n");
      std::fflush(stdout);
    }
    meet.arrive_and_wait();
  });
  for (ncclComm_t comm : comms) ncclCommDestroy(comm);
}

}  // namespace

}  // namespace bifold::test

int main(int argc, char** argv) {
  return bifold::test::run_on_gpus(argc, argv, [&](std::vector<bifold::test::Gpu>& gpus) {
    bifold::test::Table table(gpus, argc > 2 ? argv[2] : "");
    for (const int bits : {16, 20, 24, 27, 29}) {
      bifold::test::time_size(gpus, std::uint64_t{1} << bits, table);
    }
  });
}
