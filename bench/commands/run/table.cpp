#include "commands/run/table.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "base/format.hpp"

namespace bench {
namespace {

bool wide() { return text_width() > 100; }

/// What ran, with a mark where production chose it.
std::string variant_text(const Result& result) {
  const Configuration& what = result.what;
  std::string text = what.variant;
  if (what.variant == "production" && !result.variant_ran.empty()) text = result.variant_ran + '*';
  return what.order == bifold::Order::any ? text + ", any order" : text;
}

/// How far samples lie apart: 80 % of them, as a share of the median.
std::string spread_text(const Timing& timing) {
  return share_text(timing.p90_s - timing.p10_s, timing.median_s);
}

double limit_of(const Result& result) {
  return result.what.only_reads() ? result.limits.read : result.limits.copy();
}

/// The widest of what the results have.
template <class TextOf>
std::size_t width_of(const Report& report, TextOf text_of) {
  std::size_t width = 0;
  for (const Result& result : report.results) {
    width = std::max(width, std::string_view(text_of(result)).size());
  }
  return width;
}

std::string selector_of(const Report& report, const Result& result) {
  return report.devices[result.what.device].info.selector;
}

std::vector<LiveTable::Field> fields_of(const Report& report, bool several) {
  std::vector<LiveTable::Field> fields;
  const auto add = [&fields](const char* heading, std::size_t width, bool number = true) {
    LiveTable::Field field;
    field.column.heading = heading;
    field.column.number = number;
    field.width = width;
    fields.push_back(std::move(field));
  };
  if (several) {
    add("device", width_of(report, [&](const Result& r) { return selector_of(report, r); }), false);
  }
  add("call", 6, false);
  add("type", width_of(report, [](const Result& r) { return bifold::name_of(r.what.type); }),
      false);
  add("operator", width_of(report, [](const Result& r) { return r.what.op.name(); }), false);
  add("n", width_of(report, [](const Result& r) { return size_text(r.what); }));
  add("per call", 8);
  if (wide()) {
    add("p10", 7);
    add("p90", 7);
  }
  add("spread", 6);
  add("GB/s", 5);
  add("share", 5);
  add("", 5, false);
  return fields;
}

std::vector<std::string> identity_of(const Report& report, const Result& result, bool several) {
  const Configuration& what = result.what;
  std::vector<std::string> cells;
  if (several) cells.push_back(selector_of(report, result));
  for (std::string cell :
       {std::string(bifold::name_of(what.algorithm)), std::string(bifold::name_of(what.type)),
        std::string(what.op.name()), size_text(what)}) {
    cells.push_back(std::move(cell));
  }
  return cells;
}

/// Whether both lines say the same but for n.
bool same_story(const Result& a, const Result& b) {
  return a.outcome == b.outcome && a.reason == b.reason && a.what.device == b.what.device &&
         a.what.algorithm == b.what.algorithm && a.what.variant == b.what.variant &&
         a.what.order == b.what.order && a.what.type == b.what.type && a.what.op == b.what.op;
}

/// What was not tried, or not to its end: one line for sizes of one reason.
std::string skipped_of(const Report& report) {
  std::string text;
  const auto& results = report.results;
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (results[i].outcome != Outcome::skipped) continue;
    const Result& first = results[i];
    while (i + 1 < results.size() && same_story(first, results[i + 1])) ++i;
    const Result& last = results[i];
    const Configuration& what = first.what;
    text += wrapped(formatted("{} {} {}, {} of {}, n = {}{}: {}", selector_of(report, first),
                              bifold::name_of(what.algorithm), variant_text(first), what.op.name(),
                              bifold::name_of(what.type), size_text(what),
                              &first == &last ? "" : " .. " + size_text(last.what), first.reason),
                    2);
  }
  return text.empty() ? text : "\nSkipped\n" + text;
}

std::string limits_text(const DeviceReport& device) {
  if (device.limits.empty()) return {};
  const Limits& large = device.limits.back();
  std::string text = formatted("Limits with buffers of {}:", bytes_text(large.bytes));
  if (large.copy() > 0) {
    text += formatted(" copy {} GB/s (driver {}, kernel {})", rate_text(large.copy()),
                      rate_text(large.queue_copy), rate_text(large.kernel_copy));
  }
  if (large.read > 0) text += formatted(", read {} GB/s", rate_text(large.read));
  return text + (large.problem.empty() ? "" : "; missing: " + large.problem);
}

std::string device_summary(const Report& report, std::size_t index) {
  const DeviceReport& device = report.devices[index];
  std::string text = formatted("\n{}  {}\n", device.info.selector, device.info.name);
  if (const std::string limits = limits_text(device); !limits.empty()) text += wrapped(limits, 2);
  if (const Result* quickest = quickest_call(report, index)) {
    // A call with much data says little about what a call without any would cost.
    const bool small = quickest->what.bytes() <= std::uint64_t{1} << 20;
    text += formatted(
        "  Quickest call: {}, {} of {} {} elements{}.\n", seconds_text(quickest->timing.median_s),
        bifold::name_of(quickest->what.algorithm), count_text(quickest->what.n),
        bifold::name_of(quickest->what.type), small ? ": about the cost of a call as such" : "");
  }
  return text + formatted("  Kernels: {} compiled in {}, {} taken from the disk cache.\n",
                          device.kernels.compiled, seconds_text(device.kernels.compile_seconds),
                          device.kernels.from_disk);
}

std::string legend_of(const Report& report) {
  const auto any = [&](auto predicate) {
    return std::any_of(report.results.begin(), report.results.end(), predicate);
  };
  if (!any([](const Result& r) { return r.outcome == Outcome::timed; })) return {};
  std::string text =
      "\nWhat the columns mean\n"
      "  n         elements of the input\n"
      "  per call  median time of a call among calls enqueued back to back\n"
      "  spread    how far samples lie apart: from the 10th to the 90th percentile, as a share of\n"
      "            the median (--wide shows both)\n"
      "  GB/s      bytes that a call must move per second of the median: a reduce reads n "
      "elements,\n"
      "            a scan reads and writes n, and a reduction of lines writes one for each;\n"
      "            1 GB = 1,000,000,000 bytes\n"
      "  share     that rate as a share of a limit measured beside it in this run, with as many\n"
      "            bytes (64 KiB at least): only reading a buffer for a reduce, copying one for a\n"
      "            scan and for lines; for large inputs 100 % is about the most a call can reach\n"
      "  variant   what ran; * where production chose it\n";
  if (any([](const Result& r) { return r.in_cache; })) {
    text +=
        "  cache     the buffers fit the device's last-level cache, so that after the first call\n"
        "            these are rates of the cache, not of the memory\n";
  }
  if (any([](const Result& r) { return r.aligned.samples > 0; })) {
    text += "  aligned   the same call in turns with it, on elements that start where buffers do\n";
  }
  return text +
         "Every result above was compared with the host reference, in full, before timing.\n";
}

}  // namespace

