// The arguments of `bifold-bench run`, as typed and as understood.
#pragma once

#include <bifold/bifold.hpp>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/matrix.hpp"
#include "measure/suite.hpp"
#include "measure/timing.hpp"

namespace bench {

/// As typed. What was not given stays empty.
struct RunArguments {
  std::vector<std::string> devices;
  std::vector<std::string> group;
  bool ranks = false;
  std::string scaling;
  std::vector<std::string> algorithms;
  std::vector<std::string> variants;
  std::vector<std::string> types;
  std::vector<std::string> operators;
  std::vector<std::string> orders;
  std::string kind = "inclusive";
  std::vector<std::string> sizes;
  std::vector<std::string> lines;
  std::vector<std::string> axes;
  std::optional<double> seconds;
  std::optional<std::int64_t> samples;
  std::int64_t first_element = 0;
  std::string json;
  std::string html;
  std::vector<std::string> peers;
  bool no_graphs = false;
  std::string markdown;
  bool no_progress = false;
  bool quick = false;
  std::string suite;
  bool no_resume = false;
};

/// Of `startup`, as typed.
struct StartupArguments {
  std::vector<std::string> devices;
  std::vector<std::string> types;
  std::string size;  ///< Empty: startup_size.
  std::string json;
};

/// How many elements a group has.
enum class Scaling : std::uint8_t {
  strong,  ///< As many for any number of ranks.
  weak,    ///< As many for each rank.
};

/// "strong", "weak".
std::string_view name_of(Scaling scaling);

/// As understood; no list but `devices`, `group` and `sizes` is empty, and none but `group` has
/// duplicates.
struct RunOptions {
  std::vector<std::string> devices;  ///< Selectors; empty: every device found.
  std::vector<std::string> group;    ///< Selectors of the ranks of a group; empty: no group.
  bool ranks = false;                ///< Each process is a rank; `group` has those of a host.
  Scaling scaling = Scaling::strong;
  std::vector<bifold::Algorithm> algorithms;
  std::vector<std::string> variants;  ///< Names; "all" is expanded by variants_of().
  std::vector<bifold::Type> types;
  std::vector<bifold::Operator> operators;
  std::vector<bifold::Order> orders;  ///< What "production" is measured with.
  bifold::ScanKind kind = bifold::ScanKind::inclusive;
  std::vector<std::uint64_t> sizes;  ///< Empty: default_sizes() of each device.
  std::vector<Matrix> matrices;      ///< Whose lines are measured.
  bool arrays = true;                ///< Whether arrays of the sizes are measured.
  std::uint64_t first_element = 0;   ///< Of a buffer.
  Budget budget;
  std::filesystem::path json;      ///< Empty: none.
  std::filesystem::path html;      ///< A page with charts; empty: none.
  std::filesystem::path markdown;  ///< Of the peers' tables; empty: none.
  std::vector<std::string> peers;  ///< Modules; empty: no peers.
  bool graphs = false;             ///< Beside peers, calls are measured in CUDA graphs, too.
  bool progress = true;
  bool quick = false;
  const Suite* suite = nullptr;  ///< Null: none.
  bool whole_suite = false;      ///< Nothing of the suite was changed.
  bool resume = true;            ///< A suite takes up what an interrupted run left.
};

/// What --op can name: the built-in operators, and argmax.
std::vector<bifold::Operator> known_operators();

/// `budget` with what was typed instead of its values; throws UsageError for what is impossible.
Budget understand_budget(Budget budget, const std::optional<double>& seconds,
                         const std::optional<std::int64_t>& samples);

/// The selectors, each once; none, which stands for every device, where "all" is among them.
std::vector<std::string> understand_devices(const std::vector<std::string>& typed);

/// Throws UsageError, with the choices in the message, for what it does not understand.
RunOptions understand(const RunArguments& arguments);

/// The types that `names` stand for, or `otherwise` without names; "all" is the built-in ones.
/// Throws UsageError.
std::vector<bifold::Type> understand_types(const std::vector<std::string>& names,
                                           const std::vector<std::string>& otherwise);

/// The variants to run of one algorithm, in order; names it does not have are left out.
std::vector<std::string> variants_of(const RunOptions& options, bifold::Algorithm algorithm);

/// The sizes to run on a device of that kind: those asked for, else a set that takes a CPU seconds
/// and shows a GPU from launch-bound to memory-bound.
std::vector<std::uint64_t> sizes_for(const RunOptions& options, bifold::DeviceKind kind);

}  // namespace bench
