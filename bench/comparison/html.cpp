#include "comparison/html.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "base/format.hpp"
#include "base/usage_error.hpp"
#include "comparison/scaling.hpp"
#include "comparison/tables.hpp"
#include "document/parts.hpp"
#include "page/texts.hpp"

namespace bench {
namespace {

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&': result += "&amp;"; break;
      case '<': result += "&lt;"; break;
      case '>': result += "&gt;"; break;
      case '"': result += "&quot;"; break;
      default: result += c; break;
    }
  }
  return result;
}

std::string replaced(std::string text, std::string_view what, std::string_view by) {
  const auto at = text.find(what);
  if (at != std::string::npos) text.replace(at, what.size(), by);
  return text;
}

std::string chart(std::string_view id, std::string_view label) {
  return formatted(
      "<div class=\"chart\"><canvas id=\"{}\" role=\"img\" aria-label=\"{}\"></canvas></div>\n", id,
      escaped(label));
}

std::string choice(std::string_view id, std::string_view label,
                   const std::vector<std::string>& options, bool by_index = false) {
  std::string text = formatted("<label>{} <select id=\"{}\">", label, id);
  for (std::size_t i = 0; i < options.size(); ++i) {
    const std::string value = by_index ? std::to_string(i) : escaped(options[i]);
    text += formatted("<option value=\"{}\">{}</option>", value, escaped(options[i]));
  }
  return text + "</select></label>\n";
}

void add_once(std::vector<std::string>& list, std::string value) {
  if (std::find(list.begin(), list.end(), value) == list.end()) list.push_back(std::move(value));
}

/// What the charts tell apart beside n: "f32", "f32 maximum".
std::string type_text(const Configuration& what) {
  const std::string type(bifold::name_of(what.type));
  return what.op == bifold::plus ? type : type + ' ' + std::string(what.op.name());
}

bool is_production(const Configuration& what) {
  return what.variant == "production" && what.order == bifold::Order::v1;
}

/// Whether charts over n show it: one array of n elements.
bool is_charted(const Configuration& what) { return is_production(what) && !what.matrix; }

/// A row of the shares: "f32", "f32, 512 x 2^11, axis 1".
std::string share_row_text(const Configuration& what) {
  return type_text(what) + (what.matrix ? ", " + text_of(*what.matrix) : std::string());
}

Json cell_of(const Result* result) {
  if (result == nullptr || result->outcome != Outcome::timed) return nullptr;
  const double limit = limit_of_call(*result);
  return {{"s", result->timing.median_s},
          {"gb_per_s", result->gb_per_s()},
          {"limit", limit > 0 ? Json(limit) : Json(nullptr)}};
}

/// "NVIDIA H200 (A, B)": the device that the split is of.
std::string device_text(const Comparison& comparison, const BackendSplit& split) {
  const Side& first = comparison.sides[split.first];
  return formatted("{} ({}, {})", comparison.device(first).info.name, first.letter,
                   comparison.sides[split.second].letter);
}

/// What one chart shows: calls of one kind on one device.
std::string split_key(const Comparison& comparison, const BackendSplit& split) {
  return formatted("{} {} on {}", algorithm_text(split.a->what), type_text(split.a->what),
                   device_text(comparison, split));
}

Json split_of(const Comparison& comparison, const BackendSplit& split) {
  Json json{
      {"key", split_key(comparison, split)}, {"n", split.a->what.n}, {"sides", Json::array()}};
  for (const auto& [side, result] : {std::pair{split.first, split.a}, {split.second, split.b}}) {
    json["sides"].push_back({{"letter", comparison.sides[side].letter},
                             {"backend", comparison.device(comparison.sides[side]).info.backend},
                             {"launch_s", result->enqueue_s},
                             {"kernel_s", result->isolated.median_s},
                             {"blocking_s", result->blocking.median_s},
                             {"call_s", result->timing.median_s}});
  }
  return json;
}

