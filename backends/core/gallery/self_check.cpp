#include "core/gallery/self_check.hpp"

#include <algorithm>
#include <bifold/version.hpp>
#include <iterator>
#include <optional>
#include <utility>

#include "core/base/format.hpp"
#include "core/base/log.hpp"
#include "core/kernel/cache_files.hpp"
#include "core/text/checked_text.hpp"

namespace bifold::core {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view format = "bifold-check 1";
constexpr std::string_view passed_word = "passed";
constexpr std::string_view failed_word = "failed ";

/// The floating type that is judged; of integers, there is none.
std::optional<Type> type_of(Judged judged) {
  switch (judged) {
    case Judged::f32: return Type::f32;
    case Judged::f64: return Type::f64;
    case Judged::f16: return Type::f16;
    case Judged::bf16: return Type::bf16;
    case Judged::structs:
    case Judged::integers: break;
  }
  return {};
}

bool concerns(Judged judged, const PlanShape& shape) {
  if (judged == Judged::structs) {
    return !shape.op.has_identity() || shape.accumulator.is_struct() ||
           std::ranges::any_of(stored_types(shape), [](Type type) { return type.is_struct(); });
  }
  const std::optional<Type> floating = type_of(judged);
  if (!floating) return true;
  const Type part = *floating;
  return contains(shape.accumulator, part) ||
         std::ranges::any_of(stored_types(shape), [&](Type type) { return contains(type, part); });
}

// What a line says; nothing where it says nothing. Without a row where this build has no such row.
std::optional<Finding> finding_of(std::string_view line) {
  const std::string_view name = take(line, ' ');
  const std::string_view row = take(line, ' ');
  const std::string_view elements = take(line, ' ');
  constexpr Algorithm algorithms[] = {Algorithm::reduce, Algorithm::scan, Algorithm::select};
  const auto* const algorithm = std::find_if(std::begin(algorithms), std::end(algorithms),
                                             [&](Algorithm one) { return name_of(one) == name; });
  const auto* const judged = std::find_if(std::begin(all_judged), std::end(all_judged),
                                          [&](Judged one) { return name_of(one) == elements; });
  if (algorithm == std::end(algorithms) || row.empty() || judged == std::end(all_judged)) return {};
  Finding finding{gallery::find(*algorithm, row), Judged::integers, {}};
  finding.judged = *judged;
  if (line == passed_word) return finding;
  if (!line.starts_with(failed_word) || line.size() == failed_word.size()) return {};
  finding.problem = line.substr(failed_word.size());
  return finding;
}

}  // namespace

std::string_view name_of(Judged judged) noexcept {
  const std::optional<Type> floating = type_of(judged);
  if (judged == Judged::structs) return "structs";
  return floating ? bifold::name_of(*floating) : "integers";
}

void SelfCheckResult::set(Finding finding) {
  for (Finding& known : findings_) {
    if (known.row != finding.row || known.judged != finding.judged) continue;
    known = std::move(finding);
    return;
  }
  findings_.push_back(std::move(finding));
}

void SelfCheckResult::merge(const Finding& finding) {
  const Finding* known = find(*finding.row, finding.judged);
  if (known == nullptr || known->problem.empty()) set(finding);
}

const Finding* SelfCheckResult::find(const gallery::Variant& row, Judged judged) const noexcept {
  for (const Finding& finding : findings_) {
    if (finding.row == &row && finding.judged == judged) return &finding;
  }
  return nullptr;
}

std::string SelfCheckResult::problem(const gallery::Variant& row, const PlanShape& shape) const {
  for (const Finding& finding : findings_) {
    if (finding.row != &row || finding.problem.empty() || !concerns(finding.judged, shape)) {
      continue;
    }
    return finding.problem;
  }
  return {};
}

bool SelfCheckResult::passed(const gallery::Variant& row, const PlanShape& shape) const {
  return std::all_of(std::begin(all_judged), std::end(all_judged), [&](Judged judged) {
    if (!concerns(judged, shape)) return true;
    const Finding* finding = find(row, judged);
    return finding != nullptr && finding->problem.empty();
  });
}

std::string self_check_key(const DeviceInfo& info, std::string_view binary_key) {
  return formatted("library {}\nbackend {}\ndevice {}\ndriver {}\nkernels {}\n", version(),
                   on_one_line(info.backend), on_one_line(info.name), on_one_line(info.driver),
                   on_one_line(binary_key));
}

std::string self_check_text(std::string_view key, const SelfCheckResult& self_check) {
  std::string body(key);
  for (const Finding& finding : self_check.findings()) {
    body += formatted("{} {} {} {}\n", name_of(finding.row->algorithm), finding.row->name,
                      name_of(finding.judged),
                      finding.problem.empty()
                          ? std::string(passed_word)
                          : std::string(failed_word) + on_one_line(finding.problem));
  }
  return checked_header(format, body) + body;
}

SelfCheckReading read_self_check(std::string_view text, std::string_view key) {
  const auto body = checked_body(format, text);
  if (!body) return {{}, "it is damaged"};
  std::string_view rest = *body;
  std::size_t line = 0;
  if (const std::string part = foreign_part(rest, key, line); !part.empty()) {
    return {{}, "it is out of date or another device's: " + part};
  }
  SelfCheckReading reading;
  while (!rest.empty()) {
    auto finding = finding_of(take(rest, '\n'));
    if (!finding) return {{}, "it is damaged"};
    if (finding->row != nullptr) reading.self_check.set(std::move(*finding));
  }
  return reading;
}

fs::path self_check_file(const CacheOptions& options, const DeviceInfo& info) {
  return file_of_device(options, info, ".check");
}

SelfCheckResult load_self_check(const CacheOptions& options, const DeviceInfo& info,
                                std::string_view binary_key) {
  try {
    const fs::path file = options.disk ? self_check_file(options, info) : fs::path();
    if (file.empty()) return {};
    Opened<OpenFile> opened = open_cache_file(file);
    const std::string key = self_check_key(info, binary_key);
    SelfCheckReading reading =
        reading_of(opened, [&](std::string_view text) { return read_self_check(text, key); });
    if (!reading.problem.empty()) {
      log().warn("{}: what bifold-bench check found ({}) is ignored: {}", info.selector,
                 file.string(), reading.problem);
    }
    for (const Finding& finding : reading.self_check.findings()) {
      if (finding.problem.empty()) continue;
      log().warn("{}: production keeps off {} {} on {}, which bifold-bench check found wrong: {}",
                 info.selector, name_of(finding.row->algorithm), finding.row->name,
                 name_of(finding.judged), finding.problem);
    }
    return std::move(reading.self_check);
  } catch (const std::exception& error) {
    log().warn("{}: what bifold-bench check found is ignored: {}", info.selector, error.what());
    return {};
  }
}

std::string store_self_check(const CacheOptions& options, const DeviceInfo& info,
                             std::string_view binary_key, const SelfCheckResult& self_check) {
  const fs::path file = self_check_file(options, info);
  if (file.empty()) return "there is no directory for it";
  return write_atomically(file, {self_check_text(self_check_key(info, binary_key), self_check)});
}

}  // namespace bifold::core
