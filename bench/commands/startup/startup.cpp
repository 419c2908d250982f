#include "commands/startup/startup.hpp"

#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <system_error>

#include "base/format.hpp"
#include "base/grid.hpp"
#include "base/output_file.hpp"
#include "base/sizes.hpp"
#include "data/host_data.hpp"
#include "data/types.hpp"
#include "document/parts.hpp"
#include "measure/runner.hpp"

namespace bench {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

/// Drivers have caches of their own, which would make a cold start look warm.
constexpr std::array driver_caches{"CUDA_CACHE_PATH", "POCL_CACHE_DIR"};

double seconds_of(const std::function<void()>& work) {
  const auto start = Clock::now();
  work();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Opens the device with kernels kept in `cache`, and calls twice. The mismatch of the result.
std::optional<Mismatch> start(const StartResult& what, const HostData& data, const fs::path& cache,
                              Start& times) {
  bifold::DeviceOptions options;
  options.cache.directory = cache;
  const auto before = Clock::now();
  const bifold::Device device = bifold::open_device(what.device, options);
  times.open_s = std::chrono::duration<double>(Clock::now() - before).count();
  bifold::Queue queue(device);
  const bool scan = what.algorithm == bifold::Algorithm::scan;
  const std::uint64_t size = data.count();
  const std::uint64_t bytes = size * bifold::size_of(what.type);
  bifold::Buffer<std::uint8_t> input(device, bytes);
  bifold::Buffer<std::uint8_t> output(device, bytes);
  const auto elements = [&](bifold::Buffer<std::uint8_t>& buffer, std::uint64_t count) {
    bifold::ErasedView view = buffer.view();
    view.type = what.type;
    view.count = count;
    return view;
  };
  const bifold::ErasedView from = elements(input, size);
  const bifold::ErasedView to = elements(output, scan ? size : 1);
  queue.upload_bytes(from, data.input(), size);
  queue.finish();
  const bifold::Operator op = operator_on(what.type, bifold::plus);
  const auto call = [&] {
    if (scan) {
      bifold::scan(queue, bifold::ScanKind::inclusive, from, to, op);
    } else {
      bifold::reduce_into(queue, from, to, op, data.identity());
    }
    queue.finish();
  };
  times.first_s = seconds_of(call);
  times.second_s = seconds_of(call);
  times.kernels = device.cache_statistics();
  Verifier verifier;
  return scan ? verifier.check_scan(queue, to, data, bifold::ScanKind::inclusive)
              : verifier.check_reduce(queue, to, data, size);
}

void measure(StartResult& result, const HostData& data, const fs::path& cache) {
  try {
    for (Start* times : {&result.cold, &result.warm}) {
      if (const auto mismatch = start(result, data, cache, *times)) {
        result.outcome = Outcome::wrong;
        result.reason = describe(*mismatch);
        return;
      }
    }
    result.outcome = Outcome::timed;
  } catch (const bifold::Error& error) {
    const bool unable = error.category() == bifold::ErrorCategory::unsupported;
    result.outcome = unable ? Outcome::skipped : Outcome::failed;
    result.reason = one_line(error.what());
  }
}

std::string document_of(const Measurements& measurements, const std::vector<StartResult>& results,
                        std::uint64_t size) {
  Json json = json_header("startup", measurements.library_version);
  add_origin(json, measurements);
  json["unopened_devices"] = as_json(measurements.unopened);
  json["n"] = size;
  json["results"] = Json::array();
  for (const StartResult& result : results) json["results"].push_back(as_json(result));
  return dump(json);
}

void print(const std::vector<StartResult>& results, std::uint64_t size) {
  Grid grid;
  grid.columns = {{"device"},           {"algorithm"},        {"type"},
                  {"open, cold", true}, {"first call", true}, {"open, warm", true},
                  {"first call", true}, {"next call", true},  {""}};
  for (const StartResult& result : results) {
    std::vector<std::string> row{result.device, std::string(bifold::name_of(result.algorithm)),
                                 std::string(bifold::name_of(result.type))};
    if (result.outcome == Outcome::timed) {
      for (const double seconds : {result.cold.open_s, result.cold.first_s, result.warm.open_s,
                                   result.warm.first_s, result.warm.second_s}) {
        row.push_back(seconds_text(seconds));
      }
      row.emplace_back();
    } else {
      row.resize(8);
      row.push_back(formatted("{}: {}", name_of(result.outcome), result.reason));
    }
    grid.rows.push_back(std::move(row));
  }
  print_text("{}\n{}", as_text(grid, 0),
             wrapped(formatted("Cold: no kernel in any cache, the driver's included. Warm: those "
                               "of the cold start on disk, as for the next program. The calls "
                               "are of {} elements, with plus, and end when the result is there. "
                               "What a driver takes to start is not in them.",
                               count_text(size)),
                     0));
}

}  // namespace

StartupCaches::StartupCaches() {
  std::string pattern = (fs::temp_directory_path() / "bifold-startup-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) {
    throw std::runtime_error("no folder for empty caches could be made in " +
                             fs::temp_directory_path().string());
  }
  path_ = pattern;
  for (const char* variable : driver_caches) {
    // NOLINTNEXTLINE(concurrency-mt-unsafe): before any device is opened there is one thread.
    if (setenv(variable, folder(variable).c_str(), 1) != 0) {
      throw std::runtime_error("the environment cannot be changed");
    }
  }
}

StartupCaches::~StartupCaches() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

fs::path StartupCaches::folder(const std::string& name) const {
  fs::path path = path_ / name;
  fs::create_directories(path);
  // The kernel cache uses no folder that others can write to, as the umask may have it.
  fs::permissions(path, fs::perms::owner_all);
  return path;
}

std::vector<StartResult> measure_starts(const StartupCaches& caches,
                                        const std::vector<std::string>& selectors,
                                        const std::vector<bifold::Type>& types,
                                        std::uint64_t size) {
  std::vector<StartResult> results;
  for (const bifold::Type type : types) {
    const HostData data(type, bifold::plus, size);
    for (const std::string& selector : selectors) {
      for (const auto algorithm : {bifold::Algorithm::reduce, bifold::Algorithm::scan}) {
        StartResult& result = results.emplace_back();
        result.device = selector;
        result.algorithm = algorithm;
        result.type = type;
        measure(result, data, caches.folder(formatted("kernels-{}", results.size())));
      }
    }
  }
  return results;
}

int run_startup(const StartupArguments& arguments) {
  const auto types = understand_types(arguments.types, {"f32"});
  const std::uint64_t size =
      arguments.size.empty() ? startup_size : parse_size("--size", arguments.size);
  if (!arguments.json.empty()) check_writable("--json", arguments.json);
  const StartupCaches caches;
  Measurements measurements = begin_measurements();
  std::vector<std::string> selectors;
  for (const auto& device :
       open_devices(understand_devices(arguments.devices), measurements.unopened)) {
    selectors.push_back(device.info().selector);
  }
  const std::vector<StartResult> results = measure_starts(caches, selectors, types, size);
  print(results, size);
  if (!arguments.json.empty()) {
    write_whole("--json", arguments.json, document_of(measurements, results, size));
  }
  bool well = !results.empty() && measurements.unopened.empty();
  for (const StartResult& result : results) {
    well = well && (result.outcome == Outcome::timed || result.outcome == Outcome::skipped);
  }
  return well ? 0 : 1;
}

}  // namespace bench
