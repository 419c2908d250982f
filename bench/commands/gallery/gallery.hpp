// `bifold-bench gallery`: the kernels of the papers beside the papers' own figures.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "commands/gallery/papers.hpp"
#include "measure/result.hpp"
#include "measure/timing.hpp"

namespace bench {

/// As typed. What was not given stays empty.
struct GalleryArguments {
  bool list = false;
  std::vector<std::string> devices;
  std::vector<std::string> papers;
  std::string max_size;
  std::string from;
  std::string json;
  std::string markdown;
  std::optional<double> seconds;
  std::optional<std::int64_t> samples;
  bool no_progress = false;
};

/// As understood.
struct GalleryOptions {
  bool list = false;
  std::vector<std::string> devices;  ///< Selectors; empty: every device found.
  std::vector<const Paper*> papers;  ///< In the order of papers(); never empty.
  bool chosen_papers = false;        ///< Whether --paper named them.
  std::optional<std::uint64_t> max_size;
  Budget budget;
  std::filesystem::path from;      ///< Show this file instead of measuring; empty: measure.
  std::filesystem::path json;      ///< Empty: none.
  std::filesystem::path markdown;  ///< Empty: none.
  bool progress = true;
};

/// The largest size that a CPU is given without --max-size: larger ones take minutes there.
inline constexpr std::uint64_t largest_on_cpu = std::uint64_t{1} << 26;

/// What `gallery` measured: a result per device, row, type and size that the papers name, once
/// each.
struct GalleryReport : Measurements {
  GalleryOptions options;
};

/// Throws UsageError for what it does not understand.
GalleryOptions understand(const GalleryArguments& arguments);

/// Blocks. Measures or lists, prints, writes the files. The exit status, as run_benchmark()'s.
int run_gallery(const GalleryOptions& options);

}  // namespace bench