Json starts_of(const Comparison& comparison) {
  Json starts = Json::array();
  for (const Side& side : comparison.sides) {
    for (const StartResult& start : comparison.files[side.file].starts) {
      if (start.device != comparison.device(side).info.selector ||
          start.outcome != Outcome::timed) {
        continue;
      }
      const double compile = std::min(start.cold.kernels.compile_seconds, start.cold.first_s);
      starts.push_back(
          {{"label", side.letter + ' ' + std::string(bifold::name_of(start.algorithm))},
           {"device", comparison.name(side)},
           {"compile_s", compile},
           {"rest_s", start.cold.first_s - compile},
           {"warm_s", start.warm.first_s}});
    }
  }
  return starts;
}

/// "NVIDIA H200, cuda:0": the device that a paper's table was made on.
std::string device_text(const RunFile& run, const KeptPaperTable& table) {
  for (const DeviceReport& device : run.devices) {
    if (device.info.selector == table.device) return device.info.name + ", " + table.device;
  }
  return table.device;
}

Json papers_of(const Comparison& comparison) {
  Json papers = Json::array();
  for (const RunFile& run : comparison.files) {
    for (const KeptPaperTable& table : run.tables) {
      Json json{{"device", device_text(run, table)}, {"lines", Json::array()}};
      for (const KeptPaperLine& line : table.lines) {
        json["lines"].push_back({{"variant", line.variant},
                                 {"paper_speedup", line.paper_speedup},
                                 {"our_speedup", line.our_speedup}});
      }
      papers.push_back(std::move(json));
    }
  }
  return papers;
}

std::string data_of(const Comparison& comparison) {
  Json json{{"sides", Json::array()}, {"rows", Json::array()}, {"splits", Json::array()}};
  for (const Side& side : comparison.sides) {
    json["sides"].push_back({{"letter", side.letter}, {"name", comparison.name(side)}});
  }
  for (const ComparedRow& row : comparison.rows) {
    if (!is_charted(row.what)) continue;
    Json entry{{"algorithm", algorithm_text(row.what)},
               {"type", type_text(row.what)},
               {"n", row.what.n},
               {"cells", Json::array()}};
    for (const Result* result : row.results) entry["cells"].push_back(cell_of(result));
    json["rows"].push_back(std::move(entry));
  }
  for (const BackendSplit& split : comparison.splits) {
    if (is_charted(split.a->what)) json["splits"].push_back(split_of(comparison, split));
  }
  json["starts"] = starts_of(comparison);
  json["papers"] = papers_of(comparison);
  json["scaling"] = scaling_of(comparison);
  std::string text = json.dump(-1, ' ', true, Json::error_handler_t::replace);
  // A device's name must not end the script that the text lies in.
  for (std::size_t at = 0; (at = text.find('<', at)) != std::string::npos;) {
    text.replace(at, 1, "\\u003c");
  }
  return text;
}

std::string bandwidth_section(const Comparison& comparison) {
  std::vector<std::string> algorithms;
  std::vector<std::string> types;
  for (const ComparedRow& row : comparison.rows) {
    if (!is_charted(row.what)) continue;
    add_once(algorithms, algorithm_text(row.what));
    add_once(types, type_text(row.what));
  }
  if (types.empty()) return {};
  const auto f32 = std::find(types.begin(), types.end(), "f32");
  if (f32 != types.end()) std::rotate(types.begin(), f32, f32 + 1);
  return "<section id=\"bandwidth-section\"><h2>Bandwidth over "
         "size</h2>\n<figure><figcaption>Solid: bytes that a call must "
         "move per second. Dashed: what the device reaches with as many bytes when it only reads, "
         "beside a reduce, or copies, beside a scan.</figcaption>\n<div class=\"choices\">" +
         choice("algorithm", "Algorithm", algorithms) + choice("type", "Elements", types) +
         "</div>\n" + chart("bandwidth", "Bandwidth over the number of elements") +
         "</figure></section>\n";
}

/// The background of a share of the limit: the more, the stronger. Text stays readable on it.
std::string heat(double share) {
  const double strength = std::clamp(share, 0.0, 1.0);
  return formatted(" style=\"background: color-mix(in srgb, #2da44e {:.0f}%, transparent)\"",
                   60 * strength);
}

/// Of a row of the shares, that side's result at its largest size; or null.
const Result* largest_of(const Comparison& comparison, std::size_t side,
                         const std::string& algorithm, const std::string& kind) {
  const Result* largest = nullptr;
  for (const ComparedRow& row : comparison.rows) {
    const Result* const result = row.results[side];
    if (!is_production(row.what) || algorithm_text(row.what) != algorithm ||
        share_row_text(row.what) != kind || result == nullptr ||
        result->outcome != Outcome::timed) {
      continue;
    }
    if (largest == nullptr || largest->what.n < result->what.n) largest = result;
  }
  return largest;
}

