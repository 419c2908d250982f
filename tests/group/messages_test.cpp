// What ranks send each other: real calls beside the model, and the model for more ranks than there
// are.
#include <doctest/doctest.h>

#include <algorithm>
#include <bifold/bifold.hpp>
#include <bifold/group/distributed.hpp>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/group/group_state.hpp"
#include "group/cuts.hpp"
#include "group/simulation.hpp"
#include "support/values/arithmetic.hpp"

namespace bifold {

namespace {

using core::Fronts;
using core::Split;
using test::Offsets;

// What a rank gives first, and in front of its values; docs/distributed.md has both.
constexpr std::uint64_t opening_bytes = 552;
constexpr std::uint64_t header_bytes = 192;
constexpr std::uint64_t seal_bytes = 16;  // In front of a message's elements.

constexpr std::uint64_t leaf = 4096;           // Of f32.
constexpr std::uint64_t tiles = 32ULL * 8192;  // Of f32.
constexpr std::uint64_t slice = 1ULL << 30;    // A rank's elements in the table, about.
constexpr double addition_ns = 2.3;            // One after the other, on one lane.

struct Traffic {
  std::uint64_t given = 0;  // By a rank, to all others.
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;  // Of messages.
};

class CountingTransport final : public Transport {
 public:
  explicit CountingTransport(std::uint32_t ranks)
      : by_(Group::in_process(ranks).state().transport) {}

  [[nodiscard]] Traffic take() { return std::exchange(traffic_, {}); }

  [[nodiscard]] std::uint32_t size() const override { return by_->size(); }
  [[nodiscard]] std::vector<std::uint32_t> local_ranks() const override {
    return by_->local_ranks();
  }
  void all_gather(std::span<const std::byte> mine, std::span<std::byte> all,
                  Deadline deadline) override {
    traffic_.given += mine.size() / size();
    by_->all_gather(mine, all, deadline);
  }
  void exchange(std::span<const Outgoing> sent, std::span<const Incoming> received,
                Deadline deadline) override {
    for (const Outgoing& one : sent) {
      ++traffic_.messages;
      traffic_.bytes += one.bytes.size();
    }
    by_->exchange(sent, received, deadline);
  }

 private:
  std::shared_ptr<Transport> by_;
  Traffic traffic_;
};

std::vector<std::uint64_t> counts_of(const Offsets& offsets) {
  std::vector<std::uint64_t> counts;
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i)
    counts.push_back(offsets[i + 1] - offsets[i]);
  return counts;
}

// Of the first call for these counts, with so many values of four bytes from each rank.
Traffic model(const Split& split, std::uint64_t most_values) {
  const test::BorderTraffic borders = test::border_traffic(split);
  return {opening_bytes + header_bytes + most_values * sizeof(float), borders.messages,
          borders.messages * seal_bytes + borders.elements * sizeof(float)};
}

void check_same(const Traffic& counted, const Traffic& expected) {
  CHECK(counted.given == expected.given);
  CHECK(counted.messages == expected.messages);
  CHECK(counted.bytes == expected.bytes);
}

// Cuts anywhere: slices from half the mean to one and a half of it, or any.
std::vector<std::uint64_t> drawn_counts(std::uint32_t ranks, std::uint64_t mean, bool any) {
  test::Random random(ranks + mean);
  std::vector<std::uint64_t> counts;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    counts.push_back(any ? random.below(2 * mean) : mean / 2 + random.below(mean));
  }
  return counts;
}

