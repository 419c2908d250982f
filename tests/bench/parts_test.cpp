// Parts of the tool from the inside: the papers' data, and results that no sound kernel gives.
#include <doctest/doctest.h>

#include <algorithm>
#include <bifold/bifold.hpp>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "base/output_file.hpp"
#include "commands/gallery/json.hpp"
#include "commands/gallery/render.hpp"
#include "commands/gallery/tables.hpp"
#include "data/host_data.hpp"
#include "data/structs.hpp"
#include "data/together.hpp"
#include "data/types.hpp"
#include "measure/runner.hpp"
#include "support/bench_tool.hpp"

namespace {

using bench::Figure;
using bench::Outcome;
using bench::Paper;
using bench::PaperTable;
using bifold::test::has_cpu_device;
using Json = nlohmann::json;

bool has_row(const PaperTable& table, std::string_view name) {
  return std::any_of(table.rows.begin(), table.rows.end(),
                     [&](const auto& row) { return row.row == name; });
}

const Paper& paper_named(std::string_view name) {
  for (const Paper& paper : bench::papers()) {
    if (paper.name == name) return paper;
  }
  throw std::runtime_error("no such paper");
}

bench::Result timed(const char* variant, std::uint64_t n, double seconds) {
  bench::Result result;
  result.what.variant = variant;
  result.what.n = n;
  result.outcome = Outcome::timed;
  result.variant_ran = variant;
  result.timing = {5, 1, seconds, seconds, seconds};
  result.limits.bytes = 4 * n;
  result.limits.kernel_copy = 80;
  result.limits.read = 100;
  return result;
}

/// The Oancea table at n = 1000 with a wrong result in it.
bench::GalleryReport report_with_a_wrong_result() {
  bench::GalleryReport report;
  report.options.papers = {&paper_named("oancea")};
  report.library_version = "1.2.3";
  report.time = "2025-01-31T12:00:00Z";
  auto& device = report.devices.emplace_back();
  device.info.selector = "opencl:7";
  device.info.name = "a|device";
  report.results = {timed("tree", 1000, 1e-6), timed("block", 1000, 0.5e-6)};
  bench::Result wrong = timed("atomic", 1000, 1e-6);
  wrong.outcome = Outcome::wrong;
  wrong.reason = "WRONG at index 0: expected 1, found 2";
  report.results.push_back(wrong);
  return report;
}

}  // namespace

TEST_SUITE_BEGIN("bench parts");

TEST_CASE("the gallery has every row that a paper names") {
  for (const Paper& paper : bench::papers()) {
    for (const PaperTable& table : paper.tables) {
      for (const auto& row : table.rows) {
        CHECK_MESSAGE(bifold::gallery::find(table.algorithm, row.row) != nullptr, paper.name,
                      " names ", row.row);
      }
    }
  }
}

TEST_CASE("the figures of a paper belong to rows and sizes of its table, once each") {
  for (const Paper& paper : bench::papers()) {
    for (const PaperTable& table : paper.tables) {
      CAPTURE(table.title);
      CHECK(has_row(table, table.baseline));
      for (const Figure& figure : table.figures) {
        CAPTURE(figure.row);
        CHECK(has_row(table, figure.row));
        CHECK(std::count(table.sizes.begin(), table.sizes.end(), figure.n) == 1);
        CHECK(table.find(figure.row, figure.n) == &figure);
        CHECK(figure.time_s >= 0);
      }
    }
  }
}

TEST_CASE(
    "rates that contradict their times are known, and are those of the report on scans only") {
  for (const Paper& paper : bench::papers()) {
    unsigned derived = 0;
    for (const PaperTable& table : paper.tables) {
      for (const Figure& figure : table.figures) {
        if (bench::rate_of(table, figure).derived) ++derived;
      }
    }
    CAPTURE(paper.name);
    CHECK(derived == (paper.name == "single-pass" ? 9 : 0));
  }
}

TEST_CASE("speed-ups as printed agree with the times as printed") {
  for (const std::string name : {"jradi", "harris"}) {
    for (const PaperTable& table : paper_named(name).tables) {
      for (const Figure& figure : table.figures) {
        if (figure.speedup == 0) continue;
        const double ratio = table.find(table.baseline, figure.n)->time_s / figure.time_s;
        CHECK(figure.speedup == doctest::Approx(ratio).epsilon(2e-3));
      }
    }
  }
  const PaperTable& jradi = paper_named("jradi").tables[0];
  for (const Figure& figure : jradi.figures) {
    CHECK(figure.share == doctest::Approx(100 * figure.gb_per_s / 332.8).epsilon(1e-3));
  }
}

