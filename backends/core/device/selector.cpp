#include "core/device/selector.hpp"

#include <algorithm>
#include <bifold/error.hpp>
#include <charconv>
#include <optional>
#include <vector>

#include "core/base/ascii.hpp"
#include "core/base/format.hpp"
#include "core/base/nearest.hpp"

namespace bifold::core {

namespace {

bool contains(std::string_view text, std::string_view part) {
  return lowered(text).find(lowered(part)) != std::string::npos;
}

bool has_name(const DeviceInfo& device, std::string_view part) {
  return contains(device.vendor, part) || contains(device.name, part) ||
         contains(device.platform, part);
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
  if (lowered(text) == "cpu") return DeviceKind::cpu;
  if (lowered(text) == "gpu") return DeviceKind::gpu;
  return std::nullopt;
}

std::optional<std::uint32_t> parse_index(std::string_view text) {
  if (text.empty() || !std::all_of(text.begin(), text.end(), is_digit)) return std::nullopt;
  std::uint32_t index = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), index);
  // No device has a number that is too large to be one.
  return parsed.ec == std::errc{} ? index : adopted_index;
}

/// What a selector may have meant whose first part is no backend's name; or nothing.
std::string meant_by(std::string_view name, std::string_view behind,
                     std::span<const DeviceInfo> all, std::span<const BackendInfo> backends) {
  if (parse_kind(name)) return lowered(name);
  if (const auto index = parse_index(name)) {
    const auto device = std::find_if(all.begin(), all.end(),
                                     [&](const DeviceInfo& d) { return d.index == *index; });
    return device == all.end() ? std::string() : device->selector;
  }
  std::vector<std::string_view> words;
  for (const BackendInfo& backend : backends) words.emplace_back(backend.name);
  words.insert(words.end(), {"gpu", "cpu"});
  if (const std::string_view word = nearest(name, words); !word.empty()) {
    return formatted("{}{}", word, parse_kind(word) ? std::string_view() : behind);
  }
  constexpr std::size_t shortest_part = 3;  // A letter or two are in some name by chance.
  if (name.size() < shortest_part) return {};
  const auto device =
      std::find_if(all.begin(), all.end(), [&](const DeviceInfo& d) { return has_name(d, name); });
  return device == all.end() ? std::string() : device->selector;
}

const BackendInfo& backend_of(std::string_view selector, std::string_view name,
                              std::span<const DeviceInfo> all,
                              std::span<const BackendInfo> backends) {
  for (const BackendInfo& backend : backends) {
    if (lowered(backend.name) == lowered(name)) return backend;
  }
  const std::string meant = meant_by(name, selector.substr(name.size()), all, backends);
  throw Error(
      ErrorCategory::invalid_argument,
      formatted("selector \"{}\": no backend named \"{}\"; {}a selector is gpu, cpu, or "
                "backend[:index|cpu|gpu|part of a name]",
                selector, name, meant.empty() ? "" : formatted("did you mean \"{}\"? ", meant)));
}

}  // namespace

const DeviceInfo& select(std::string_view selector, std::span<const DeviceInfo> all,
                         std::span<const BackendInfo> backends) {
  if (selector.empty()) return best(all, backends);
  const std::size_t colon = selector.find(':');
  std::vector<const DeviceInfo*> matches;
  for (const DeviceInfo& device : all) matches.push_back(&device);
  const auto keep = [&matches](auto predicate) {
    std::erase_if(matches, [&](const DeviceInfo* device) { return !predicate(*device); });
  };
  std::string have;
  const auto nothing = [&]() -> Error {
    return {ErrorCategory::unavailable,
            formatted("selector \"{}\" matches no device; there are: {}", selector, have)};
  };
  const auto first_of_kind = [&](DeviceKind kind) -> const DeviceInfo& {
    keep([&](const DeviceInfo& d) { return d.kind == kind; });
    if (matches.empty()) throw nothing();
    return *matches.front();
  };
  if (const auto kind = parse_kind(selector)) {
    have = formatted("{}; {}", all.empty() ? "none" : list(matches), reasons(backends));
    return first_of_kind(*kind);
  }

  const BackendInfo& backend = backend_of(selector, selector.substr(0, colon), all, backends);
  keep([&](const DeviceInfo& d) { return d.backend == backend.name; });
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
  have = list(matches);
  if (const auto kind = parse_kind(which)) return first_of_kind(*kind);
  if (const auto index = parse_index(which)) {
    keep([&](const DeviceInfo& d) { return d.index == *index; });
  } else {
    keep([&](const DeviceInfo& d) { return has_name(d, which); });
  }
  if (matches.empty()) throw nothing();
  if (matches.size() > 1) {
    throw Error(ErrorCategory::invalid_argument,
                formatted("selector \"{}\" matches several devices: {}", selector, list(matches)));
  }
  return *matches.front();
}

}  // namespace bifold::core
