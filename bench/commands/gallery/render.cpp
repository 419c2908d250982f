#include "commands/gallery/render.hpp"

#include <algorithm>
#include <array>
#include <functional>

#include "base/format.hpp"
#include "base/grid.hpp"
#include "commands/gallery/tables.hpp"

namespace bench {
namespace {

std::string ratio_text(double ratio) {
  if (ratio <= 0) return "-";
  return ratio < 0.1 ? formatted("{:.2g}x", ratio) : formatted("{:.2f}x", ratio);
}

/// Every digit that a paper prints.
std::string paper_time_text(double seconds) {
  if (seconds == 0) return "-";
  if (seconds < 999.5e-6) return formatted("{:.7g} us", seconds * 1e6);
  return formatted("{:.7g} ms", seconds * 1e3);
}

std::string validity_text(Validity validity) {
  switch (validity) {
    case Validity::valid: return "yes";
    case Validity::invalid: return "NO";
    case Validity::unsaid: break;
  }
  return "-";
}

/// A column, and its cell in a line. Columns of the paper are there where it prints something.
struct Field {
  Column column;
  std::function<std::string(const GalleryLine&)> cell;
};

std::string paper_rate_text(const PaperRate& rate) {
  if (rate.gb_per_s == 0) return "-";
  return rate_text(rate.gb_per_s) + (rate.derived ? "*" : "");
}

void add_paper_fields(std::vector<Field>& fields, const GalleryTable& table) {
  const PaperTable& paper = *table.table;
  const auto any = [&](auto predicate) {
    return std::any_of(paper.figures.begin(), paper.figures.end(), predicate);
  };
  const auto add = [&](const std::string& heading, auto cell) {
    fields.push_back({{"paper: " + heading, true}, [cell](const GalleryLine& line) {
                        return line.paper == nullptr ? std::string() : cell(*line.paper);
                      }});
  };
  if (paper.figures.empty()) return;
  add("time", [](const Figure& figure) { return paper_time_text(figure.time_s); });
  if (paper.bytes_per_element > 0) {
    add("GB/s", [&paper](const Figure& figure) { return paper_rate_text(rate_of(paper, figure)); });
    const double ours = table.bytes_per_element();
    if (ours != paper.bytes_per_element) {
      add(formatted("GB/s of {:.0f} B", ours), [ours](const Figure& figure) {
        if (figure.time_s == 0) return std::string("-");
        return rate_text(static_cast<double>(figure.n) * ours / figure.time_s / 1e9);
      });
    }
    add("share", [&paper](const Figure& figure) {
      const double share = paper_share(paper, figure);
      return share > 0 ? formatted("{:.3g} %", share) : std::string("-");
    });
  }
  if (any([](const Figure& figure) { return figure.step > 0; })) {
    add("step", [](const Figure& figure) { return ratio_text(figure.step); });
  }
  add("speed-up",
      [&paper](const Figure& figure) { return ratio_text(paper_speedup(paper, figure)); });
  if (any([](const Figure& figure) { return figure.validity != Validity::unsaid; })) {
    add("valid", [](const Figure& figure) { return validity_text(figure.validity); });
    fields.back().column.number = false;
  }
}

std::string state_text(const Result& result, bool with_reason) {
  switch (result.outcome) {
    case Outcome::timed: return result.in_cache ? "yes (cache)" : "yes";
    case Outcome::wrong: return "NO: " + result.reason;
    case Outcome::failed: return "FAILED: " + result.reason;
    case Outcome::skipped: break;
  }
  return with_reason ? "skipped: " + result.reason : "skipped";
}

void add_own_fields(std::vector<Field>& fields, const GalleryTable& table, bool with_reasons) {
  const auto add = [&](std::string heading, auto cell) {
    fields.push_back({{std::move(heading), true}, [cell](const GalleryLine& line) {
                        return line.timed() ? cell(line) : std::string();
                      }});
  };
  add("time", [](const GalleryLine& line) { return seconds_text(line.result->timing.median_s); });
  add("GB/s", [](const GalleryLine& line) { return rate_text(line.result->gb_per_s()); });
  add(formatted("of {}", limit_name(*table.table)), [](const GalleryLine& line) {
    return share_text(line.result->gb_per_s(), limit_of(*line.result));
  });
  add("speed-up", [](const GalleryLine& line) { return ratio_text(line.speedup); });
  fields.push_back({{"valid", false}, [with_reasons](const GalleryLine& line) {
                      return state_text(*line.result, with_reasons);
                    }});
}

/// The reason that keeps every line of the table from being measured; or nothing.
std::string common_reason(const GalleryTable& table) {
  const Result& first = *table.lines.front().result;
  const bool common =
      std::all_of(table.lines.begin(), table.lines.end(), [&](const GalleryLine& line) {
        return line.result->outcome == Outcome::skipped && line.result->reason == first.reason;
      });
  return common ? first.reason : std::string();
}

std::string row_text(const GalleryLine& line) {
  const std::string& ran = line.result->variant_ran;
  const std::string name(line.row.row);
  return ran.empty() || ran == name ? name : formatted("{} = {}", name, ran);
}

Grid grid_of(const GalleryTable& table) {
  std::vector<Field> fields{{{"variant", false}, row_text}};
  const auto& rows = table.table->rows;
  if (std::any_of(rows.begin(), rows.end(),
                  [](const PaperRow& row) { return !row.label.empty(); })) {
    fields.push_back({{"in the paper", false},
                      [](const GalleryLine& line) { return std::string(line.row.label); }});
  }
  add_paper_fields(fields, table);
  add_own_fields(fields, table, common_reason(table).empty());
  Grid grid;
  for (const Field& field : fields) grid.columns.push_back(field.column);
  for (const GalleryLine& line : table.lines) {
    auto& row = grid.rows.emplace_back();
    for (const Field& field : fields) row.push_back(field.cell(line));
  }
  return grid;
}

std::string heading_of(const GalleryTable& table) {
  std::string text = formatted("{}, {}, n = {}", table.table->title, bifold::name_of(table.type),
                               count_text(table.n));
  const std::string reason = common_reason(table);
  return reason.empty() ? text : formatted("{} (skipped: {})", text, reason);
}

/// How the parts of the page are written in one form.
struct Style {
  std::string (*title)(const std::string&);
  std::string (*device)(const std::string&);
  std::string (*paragraph)(const std::string&);
  std::string (*heading)(const std::string&);
  std::string (*grid)(const Grid&);
};

constexpr Style text_style{
    [](const std::string& s) { return '\n' + s + '\n'; },
    [](const std::string& s) { return "\n  " + s + '\n'; },
    [](const std::string& s) { return wrapped(s, 4); },
    [](const std::string& s) { return "\n    " + s + '\n'; },
    [](const Grid& grid) { return as_text(grid, 4); },
};
constexpr Style markdown_style{
    [](const std::string& s) { return "\n## " + s + '\n'; },
    [](const std::string& s) { return "\n### " + s + '\n'; },
    [](const std::string& s) { return '\n' + s + '\n'; },
    [](const std::string& s) { return "\n**" + s + "**\n\n"; },
    as_markdown,
};

std::string device_text(const GalleryReport& report, const DeviceReport& device) {
  return formatted("{}, {} ({}, driver {}; bifold {}, {})", device.info.name, device.info.selector,
                   device.info.platform.substr(0, device.info.platform.find(',')),
                   device.info.driver, report.library_version, report.time.substr(0, 10));
}

/// A star that stands in a sentence of this program is no emphasis either.
std::string note_text(std::string_view note, const Style& style) {
  std::string text(note);
  if (&style != &markdown_style) return text;
  for (std::size_t at = 0; (at = text.find('*', at)) != std::string::npos; at += 2) {
    text.insert(at, 1, '\\');
  }
  return text;
}

std::string pages(const GalleryReport& report, const Style& style) {
  std::string page;
  const std::vector<GalleryTable> tables = tables_of(report);
  for (auto table = tables.begin(); table != tables.end(); ++table) {
    const bool first = table == tables.begin();
    const bool new_paper = first || table->paper != (table - 1)->paper;
    if (new_paper) {
      page += style.title(std::string(table->paper->title));
      if (!table->paper->device.empty()) {
        page += style.paragraph(formatted("The paper's figures are of {}.", table->paper->device));
      }
    }
    if (new_paper || table->device != (table - 1)->device) {
      page += style.device(device_text(report, report.devices[table->device]));
    }
    page += style.heading(heading_of(*table));
    page += style.grid(grid_of(*table));
    const bool last_of_its_kind = table + 1 == tables.end() || (table + 1)->table != table->table ||
                                  (table + 1)->device != table->device;
    if (!last_of_its_kind) continue;
    for (const auto note : table->table->notes) page += style.paragraph(note_text(note, style));
  }
  return page;
}

constexpr const char* legend =
    "Columns without \"paper:\" were measured here: the median time of a call among calls enqueued "
    "back to back; GB/s of the n elements that a reduce reads, or that a scan reads and writes (1 "
    "GB = 1e9 bytes); the share of what reading, or copying, a buffer of that size reached on the "
    "device in the same run; the speed-up over the paper's baseline on this device; and whether "
    "the whole result was compared with the host reference and right, before timing. \"cache\": "
    "the buffers fit the last-level cache. \"production\" is what the library picks by itself.";

std::string counts(const GalleryReport& report) {
  std::array<std::size_t, 4> counts{};
  for (const Result& result : report.results) ++counts[static_cast<std::size_t>(result.outcome)];
  return formatted("{} timed, {} skipped, {} wrong, {} failed", counts[0], counts[1], counts[2],
                   counts[3]);
}

}  // namespace

std::string gallery_as_text(const GalleryReport& report) {
  std::string page = formatted("bifold {}, {}\nhost: {}, {} threads, {}\n", report.library_version,
                               report.time, report.host.cpu, report.host.threads, report.host.os);
  page += pages(report, text_style);
  for (const UnopenedDevice& device : report.unopened) {
    page += formatted("\n{}  {}\n  FAILED: cannot be opened: {}\n", device.info.selector,
                      device.info.name, device.reason);
  }
  return page + '\n' + wrapped(legend, 0) + '\n' + counts(report) + '\n';
}

std::string gallery_as_markdown(const GalleryReport& report) {
  return "# The gallery\n" + markdown_style.paragraph(legend) + pages(report, markdown_style);
}

}  // namespace bench
