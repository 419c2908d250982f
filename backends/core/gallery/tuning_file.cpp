#include "core/gallery/tuning_file.hpp"

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>

#include "core/base/format.hpp"
#include "core/base/log.hpp"
#include "core/kernel/cache_files.hpp"
#include "core/text/checked_text.hpp"

namespace bifold::core {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view format_name = "bifold-tuning ";
constexpr std::uint32_t format_version = 1;

std::string format() { return formatted("{}{}", format_name, format_version); }

// What a file is true of. The driver is not part of it: under another one, values may be less good,
// but never wrong.
std::string tuning_key(const DeviceInfo& info, std::string_view architecture) {
  return formatted("backend {}\ndevice {}\narchitecture {}\nspaces {}\n", on_one_line(info.backend),
                   on_one_line(info.name),
                   architecture.empty() ? "unknown" : on_one_line(architecture),
                   tuning_spaces_version);
}

const gallery::Variant* row_named(std::string_view algorithm, std::string_view name) {
  for (const gallery::Variant& row : gallery::variants()) {
    if (name_of(row.algorithm) == algorithm && row.name == name) return &row;
  }
  return nullptr;
}

// Adds "NAME=VALUE" to the row's values; what is wrong with it, or nothing.
std::string add_value(TunedRow& tuned, std::string_view text) {
  std::string_view value_text = text;
  const std::string_view name = take(value_text, '=');
  const auto space = tuning_space(*tuned.row);
  const auto parameter = std::find_if(space.begin(), space.end(), [&](const TuningParameter& one) {
    const Parameter& known = parameter_of(one.member);
    return known.name == name || (!name.empty() && known.old_name == name);
  });
  if (parameter == space.end()) {
    return formatted(R"({} {} has no parameter "{}" to tune)", name_of(tuned.row->algorithm),
                     tuned.row->name, name);
  }
  const auto value = number_in<std::uint32_t>(value_text);
  if (!value || !parameter->allows(*value)) {
    return formatted(R"("{}" is not among the values of {})", text, name);
  }
  Tuning::Value& known = tuned.values.*parameter->member;
  if (known) return formatted("{} stands there twice", name);
  known = *value;
  return {};
}

// Adds what a line says; what is wrong with it, or nothing.
std::string add_line(Tunings& tunings, std::string_view line) {
  const std::string_view algorithm = take(line, ' ');
  const std::string_view name = take(line, ' ');
  TunedRow tuned{row_named(algorithm, name), {}, {}};
  if (tuned.row == nullptr || tuning_space(*tuned.row).empty()) {
    return formatted(R"(there is no row "{} {}" to tune)", algorithm, name);
  }
  const std::string_view kind = take(line, ' ');
  const std::string_view bytes = take(line, ' ');
  const auto elements = element_class_of(kind, bytes);
  if (!elements) return formatted(R"(there are no elements "{} {}")", kind, bytes);
  tuned.elements = *elements;
  if (tunings.find(*tuned.row, tuned.elements) != nullptr) {
    return formatted("{} {} of {} stands there twice", algorithm, name, name_of(tuned.elements));
  }
  if (line.empty()) return "it has no values";
  while (!line.empty()) {
    if (std::string problem = add_value(tuned, take(line, ' ')); !problem.empty()) return problem;
  }
  tunings.set(tuned);
  return {};
}

// What is wrong with the first line, or nothing.
std::string problem_of_header(std::string_view text) {
  std::string_view header = take(text, '\n');
  if (!header.starts_with(format_name)) return "it is no tuning file";
  header.remove_prefix(format_name.size());
  const auto version = number_in<std::uint32_t>(take(header, ' '));
  if (!version) return "it is damaged";
  if (*version != format_version) {
    return formatted("it has format {}, and this library reads {}", *version, format_version);
  }
  return "it is damaged: the checksum is that of another text";
}

std::string on_line(std::size_t line, const std::string& problem) {
  return formatted("line {}: {}", line, problem);
}

}  // namespace

void Tunings::set(const TunedRow& tuned) {
  std::erase_if(rows_, [&](const TunedRow& known) {
    return known.row == tuned.row && known.elements == tuned.elements;
  });
  if (!is_empty(tuned.values)) rows_.push_back(tuned);
}

const Tuning* Tunings::find(const gallery::Variant& row,
                            const ElementClass& elements) const noexcept {
  for (const TunedRow& tuned : rows_) {
    if (tuned.row == &row && tuned.elements == elements) return &tuned.values;
  }
  return nullptr;
}

std::string tuning_text(const DeviceInfo& info, std::string_view architecture,
                        const Tunings& tunings) {
  std::string body = tuning_key(info, architecture);
  for (const TunedRow& tuned : tunings.rows()) {
    body += formatted("{} {} {} {}\n", name_of(tuned.row->algorithm), tuned.row->name,
                      name_of(tuned.elements), text_of(tuned.values));
  }
  return checked_header(format(), body) + body;
}

TuningReading read_tuning(std::string_view text, const DeviceInfo& info,
                          std::string_view architecture) {
  const auto body = checked_body(format(), text);
  if (!body) return {{}, on_line(1, problem_of_header(text))};
  std::size_t line = 2;
  std::string_view rest = *body;
  const std::string foreign = foreign_part(rest, tuning_key(info, architecture), line);
  if (!foreign.empty()) return {{}, on_line(line, "it is another device's: " + foreign)};
  TuningReading reading;
  for (; !rest.empty(); ++line) {
    const std::string problem = add_line(reading.tunings, take(rest, '\n'));
    if (!problem.empty()) return {{}, on_line(line, problem)};
  }
  return reading;
}

fs::path tuning_file(const CacheOptions& options, const DeviceInfo& info) {
  return file_of_device(options, info, ".tuning");
}

Tunings load_tunings(const DeviceOptions& options, const DeviceInfo& info,
                     std::string_view architecture) {
  try {
    // One that the application names is believed whoever owns it, and has to be there.
    const bool named = !options.tuning_file.empty();
    fs::path path = options.tuning_file;
    if (!named && options.cache.disk) path = tuning_file(options.cache, info);
    if (path.empty()) return {};
    Opened<OpenFile> file = named ? open_regular(path) : open_cache_file(path);
    if (!file.thing && file.problem.empty()) return {};
    TuningReading reading = reading_of(
        file, [&](std::string_view text) { return read_tuning(text, info, architecture); });
    if (!reading.problem.empty()) {
      log().warn("{}: the tuning file {} is ignored: {}", info.selector, path.string(),
                 reading.problem);
    } else {
      log().debug("{}: tuned by {}", info.selector, path.string());
    }
    return std::move(reading.tunings);
  } catch (const std::exception& error) {
    log().warn("{}: the tuning file is ignored: {}", info.selector, error.what());
    return {};
  }
}

}  // namespace bifold::core