TEST_CASE("a wrong result is shown as not valid, in every form") {
  const bench::GalleryReport report = report_with_a_wrong_result();
  CHECK_FALSE(report.all_well());
  const std::string text = bench::gallery_as_text(report);
  CHECK(text.find("NO: WRONG at index 0: expected 1, found 2") != std::string::npos);
  CHECK(text.find("2 timed, 0 skipped, 1 wrong, 0 failed") != std::string::npos);
  const std::string markdown = bench::gallery_as_markdown(report);
  CHECK(markdown.find("| atomic | Atomics | 8 us | 9.62x | | | | | NO: WRONG at index 0") !=
        std::string::npos);
  const Json json = Json::parse(bench::gallery_as_json(report));
  const Json& line = json.at("tables").at(0).at("lines").at(2);
  CHECK(line.at("variant") == "atomic");
  CHECK(line.at("outcome") == "wrong");
  CHECK_FALSE(line.contains("median_s"));
  CHECK(json.at("results").at(2).at("verified") == false);
}

TEST_CASE("speed-up, rate and share of ours are those of the timing") {
  const bench::GalleryReport report = report_with_a_wrong_result();
  const Json json = Json::parse(bench::gallery_as_json(report));
  const Json& block = json.at("tables").at(0).at("lines").at(1);
  CHECK(block.at("speedup") == doctest::Approx(2.0));
  CHECK(block.at("gb_per_s") == doctest::Approx(8.0));
  CHECK(block.at("share") == doctest::Approx(0.08));
  CHECK(block.at("paper").at("speedup") == doctest::Approx(77.0 / 17.0));
  const std::string markdown = bench::gallery_as_markdown(report);
  CHECK(markdown.find("| block | Block reduction | 17 us | 4.53x | 500 ns | 8.00 | 8 % | 2.00x | "
                      "yes |") != std::string::npos);
}

TEST_CASE("what was written can be read, a wrong result included") {
  const bifold::test::Scratch scratch;
  bench::GalleryReport report = report_with_a_wrong_result();
  report.options.from = scratch / "gallery.json";
  bench::write_whole("--json", report.options.from, bench::gallery_as_json(report));
  const bench::GalleryReport again = bench::read_gallery(report.options);
  CHECK(bench::gallery_as_markdown(again) == bench::gallery_as_markdown(report));
}

TEST_CASE("the comparison before timing finds one wrong element") {
  if (!has_cpu_device()) return;
  const bifold::Device device = bifold::open_device("opencl:cpu");
  bifold::Queue queue(device);
  const auto n = std::uint64_t{1000};
  const bench::HostData data(bifold::Type::i32, bifold::plus, n);
  std::vector<std::int32_t> sums(n);
  std::copy_n(reinterpret_cast<const std::int32_t*>(data.inclusive()), n, sums.begin());
  sums[737] ^= 1;
  const auto scan = queue.upload(std::span(sums));
  bench::Verifier verifier;
  const auto found = verifier.check_scan(queue, scan.view(), data, bifold::ScanKind::inclusive);
  CHECK((found && found->index == 737));

  const auto total = queue.upload(std::span(sums).last(1));
  CHECK_FALSE(bench::Verifier().check_reduce(queue, total.view(), data, n).has_value());
  CHECK(bench::Verifier().check_reduce(queue, total.view(), data, n - 1).has_value());
}

TEST_CASE_TEMPLATE("structs are scanned field by field, and one wrong field is found", Struct,
                   bench::Complex, bench::Triple, bench::Pair) {
  const std::uint64_t n = 1000;
  const auto kind = bifold::ScanKind::exclusive;
  const bifold::Type type = bifold::type_of<Struct>();
  for (const bifold::Operator& op :
       {bifold::Operator(bifold::plus), bifold::Operator(bifold::minimum)}) {
    const bench::HostData data(type, op, n);
    const std::span input(reinterpret_cast<const Struct*>(data.input()), n);
    std::vector<bench::Fields<Struct>> expected{fields_of(data.of_nothing().template as<Struct>())};
    bench::Fields<Struct> next = fields_of(data.identity().template as<Struct>());
    for (const Struct& element : input.first(n - 1)) {
      const bench::Fields<Struct> fields = fields_of(element);
      for (std::size_t i = 0; i < fields.size(); ++i) {
        next[i] = bifold::reference::combine(op.kind(), next[i], fields[i]);
      }
      expected.push_back(next);
    }
    const auto check = [&] {
      return bench::Verifier::check_host_scan(reinterpret_cast<const std::byte*>(expected.data()),
                                              data, n, kind);
    };
    CHECK_FALSE(check().has_value());
    expected[737].back() += 1;
    const auto found = check();
    CHECK((found && found->index == 737));
    CHECK((found && bench::describe(*found).find("found (") != std::string::npos));
    const bifold::Value total = data.total(n);
    for (std::size_t i = 0; i < total.size(); ++i) {
      CHECK(bench::poison(total).data()[i] == ~total.data()[i]);
    }
  }
}