/// The largest size of each type, and each matrix; a column for each device and algorithm.
std::string heat_section(const Comparison& comparison) {
  std::vector<std::string> types;
  std::vector<std::string> algorithms;
  for (const ComparedRow& row : comparison.rows) {
    if (!is_production(row.what)) continue;
    add_once(types, share_row_text(row.what));
    add_once(algorithms, algorithm_text(row.what));
  }
  if (types.empty()) return {};
  std::string text =
      "<section><h2>Share of the limit over types</h2>\n<div class=\"scroll\" role=\"region\" "
      "tabindex=\"0\" aria-label=\"Share of the limit over types\"><table id=\"heat\">\n"
      "<caption>Of each device's own measured limit, at the largest size</caption>\n"
      "<thead><tr><th scope=\"col\">elements</th>";
  for (const Side& side : comparison.sides) {
    for (const std::string& algorithm : algorithms) {
      text += formatted(R"(<th scope="col" class="number">{} {}</th>)", side.letter, algorithm);
    }
  }
  text += "</tr></thead>\n<tbody>\n";
  for (const std::string& type : types) {
    text += formatted("<tr><th scope=\"row\">{}</th>", escaped(type));
    for (std::size_t side = 0; side < comparison.sides.size(); ++side) {
      for (const std::string& algorithm : algorithms) {
        const Result* const largest = largest_of(comparison, side, algorithm, type);
        const double limit = largest == nullptr ? 0 : limit_of_call(*largest);
        text += limit > 0
                    ? formatted("<td class=\"number\"{}>{}</td>", heat(largest->gb_per_s() / limit),
                                share_text(largest->gb_per_s(), limit))
                    : std::string("<td class=\"number\">-</td>");
      }
    }
    text += "</tr>\n";
  }
  return text + "</tbody></table></div></section>\n";
}

std::string paper_section(const Comparison& comparison) {
  std::vector<std::string> titles;
  std::string tables;
  for (const RunFile& run : comparison.files) {
    for (const KeptPaperTable& table : run.tables) {
      titles.push_back(formatted("{}: {}; {}, {}, n = {}", table.paper, table.title,
                                 device_text(run, table), table.type, count_text(table.n)));
      Grid grid{{{"variant"},
                 {"in the paper"},
                 {"paper: time", true},
                 {"paper: share", true},
                 {"paper: speed-up", true},
                 {"time", true},
                 {"share", true},
                 {"speed-up", true}},
                {}};
      const auto figure = [](double value, const std::string& shown) {
        return value > 0 ? shown : std::string();
      };
      for (const KeptPaperLine& line : table.lines) {
        grid.rows.push_back({line.variant, line.label,
                             figure(line.paper_s, seconds_text(line.paper_s)),
                             figure(line.paper_share, share_text(line.paper_share, 1)),
                             figure(line.paper_speedup, formatted("{:.2f}x", line.paper_speedup)),
                             figure(line.our_s, seconds_text(line.our_s)),
                             figure(line.our_share, share_text(line.our_share, 1)),
                             figure(line.our_speedup, formatted("{:.2f}x", line.our_speedup))});
      }
      tables += "<details><summary>" + escaped(titles.back()) + "</summary>\n" +
                as_html(grid, titles.back()) + "</details>\n";
    }
  }
  if (titles.empty()) return {};
  return "<section><h2>The papers' tables and ours</h2>\n<figure><figcaption>Speed-up over the "
         "baseline of the table; the paper's is on its own device.</figcaption>\n"
         "<div class=\"choices\">" +
         choice("paper", "Table", titles, true) + "</div>\n" +
         chart("paper-chart",
               "Speed-ups of the paper and ours; the tables below have the figures") +
         "</figure>\n" + tables + "</section>\n";
}

