// The papers' tables filled with what was measured, for every form of output.
#pragma once

#include <string>
#include <vector>

#include "commands/gallery/gallery.hpp"

namespace bench {

struct GalleryLine {
  PaperRow row;
  const Figure* paper = nullptr;   ///< What the paper prints about it; or null.
  const Result* result = nullptr;  ///< Never null.
  double speedup = 0;              ///< Over the table's baseline; 0 where either was not timed.

  [[nodiscard]] bool timed() const { return result->outcome == Outcome::timed; }
};

/// One table of a paper at one type and size, on one device.
struct GalleryTable {
  const Paper* paper;
  const PaperTable* table;
  std::size_t device;
  bifold::Type type;
  std::uint64_t n;
  std::vector<GalleryLine> lines;  ///< The paper's rows, then `production`.

  /// Bytes that bifold counts per element.
  [[nodiscard]] double bytes_per_element() const;
};

/// "read" or "copy": what a table's rates are compared with.
std::string_view limit_name(const PaperTable& table);
/// That limit beside a timed result; 0 when it could not be measured.
double limit_of(const Result& result);
/// What the paper's rate is of its device's bandwidth, in percent; 0 when unknown.
double paper_share(const PaperTable& table, const Figure& figure);
/// Over the paper's baseline: as printed, else from the times; 0 when unknown.
double paper_speedup(const PaperTable& table, const Figure& figure);

/// Results to measure on a device of that index and kind; what is known to be impossible already
/// has its reason. Throws std::logic_error for a row that the gallery should have.
std::vector<Result> gallery_results(const GalleryOptions& options, std::size_t device,
                                    bifold::DeviceKind kind);

/// By paper, device, table, type, size. `report` must outlive it. Tables whose results are missing
/// from the report (a file of an older version) are left out.
std::vector<GalleryTable> tables_of(const GalleryReport& report);

}  // namespace bench
