#include "comparison/tables.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "base/format.hpp"
#include "base/grid.hpp"
#include "comparison/backend_split.hpp"
#include "comparison/scaling.hpp"
#include "document/parts.hpp"

namespace bench {
namespace {

const Result* first_timed(const ComparedRow& row) {
  for (const Result* result : row.results) {
    if (result != nullptr && result->outcome == Outcome::timed) return result;
  }
  return nullptr;
}

std::string variant_text(const Configuration& what) {
  if (what.variant != "production") return what.variant;
  return what.order == bifold::Order::any ? "production, any order" : "production";
}

std::string ratio_text(const Result& result, const Result& base) {
  return formatted("{:.2f}x{}", speed_over(result, base), within_noise(result, base) ? "~" : "");
}

Grid sides_grid(const Comparison& comparison) {
  Grid grid{{{""},
             {"device"},
             {"backend"},
             {"driver"},
             {"clocks"},
             {"copy", true},
             {"read", true},
             {"tuning"},
             {"self-check"},
             {"bifold"},
             {"time"},
             {"file"}},
            {}};
  for (const Side& side : comparison.sides) {
    const DeviceReport& device = comparison.device(side);
    const RunFile& run = comparison.files[side.file];
    const DeviceFacts& facts = device.facts;
    const Limits limits = device.limits.empty() ? Limits{} : device.limits.back();
    const auto rate = [](double value) { return value > 0 ? rate_text(value) : std::string("-"); };
    grid.rows.push_back(
        {side.letter, device.info.name, device.info.backend, device.info.driver,
         facts.clocks.core > 0 ? formatted("{:.0f} MHz", facts.clocks.core) : "-",
         rate(limits.copy()), rate(limits.read),
         facts.tuned_rows == 0 ? "built-in" : formatted("{} variants", facts.tuned_rows),
         facts.rows_checked == 0  ? "none"
         : facts.problems.empty() ? "passed"
                                  : "FAILED",
         run.library_version, run.time, run.path.filename().string()});
  }
  return grid;
}

/// Whether the row is the largest of those that differ from it in n alone.
bool is_largest(const Comparison& comparison, const ComparedRow& row) {
  return std::none_of(
      comparison.rows.begin(), comparison.rows.end(), [&](const ComparedRow& other) {
        const Configuration& a = row.what;
        const Configuration& b = other.what;
        return b.n > a.n && a.algorithm == b.algorithm && a.kind == b.kind &&
               a.variant == b.variant && a.order == b.order && a.type == b.type && a.op == b.op &&
               a.together == b.together && a.matrix.has_value() == b.matrix.has_value();
      });
}

Grid rows_grid(const Comparison& comparison, bool largest_only) {
  Grid grid{{{"algorithm"}, {"variant"}, {"type"}, {"operator"}, {"n", true}}, {}};
  for (std::size_t side = 0; side < comparison.sides.size(); ++side) {
    const std::string& letter = comparison.sides[side].letter;
    grid.columns.push_back({letter + " time", true});
    grid.columns.push_back({letter + " GB/s", true});
    grid.columns.push_back({letter + " share", true});
    if (side != 0) grid.columns.push_back({letter + " speed", true});
  }
  grid.columns.push_back({"bits"});
  for (const ComparedRow& row : comparison.rows) {
    if (largest_only && !is_largest(comparison, row)) continue;
    const Result* const base = first_timed(row);
    std::vector<std::string> cells{algorithm_text(row.what), variant_text(row.what),
                                   std::string(bifold::name_of(row.what.type)),
                                   std::string(row.what.op.name()), size_text(row.what)};
    for (std::size_t side = 0; side < row.results.size(); ++side) {
      const Result* const result = row.results[side];
      const bool timed = result != nullptr && result->outcome == Outcome::timed;
      if (timed) {
        const double rate = result->gb_per_s();
        cells.push_back(seconds_text(result->timing.median_s));
        cells.push_back(rate_text(rate));
        cells.push_back(share_text(rate, limit_of_call(*result)));
      } else {
        cells.push_back(result == nullptr ? "-" : std::string(name_of(result->outcome)));
        cells.emplace_back();
        cells.emplace_back();
      }
      if (side != 0) cells.push_back(timed ? ratio_text(*result, *base) : "");
    }
    cells.push_back(bits_text(row.bits));
    grid.rows.push_back(std::move(cells));
  }
  return grid;
}

Grid splits_grid(const Comparison& comparison) {
  Grid grid{{{""},
             {"algorithm"},
             {"type"},
             {"n", true},
             {"per call", true},
             {"launch", true},
             {"kernels", true},
             {"until the result", true},
             {"what makes the difference"}},
            {}};
  for (const BackendSplit& split : comparison.splits) {
    const auto add = [&](std::size_t side, const Result& result, const std::string& answer) {
      grid.rows.push_back({comparison.sides[side].letter, algorithm_text(result.what),
                           std::string(bifold::name_of(result.what.type)), size_text(result.what),
                           seconds_text(result.timing.median_s), seconds_text(result.enqueue_s),
                           seconds_text(result.isolated.median_s),
                           seconds_text(result.blocking.median_s), answer});
    };
    add(split.first, *split.a, "");
    add(split.second, *split.b, split.answer);
  }
  return grid;
}

Grid starts_grid(const Comparison& comparison) {
  Grid grid{{{""},
             {"algorithm"},
             {"first call ever", true},
             {"of it compiling", true},
             {"first call, kernels on disk", true},
             {"upload GB/s", true},
             {"download GB/s", true}},
            {}};
  for (const Side& side : comparison.sides) {
    const DeviceReport& device = comparison.device(side);
    for (const StartResult& start : comparison.files[side.file].starts) {
      if (start.device != device.info.selector || start.outcome != Outcome::timed) continue;
      const auto rate = [](double value) { return value > 0 ? rate_text(value) : "-"; };
      grid.rows.push_back({side.letter, std::string(bifold::name_of(start.algorithm)),
                           seconds_text(start.cold.first_s),
                           seconds_text(start.cold.kernels.compile_seconds),
                           seconds_text(start.warm.first_s), rate(device.transfers.upload),
                           rate(device.transfers.download)});
    }
  }
  return grid;
}

constexpr std::string_view legend =
    "time: median of a call among calls enqueued back to back. share: of what reading (for a "
    "reduce) or copying (for a scan, and for lines) as many bytes reaches on the same device in "
    "the same run. "
    "speed: as a multiple of the first device's; ~ where each median lies among the samples of the "
    "other. bits: "
    "whether the results of all devices have the same bits.";
constexpr std::string_view device_legend =
    "copy and read: GB/s with the largest buffers of the run. tuning: built-in values, or variants "
    "of "
    "a "
    "tuning file. self-check: what `bifold-bench check` stored.";
constexpr std::string_view start_legend =
    "first call: of 2^20 f32 elements, until the result is there, in a process that has compiled "
    "nothing, and in one that finds the kernels on disk. upload and download: between memory of "
    "the program and the device.";
constexpr std::string_view split_legend =
    "launch: the host's part of a call. kernels: the device's time for one call, caches cold. "
    "until the result: one call, until the host can go on, which for a reduce includes the "
    "transfer of its result.";

constexpr std::size_t most_warnings = 8;
constexpr std::size_t most_lines = 60;  ///< Of a summary.

std::size_t lines_in(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

/// A warning in full, on as many lines as it takes.
std::string hanging(const std::string& text) {
  std::string lines = wrapped(text, 2);
  return lines.erase(0, 2);
}

Grid short_sides(const Comparison& comparison) {
  Grid grid{{{""},
             {"device"},
             {"backend"},
             {"driver"},
             {"copy", true},
             {"read", true},
             {"bifold"},
             {"date"}},
            {}};
  const auto rate = [](double value) { return value > 0 ? rate_text(value) : std::string("-"); };
  for (const Side& side : comparison.sides) {
    const DeviceReport& device = comparison.device(side);
    const RunFile& run = comparison.files[side.file];
    const Limits limits = device.limits.empty() ? Limits{} : device.limits.back();
    grid.rows.push_back({side.letter, device.info.name, device.info.backend, device.info.driver,
                         rate(limits.copy()), rate(limits.read), run.library_version,
                         run.time.substr(0, 10)});
  }
  return grid;
}

/// At the largest size, a line for each kind of call. Of many devices the rates give way.
Grid short_rows(const Comparison& comparison) {
  const bool rates = comparison.sides.size() <= 3;
  Grid grid{{{"call"}, {"n", true}}, {}};
  for (std::size_t side = 0; side < comparison.sides.size(); ++side) {
    const std::string& letter = comparison.sides[side].letter;
    if (rates || side == 0) grid.columns.push_back({letter + " GB/s", true});
    if (rates || side == 0) grid.columns.push_back({letter + " share", true});
    if (side != 0) grid.columns.push_back({letter + " speed", true});
  }
  grid.columns.push_back({"bits"});
  for (const ComparedRow& row : comparison.rows) {
    if (!is_largest(comparison, row)) continue;
    const Configuration& what = row.what;
    const Result* const base = first_timed(row);
    std::string call = formatted("{} {}", algorithm_text(what), bifold::name_of(what.type));
    if (what.op != bifold::plus) call += formatted(" {}", what.op.name());
    if (variant_text(what) != "production") call += ", " + variant_text(what);
    std::vector<std::string> cells{std::move(call), size_text(what)};
    for (std::size_t side = 0; side < row.results.size(); ++side) {
      const Result* const result = row.results[side];
      const bool timed = result != nullptr && result->outcome == Outcome::timed;
      const std::string why = result == nullptr ? "-" : std::string(name_of(result->outcome));
      const double rate = timed ? result->gb_per_s() : 0;
      if (rates || side == 0) {
        cells.push_back(timed ? rate_text(rate) : why);
        cells.push_back(timed ? share_text(rate, limit_of_call(*result)) : "");
      }
      if (side != 0) cells.push_back(timed ? ratio_text(*result, *base) : rates ? "" : why);
    }
    cells.push_back(bits_text(row.bits));
    grid.rows.push_back(std::move(cells));
  }
  return grid;
}

/// `head`, then what a reader looks for first, in most_lines together.
std::string summarized(const Comparison& comparison, const std::string& head) {
  const std::string split =
      comparison.splits.empty() ? std::string() : '\n' + wrapped(split_summary(comparison), 0);
  const std::string sides = "Devices\n" + as_text(short_sides(comparison), 2) + '\n';
  const std::string tail =
      split + '\n' +
      wrapped(
          "share: of what reading (for a reduce) or copying (for a scan, and for lines) as many "
          "bytes reaches on the device. speed: as a multiple of the first device's; ~ within "
          "noise. --full "
          "shows every size, --html draws them.",
          0);
  if (comparison.rows.empty()) {
    return head + sides + "Over several devices, at the largest size\n" +
           as_text(scaling_grid(comparison, true), 2) + '\n' +
           wrapped(std::string(scaling_legend), 0);
  }
  Grid grid = short_rows(comparison);
  const std::size_t all = grid.rows.size();
  std::string rows = as_text(grid, 2);
  std::string omitted;
  while (grid.rows.size() > 1 &&
         lines_in(head) + lines_in(sides) + 1 + lines_in(rows) + lines_in(tail) + 1 > most_lines) {
    grid.rows.pop_back();
    rows = as_text(grid, 2);
    omitted = formatted("  {} more: --full\n", all - grid.rows.size());
  }
  return head + sides + "At the largest size\n" + rows + omitted + tail;
}

std::string csv_cell(std::string_view text) {
  if (text.find_first_of(",\"\n") == std::string_view::npos) return std::string(text);
  std::string cell = "\"";
  for (const char c : text) {
    if (c == '"') cell += '"';
    cell += c;
  }
  return cell + '"';
}

}  // namespace

std::string bits_text(BitsAgreement bits) {
  switch (bits) {
    case BitsAgreement::agree: return "agree";
    case BitsAgreement::differ: return "DIFFER";
    case BitsAgreement::unknown: break;
  }
  return "-";
}

std::vector<CompareSection> sections_of(const Comparison& comparison) {
  std::vector<CompareSection> sections{
      {"devices", "Devices", sides_grid(comparison), std::string(device_legend)},
      {"largest", "At the largest size", rows_grid(comparison, true), ""},
      {"every", "At every size", rows_grid(comparison, false), std::string(legend)},
      {"starts", "Starts and transfers", starts_grid(comparison), std::string(start_legend)},
      {"split", "The same device by two backends", splits_grid(comparison),
       split_summary(comparison) + std::string(split_legend)},
      {"scaling", "Over several devices", scaling_grid(comparison, false),
       std::string(scaling_legend)}};
  std::erase_if(sections, [](const CompareSection& section) { return section.grid.rows.empty(); });
  return sections;
}

std::string bits_summary(const Comparison& comparison) {
  if (comparison.rows.empty()) return scaling_summary(comparison);
  if (comparison.sides.size() == 1) {
    return formatted("{}: {} configurations.", comparison.name(comparison.sides.front()),
                     comparison.rows.size());
  }
  return formatted("Bits: {} of {} configurations agree, {} differ, {} cannot be compared.",
                   comparison.count(BitsAgreement::agree), comparison.rows.size(),
                   comparison.count(BitsAgreement::differ),
                   comparison.count(BitsAgreement::unknown));
}

std::string comparison_as_text(const Comparison& comparison, bool full) {
  std::string text = bits_summary(comparison) + '\n';
  std::size_t shown = 0;
  for (const std::string& warning : comparison.warnings) {
    if (!full && shown == most_warnings) {
      text += formatted("{} more warnings: --full\n", comparison.warnings.size() - shown);
      break;
    }
    text += hanging("Warning: " + warning + ".");
    ++shown;
  }
  if (!full) return summarized(comparison, text + '\n');
  for (const CompareSection& section : sections_of(comparison)) {
    text += '\n' + section.heading + '\n' + as_text(section.grid, 2);
    if (!section.note.empty()) text += wrapped(section.note, 2);
  }
  return text;
}

std::string comparison_as_markdown(const Comparison& comparison) {
  std::string text = "# Comparison of runs of bifold-bench\n\n" + bits_summary(comparison) + "\n\n";
  for (const std::string& warning : comparison.warnings) text += "- Warning: " + warning + ".\n";
  for (const CompareSection& section : sections_of(comparison)) {
    text += "\n## " + section.heading + "\n\n" + as_markdown(section.grid);
    if (!section.note.empty()) text += '\n' + section.note + '\n';
  }
  return text;
}

std::string comparison_as_csv(const Comparison& comparison) {
  std::string text =
      "side,file,device,backend,algorithm,variant,type,operator,n,rows,columns,axis,outcome,median_"
      "s,p10_s,p90_s,"
      "gb_per_s,limit_gb_per_s,speed,within_noise,data,digest,bits\n";
  for (const ComparedRow& row : comparison.rows) {
    const Result* const base = first_timed(row);
    for (std::size_t i = 0; i < row.results.size(); ++i) {
      const Result* const result = row.results[i];
      if (result == nullptr) continue;
      const Side& side = comparison.sides[i];
      const bifold::DeviceInfo& info = comparison.device(side).info;
      const std::optional<Matrix>& matrix = result->what.matrix;
      text += formatted(
          "{},{},{},{},{},{},{},{},{},{},{},", side.letter,
          csv_cell(comparison.files[side.file].path.filename().string()), csv_cell(info.name),
          info.backend, algorithm_text(result->what), csv_cell(variant_text(result->what)),
          bifold::name_of(result->what.type), result->what.op.name(), result->what.n,
          matrix ? formatted("{},{},{}", matrix->rows, matrix->columns, matrix->axis) : ",,",
          name_of(result->outcome));
      if (result->outcome == Outcome::timed) {
        const double limit = limit_of_call(*result);
        text += formatted("{},{},{},{},{},{},{},", result->timing.median_s, result->timing.p10_s,
                          result->timing.p90_s, result->gb_per_s(),
                          limit > 0 ? formatted("{}", limit) : "", speed_over(*result, *base),
                          result != base && within_noise(*result, *base) ? "yes" : "no");
      } else {
        text += ",,,,,,,";
      }
      text += formatted("{},{},{}\n", name_of(result->what.data),
                        result->digest ? digest_text(*result->digest) : "", bits_text(row.bits));
    }
  }
  return text;
}

}  // namespace bench
