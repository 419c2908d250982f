#include "commands/stream/stream.hpp"

#include <bifold/bifold.hpp>
#include <chrono>
#include <cstring>
#include <future>
#include <memory>
#include <utility>

#include "base/format.hpp"
#include "base/grid.hpp"
#include "base/output_file.hpp"
#include "base/sizes.hpp"
#include "core/device/state.hpp"
#include "core/slices/device_array.hpp"
#include "data/host_data.hpp"
#include "data/types.hpp"
#include "measure/options.hpp"
#include "measure/runner.hpp"
#include "measure/timing.hpp"

namespace bench {
namespace {

using bifold::core::DeviceArray;
using Clock = std::chrono::steady_clock;

/// Host memory that the driver has locked to its pages, where it has such memory.
class HostMemory {
 public:
  HostMemory(const bifold::Device& device, std::uint64_t bytes)
      : device_(device.state()->backend), locked_(device_->allocate_host_visible(bytes)) {
    if (locked_.host == nullptr) pageable_ = std::make_unique<std::byte[]>(bytes);
  }
  ~HostMemory() {
    if (locked_.memory.handle != 0) device_->free_host_visible(locked_);
  }
  HostMemory(const HostMemory&) = delete;
  HostMemory& operator=(const HostMemory&) = delete;

  [[nodiscard]] bool locked() const { return locked_.host != nullptr; }
  [[nodiscard]] std::byte* data() {
    return locked() ? const_cast<std::byte*>(locked_.host)  // NOLINT(*-const-cast): it is ours.
                    : pageable_.get();
  }

