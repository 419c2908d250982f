#include "commands/run/table.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "base/format.hpp"

namespace bench {
namespace {

constexpr std::array<std::string_view, 11> headings{"algorithm", "variant",  "type",   "operator",
                                                    "n",         "per call", "p10",    "p90",
                                                    "GB/s",      "of copy",  "of read"};
/// Columns of words are aligned on the left, columns of numbers on the right.
constexpr std::size_t first_number = 4;

/// One line: its cells, then a remark that has no column.
struct Line {
  std::vector<std::string> cells;
  std::string remark;
};

std::string algorithm_text(const Configuration& what) {
  if (what.algorithm == bifold::Algorithm::reduce) return "reduce";
  return formatted("{} scan", bifold::name_of(what.kind));
}

std::string variant_text(const Result& result) {
  const Configuration& what = result.what;
  std::string asked =
      what.order == bifold::Order::any ? what.variant + ", any order" : what.variant;
  if (result.variant_ran.empty() || result.variant_ran == what.variant) return asked;
  return formatted("{} = {}", asked, result.variant_ran);
}

Line identity_of(const Result& result) {
  const Configuration& what = result.what;
  return {{algorithm_text(what), variant_text(result), std::string(bifold::name_of(what.type)),
           std::string(what.op.name()), count_text(what.n)},
          {}};
}

Line measured(const Result& result) {
  Line line = identity_of(result);
  const double rate = result.gb_per_s();
  for (std::string cell :
       {seconds_text(result.timing.median_s), seconds_text(result.timing.p10_s),
        seconds_text(result.timing.p90_s), rate_text(rate), share_text(rate, result.limits.copy()),
        share_text(rate, result.limits.read)}) {
    line.cells.push_back(std::move(cell));
  }
  if (result.in_cache) line.remark = "cache";
  if (result.aligned.samples > 0) {
    line.remark += formatted("{}{} of aligned", line.remark.empty() ? "" : ", ",
                             share_text(result.aligned.median_s, result.timing.median_s));
  }
  return line;
}

/// Whether both lines say the same but for n.
bool same_story(const Result& a, const Result& b) {
  return a.outcome == b.outcome && a.reason == b.reason && a.variant_ran == b.variant_ran &&
         a.what.device == b.what.device && a.what.algorithm == b.what.algorithm &&
         a.what.variant == b.what.variant && a.what.order == b.what.order &&
         a.what.type == b.what.type && a.what.op == b.what.op;
}

Line not_measured(const Result& first, const Result& last) {
  Line line = identity_of(first);
  if (first.what.n != last.what.n) {
    line.cells.back() += " .. " + count_text(last.what.n);
  }
  switch (first.outcome) {
    case Outcome::skipped: line.remark = "skipped: " + first.reason; break;
    case Outcome::failed: line.remark = "FAILED: " + first.reason; break;
    default: line.remark = first.reason; break;
  }
  return line;
}

std::vector<Line> lines_of(const Report& report, std::size_t device) {
  std::vector<Line> lines;
  const auto& results = report.results;
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (results[i].what.device != device) continue;
    if (results[i].outcome == Outcome::timed) {
      lines.push_back(measured(results[i]));
      continue;
    }
    const std::size_t first = i;
    while (i + 1 < results.size() && same_story(results[first], results[i + 1])) ++i;
    lines.push_back(not_measured(results[first], results[i]));
  }
  return lines;
}

std::string trimmed(std::string text) {
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

void print_lines(const std::vector<Line>& lines) {
  std::array<std::size_t, headings.size()> widths{};
  for (std::size_t c = 0; c < headings.size(); ++c) widths[c] = headings[c].size();
  for (const Line& line : lines) {
    for (std::size_t c = 0; c < line.cells.size(); ++c) {
      widths[c] = std::max(widths[c], line.cells[c].size());
    }
  }
  const auto print = [&](auto cell, std::size_t count, std::string_view remark) {
    std::string text = " ";
    for (std::size_t c = 0; c < count; ++c) {
      text += c < first_number ? formatted(" {:<{}} ", cell(c), widths[c])
                               : formatted(" {:>{}} ", cell(c), widths[c]);
    }
    print_text("{}\n", trimmed(formatted("{} {}", text, remark)));
  };
  print([](std::size_t c) { return headings[c]; }, headings.size(), "");
  for (const Line& line : lines) {
    print([&](std::size_t c) { return std::string_view(line.cells[c]); }, line.cells.size(),
          line.remark);
  }
}

void print_device(const Report& report, std::size_t index) {
  const DeviceReport& device = report.devices[index];
  print_text("\n{}  {}\n", device.info.selector, device.info.name);
  print_text("  driver {}, {} of memory\n  {}\n\n", device.info.driver,
             bytes_text(device.capabilities.global_bytes), one_line(device.info.platform));
  print_lines(lines_of(report, index));

  print_text("\n");
  if (!device.limits.empty()) {
    const Limits& large = device.limits.back();
    print_text("  Limits with buffers of {}: ", bytes_text(large.bytes));
    if (large.copy() > 0) {
      print_text("copy {} GB/s (driver {}, kernel {})", rate_text(large.copy()),
                 rate_text(large.queue_copy), rate_text(large.kernel_copy));
    }
    if (large.read > 0) print_text(", read {} GB/s", rate_text(large.read));
    print_text("{}\n", large.problem.empty() ? "" : "; missing: " + large.problem);
  }
  if (const Result* quickest = quickest_call(report, index)) {
    // A call with much data says little about what a call without any would cost.
    const bool small = quickest->what.bytes() <= std::uint64_t{1} << 20;
    print_text("  Quickest call: {}, {} of {} {} elements{}.\n",
               seconds_text(quickest->timing.median_s), algorithm_text(quickest->what),
               count_text(quickest->what.n), bifold::name_of(quickest->what.type),
               small ? ": about the cost of a call as such" : "");
  }
  print_text("  Kernels: {} compiled in {}, {} taken from the disk cache.\n",
             device.kernels.compiled, seconds_text(device.kernels.compile_seconds),
             device.kernels.from_disk);
}

void print_legend(const Report& report) {
  const auto& results = report.results;
  const auto any = [&](auto predicate) {
    return std::any_of(results.begin(), results.end(), predicate);
  };
  if (!any([](const Result& r) { return r.outcome == Outcome::timed; })) return;
  print_text(
      "\nWhat the columns mean\n"
      "  n         elements of the input\n"
      "  per call  median time of a call among calls enqueued back to back; one sample in ten is\n"
      "            below p10, one in ten above p90\n"
      "  GB/s      bytes a call must move per second of the median: n elements read by a reduce, "
      "n\n"
      "            read and n written by a scan; 1 GB = 1,000,000,000 bytes\n"
      "  of copy   that rate as a share of what copying a buffer of the same size reaches on this\n"
      "            device in this run, read and written bytes counted; for large inputs 100 % is\n"
      "            about the most a scan can reach\n"
      "  of read   the same, as a share of only reading such a buffer; for large inputs 100 % is\n"
      "            about the most a reduce can reach\n"
      "  Limits of buffers below 64 KiB are measured with 64 KiB.\n");
  if (any([](const Result& r) { return r.in_cache; })) {
    print_text(
        "  cache     the buffers fit the device's last-level cache, so that after the first call\n"
        "            these are rates of the cache, not of the memory\n");
  }
  if (any([](const Result& r) { return r.aligned.samples > 0; })) {
    print_text(
        "  aligned   the same call in turns with it, on elements that start where buffers do\n");
  }
  print_text("Every result above was compared with the host reference, in full, before timing.\n");
}

}  // namespace

void print_table(const Report& report) {
  print_text("bifold {}, {}\n", bifold::version(), report.time);
  print_text("host: {}, {} threads, {}\n", report.host.cpu, report.host.threads, report.host.os);
  for (std::size_t i = 0; i < report.devices.size(); ++i) print_device(report, i);
  for (const UnopenedDevice& device : report.unopened) {
    print_text("\n{}  {}\n  FAILED: cannot be opened: {}\n", device.info.selector, device.info.name,
               device.reason);
  }
  print_legend(report);

  std::array<std::size_t, 4> counts{};
  for (const Result& result : report.results) ++counts[static_cast<std::size_t>(result.outcome)];
  print_text("\n{} timed, {} skipped, {} wrong, {} failed\n", counts[0], counts[1], counts[2],
             counts[3]);
}

}  // namespace bench