/// The chart that stands above a section's table, if any.
std::string chart_of(const Comparison& comparison, const CompareSection& section) {
  if (section.id == "starts") {
    return "<figure>" + chart("starts", "Time of first calls; the table below has the figures") +
           "</figure>\n";
  }
  if (section.id == "scaling") {
    return "<figure><div class=\"choices\">" +
           choice("scaling-row", "Calls", scaling_keys(comparison)) + "</div>\n" +
           chart("scaling",
                 "Speed-up over the number of devices; the table below has the figures") +
           "</figure>\n";
  }
  if (section.id != "split") return {};
  std::vector<std::string> keys;
  for (const BackendSplit& split : comparison.splits) {
    if (is_charted(split.a->what)) add_once(keys, split_key(comparison, split));
  }
  if (keys.empty()) return {};
  return "<figure><div class=\"choices\">" + choice("split-row", "Calls", keys) + "</div>\n" +
         chart("split", "Where the time of calls goes; the table below has the figures") +
         "</figure>\n";
}

std::string content_of(const Comparison& comparison) {
  std::string text;
  if (!comparison.warnings.empty()) {
    text += "<section><h2>Warnings</h2>\n<ul>\n";
    for (const std::string& warning : comparison.warnings) {
      text += "<li>" + escaped(warning) + ".</li>\n";
    }
    text += "</ul></section>\n";
  }
  for (const CompareSection& section : sections_of(comparison)) {
    const std::string table = as_html(section.grid, section.heading);
    text += "<section><h2>" + section.heading + "</h2>\n" + chart_of(comparison, section);
    text += section.id == "every" || section.id == "split" || section.id == "scaling"
                ? "<details><summary>All configurations</summary>\n" + table + "</details>\n"
                : table;
    if (!section.note.empty()) text += "<p class=\"faint\">" + escaped(section.note) + "</p>\n";
    text += "</section>\n";
    if (section.id == "devices") text += bandwidth_section(comparison) + heat_section(comparison);
  }
  return text + paper_section(comparison);
}

}  // namespace

bool can_draw_charts() { return !page::library().empty(); }

void check_charts(std::string_view option) {
  if (can_draw_charts()) return;
  throw UsageError(formatted(
      "{}: this bifold-bench was built without Chart.js (Debian: libjs-chart.js)", option));
}

std::string as_html(const Grid& grid, const std::string& caption) {
  std::string text = formatted(
      "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"{0}\">"
      "<table>\n<caption class=\"spoken\">{0}</caption>\n<thead><tr>",
      escaped(caption));
  const auto kind = [&](std::size_t column) {
    return grid.columns[column].number ? " class=\"number\"" : "";
  };
  for (std::size_t c = 0; c < grid.columns.size(); ++c) {
    text += formatted("<th scope=\"col\"{}>{}</th>", kind(c), escaped(grid.columns[c].heading));
  }
  text += "</tr></thead>\n<tbody>\n";
  for (const auto& row : grid.rows) {
    text += "<tr>";
    for (std::size_t c = 0; c < row.size(); ++c) {
      text += formatted("<td{}>{}</td>", kind(c), escaped(row[c]));
    }
    text += "</tr>\n";
  }
  return text + "</tbody></table></div>\n";
}

std::string comparison_as_html(const Comparison& comparison) {
  const bool differ = comparison.count(BitsAgreement::differ) > 0;
  const bool agree = !differ && (comparison.count(BitsAgreement::agree) > 0 ||
                                 (comparison.rows.empty() && !groups_of(comparison).empty()));
  std::string page(page::frame());
  const std::string_view title =
      comparison.sides.size() > 1 ? "bifold: a comparison of runs" : "bifold: a run";
  for (int place = 0; place < 2; ++place) page = replaced(std::move(page), "@TITLE@", title);
  page = replaced(std::move(page), "@STYLE@", page::style());
  page = replaced(std::move(page), "@BITS_CLASS@", differ ? "differ" : agree ? "agree" : "unknown");
  page = replaced(std::move(page), "@BITS@", bits_summary(comparison));
  // The scripts and the data come last in the page: what they contain is looked at no more.
  page = replaced(std::move(page), "@SCRIPT@", page::script());
  page = replaced(std::move(page), "@LIBRARY@", page::library());
  page = replaced(std::move(page), "@DATA@", data_of(comparison));
  return replaced(std::move(page), "@CONTENT@", content_of(comparison));
}

}  // namespace bench
