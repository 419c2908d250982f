#include "core/selector.hpp"

#include <algorithm>
#include <bifold/error.hpp>
#include <cctype>
#include <charconv>
#include <optional>
#include <vector>

#include "core/format.hpp"

namespace bifold::core {

namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

bool contains(std::string_view text, std::string_view part) {
  return lower(text).find(lower(part)) != std::string::npos;
}

std::string reasons(std::span<const BackendInfo> backends) {
  std::string text;
  for (const BackendInfo& backend : backends) {
    text += formatted("{}{}: {}", text.empty() ? "" : "; ", backend.name,
                      backend.available ? "available" : backend.reason);
  }
  return text;
}

std::string describe(const DeviceInfo& device) {
  return formatted("{} ({}, {})", device.selector, device.name, device.platform);
}

std::string list(std::span<const DeviceInfo* const> devices) {
  std::string text;
  for (const DeviceInfo* device : devices) text += (text.empty() ? "" : ", ") + describe(*device);
  return text;
}

const DeviceInfo& best(std::span<const DeviceInfo> all, std::span<const BackendInfo> backends) {
  // Backends are listed in order of preference, and GPUs come before CPUs whatever the backend.
  for (const auto kind : {std::optional(DeviceKind::gpu), std::optional(DeviceKind::cpu),
                          std::optional<DeviceKind>()}) {
    for (const DeviceInfo& device : all) {
      if (!kind || device.kind == *kind) return device;
    }
  }
  throw Error(ErrorCategory::unavailable, "there is no device here: " + reasons(backends));
}

std::optional<DeviceKind> parse_kind(std::string_view text) {
  if (lower(text) == "cpu") return DeviceKind::cpu;
  if (lower(text) == "gpu") return DeviceKind::gpu;
  return std::nullopt;
}

}  // namespace

const DeviceInfo& select(std::string_view selector, std::span<const DeviceInfo> all,
                         std::span<const BackendInfo> backends) {
  if (selector.empty()) return best(all, backends);
  const std::size_t colon = selector.find(':');
  const std::string_view name = selector.substr(0, colon);
  const auto backend = std::find_if(backends.begin(), backends.end(),
                                    [name](const BackendInfo& b) { return b.name == name; });
  if (backend == backends.end()) {
    throw Error(ErrorCategory::invalid_argument,
                formatted("selector \"{}\": no backend named \"{}\"; a selector is "
                          "backend[:index|cpu|gpu|part of a name]",
                          selector, name));
  }
  std::vector<const DeviceInfo*> matches;
  for (const DeviceInfo& device : all) {
    if (device.backend == name) matches.push_back(&device);
  }
  if (matches.empty()) {
    throw Error(ErrorCategory::unavailable,
                formatted("selector \"{}\": {}", selector, reasons(backends)));
  }
  if (colon == std::string_view::npos) return *matches.front();

  const std::string_view which = selector.substr(colon + 1);
  if (which.empty()) {
    throw Error(ErrorCategory::invalid_argument,
                formatted("selector \"{}\": nothing follows the colon", selector));
  }
  const auto have = list(matches);
  const auto keep = [&matches](auto predicate) {
    std::erase_if(matches, [&](const DeviceInfo* device) { return !predicate(*device); });
  };
  const auto nothing = [&]() -> Error {
    return {ErrorCategory::unavailable,
            formatted("selector \"{}\" matches no device; there are: {}", selector, have)};
  };
  if (std::all_of(which.begin(), which.end(),
                  [](unsigned char c) { return std::isdigit(c) != 0; })) {
    std::uint32_t index = 0;
    const auto parsed = std::from_chars(which.data(), which.data() + which.size(), index);
    keep([&](const DeviceInfo& d) { return parsed.ec == std::errc{} && d.index == index; });
    if (matches.empty()) throw nothing();
    return *matches.front();
  }
  if (const auto kind = parse_kind(which)) {
    keep([&](const DeviceInfo& d) { return d.kind == *kind; });
    if (matches.empty()) throw nothing();
    return *matches.front();
  }
  keep([&](const DeviceInfo& d) {
    return contains(d.vendor, which) || contains(d.name, which) || contains(d.platform, which);
  });
  if (matches.empty()) throw nothing();
  if (matches.size() > 1) {
    throw Error(ErrorCategory::invalid_argument,
                formatted("selector \"{}\" matches several devices: {}", selector, list(matches)));
  }
  return *matches.front();
}

}  // namespace bifold::core