// The formulas of the model on a split; its borders are a rank's whole front each where no slice
// is shorter than a unit.
void check_formulas(const Split& split, std::uint64_t unit, bool long_slices) {
  std::uint64_t fronts = 0;
  std::uint64_t cut_units = 0;
  for (std::uint32_t rank = 0; rank < split.ranks(); ++rank) {
    fronts += split.front(rank);
    cut_units += split.front(rank) > 0 ? 1U : 0U;
    REQUIRE(split.front(rank) < unit);
    const core::Interval units = split.units(rank);
    const std::uint64_t alone = split.front(rank) > 0 && !units.empty() ? 1 : 0;
    REQUIRE(split.nodes(rank).size() ==
            alone + test::node_count(units.begin + alone, units.end, split.is_last(rank)));
  }
  const test::BorderTraffic borders = test::border_traffic(split);
  CHECK(borders.elements == fronts);
  CHECK(borders.messages >= cut_units);
  if (long_slices) CHECK(borders.messages == cut_units);
  const test::Joining joining = test::joining(split);
  CHECK(joining.to_one);
  CHECK(joining.rounds == static_cast<std::uint32_t>(std::bit_width(split.ranks() - 1)));
  const std::uint64_t units = (split.n() - 1) / unit + 1;
  // The canonical nodes of an interval, at most two of each level but the root's.
  const auto levels = static_cast<std::uint64_t>(std::bit_width(units - 1));
  CHECK(joining.most_sent <= std::max<std::uint64_t>(2 * levels, 1));
  std::uint64_t values = 0;
  for (std::uint32_t rank = 0; rank < split.ranks(); ++rank) values += split.nodes(rank).size();
  CHECK(joining.joined == values - 1);
}

std::string with_unit(double bytes) {
  constexpr const char* units[] = {"B", "kB", "MB", "GB"};
  std::size_t unit = 0;
  for (; bytes >= 1000 && unit + 1 < std::size(units); ++unit) bytes /= 1000;
  char text[32];
  std::snprintf(text, sizeof text, bytes < 10 && unit > 0 ? "%.1f %s" : "%.0f %s", bytes,
                units[unit]);
  return text;
}

std::string of_ms(double ms) {
  char text[32];
  std::snprintf(text, sizeof text, ms < 100 ? "%.1f ms" : "%.2f s", ms < 100 ? ms : ms / 1000);
  return text;
}

std::string with_commas(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::ptrdiff_t at = static_cast<std::ptrdiff_t>(text.size()) - 3; at > 0; at -= 3) {
    text.insert(static_cast<std::size_t>(at), ",");
  }
  return text;
}

std::string table_of(const std::vector<std::uint32_t>& sizes) {
  std::vector<std::vector<std::string>> rows{
      {"first all-gather: bytes a rank receives"},
      {"shared leaves of a reduction: messages; most bytes"},
      {"shared tiles of a scan: messages; most bytes"},
      {"rounds of an all-gather"},
      {"reduction: most values of a rank"},
      {"all-gather of them: bytes a rank receives"},
      {"lists joined in pairs: rounds; bytes a rank sends at most"},
      {"scan: groups' totals that a rank receives"},
      {"additions one after the other; their time"}};
  std::string head = "| `f32`, slices of about 2^30, cut anywhere |";
  std::string line = "| --- |";
  for (const std::uint32_t ranks : sizes) {
    head += " " + with_commas(ranks) + " ranks |";
    line += " --- |";
    const auto counts = drawn_counts(ranks, slice, false);
    const Split leaves(counts, leaf, Fronts::of_units);
    const Split groups(counts, tiles, Fronts::of_elements);
    const core::ReductionParts parts(leaves, false);
    const core::ScanTotals totals(groups, false, false, false);
    const test::Joining joined = test::joining(leaves);
    const auto borders = [](const Split& split) {
      const test::BorderTraffic traffic = test::border_traffic(split);
      return with_commas(traffic.messages) + "; " +
             with_unit(static_cast<double>(traffic.most_received * sizeof(float)));
    };
    const auto received = [&](std::uint64_t each) {
      return with_unit(static_cast<double>(test::gathering(ranks).most_received * each));
    };
    const double fold_ms = static_cast<double>(totals.values()) * addition_ns / 1e6;
    std::size_t row = 0;
    for (std::string cell :
         {received(opening_bytes), borders(leaves), borders(groups),
          std::to_string(test::gathering(ranks).rounds), std::to_string(parts.most()),
          received(header_bytes + parts.most() * sizeof(float)),
          std::to_string(joined.rounds) + "; " +
              with_unit(static_cast<double>(joined.most_sent * sizeof(float))),
          received(header_bytes + totals.most() * sizeof(float)),
          with_commas(totals.values()) + "; " + of_ms(fold_ms)}) {
      rows[row++].push_back(std::move(cell));
    }
  }
  std::string table = head + '\n' + line + '\n';
  for (const auto& row : rows) {
    table += '|';
    for (const std::string& cell : row) table += ' ' + cell + " |";
    table += '\n';
  }
  return table;
}

}  // namespace

