#include "commands/gallery/tables.hpp"

#include <algorithm>
#include <stdexcept>

#include "base/format.hpp"

namespace bench {
namespace {

constexpr PaperRow production{"production"};

bifold::Type type_named(std::string_view name) {
  for (const auto& type : bifold::all_types) {
    if (bifold::name_of(type) == name) return type;
  }
  throw std::logic_error(formatted("a paper names the type '{}'", name));
}

std::vector<PaperRow> rows_of(const PaperTable& table) {
  std::vector<PaperRow> rows(table.rows.begin(), table.rows.end());
  rows.push_back(production);
  return rows;
}

bool same(const Configuration& a, const Configuration& b) {
  return a.device == b.device && a.algorithm == b.algorithm && a.variant == b.variant &&
         a.type == b.type && a.n == b.n && a.together == b.together;
}

const Result* find(const std::vector<Result>& results, const Configuration& what) {
  const auto found = std::find_if(results.begin(), results.end(),
                                  [&](const Result& result) { return same(result.what, what); });
  return found == results.end() ? nullptr : &*found;
}

/// Why a configuration is not even tried.
std::string obstacle(const Configuration& what, const GalleryOptions& options,
                     bifold::DeviceKind kind) {
  if (bifold::gallery::find(what.algorithm, what.variant) == nullptr) {
    throw std::logic_error(formatted("the gallery has no {} '{}', which a paper names",
                                     bifold::name_of(what.algorithm), what.variant));
  }
  if (options.max_size && what.n > *options.max_size) {
    return formatted("n is more than --max-size {}", count_text(*options.max_size));
  }
  if (!options.max_size && kind == bifold::DeviceKind::cpu && what.n > largest_on_cpu) {
    return formatted("n is more than {}, as far as a CPU goes without --max-size",
                     count_text(largest_on_cpu));
  }
  return {};
}

/// Calls `visit` with every table that the options ask for, at each type and size.
template <class Visit>
void for_each_table(const std::vector<const Paper*>& papers, Visit visit) {
  for (const Paper* paper : papers) {
    for (const PaperTable& table : paper->tables) {
      for (const auto type : table.types) {
        for (const auto n : table.sizes) visit(*paper, table, type_named(type), n);
      }
    }
  }
}

void add_speedups(GalleryTable& table) {
  double baseline = 0;
  for (const GalleryLine& line : table.lines) {
    if (line.row.row == table.table->baseline && line.timed()) {
      baseline = line.result->timing.median_s;
    }
  }
  for (GalleryLine& line : table.lines) {
    if (line.timed()) line.speedup = baseline / line.result->timing.median_s;
  }
}

}  // namespace

double GalleryTable::bytes_per_element() const {
  const double moves = table->algorithm == bifold::Algorithm::scan ? 2 : 1;
  return moves * static_cast<double>(bifold::size_of(type));
}

std::string_view limit_name(const PaperTable& table) {
  return table.algorithm == bifold::Algorithm::scan ? "copy" : "read";
}

double limit_of(const Result& result) {
  return result.what.algorithm == bifold::Algorithm::scan ? result.limits.copy()
                                                          : result.limits.read;
}

double paper_share(const PaperTable& table, const Figure& figure) {
  const PaperRate rate = rate_of(table, figure);
  if (figure.share > 0 && !rate.derived) return figure.share;
  return table.peak_gb_per_s > 0 ? 100 * rate.gb_per_s / table.peak_gb_per_s : 0;
}

double paper_speedup(const PaperTable& table, const Figure& figure) {
  if (figure.speedup > 0) return figure.speedup;
  const Figure* baseline = table.find(table.baseline, figure.n);
  if (baseline == nullptr || figure.time_s == 0) return 0;
  return baseline->time_s / figure.time_s;
}

std::vector<Result> gallery_results(const GalleryOptions& options, std::size_t device,
                                    bifold::DeviceKind kind) {
  std::vector<Result> results;
  for_each_table(options.papers,
                 [&](const Paper&, const PaperTable& table, bifold::Type type, std::uint64_t n) {
                   for (const PaperRow& row : rows_of(table)) {
                     Result result;
                     result.what.device = device;
                     result.what.algorithm = table.algorithm;
                     result.what.variant = row.row;
                     result.what.type = type;
                     result.what.n = n;
                     result.what.together = row.together;
                     if (find(results, result.what) != nullptr) continue;  // Of an earlier table.
                     result.reason = obstacle(result.what, options, kind);
                     results.push_back(std::move(result));
                   }
                 });
  return results;
}

std::vector<GalleryTable> tables_of(const GalleryReport& report) {
  std::vector<GalleryTable> tables;
  for (const Paper* paper : report.options.papers) {
    for (std::size_t device = 0; device < report.devices.size(); ++device) {
      for_each_table(
          {paper}, [&](const Paper&, const PaperTable& table, bifold::Type type, std::uint64_t n) {
            GalleryTable filled{paper, &table, device, type, n, {}};
            for (const PaperRow& row : rows_of(table)) {
              Configuration what;
              what.device = device;
              what.algorithm = table.algorithm;
              what.variant = row.row;
              what.type = type;
              what.n = n;
              what.together = row.together;
              const Result* result = find(report.results, what);
              if (result != nullptr) filled.lines.push_back({row, table.find(row.row, n), result});
            }
            if (filled.lines.empty()) return;
            add_speedups(filled);
            tables.push_back(std::move(filled));
          });
    }
  }
  return tables;
}

}  // namespace bench