RunTable::RunTable(const Report& report)
    : report_(report), several_(report.devices.size() > 1), table_(fields_of(report, several_)) {}

std::string RunTable::heading() const {
  std::string text = formatted("bifold {}, {}\n", report_.library_version, report_.time) +
                     wrapped(formatted("host: {}, {} threads, {}", report_.host.cpu,
                                       report_.host.threads, report_.host.os),
                             0);
  for (const DeviceReport& device : report_.devices) {
    text += formatted("\n{}  {}\n", device.info.selector, device.info.name);
    text += wrapped(
        formatted("driver {}, {} of memory, {}", device.info.driver,
                  bytes_text(device.capabilities.global_bytes), one_line(device.info.platform)),
        2);
  }
  for (const UnopenedDevice& device : report_.unopened) {
    text += formatted("\n{}  {}\n", device.info.selector, device.info.name) +
            wrapped("FAILED: cannot be opened: " + device.reason, 2);
  }
  if (report_.devices.empty()) return text;
  const bool scans = std::any_of(report_.results.begin(), report_.results.end(), [](const auto& r) {
    return r.what.algorithm == bifold::Algorithm::scan;
  });
  if (scans) text += formatted("\nScans are {}.\n", bifold::name_of(report_.options.kind));
  return text + '\n' + table_.heading("variant");
}

std::string RunTable::row(const Result& result) const {
  std::vector<std::string> cells = identity_of(report_, result, several_);
  if (result.outcome != Outcome::timed) {
    if (result.outcome == Outcome::skipped) return {};
    const char* const how = result.outcome == Outcome::failed ? "FAILED: " : "";
    return table_.row(cells, formatted("{}: {}{}", variant_text(result), how, result.reason));
  }
  const double rate = result.gb_per_s();
  cells.push_back(seconds_text(result.timing.median_s));
  if (wide()) {
    cells.push_back(seconds_text(result.timing.p10_s));
    cells.push_back(seconds_text(result.timing.p90_s));
  }
  for (std::string cell :
       {spread_text(result.timing), rate_text(rate), share_text(rate, limit_of(result)),
        std::string(result.in_cache ? "cache" : "")}) {
    cells.push_back(std::move(cell));
  }
  std::string remark = variant_text(result);
  if (result.aligned.samples > 0) {
    remark +=
        formatted(", {} of aligned", share_text(result.aligned.median_s, result.timing.median_s));
  }
  return table_.row(cells, remark);
}

std::string summary_of(const Report& report) {
  std::string text = skipped_of(report);
  for (std::size_t i = 0; i < report.devices.size(); ++i) text += device_summary(report, i);
  text += legend_of(report);
  std::array<std::size_t, 4> counts{};
  for (const Result& result : report.results) ++counts[static_cast<std::size_t>(result.outcome)];
  text += formatted("\n{} timed, {} skipped, {} wrong, {} failed\n", counts[0], counts[1],
                    counts[2], counts[3]);
  return report.complete ? text : text + "Interrupted: this is what was measured until then.\n";
}

}  // namespace bench
