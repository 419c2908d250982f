// `bifold-bench gallery` as its users meet it: options, and its outputs against each other.
#include <doctest/doctest.h>

#include <algorithm>
#include <bifold/gallery.hpp>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "commands/gallery/papers.hpp"
#include "support/bench_tool.hpp"

namespace {

namespace fs = std::filesystem;
using bifold::test::check_quiet;
using bifold::test::check_refused;
using bifold::test::contains;
using bifold::test::has_cpu_device;
using bifold::test::run_tool;
using bifold::test::Scratch;
using bifold::test::text_of;
using bifold::test::ToolOutcome;
using bifold::test::without_devices;
using Json = nlohmann::json;

/// The cells of the first Markdown line that starts with the row's name, behind `heading`.
std::vector<std::string> cells_of(const std::string& page, const std::string& heading,
                                  const std::string& row) {
  const auto table = page.find("**" + heading + "**");
  REQUIRE(table != std::string::npos);
  const auto begin = page.find("\n| " + row + " |", table);
  REQUIRE(begin != std::string::npos);
  const std::string line = page.substr(begin + 1, page.find('\n', begin + 1) - begin - 1);
  std::vector<std::string> cells;
  for (std::size_t at = 1; at < line.size();) {
    const std::size_t end = line.find('|', at);
    const std::string cell = line.substr(at, end - at);
    cells.push_back(cell == " " ? "" : cell.substr(1, cell.size() - 2));
    at = end + 1;
  }
  return cells;
}

struct Page {
  ToolOutcome outcome;
  Json json;
  std::string markdown;
};

/// A run of the gallery on the CPU device, with little time per line.
Page gallery(std::vector<std::string> arguments) {
  const Scratch scratch;
  const std::string json = (scratch / "gallery.json").string();
  const std::string markdown = (scratch / "gallery.md").string();
  std::vector<std::string> all{"gallery", "--device", "opencl:cpu", "--seconds", "0.001",
                               "--json",  json,       "--markdown", markdown};
  all.insert(all.end(), arguments.begin(), arguments.end());
  Page page{run_tool(all), {}, {}};
  check_quiet(page.outcome);
  page.json = Json::parse(text_of(json));
  page.markdown = text_of(markdown);

  // What was written can be shown again, word for word.
  const std::string again = (scratch / "again.md").string();
  const ToolOutcome shown = run_tool({"gallery", "--from", json, "--markdown", again});
  CHECK(shown.status == 0);
  CHECK(shown.error.empty());
  CHECK(text_of(again) == page.markdown);
  return page;
}

}  // namespace

TEST_SUITE_BEGIN("bench gallery");

TEST_CASE("a bad command line of gallery gives status 2 and one line") {
  check_refused({"gallery", "--fast"}, "--fast");
  check_refused({"gallery", "--paper", "merrill"}, "jradi, harris, oancea");
  check_refused({"gallery", "--device", "vulkan:0"}, "--device vulkan:0");
  check_refused({"gallery", "--list", "--device", "vulkan:0"}, "--device vulkan:0");
  check_refused({"gallery", "--max-size", "0"}, "--max-size");
  check_refused({"gallery", "--max-size", "2^10..2^12"}, "--max-size");
  check_refused({"gallery", "--seconds", "0"}, "--seconds");
  check_refused({"gallery", "--samples", "0"}, "--samples");
  check_refused({"gallery", "--list", "--paper", "jradi"}, "--list");
  check_refused({"gallery", "--from", "x.json", "--max-size", "10"}, "--from");
  const Scratch scratch;
  const std::string missing = (scratch / "missing/file").string();
  check_refused({"gallery", "--json", missing}, "--json");
  check_refused({"gallery", "--markdown", missing}, "--markdown");
  check_refused({"gallery", "--from", missing}, "--from");
  const fs::path other = scratch / "other.json";
  std::ofstream(other) << R"({"schema": "bifold-bench", "command": "run"})";
  check_refused({"gallery", "--from", other}, "--from");
}

TEST_CASE("gallery without any device fails, --list does not") {
  const Scratch empty;
  const auto nowhere = without_devices(empty);
  const ToolOutcome outcome = run_tool({"gallery"}, nowhere);
  CHECK(outcome.status == 1);
  bifold::test::check_one_line(outcome.error, "no device found; cuda: ");
  const ToolOutcome list = run_tool({"gallery", "--list", "--wide"}, nowhere);
  CHECK(list.status == 0);
  CHECK(contains(list.out, "No device."));
  for (const auto& row : bifold::gallery::variants()) CHECK(contains(list.out, row.source.data()));
}

TEST_CASE("the table of rows in docs/gallery.md is the registry's") {
  const Scratch scratch;
  const fs::path file = scratch / "rows.md";
  CHECK(run_tool({"gallery", "--list", "--markdown", file}).status == 0);
  const std::string table = text_of(file);
  for (const auto& row : bifold::gallery::variants()) {
    CHECK(contains(table, "`" + std::string(row.name) + "`"));
  }
  const std::string page = text_of(BIFOLD_SOURCE_DIR "/docs/gallery.md");
  // Else: bench/results/gallery.py bin/bifold-bench docs/gallery.md
  CHECK(contains(page, "<!-- rows: begin -->\n\n" + table + "\n<!-- rows: end -->"));
}

