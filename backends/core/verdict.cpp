#include "core/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bifold/version.hpp>
#include <charconv>
#include <fstream>
#include <iterator>
#include <optional>
#include <system_error>
#include <utility>

#include "core/cache_files.hpp"
#include "core/hash.hpp"
#include "core/log.hpp"

namespace bifold::core {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view format = "bifold-check 1 ";
constexpr std::string_view passed_word = "passed";
constexpr std::string_view failed_word = "failed ";

// Longer ones were never written.
constexpr std::uint64_t most_bytes = std::uint64_t{1} << 20;

bool concerns(Judged judged, const PlanShape& shape) {
  if (judged == Judged::integers) return true;
  const Type part = judged == Judged::f32 ? Type::f32 : Type::f64;
  return contains(shape.input, part) || contains(shape.second.value_or(shape.input), part) ||
         contains(shape.accumulator, part) || contains(shape.output, part);
}

std::string on_one_line(std::string_view text) {
  std::string line(text);
  std::replace(line.begin(), line.end(), '\n', ' ');
  std::replace(line.begin(), line.end(), '\r', ' ');
  return line;
}

// Takes what lies before the separator, and the separator, off the text.
std::string_view take(std::string_view& text, char separator) {
  const std::size_t end = text.find(separator);
  const std::string_view first = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return first;
}

template <class Number>
std::optional<Number> number(std::string_view text, int base) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc{} || end != text.data() + text.size()) return {};
  return value;
}

std::string header_of(std::string_view body) {
  return fmt::format("{}{} {:016x}\n", format, body.size(), hash(body));
}

// The text behind a header that is right, or nothing.
std::optional<std::string_view> body_of(std::string_view text) {
  std::string_view body = text;
  std::string_view header = take(body, '\n');
  if (!header.starts_with(format)) return {};
  header.remove_prefix(format.size());
  const auto length = number<std::uint64_t>(take(header, ' '), 10);
  const auto checksum = number<std::uint64_t>(header, 16);
  if (length != body.size() || checksum != hash(body)) return {};
  return body;
}

// The first line in which two keys differ, as "driver 1 instead of driver 2"; nothing if they do
// not. What follows the key is left in `body`.
std::string foreign_part(std::string_view& body, std::string_view key) {
  while (!key.empty()) {
    const std::string_view wanted = take(key, '\n');
    const std::string_view found = take(body, '\n');
    if (found != wanted) return fmt::format(R"("{}" instead of "{}")", found, wanted);
  }
  return {};
}

std::optional<Finding> finding_of(std::string_view line) {
  const std::string_view algorithm = take(line, ' ');
  const std::string_view row = take(line, ' ');
  const std::string_view elements = take(line, ' ');
  Finding finding{nullptr, Judged::integers, {}};
  for (const gallery::Variant& variant : gallery::variants()) {
    if (name_of(variant.algorithm) == algorithm && variant.name == row) finding.row = &variant;
  }
  const auto* const judged = std::find_if(std::begin(all_judged), std::end(all_judged),
                                          [&](Judged one) { return name_of(one) == elements; });
  if (finding.row == nullptr || judged == std::end(all_judged)) return {};
  finding.judged = *judged;
  if (line == passed_word) return finding;
  if (!line.starts_with(failed_word) || line.size() == failed_word.size()) return {};
  finding.problem = line.substr(failed_word.size());
  return finding;
}

std::string content_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

struct Reading {
  Verdict verdict;
  std::string problem;  // Why there is none.
};

Reading read(const fs::path& file, std::string_view key) {
  std::error_code error;
  const std::uint64_t size = fs::file_size(file, error);
  if (error) return {};
  if (!is_own(file)) return {{}, "it is another user's"};
  const std::string text = size <= most_bytes ? content_of(file) : std::string();
  const auto body = body_of(text);
  if (!body) return {{}, "it is damaged"};
  std::string_view rest = *body;
  if (const std::string part = foreign_part(rest, key); !part.empty()) {
    return {{}, "it is out of date or another device's: " + part};
  }
  Reading reading;
  while (!rest.empty()) {
    auto finding = finding_of(take(rest, '\n'));
    if (!finding) return {{}, "it is damaged"};
    reading.verdict.set(std::move(*finding));
  }
  return reading;
}

}  // namespace