TEST_CASE("every struct is known by name, and combined only as its fields are") {
  const auto known = bench::known_types();
  for (const bifold::Type type : bench::struct_types) {
    CAPTURE(bifold::name_of(type));
    CHECK(std::count(known.begin(), known.end(), type) == 1);
    CHECK(bench::can_combine(type, bifold::plus));
    CHECK(bench::can_combine(type, bifold::bit_and) ==
          !bifold::is_floating(bench::field_type(type)));
    CHECK(bench::visit_struct(type, [](auto zero) { return sizeof zero; }) ==
          bifold::size_of(type));
  }
}

TEST_CASE("reductions in one pass are compared field by field") {
  if (!has_cpu_device()) return;
  const bifold::Device device = bifold::open_device("opencl:cpu");
  bifold::Queue queue(device);
  const auto n = std::uint64_t{1000};
  const bench::HostData data(bifold::Type::i32, bifold::plus, n);
  const auto* const values = reinterpret_cast<const std::int32_t*>(data.input());
  const auto input = queue.upload(std::span(values, n));
  bifold::Buffer<std::uint8_t> result(device, 64);
  bench::poison_together(queue, result);
  CHECK(bench::check_together(queue, result, data, n).has_value());
  bench::reduce_together(queue, bifold::erase(input), result, "shuffle_multi");
  CHECK_FALSE(bench::check_together(queue, result, data, n).has_value());
  // One field after the other is made wrong.
  for (std::uint64_t field = 0; field < bench::together_count; ++field) {
    bench::reduce_together(queue, bifold::erase(input), result, "shuffle_multi");
    queue.fill(result.view(4 * field, 4), 0x55);
    const auto found = bench::check_together(queue, result, data, n);
    CHECK((found && found->index == field));
  }
}

TEST_CASE("a size whose calls are expected to take too long is skipped, with the reason") {
  if (!has_cpu_device()) return;
  bench::Budget budget{0.001, 1};
  budget.longest_call_s = 1e-12;
  bench::Measurements measurements = bench::begin_measurements();
  auto sessions = bench::open_sessions({"opencl:cpu"}, budget, measurements);
  for (const std::uint64_t n : {2000u, 1000u}) {
    auto& result = measurements.results.emplace_back();
    result.what.variant = "production";
    result.what.n = n;
  }
  bench::measure_all(measurements, sessions, budget, bench::ProgressMode::off);
  CHECK(measurements.results[1].outcome == Outcome::timed);
  CHECK(measurements.results[0].outcome == Outcome::skipped);
  CHECK(measurements.results[0].reason.find("expected from") != std::string::npos);
}

TEST_CASE("backends of one processor have their turns at each size") {
  if (!has_cpu_device()) return;
  const bench::Budget budget{0.001, 1};
  bench::Measurements measurements = bench::begin_measurements();
  // The same device twice is what two backends of one processor look like.
  std::vector<bench::Session> sessions;
  sessions.reserve(2);
  for (int k = 0; k < 2; ++k) {
    sessions.emplace_back(bifold::open_device("opencl:cpu"), budget, measurements.host);
  }
  for (const std::size_t device : {0u, 1u}) {
    for (const std::uint64_t n : {1000u, 2000u}) {
      auto& result = measurements.results.emplace_back();
      result.what.variant = "production";
      result.what.device = device;
      result.what.n = n;
    }
  }
  std::vector<std::size_t> order;
  std::vector<bool> seen(measurements.results.size(), false);
  bench::measure_all(measurements, sessions, budget, bench::ProgressMode::off,
                     [&](const bench::Result&) {
                       for (std::size_t i = 0; i < seen.size(); ++i) {
                         if (seen[i] || measurements.results[i].outcome != Outcome::timed) continue;
                         seen[i] = true;
                         order.push_back(i);
                       }
                     });
  CHECK(order == std::vector<std::size_t>{0, 2, 1, 3});
}

TEST_SUITE_END();
