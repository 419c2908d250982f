// Tuning files: what `bifold-bench tune` measured on a device, read when it is opened.
#pragma once

#include <bifold/device.hpp>
#include <bifold/gallery.hpp>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/tuning/tuning.hpp"
#include "core/tuning/tuning_space.hpp"

namespace bifold::core {

/// Values for one row and class of elements, instead of the built-in ones of the same names.
struct TunedRow {
  const gallery::Variant* row;
  ElementClass elements;
  Tuning values;
};

/// The content of a tuning file. Empty where there is none.
class Tunings {
 public:
  /// Adds, or puts in the place of what there was for that row and class. Without values: takes
  /// that away.
  void set(const TunedRow& tuned);
  [[nodiscard]] const std::vector<TunedRow>& rows() const noexcept { return rows_; }
  /// The values for that row and class, or null.
  [[nodiscard]] const Tuning* find(const gallery::Variant& row,
                                   const ElementClass& elements) const noexcept;

 private:
  std::vector<TunedRow> rows_;
};

/// The file's text: a line of format, length and checksum of the rest; the key, a line each for
/// backend, device, architecture and spaces; a line "ALGORITHM ROW KIND BYTES NAME=VALUE..." for
/// each row and class of elements.
std::string tuning_text(const DeviceInfo& info, std::string_view architecture,
                        const Tunings& tunings);

struct TuningReading {
  Tunings tunings;
  std::string problem;  ///< "line 7: ...", and then there are no tunings; empty: all is well.
};

/// What a file of that text means on such a device: everything, or nothing and why.
TuningReading read_tuning(std::string_view text, const DeviceInfo& info,
                          std::string_view architecture);

/// Where such a device's file lies that nobody named: beside the kernel cache, one for each device
/// name and backend. Empty where there is no directory.
std::filesystem::path tuning_file(const CacheOptions& options, const DeviceInfo& info);

/// The tunings of the file that the options name, or of the device's own, where there is one and a
/// disk may be used. Nothing, with a warning in the log that names file, line and reason, where the
/// file is damaged, foreign, newer, or missing although somebody named it; and where nobody did,
/// but others could have written it. Does not throw.
Tunings load_tunings(const DeviceOptions& options, const DeviceInfo& info,
                     std::string_view architecture);

}  // namespace bifold::core