std::string_view name_of(Judged judged) noexcept {
  switch (judged) {
    case Judged::f32: return "f32";
    case Judged::f64: return "f64";
    case Judged::integers: break;
  }
  return "integers";
}

void Verdict::set(Finding finding) {
  for (Finding& known : findings_) {
    if (known.row != finding.row || known.judged != finding.judged) continue;
    known = std::move(finding);
    return;
  }
  findings_.push_back(std::move(finding));
}

void Verdict::merge(const Finding& finding) {
  const Finding* known = find(*finding.row, finding.judged);
  if (known == nullptr || known->problem.empty()) set(finding);
}

const Finding* Verdict::find(const gallery::Variant& row, Judged judged) const noexcept {
  for (const Finding& finding : findings_) {
    if (finding.row == &row && finding.judged == judged) return &finding;
  }
  return nullptr;
}

std::string Verdict::problem(const gallery::Variant& row, const PlanShape& shape) const {
  for (const Finding& finding : findings_) {
    if (finding.row != &row || finding.problem.empty() || !concerns(finding.judged, shape)) {
      continue;
    }
    return finding.problem;
  }
  return {};
}

bool Verdict::passed(const gallery::Variant& row, const PlanShape& shape) const {
  return std::all_of(std::begin(all_judged), std::end(all_judged), [&](Judged judged) {
    if (!concerns(judged, shape)) return true;
    const Finding* finding = find(row, judged);
    return finding != nullptr && finding->problem.empty();
  });
}

std::string verdict_key(const DeviceInfo& info, std::string_view binary_key) {
  return fmt::format("library {}\nbackend {}\ndevice {}\ndriver {}\nkernels {}\n", version(),
                     on_one_line(info.backend), on_one_line(info.name), on_one_line(info.driver),
                     on_one_line(binary_key));
}

fs::path verdict_file(const CacheOptions& options, const DeviceInfo& info) {
  const fs::path directory = cache_directory(options);
  if (directory.empty()) return {};
  const std::uint64_t name = hash(info.backend + '\n' + info.vendor + '\n' + info.name);
  return directory / fmt::format("{:016x}.check", name);
}

Verdict load_verdict(const CacheOptions& options, const DeviceInfo& info,
                     std::string_view binary_key) {
  try {
    const fs::path file = options.disk ? verdict_file(options, info) : fs::path();
    if (file.empty()) return {};
    Reading reading = read(file, verdict_key(info, binary_key));
    if (!reading.problem.empty()) {
      log().warn("{}: what bifold-bench check found ({}) is ignored: {}", info.selector,
                 file.string(), reading.problem);
    }
    for (const Finding& finding : reading.verdict.findings()) {
      if (finding.problem.empty()) continue;
      log().warn("{}: production keeps off {} {} on {}, which bifold-bench check found wrong: {}",
                 info.selector, name_of(finding.row->algorithm), finding.row->name,
                 name_of(finding.judged), finding.problem);
    }
    return std::move(reading.verdict);
  } catch (const std::exception& error) {
    log().warn("{}: what bifold-bench check found is ignored: {}", info.selector, error.what());
    return {};
  }
}

std::string store_verdict(const CacheOptions& options, const DeviceInfo& info,
                          std::string_view binary_key, const Verdict& verdict) {
  const fs::path file = verdict_file(options, info);
  if (file.empty()) return "there is no directory for it";
  std::string body = verdict_key(info, binary_key);
  for (const Finding& finding : verdict.findings()) {
    body += fmt::format("{} {} {} {}\n", name_of(finding.row->algorithm), finding.row->name,
                        name_of(finding.judged),
                        finding.problem.empty()
                            ? std::string(passed_word)
                            : std::string(failed_word) + on_one_line(finding.problem));
  }
  return write_atomically(file, {header_of(body), body});
}

}  // namespace bifold::core
