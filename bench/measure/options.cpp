#include "measure/options.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/format.hpp"
#include "base/sizes.hpp"
#include "base/unknown_name.hpp"
#include "base/usage_error.hpp"
#include "data/places.hpp"
#include "data/types.hpp"
#include "peers/modules.hpp"

namespace bench {
namespace {

constexpr std::string_view every = "all";

template <class T>
void add_once(std::vector<T>& list, const T& value) {
  if (std::find(list.begin(), list.end(), value) == list.end()) list.push_back(value);
}

/// The values that `names` stand for in `choices`; "all" stands for every one.
template <class T, class Choices>
std::vector<T> choose(std::string_view option, const std::vector<std::string>& names,
                      const Choices& choices, auto name) {
  std::vector<T> chosen;
  for (const std::string& wanted : names) {
    bool found = wanted == every;
    for (const auto& choice : choices) {
      if (wanted != every && name(choice) != wanted) continue;
      add_once(chosen, T(choice));
      found = true;
    }
    if (found) continue;
    std::vector<std::string_view> known;
    known.reserve(std::size(choices));
    for (const auto& choice : choices) known.push_back(name(choice));
    throw unknown_name(option, wanted, known);
  }
  return chosen;
}

bool has_variant(bifold::Algorithm algorithm, std::string_view name) {
  return bifold::gallery::find(algorithm, name) != nullptr;
}

void check_variants(const RunOptions& options) {
  for (const std::string& name : options.variants) {
    if (name == every ||
        std::any_of(options.algorithms.begin(), options.algorithms.end(),
                    [&](bifold::Algorithm algorithm) { return has_variant(algorithm, name); })) {
      continue;
    }
    std::vector<std::string_view> known;
    for (const auto& row : bifold::gallery::variants()) {
      if (std::find(options.algorithms.begin(), options.algorithms.end(), row.algorithm) !=
          options.algorithms.end()) {
        add_once(known, row.name);
      }
    }
    throw unknown_name("--variant", name, known);
  }
}

bifold::ScanKind understand_kind(std::string_view name) {
  std::vector<std::string_view> known;
  for (const auto kind : {bifold::ScanKind::inclusive, bifold::ScanKind::exclusive}) {
    if (bifold::name_of(kind) == name) return kind;
    known.push_back(bifold::name_of(kind));
  }
  throw unknown_name("--kind", name, known, "");
}

std::vector<std::string> or_default(const std::vector<std::string>& given,
                                    const std::vector<std::string>& otherwise) {
  return given.empty() ? otherwise : given;
}

/// What is measured over a group of devices. Throws UsageError also for what no group goes with.
void understand_group(const RunArguments& arguments, RunOptions& options) {
  if (!arguments.scaling.empty()) {
    options.scaling = choose<Scaling>("--scaling", {arguments.scaling},
                                      std::vector{Scaling::strong, Scaling::weak},
                                      [](Scaling scaling) { return name_of(scaling); })
                          .front();
  }
  options.group = arguments.group;
  options.ranks = arguments.ranks;
  if (arguments.group.empty()) {
    if (arguments.ranks) throw UsageError("--ranks: --devices has to name the ranks' devices");
    if (!arguments.scaling.empty()) throw UsageError("--scaling: is about --devices");
    return;
  }
  const std::pair<bool, std::string_view> others[]{
      {!arguments.devices.empty(), "--device"},   {!arguments.variants.empty(), "--variant"},
      {!arguments.lines.empty(), "--lines"},      {!arguments.suite.empty(), "--suite"},
      {!arguments.peers.empty(), "--peers"},      {!arguments.markdown.empty(), "--markdown"},
      {arguments.first_element != 0, "--offset"}, {arguments.no_graphs, "--no-graphs"}};
  for (const auto& [given, option] : others) {
    if (given) throw UsageError(formatted("--devices: a group has no {}; leave one out", option));
  }
}

/// The matrices of --lines along the axes of --axis.
std::vector<Matrix> understand_lines(const RunArguments& arguments) {
  if (arguments.lines.empty() && !arguments.axes.empty()) {
    throw UsageError("--axis: is about --lines, which is not given");
  }
  if (!arguments.lines.empty() && !arguments.sizes.empty()) {
    throw UsageError("--lines: has sizes of its own; leave out --size");
  }
  const auto axes = choose<unsigned>(
      "--axis", or_default(arguments.axes, {std::string(every)}), std::vector{0U, 1U},
      [](unsigned axis) { return std::string_view(axis == 0 ? "0" : "1"); });
  std::vector<Matrix> matrices;
  for (const std::string& text : arguments.lines) {
    const auto times = text.find('x');
    if (times == std::string::npos) {
      throw UsageError(formatted("--lines: '{}' is not of the form ROWSxCOLUMNS", text));
    }
    const std::uint64_t rows = parse_size("--lines", std::string_view(text).substr(0, times));
    const std::uint64_t columns = parse_size("--lines", std::string_view(text).substr(times + 1));
    if (rows > largest_size / columns) {
      throw UsageError(formatted("--lines: '{}' has more than 2^56 elements", text));
    }
    for (const unsigned axis : axes) add_once(matrices, Matrix{rows, columns, axis});
  }
  return matrices;
}

/// The suite of that name; null for none. Throws UsageError also for what no suite goes with.
const Suite* understand_suite(const RunArguments& arguments) {
  if (arguments.suite.empty()) return nullptr;
  const std::pair<bool, std::string_view> others[]{
      {!arguments.variants.empty(), "--variant"}, {!arguments.operators.empty(), "--op"},
      {!arguments.orders.empty(), "--order"},     {arguments.kind != "inclusive", "--kind"},
      {!arguments.peers.empty(), "--peers"},      {arguments.quick, "--quick"}};
  for (const auto& [given, option] : others) {
    if (given) throw UsageError(formatted("--suite: decides what {} would; leave one out", option));
  }
  std::vector<std::string_view> known;
  for (const Suite& suite : suites()) {
    if (suite.name == arguments.suite) return &suite;
    known.push_back(suite.name);
  }
  throw unknown_name("--suite", arguments.suite, known, "");
}

}  // namespace

std::string_view name_of(Scaling scaling) { return scaling == Scaling::strong ? "strong" : "weak"; }

Budget understand_budget(Budget budget, const std::optional<double>& seconds,
                         const std::optional<std::int64_t>& samples) {
  if (seconds) budget.seconds = *seconds;
  // NOLINTNEXTLINE(readability-simplify-boolean-expr): said so, it refuses NaN as well.
  if (!(budget.seconds > 0 && budget.seconds <= 3600)) {
    throw UsageError("--seconds: must be more than 0 and at most 3600");
  }
  const std::int64_t aim = samples.value_or(budget.samples);
  if (aim < 1 || aim > 100000) throw UsageError("--samples: must be from 1 to 100000");
  budget.samples = static_cast<unsigned>(aim);
  return budget;
}

std::vector<std::string> understand_devices(const std::vector<std::string>& typed) {
  std::vector<std::string> selectors;
  for (const std::string& selector : typed) {
    if (selector == every) return {};
    add_once(selectors, selector);
  }
  return selectors;
}

std::vector<bifold::Type> understand_types(const std::vector<std::string>& names,
                                           const std::vector<std::string>& otherwise) {
  const auto name = [](bifold::Type type) { return bifold::name_of(type); };
  std::vector<std::string> wanted;
  for (const std::string& given : or_default(names, otherwise)) {
    if (given != every) {
      wanted.push_back(given);
      continue;
    }
    for (const bifold::Type type : builtin_types()) wanted.emplace_back(name(type));
  }
  return choose<bifold::Type>("--type", wanted, known_types(), name);
}

RunOptions understand(const RunArguments& arguments) {
  RunOptions options;
  understand_group(arguments, options);
  options.suite = understand_suite(arguments);
  options.whole_suite = options.suite != nullptr && arguments.algorithms.empty() &&
                        arguments.types.empty() && arguments.sizes.empty() &&
                        arguments.lines.empty() && !arguments.seconds && !arguments.samples &&
                        arguments.first_element == 0;
  options.resume = !arguments.no_resume;
  const Budget otherwise = arguments.quick ? Budget{0.04, 5} : Budget{};
  options.budget = understand_budget(options.suite ? options.suite->budget : otherwise,
                                     arguments.seconds, arguments.samples);
  constexpr std::int64_t farthest = 1024;
  if (arguments.first_element < 0 || arguments.first_element > farthest) {
    throw UsageError("--offset: must be from 0 to 1024");
  }
  options.first_element = static_cast<std::uint64_t>(arguments.first_element);
  options.json = arguments.json;
  options.html = arguments.html;
  options.progress = !arguments.no_progress;
  options.quick = arguments.quick;
  options.markdown = arguments.markdown;
  options.peers = choose<std::string>("--peers", arguments.peers, peer_module_names(),
                                      [](std::string_view name) { return name; });
  options.graphs = !options.peers.empty() && !arguments.no_graphs;
  if (options.peers.empty() && arguments.no_graphs) {
    throw UsageError("--no-graphs: is about --peers, which is not given");
  }
  if (options.peers.empty() && !options.markdown.empty()) {
    throw UsageError("--markdown: writes the tables of --peers, which is not given");
  }

  options.devices = understand_devices(arguments.devices);
  options.algorithms = choose<bifold::Algorithm>(
      "--algorithm", or_default(arguments.algorithms, {std::string(every)}),
      std::vector{bifold::Algorithm::reduce, bifold::Algorithm::scan},
      [](bifold::Algorithm algorithm) { return bifold::name_of(algorithm); });
  const std::string everything(every);
  options.types = options.suite ? understand_types(arguments.types, {everything})
                                : understand_types(arguments.types, {"i32", "f32"});
  std::vector<std::string> operators = or_default(arguments.operators, {"plus"});
  if (options.suite != nullptr) operators = {"plus", "maximum"};
  for (const std::string& name : operators) {
    const auto named = [](const bifold::Operator& op) { return op.name(); };
    const auto chosen =
        name == every ? choose<bifold::Operator>("--op", {name}, bifold::builtin_operators(), named)
                      : choose<bifold::Operator>("--op", {name}, known_operators(), named);
    for (const bifold::Operator& op : chosen) add_once(options.operators, op);
  }
  options.orders =
      choose<bifold::Order>("--order", or_default(arguments.orders, {"v1"}),
                            std::vector{bifold::Order::v1, bifold::Order::any},
                            [](bifold::Order order) { return bifold::name_of(order); });
  options.kind = understand_kind(arguments.kind);
  for (const std::string& name : or_default(arguments.variants, {"production"})) {
    add_once(options.variants, name);
  }
  check_variants(options);
  for (const std::string& text : arguments.sizes) {
    for (const std::uint64_t size : parse_sizes(text)) add_once(options.sizes, size);
  }
  std::sort(options.sizes.begin(), options.sizes.end());
  options.matrices = understand_lines(arguments);
  options.arrays = options.matrices.empty();
  // What is asked for of a suite is measured alone.
  if (options.suite != nullptr && options.sizes.empty() && options.arrays) {
    options.matrices = suite_matrices();
  }
  const auto any_struct = [](bifold::Type type) { return type.is_struct(); };
  if (!arguments.lines.empty() &&
      std::any_of(options.types.begin(), options.types.end(), any_struct)) {
    throw UsageError("--lines: is measured on built-in types");
  }
  const bool scans = std::find(options.algorithms.begin(), options.algorithms.end(),
                               bifold::Algorithm::scan) != options.algorithms.end();
  if (std::any_of(options.operators.begin(), options.operators.end(), is_argmax) &&
      (arguments.lines.empty() || scans)) {
    throw UsageError("--op argmax: is a reduction of lines: --algorithm reduce, --lines");
  }
  return options;
}

std::vector<bifold::Operator> known_operators() {
  const auto& built_in = bifold::builtin_operators();
  std::vector<bifold::Operator> all(built_in.begin(), built_in.end());
  all.push_back(argmax());
  return all;
}

std::vector<std::string> variants_of(const RunOptions& options, bifold::Algorithm algorithm) {
  std::vector<std::string> names;
  for (const std::string& name : options.variants) {
    if (name != every) {
      if (has_variant(algorithm, name)) add_once(names, name);
      continue;
    }
    for (const auto& row : bifold::gallery::variants()) {
      if (row.algorithm == algorithm) add_once(names, std::string(row.name));
    }
  }
  return names;
}

std::vector<std::uint64_t> sizes_for(const RunOptions& options, bifold::DeviceKind kind) {
  if (!options.sizes.empty()) return options.sizes;
  const bool gpu = kind == bifold::DeviceKind::gpu;
  if (options.suite) return parse_sizes(gpu ? options.suite->gpu_sizes : options.suite->cpu_sizes);
  if (options.quick) return parse_sizes(gpu ? "2^10..2^28:64" : "2^10..2^22:64");
  return parse_sizes(gpu ? "2^10..2^30" : "2^10..2^26");
}

}  // namespace bench