TEST_CASE("--list names every row and what each device does with it") {
  if (!has_cpu_device()) return;
  const Scratch scratch;
  const fs::path json = scratch / "list.json";
  const fs::path markdown = scratch / "list.md";
  const ToolOutcome outcome = run_tool({"gallery", "--list", "--wide", "--device", "opencl:cpu",
                                        "--json", json, "--markdown", markdown});
  CHECK(outcome.status == 0);
  const Json document = Json::parse(text_of(json));
  CHECK(document.at("command") == "gallery-list");
  const auto variants = bifold::gallery::variants();
  REQUIRE(document.at("rows").size() == variants.size());
  for (std::size_t i = 0; i < variants.size(); ++i) {
    const Json& row = document.at("rows").at(i);
    CHECK(row.at("name") == std::string(variants[i].name));
    CHECK(row.at("source") == std::string(variants[i].source));
    REQUIRE(row.at("devices").size() == 1);
    const Json& there = row.at("devices").front();
    CHECK(contains(text_of(markdown), "| " + std::string(variants[i].name) + " |"));
    if (there.at("supported") == false) {
      const std::string reason = there.at("refusals").front().at("reason");
      CHECK(contains(outcome.out, "no: " + reason));
    } else if (!there.at("lanes").is_null()) {
      CHECK(contains(outcome.out, "yes, lanes by " + there.at("lanes").get<std::string>()));
    }
  }
}

TEST_CASE("the figures of every paper are shown, also where nothing can be measured") {
  if (!has_cpu_device()) return;
  const Page page = gallery({"--max-size", "1"});
  for (const std::string& text : {page.outcome.out, page.markdown}) {
    for (const auto& paper : bench::papers()) {
      CHECK(contains(text, std::string(paper.title)));
      for (const auto& table : paper.tables) CHECK(contains(text, std::string(table.title)));
    }
    CHECK(contains(text, "n is more than --max-size 1"));
  }
  for (const Json& result : page.json.at("results")) {
    CHECK(result.at("outcome") == "skipped");
    CHECK_FALSE(result.at("reason").get<std::string>().empty());
  }

  const auto check_row = [&](const std::string& heading, const std::string& row,
                             const std::vector<std::string>& expected) {
    const auto cells = cells_of(page.markdown, heading, row);
    CAPTURE(row);
    REQUIRE(cells.size() >= expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) CHECK(cells[i] == expected[i]);
  };
  const std::string skipped = " (skipped: n is more than --max-size 1)";
  const std::string jradi = "Table 2: F elements per step, f32, n = 5,533,214";
  check_row(jradi + skipped, "catanzaro",
            {"catanzaro", "F = 1", "249.78 us", "88.6", "26.6 %", "1.00x"});
  check_row(jradi + skipped, "persistent_f8",
            {"persistent_f8", "F = 8", "89.49 us", "247", "74.3 %", "2.79x"});
  const std::string scans = "Tables 1 to 4: validity, time, rate, i32, n = 50,003,565";
  check_row(scans + skipped, "lookback_warp",
            {"lookback_warp", "version 3", "1.005 ms", "597", "398", "96.9 %", "1.22x", "yes"});
  check_row(scans + skipped, "lookback",
            {"lookback", "version 1", "1.597 ms", "376\\*", "250", "61 %", "0.77x", "yes"});
}

TEST_CASE("a small gallery is verified, and its JSON and Markdown agree") {
  if (!has_cpu_device()) return;
  const Page page = gallery({"--paper", "oancea", "--max-size", "1000"});
  CHECK(page.json.at("command") == "gallery");
  CHECK(page.json.at("settings").at("papers") == Json{"oancea"});
  CHECK(page.json.at("settings").at("max_size") == 1000);
  REQUIRE(page.json.at("tables").size() == 2);
  const Json& table = page.json.at("tables").front();
  CHECK(table.at("n") == 1000);
  CHECK(table.at("baseline") == "tree");
  REQUIRE(table.at("lines").size() == 6);
  CHECK(table.at("lines").front().at("paper").at("time_s") == doctest::Approx(77e-6));
  unsigned timed = 0;
  for (const Json& line : table.at("lines")) {
    const std::string variant = line.at("variant");
    const auto in_results = std::find_if(
        page.json.at("results").begin(), page.json.at("results").end(), [&](const Json& result) {
          return result.at("variant") == variant && result.at("n") == 1000;
        });
    REQUIRE(in_results != page.json.at("results").end());
    CHECK(in_results->at("outcome") == line.at("outcome"));
    if (line.at("outcome") != "timed") continue;
    ++timed;
    CHECK(in_results->at("verified") == true);
    CHECK(in_results->at("median_s") == line.at("median_s"));
    const std::string name =
        variant == "production" ? variant + " = " + in_results->at("variant_ran").get<std::string>()
                                : variant;
    const auto cells =
        cells_of(page.markdown, "Slide \"Using Atomics\": four reductions, i32, n = 1,000", name);
    CHECK(cells.back().starts_with("yes"));
    const double share = line.at("share");
    CHECK(std::abs(std::stod(cells[cells.size() - 3]) - 100 * share) <= 0.5 + 1e-9);
  }
  CHECK(timed >= 1);
  CHECK(table.at("lines").back().at("variant") == "production");
  CHECK(table.at("lines").back().at("outcome") == "timed");
}

TEST_SUITE_END();
