#include "comparison/comparison.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <set>
#include <tuple>
#include <utility>

#include "base/format.hpp"
#include "base/usage_error.hpp"
#include "comparison/backend_split.hpp"

namespace bench {
namespace {

auto key_of(const Configuration& what) {
  const Matrix matrix = what.matrix.value_or(Matrix{0, 0, 0});
  const bool scan = what.algorithm == bifold::Algorithm::scan;
  return std::tuple(what.algorithm, scan ? what.kind : bifold::ScanKind::inclusive, what.variant,
                    what.order, bifold::name_of(what.type), what.op.name(), what.together, what.n,
                    matrix.rows, matrix.axis);
}

std::string letter_of(std::size_t index) {
  constexpr std::size_t letters = 26;
  const std::string last(1, static_cast<char>('A' + index % letters));
  return index < letters ? last : letter_of(index / letters - 1) + last;
}

/// Whether both are of one input.
bool same_input(const Comparison& comparison, std::size_t a, std::size_t b, const Result& of_a,
                const Result& of_b) {
  return of_a.what.data == of_b.what.data &&
         comparison.files[comparison.sides[a].file].data_seed ==
             comparison.files[comparison.sides[b].file].data_seed;
}

BitsAgreement bits_of(const Comparison& comparison, const ComparedRow& row) {
  BitsAgreement bits = BitsAgreement::unknown;
  for (std::size_t a = 0; a < row.results.size(); ++a) {
    for (std::size_t b = a + 1; b < row.results.size(); ++b) {
      const Result* const first = row.results[a];
      const Result* const second = row.results[b];
      if (first == nullptr || second == nullptr || !first->digest || !second->digest ||
          !same_input(comparison, a, b, *first, *second)) {
        continue;
      }
      if (*first->digest != *second->digest) return BitsAgreement::differ;
      bits = BitsAgreement::agree;
    }
  }
  return bits;
}

void find_sides(Comparison& comparison, std::size_t least) {
  for (std::size_t file = 0; file < comparison.files.size(); ++file) {
    const RunFile& run = comparison.files[file];
    if (run.command != "run") continue;
    for (std::size_t device = 0; device < run.devices.size(); ++device) {
      comparison.sides.push_back({letter_of(comparison.sides.size()), file, device});
    }
  }
  if (comparison.sides.size() < least) {
    throw UsageError(
        "compare: two devices at least are needed, in one file of `run` or in several");
  }
}

void find_rows(Comparison& comparison, std::ptrdiff_t least) {
  for (std::size_t side = 0; side < comparison.sides.size(); ++side) {
    const Side& here = comparison.sides[side];
    for (const Result& result : comparison.files[here.file].results) {
      if (result.what.device != here.device) continue;
      auto row = std::find_if(
          comparison.rows.begin(), comparison.rows.end(),
          [&](const ComparedRow& known) { return key_of(known.what) == key_of(result.what); });
      if (row == comparison.rows.end()) {
        comparison.rows.emplace_back();
        row = std::prev(comparison.rows.end());
        row->what = result.what;
        row->results.resize(comparison.sides.size());
      }
      row->results[side] = &result;
    }
  }
  std::size_t alone = std::erase_if(comparison.rows, [least](const ComparedRow& row) {
    return std::count(row.results.begin(), row.results.end(), nullptr) + least >
           static_cast<std::ptrdiff_t>(row.results.size());
  });
  if (comparison.rows.empty() && least > 1) {
    throw UsageError("compare: no configuration was measured on two devices");
  }
  for (const ComparedRow& row : comparison.rows) {
    if (std::count(row.results.begin(), row.results.end(), nullptr) != 0) ++alone;
  }
  if (alone > 0) {
    comparison.warnings.push_back(
        formatted("{} configurations were not measured on all of the devices", alone));
  }
  for (ComparedRow& row : comparison.rows) row.bits = bits_of(comparison, row);
}

/// A warning when a property of the runs is not the same everywhere.
void warn_of_difference(Comparison& comparison, std::string_view what,
                        const std::function<std::string(const RunFile&, const DeviceReport&)>& of) {
  std::vector<std::string> values;
  std::set<std::string> distinct;
  for (const Side& side : comparison.sides) {
    const std::string value = of(comparison.files[side.file], comparison.device(side));
    distinct.insert(value);
    values.push_back(side.letter + " " + value);
  }
  if (distinct.size() < 2) return;
  comparison.warnings.push_back(formatted("{}: {}", what, joined(values, ", ")));
}

void warn_of_runs(Comparison& comparison) {
  warn_of_difference(comparison, "the library's versions differ",
                     [](const RunFile& run, const DeviceReport&) { return run.library_version; });
  warn_of_difference(comparison, "the runs differ in what they measure",
                     [](const RunFile& run, const DeviceReport&) {
                       return run.suite.empty() ? std::string("no suite")
                              : run.whole_suite ? run.suite
                                                : run.suite + " in part";
                     });
  warn_of_difference(comparison, "the runs differ in time and samples for a configuration",
                     [](const RunFile& run, const DeviceReport&) {
                       return formatted("{} s, {} samples", run.seconds, run.samples);
                     });
  warn_of_difference(
      comparison, "the data differ, so that bits cannot be compared",
      [](const RunFile& run, const DeviceReport&) { return formatted("seed {}", run.data_seed); });
  warn_of_difference(comparison, "not all run with built-in tuning values",
                     [](const RunFile&, const DeviceReport& device) {
                       return device.facts.tuned_rows == 0
                                  ? std::string("built-in")
                                  : formatted("{} tuned variants", device.facts.tuned_rows);
                     });
  for (const Side& side : comparison.sides) {
    if (!comparison.files[side.file].complete) {
      comparison.warnings.push_back(side.letter + ": the run was interrupted");
    }
    for (const std::string& problem : comparison.device(side).facts.problems) {
      comparison.warnings.push_back(
          formatted("{}: bifold-bench check found wrong: {}", side.letter, problem));
    }
  }
}

void warn_of_rows(Comparison& comparison) {
  std::size_t noisy = 0;
  std::size_t compared = 0;
  std::size_t caches = 0;
  std::size_t wrong = 0;
  for (const ComparedRow& row : comparison.rows) {
    const Result* base = nullptr;
    for (const Result* result : row.results) {
      if (result == nullptr) continue;
      if (result->outcome == Outcome::wrong || result->outcome == Outcome::failed) ++wrong;
      if (result->outcome != Outcome::timed) continue;
      if (base == nullptr) {
        base = result;
        continue;
      }
      ++compared;
      if (within_noise(*base, *result)) ++noisy;
      if (base->in_cache != result->in_cache) ++caches;
    }
  }
  if (noisy > 0) {
    comparison.warnings.push_back(
        formatted("{} of {} differences in speed are no more than the noise of the samples (~)",
                  noisy, compared));
  }
  if (caches > 0) {
    comparison.warnings.push_back(formatted(
        "{} of {} pairs compare the rate of a cache with one of memory", caches, compared));
  }
  if (wrong > 0) {
    comparison.warnings.push_back(formatted("{} results were wrong or failed", wrong));
  }
  const std::size_t unknown = comparison.count(BitsAgreement::unknown);
  if (unknown > 0 && comparison.sides.size() > 1) {
    comparison.warnings.push_back(
        formatted("the bits of {} of {} configurations cannot be compared: no digests of the "
                  "same data",
                  unknown, comparison.rows.size()));
  }
}

/// Of `least` devices at least.
Comparison compared(std::vector<RunFile> files, unsigned least) {
  Comparison comparison;
  comparison.files = std::move(files);
  // Calls over groups are compared with one device's in the same run.
  const auto groups = [](const RunFile& run) { return !run.groups.empty(); };
  if (std::ranges::all_of(comparison.files, groups)) least = 1;
  find_sides(comparison, least);
  find_rows(comparison, least);
  warn_of_runs(comparison);
  warn_of_rows(comparison);
  comparison.splits = splits_of(comparison);
  return comparison;
}

}  // namespace

std::string Comparison::name(const Side& side) const {
  const bifold::DeviceInfo& info = device(side).info;
  const auto& all = files[side.file].devices;
  const auto alike = std::count_if(all.begin(), all.end(), [&](const DeviceReport& other) {
    return other.info.name == info.name && other.info.backend == info.backend;
  });
  return info.name + ", " + (alike > 1 ? info.selector : info.backend);
}

std::size_t Comparison::count(BitsAgreement bits) const {
  return static_cast<std::size_t>(std::count_if(
      rows.begin(), rows.end(), [bits](const ComparedRow& row) { return row.bits == bits; }));
}

Comparison compare(std::vector<RunFile> files) { return compared(std::move(files), 2); }

Comparison drawn_alone(RunFile run) {
  std::vector<RunFile> files;
  files.push_back(std::move(run));
  return compared(std::move(files), 1);
}

double limit_of_call(const Result& result) {
  return result.what.only_reads() ? result.limits.read : result.limits.copy();
}

double speed_over(const Result& result, const Result& base) {
  return base.timing.median_s / result.timing.median_s;
}

bool within_noise(const Result& a, const Result& b) {
  const auto holds = [](const Timing& samples, double median) {
    return samples.p10_s <= median && median <= samples.p90_s;
  };
  return holds(a.timing, b.timing.median_s) && holds(b.timing, a.timing.median_s);
}

std::string algorithm_text(const Configuration& what) {
  if (what.algorithm == bifold::Algorithm::reduce) return "reduce";
  return formatted("{} scan", bifold::name_of(what.kind));
}

}  // namespace bench
