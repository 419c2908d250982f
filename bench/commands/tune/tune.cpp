#include "commands/tune/tune.hpp"

#include <algorithm>
#include <limits>
#include <map>

#include "base/format.hpp"
#include "base/grid.hpp"
#include "base/interrupt.hpp"
#include "base/live_table.hpp"
#include "base/output_file.hpp"
#include "base/progress.hpp"
#include "base/sizes.hpp"
#include "base/unknown_name.hpp"
#include "base/usage_error.hpp"
#include "commands/tune/search.hpp"
#include "core/device/state.hpp"
#include "core/gallery/self_check.hpp"
#include "core/gallery/tuning_file.hpp"
#include "core/kernel/cache_files.hpp"
#include "data/types.hpp"
#include "measure/options.hpp"
#include "measure/runner.hpp"

namespace bench {
namespace {

namespace core = bifold::core;
using Clock = TuneBench::Clock;

struct TunedDevice {
  bifold::Device device;
  std::vector<TuneLine> lines;
  std::string problem;  ///< Why it was given up; empty: it was not.
};

double seconds_between(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

std::string percent_text(double fraction) { return formatted("{:+.1f} %", 100 * fraction); }

/// The values of `built_in` that `changed` has others of.
core::Tuning before(const core::Tuning& changed, const core::Tuning& built_in) {
  core::Tuning values;
  for (const core::Parameter& parameter : core::parameters()) {
    if (changed.*parameter.member) values.*parameter.member = built_in.*parameter.member;
  }
  return values;
}

std::string outcome_of(const TuneLine& line) {
  if (!line.problem.empty()) return line.problem;
  if (line.tried == 0) return "no time left";
  if (core::is_empty(line.best)) return "";
  if (!core::is_empty(line.chosen)) return "kept";
  if (line.compared.spread > most_spread) return "not kept: the device is too busy to tell";
  return line.compared.worst <= -most_lost
             ? formatted("not kept: {} at a size", percent_text(line.compared.worst))
             : "not kept: chance";
}

LiveTable table_of_lines() {
  return LiveTable({{{"call"}, 6},
                    {{"variant"}, 30},
                    {{"elements"}, 12},
                    {{"tried", true}},
                    {{"gain", true}, 7},
                    {{"spread", true}}});
}

std::string row_of(const TuneLine& line) {
  const bool found = !core::is_empty(line.best);
  std::string remark = outcome_of(line);
  if (found) {
    remark += formatted("{}{} -> {}", remark.empty() ? "" : "; ",
                        core::text_of(before(line.best, line.built_in)), core::text_of(line.best));
  } else if (line.tried > 0) {
    remark += formatted("{}the built-in values are best", remark.empty() ? "" : "; ");
  }
  return table_of_lines().row(
      {std::string(bifold::name_of(line.unit.row->algorithm)), std::string(line.unit.row->name),
       core::name_of(line.unit.elements), std::to_string(line.tried),
       found ? percent_text(line.compared.gain) : "",
       found ? percent_text(line.compared.spread).substr(1) : ""},
      remark);
}

/// Tunes one device within its time.
class Tuner {
 public:
  Tuner(TunedDevice& tuned, const TuneOptions& options, Progress& progress)
      : tuned_(tuned), options_(options), progress_(progress) {}

  void run() {
    std::vector<std::pair<bifold::Type, std::vector<TuneUnit>>> work;
    for (const bifold::Type type : options_.types) {
      work.emplace_back(type, tune_units(tuned_.device, type));
      left_ += work.back().second.size();
    }
    try {
      for (const auto& [type, units] : work) {
        if (!units.empty() && !interrupted()) run(type, units);
      }
    } catch (const bifold::Error& error) {
      tuned_.problem = one_line(error.what());
    }
    progress_.advance(std::max(0.0, options_.seconds - accounted_));
  }

 private:
  void run(bifold::Type type, const std::vector<TuneUnit>& units) {
    const auto& capabilities = tuned_.device.capabilities();
    const std::uint64_t most =
        std::min(capabilities.max_allocation_bytes, capabilities.global_bytes / 8);
    std::uint64_t largest = 0;
    std::vector<std::vector<std::uint64_t>> sizes;
    for (const TuneUnit& unit : units) {
      sizes.push_back(options_.sizes.empty() ? tune_sizes(unit, tuned_.device.info().kind, most)
                                             : options_.sizes);
      largest = std::max(largest, sizes.back().back() * bifold::size_of(type));
    }
    TuneBench bench(tuned_.device, type, largest);
    const TuneLine* larger = nullptr;
    std::vector<TuneLine> lines;
    lines.reserve(2 * units.size());
    for (std::size_t i = 0; i < units.size() && !interrupted(); ++i) {
      const auto now = Clock::now();
      const double share =
          (options_.seconds - seconds_between(start_, now)) / static_cast<double>(left_--);
      const auto until =
          now + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(share));
      if (share <= 0) {
        lines.push_back({units[i], {}, {}});
        show(lines.back());
        continue;
      }
      lines.push_back(bench.tune(units[i], sizes[i], until, [&] {
        account(units[i].name());
        return interrupted();
      }));
      account(units[i].name());
      const TuneLine& line = lines.back();
      show(line);
      if (!line.problem.empty()) continue;
      if (line.unit.from_bytes > 0) larger = &line;
      if (larger != nullptr && line.unit.below_bytes == larger->unit.from_bytes && !interrupted()) {
        lines.push_back(bench.switch_point(line, *larger));
        show(lines.back());
        larger = nullptr;
      }
    }
    tuned_.lines.insert(tuned_.lines.end(), lines.begin(), lines.end());
  }

  void show(const TuneLine& line) {
    progress_.hide();
    print_now(row_of(line));
  }

  void account(const std::string& what) {
    const double spent = std::min(seconds_between(start_, Clock::now()), options_.seconds);
    progress_.advance(spent - accounted_);
    accounted_ = spent;
    progress_.show(formatted("{}, device {}", what, tuned_.device.info().selector));
  }

  TunedDevice& tuned_;
  const TuneOptions& options_;
  Progress& progress_;
  Clock::time_point start_ = Clock::now();
  double accounted_ = 0;
  std::size_t left_ = 0;  ///< Units.
};

/// What was known of the device, with what has now been measured.
core::Tunings tunings_of(const TunedDevice& tuned, core::Tunings known) {
  std::map<std::pair<const bifold::gallery::Variant*, std::string>, core::TunedRow> found;
  for (const TuneLine& line : tuned.lines) {
    if (!line.problem.empty() || line.tried == 0) continue;
    auto& row = found[{line.unit.row, core::name_of(line.unit.elements)}];
    row.row = line.unit.row;
    row.elements = line.unit.elements;
    row.values = core::changed(row.values, line.chosen);
  }
  for (const auto& [key, row] : found) known.set(row);
  return known;
}

std::string file_text(const TunedDevice& tuned, core::Tunings known) {
  const bifold::Device& device = tuned.device;
  return core::tuning_text(device.info(), device.capabilities().architecture,
                           tunings_of(tuned, std::move(known)));
}

/// What was said of the file beside the kernel cache, or went wrong.
std::string install(const TunedDevice& tuned, bool& well) {
  const std::filesystem::path file = core::tuning_file({}, tuned.device.info());
  if (file.empty()) {
    well = false;
    return "The tuning file is not installed: there is no directory for it.";
  }
  const core::Tunings known =
      core::load_tunings({}, tuned.device.info(), tuned.device.capabilities().architecture);
  const std::string problem = core::write_atomically(file, {file_text(tuned, known)});
  well = well && problem.empty();
  return problem.empty()
             ? formatted("The tuning file is {}; delete it to forget it.", file.string())
             : formatted("The tuning file is not installed: {}.", problem);
}

/// Devices of one name share a file: the first of them is tuned.
std::vector<TunedDevice> devices_to_tune(const TuneOptions& options,
                                         std::vector<UnopenedDevice>& unopened) {
  std::vector<TunedDevice> all;
  // Hundreds of candidates are not worth a place in the kernel cache.
  bifold::DeviceOptions without_disk;
  without_disk.cache.disk = false;
  for (const bifold::Device& device : open_devices(options.devices, unopened, without_disk)) {
    // What `check` found still decides which rows there are to tune.
    const auto& state = device.state();
    *state->self_check = core::load_self_check({}, state->info, state->backend->binary_key());
    const auto file = core::tuning_file({}, device.info());
    const bool known = std::any_of(all.begin(), all.end(), [&](const TunedDevice& other) {
      return core::tuning_file({}, other.device.info()) == file;
    });
    if (!known || file.empty()) all.push_back({device, {}, {}});
  }
  return all;
}

}  // namespace

TuneOptions understand(const TuneArguments& arguments) {
  TuneOptions options;
  options.devices = understand_devices(arguments.devices);
  const std::vector<bifold::Type> known = known_types();
  for (const std::string& name : arguments.types) {
    const auto found = std::find_if(known.begin(), known.end(), [&](bifold::Type type) {
      return bifold::name_of(type) == name;
    });
    if (found != known.end()) {
      options.types.push_back(*found);
    } else if (name == "all") {
      options.types = default_tune_types();
    } else {
      std::vector<std::string_view> names;
      names.reserve(known.size());
      for (const bifold::Type type : known) names.push_back(bifold::name_of(type));
      throw unknown_name("--type", name, names);
    }
  }
  if (options.types.empty()) options.types = default_tune_types();
  for (const std::string& text : arguments.sizes) {
    for (const std::uint64_t size : parse_sizes(text)) options.sizes.push_back(size);
  }
  std::sort(options.sizes.begin(), options.sizes.end());
  options.sizes.erase(std::unique(options.sizes.begin(), options.sizes.end()), options.sizes.end());
  if (!options.sizes.empty() && options.sizes.size() < 3) {
    throw UsageError("--size: three sizes at least, as nothing is tuned to one");
  }
  options.seconds = understand_budget({options.seconds}, arguments.seconds, {}).seconds;
  options.output = arguments.output;
  options.install = arguments.install;
  options.progress = !arguments.no_progress;
  return options;
}

int run_tune(const TuneOptions& options) {
  if (!options.output.empty()) check_writable("--output", options.output);
  std::vector<UnopenedDevice> unopened;
  std::vector<TunedDevice> devices = devices_to_tune(options, unopened);
  if (!options.output.empty() && devices.size() > 1) {
    throw UsageError("--output: one file is for one device; choose it with --device");
  }
  bool well = !devices.empty() && unopened.empty();
  {
    const Interrupts interrupts;
    Progress progress(options.progress ? ProgressMode::automatic : ProgressMode::off,
                      options.seconds * static_cast<double>(devices.size()));
    for (TunedDevice& tuned : devices) {
      if (interrupted()) break;
      const bifold::DeviceInfo& info = tuned.device.info();
      progress.hide();
      print_now(formatted("{}: {}\n\n{}", info.selector, info.name,
                          table_of_lines().heading("outcome; built-in -> best values")));
      Tuner(tuned, options, progress).run();
    }
  }
  for (const UnopenedDevice& device : unopened) {
    print_text("{}", wrapped(formatted("{} ({}) could not be opened: {}", device.info.selector,
                                       device.info.name, device.reason),
                             0));
  }
  for (const TunedDevice& tuned : devices) {
    const bifold::DeviceInfo& info = tuned.device.info();
    print_text("\n{}: {} of {} lines kept\n", info.selector,
               std::count_if(tuned.lines.begin(), tuned.lines.end(),
                             [](const TuneLine& line) { return !core::is_empty(line.chosen); }),
               tuned.lines.size());
    if (!tuned.problem.empty()) print_text("{}", wrapped("given up: " + tuned.problem, 2));
    if (interrupted()) print_text("  interrupted: what was measured before counts\n");
    well = well && tuned.problem.empty() &&
           std::all_of(tuned.lines.begin(), tuned.lines.end(),
                       [](const TuneLine& line) { return line.problem.empty(); });
    if (options.install) print_text("\n{}\n", install(tuned, well));
    if (!options.output.empty()) {
      write_whole("--output", options.output, file_text(tuned, {}));
      if (options.output != "-") print_text("\nThe tuning file is {}.\n", options.output.string());
    }
    print_text("\n");
  }
  if (interrupted()) return exit_interrupted;
  return well ? 0 : 1;
}

}  // namespace bench