TEST_SUITE_BEGIN("group_messages");

TEST_CASE("a first call sends what the model says") {
  const auto host = test::drawn(test::sums<float>(), tiles + 50'001);
  test::Sliced<float> data(host);
  for (const Offsets& offsets : test::cuts(host.size(), tiles, 4)) {
    CAPTURE(test::text_of(offsets));
    const auto counts = counts_of(offsets);
    const auto ranks = static_cast<std::uint32_t>(counts.size());
    if (ranks == 1) continue;  // Sends nothing to anybody.
    auto transport = std::make_shared<CountingTransport>(ranks);
    Group reducing(transport);
    static_cast<void>(reduce(reducing, data.slices(offsets), plus, 0.0F));
    const Split leaves(counts, leaf, Fronts::of_units);
    check_same(transport->take(), model(leaves, core::ReductionParts(leaves, false).most()));
    Group scanning(transport);
    scan(scanning, ScanKind::inclusive, data.scan_slices(offsets), plus);
    for (std::uint32_t rank = 0; rank < ranks; ++rank) data.queue(rank).finish();
    const Split groups(counts, tiles, Fronts::of_elements);
    check_same(transport->take(),
               model(groups, core::ScanTotals(groups, false, false, false).most()));
  }
}

TEST_CASE("the model's formulas hold for any number of ranks") {
  for (const std::uint32_t ranks : {2U, 3U, 64U, 1000U, 100'000U}) {
    CAPTURE(ranks);
    const test::Gathering gathering = test::gathering(ranks);
    CHECK(gathering.rounds == static_cast<std::uint32_t>(std::bit_width(ranks - 1)));
    CHECK(gathering.messages == std::uint64_t{ranks} * gathering.rounds);
    CHECK(gathering.most_received == ranks - 1);
    for (const std::uint64_t mean : {slice, std::uint64_t{2 * tiles}, std::uint64_t{1000}}) {
      const auto counts = drawn_counts(ranks, mean, mean < leaf);
      check_formulas({counts, leaf, Fronts::of_units}, leaf, mean > 2 * leaf);
      const Split groups(counts, tiles, Fronts::of_elements);
      check_formulas(groups, tiles, mean > 2 * tiles);
      const core::ScanTotals totals(groups, false, false, false);
      std::uint32_t last = ranks - 1;
      while (counts[last] == 0) --last;
      const std::uint64_t before = groups.elements(last).begin / tiles;
      CHECK(totals.values() == before + (totals.of(last) > 0 ? 1 : 0));
    }
  }
}

// With BIFOLD_WRITE_DOCUMENTS=1 in the environment this case writes it.
TEST_CASE("the document has the model's table") {
  const std::string path = BIFOLD_SOURCE_DIR "/docs/distributed.md";
  std::ifstream file(path);
  const std::string document{std::istreambuf_iterator<char>(file), {}};
  const std::string begin = "<!-- messages: begin -->\n";
  const auto from = document.find(begin);
  const auto to = document.find("<!-- messages: end -->");
  REQUIRE(from != std::string::npos);
  REQUIRE(to != std::string::npos);
  const auto at = from + begin.size();
  const std::string table = table_of({1000, 100'000});
  if (std::getenv("BIFOLD_WRITE_DOCUMENTS") != nullptr) {  // NOLINT(concurrency-mt-unsafe)
    std::ofstream(path) << document.substr(0, at) + table + document.substr(to);
    return;
  }
  CHECK_MESSAGE(document.substr(at, to - at) == table,
                "BIFOLD_WRITE_DOCUMENTS=1 in the environment writes it");
}

TEST_SUITE_END();

}  // namespace bifold