 private:
  std::shared_ptr<bifold::backend::Device> device_;
  bifold::backend::HostVisible locked_;
  std::unique_ptr<std::byte[]> pageable_;
};

struct Row {
  bifold::DeviceInfo device;
  bifold::Type type;
  bifold::Algorithm algorithm;
  std::uint64_t n = 0;
  std::uint64_t bytes = 0;  ///< That are copied.
  bool locked = false;
  Timing copies;
  Timing stream;
  std::string problem;  ///< Instead of timings.
};

Stopwatch timed(const std::function<void()>& call) {
  return [call](std::uint64_t calls) {
    const auto start = Clock::now();
    for (std::uint64_t i = 0; i < calls; ++i) call();
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
}

void measure(Row& row, const Budget& budget, const std::function<void()>& copies,
             const std::function<void()>& stream, const std::function<std::string()>& problem) {
  stream();
  row.problem = problem();
  if (!row.problem.empty()) return;
  copies();
  const std::vector<Stopwatch> contenders{timed(copies), timed(stream)};
  const std::vector<Timing> timings = measure_in_turn(budget, Batches::single, contenders);
  row.copies = timings[0];
  row.stream = timings[1];
}

/// Both algorithms on elements in host memory, whose first pass is verified.
class Streams {
 public:
  Streams(const bifold::Device& device, const HostData& data, const Budget& budget)
      : data_(data),
        budget_(budget),
        bytes_(data.count() * bifold::size_of(data.type())),
        queue_(device),
        other_queue_(device),
        input_(device, bytes_),
        output_(device, bytes_),
        to_(device, data.count(), data.type()),
        from_(device, data.count(), data.type()) {
    std::memcpy(input_.data(), data.input(), bytes_);
    std::memset(output_.data(), 0, bytes_);
    upload();
    queue_.copy(to_.view(), from_.view());
    queue_.finish();
  }

  void reduce(Row& row) {
    bifold::ReduceAccumulation sum(queue_, {.input = data_.type(),
                                            .accumulator = bifold::accumulator_of(data_.type()),
                                            .op = operator_on(data_.type(), bifold::plus),
                                            .result = data_.type()});
    bifold::Value value;
    row.bytes = bytes_;
    row.locked = input_.locked();
    measure(
        row, budget_, [this] { upload(); },
        [&] {
          sum.feed_bytes(input_.data(), data_.count());
          value = sum.value();
        },
        [&] { return text_of(Verifier::check_host_reduce(value.data(), data_, data_.count())); });
  }

  void scan(Row& row) {
    constexpr auto kind = bifold::ScanKind::inclusive;
    bifold::ScanAccumulation sums(queue_, {.input = data_.type(),
                                           .output = data_.type(),
                                           .accumulator = bifold::accumulator_of(data_.type()),
                                           .kind = kind,
                                           .op = operator_on(data_.type(), bifold::plus)});
    row.bytes = 2 * bytes_;
    row.locked = input_.locked() && output_.locked();
    measure(
        row, budget_,
        [this] {
          auto back = std::async(std::launch::async, [this] {
            other_queue_.download_bytes(from_.view(), output_.data(), data_.count());
          });
          upload();
          back.get();
        },
        [&] { sums.feed_bytes(input_.data(), output_.data(), data_.count()); },
        [&] {
          return text_of(Verifier::check_host_scan(output_.data(), data_, data_.count(), kind));
        });
  }

 private:
  static std::string text_of(const std::optional<Mismatch>& mismatch) {
    return mismatch ? describe(*mismatch) : std::string();
  }
  void upload() { queue_.upload_bytes(to_.view(), input_.data(), data_.count()); }

  const HostData& data_;
  Budget budget_;
  std::uint64_t bytes_;
  bifold::Queue queue_;
  bifold::Queue other_queue_;
  HostMemory input_;
  HostMemory output_;
  DeviceArray to_;
  DeviceArray from_;
};

std::vector<Row> measure_device(const bifold::Device& device, const HostData& data,
                                const Budget& budget) {
  std::vector<Row> rows;
  std::unique_ptr<Streams> streams;
  for (const auto algorithm : {bifold::Algorithm::reduce, bifold::Algorithm::scan}) {
    Row& row = rows.emplace_back();
    row.device = device.info();
    row.type = data.type();
    row.algorithm = algorithm;
    row.n = data.count();
    try {
      if (!streams) streams = std::make_unique<Streams>(device, data, budget);
      if (algorithm == bifold::Algorithm::reduce) {
        streams->reduce(row);
      } else {
        streams->scan(row);
      }
    } catch (const bifold::Error& error) {
      row.problem = one_line(error.what());
    }
  }
  return rows;
}

void print(const std::vector<Row>& rows) {
  Grid grid;
  grid.columns = {{"device"},
                  {"type"},
                  {"algorithm"},
                  {"host memory"},
                  {"bytes", true},
                  {"copies", true},
                  {"GB/s", true},
                  {"chunks", true},
                  {"GB/s", true},
                  {"share", true},
                  {""}};
  for (const Row& row : rows) {
    std::vector<std::string> cells{row.device.selector, std::string(bifold::name_of(row.type)),
                                   std::string(bifold::name_of(row.algorithm))};
    if (row.problem.empty()) {
      const auto rate = [&](const Timing& timing) {
        return static_cast<double>(row.bytes) / timing.median_s / 1e9;
      };
      const double copies = rate(row.copies);
      const double stream = rate(row.stream);
      for (const std::string& cell :
           {std::string(row.locked ? "page-locked" : "pageable"), bytes_text(row.bytes),
            seconds_text(row.copies.median_s), rate_text(copies), seconds_text(row.stream.median_s),
            rate_text(stream), share_text(stream, copies), std::string()}) {
        cells.push_back(cell);
      }
    } else {
      cells.resize(grid.columns.size() - 1);
      cells.push_back(row.problem);
    }
    grid.rows.push_back(std::move(cells));
  }
  print_text("{}\n{}", as_text(grid, 0),
             wrapped("Copies: to the device alone (reduce), or both directions at once (scan). "
                     "Chunks: an accumulation that is fed the same host memory. Medians of passes "
                     "that take turns.",
                     0));
}

/// As bench/results/medians.py takes them.
void write_csv(const std::string& path, const std::vector<Row>& rows, const std::string& time) {
  std::string text =
      "backend,algorithm,variant,type,n,lines,offset,library,blocking_us,blocking_spread,samples,"
      "gb_per_s,of_copy,device,driver,version,date\n";
  for (const Row& row : rows) {
    if (!row.problem.empty()) continue;
    const auto add = [&](std::string_view library, const Timing& timing, double of_copy) {
      text +=
          formatted("{},{},{},{},{},,0,{},{:.5g},{:.2g},{},{:.5g},{:.5g},{},{},{},{}\n",
                    row.device.backend, bifold::name_of(row.algorithm),
                    row.locked ? "page-locked" : "pageable", bifold::name_of(row.type), row.n,
                    library, timing.median_s * 1e6, (timing.p90_s - timing.p10_s) / timing.median_s,
                    timing.samples, static_cast<double>(row.bytes) / timing.median_s / 1e9, of_copy,
                    row.device.name, row.device.driver, bifold::version(), time.substr(0, 10));
    };
    add("bifold", row.stream, row.copies.median_s / row.stream.median_s);
    add("copies alone", row.copies, 1);
  }
  write_whole("--csv", path, text);
}

}  // namespace

int run_stream(const StreamArguments& arguments) {
  const auto types = understand_types(arguments.types, {"f32"});
  const std::uint64_t asked = arguments.size.empty() ? 0 : parse_size("--size", arguments.size);
  const Budget budget = understand_budget({.seconds = 2}, arguments.seconds, {});
  if (!arguments.csv.empty()) check_writable("--csv", arguments.csv);
  Measurements measurements = begin_measurements();
  const auto devices = open_devices(understand_devices(arguments.devices), measurements.unopened);
  std::vector<Row> rows;
  for (const bifold::Device& device : devices) {
    const bool gpu = device.info().kind == bifold::DeviceKind::gpu;
    const std::uint64_t otherwise = std::uint64_t{1} << (gpu ? 28 : 23);
    for (const bifold::Type type : types) {
      const HostData data(type, bifold::plus, asked > 0 ? asked : otherwise);
      for (Row& row : measure_device(device, data, budget)) rows.push_back(std::move(row));
    }
  }
  print(rows);
  if (!arguments.csv.empty()) write_csv(arguments.csv, rows, measurements.time);
  bool well = !rows.empty() && measurements.unopened.empty();
  for (const Row& row : rows) well = well && row.problem.empty();
  return well ? 0 : 1;
}

}  // namespace bench
