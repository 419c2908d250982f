// The papers whose kernels the gallery holds, with the figures that their texts print.
#pragma once

#include <bifold/gallery.hpp>
#include <cstdint>
#include <span>
#include <string_view>

namespace bench {

/// What a paper says about the correctness of a result.
enum class Validity : std::uint8_t { unsaid, valid, invalid };

/// What a text prints about one row at one size; 0 where it prints nothing.
struct Figure {
  std::string_view row;
  std::uint64_t n;
  double time_s;
  double gb_per_s = 0;
  double share = 0;    ///< Percent of the bandwidth of the paper's device.
  double speedup = 0;  ///< Over the table's baseline.
  double step = 0;     ///< Over the row before.
  Validity validity = Validity::unsaid;
};

struct PaperRow {
  std::string_view row;         ///< Of the gallery.
  std::string_view label = {};  ///< What the paper calls it; empty where it has no such row.
  bool together = false;        ///< Several reductions in one pass: see together.hpp.
};

/// A table of a paper, or the kernels and sizes of a chart.
struct PaperTable {
  std::string_view title;  ///< Where it stands, and what it shows.
  bifold::Algorithm algorithm;
  std::string_view baseline;  ///< The row that speed-ups are over.
  std::span<const std::string_view> types;
  std::span<const std::uint64_t> sizes;
  std::span<const PaperRow> rows;
  std::span<const Figure> figures = {};
  double time_unit_s = 0;        ///< Of the last digit of the times printed.
  double bytes_per_element = 0;  ///< As the text counts them; 0 where it prints no GB/s.
  double peak_gb_per_s = 0;      ///< Of the paper's device, where the text tells it.
  std::span<const std::string_view> notes = {};

  [[nodiscard]] const Figure* find(std::string_view row, std::uint64_t n) const;
};

struct Paper {
  std::string_view name;  ///< For --paper.
  std::string_view title;
  std::string_view device;  ///< What its figures were measured on.
  std::span<const PaperTable> tables;
};

std::span<const Paper> papers();

/// The rate of a figure in the text's own count of bytes.
struct PaperRate {
  double gb_per_s = 0;   ///< 0 where the text prints none for this table.
  bool derived = false;  ///< From time and n, as the rate that is printed contradicts the time.
};
PaperRate rate_of(const PaperTable& table, const Figure& figure);

}  // namespace bench
