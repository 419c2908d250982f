#include "commands/kernel/kernel_command.hpp"

#include <algorithm>
#include <bifold/bifold.hpp>
#include <charconv>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "base/format.hpp"
#include "base/standard_output.hpp"
#include "base/unknown_name.hpp"
#include "base/usage_error.hpp"
#include "core/element/accumulator.hpp"
#include "data/types.hpp"
#include "embed/live_text.hpp"
#include "embed/offline_device.hpp"
#if BIFOLD_HAS_CUDA
#include "embed/offline_cuda.hpp"
#endif
#if BIFOLD_HAS_OPENCL
#include "embed/offline_opencl.hpp"
#endif
#if BIFOLD_HAS_CUDA && BIFOLD_HAS_OPENCL
#include "embed/twins.hpp"
#endif

namespace bench {

namespace {

using bifold::Algorithm;
using bifold::Capabilities;
using bifold::DeviceKind;
using bifold::Type;
using bifold::embed::OfflineDevice;

/// One of `choices`, by its name.
template <class Choices, class Name>
auto chosen(std::string_view option, std::string_view wanted, const Choices& choices,
            const Name& name) {
  std::vector<std::string_view> known;
  for (const auto& choice : choices) {
    if (name(choice) == wanted) return choice;
    known.push_back(name(choice));
  }
  throw unknown_name(option, wanted, known, "");
}

Type understand_type(std::string_view option, std::string_view wanted) {
  return chosen(option, wanted, known_types(), [](Type type) { return bifold::name_of(type); });
}

Algorithm understand_algorithm(std::string_view wanted) {
  constexpr Algorithm all[] = {Algorithm::reduce, Algorithm::scan, Algorithm::select};
  return chosen("algorithm", wanted, all,
                [](Algorithm algorithm) { return bifold::name_of(algorithm); });
}

std::string_view understand_variant(Algorithm algorithm, std::string_view wanted) {
  std::vector<std::string_view> known;
  for (const auto& row : bifold::gallery::variants()) {
    if (row.algorithm != algorithm) continue;
    if (row.name == wanted) return row.name;
    known.push_back(row.name);
  }
  throw unknown_name("variant", wanted, known, "");
}

bifold::Operator understand_operator(std::string_view wanted) {
  return chosen("--op", wanted, bifold::builtin_operators(),
                [](const bifold::Operator& op) { return op.name(); });
}

bifold::ScanKind understand_kind(std::string_view wanted) {
  constexpr bifold::ScanKind all[] = {bifold::ScanKind::inclusive, bifold::ScanKind::exclusive};
  return chosen("--kind", wanted, all, [](bifold::ScanKind kind) { return bifold::name_of(kind); });
}

bifold::Order understand_order(std::string_view wanted) {
  constexpr bifold::Order all[] = {bifold::Order::v1, bifold::Order::any};
  return chosen("--order", wanted, all, [](bifold::Order order) { return bifold::name_of(order); });
}

/// A device to plan on, and what is planned there.
struct Offline {
  std::shared_ptr<OfflineDevice> backend;
  bifold::Device device;
  std::string name;
};

/// 90 of sm_90.
std::optional<int> cuda_architecture(std::string_view name) {
  constexpr std::string_view prefix = "sm_";
  if (!name.starts_with(prefix)) return {};
  name.remove_prefix(prefix.size());
  int number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error != std::errc{} || end != name.data() + name.size() || number < 50 || number > 999) {
    return {};
  }
  return number;
}

Offline offline_opencl([[maybe_unused]] const Capabilities& has, [[maybe_unused]] DeviceKind kind,
                       [[maybe_unused]] std::string name) {
#if BIFOLD_HAS_OPENCL
  auto backend = std::make_shared<bifold::embed::OfflineOpenclDevice>(has);
  return {backend, bifold::embed::planning_on(backend, "opencl", kind), std::move(name)};
#else
  throw UsageError("this build has no OpenCL backend");
#endif
}

Offline offline_cuda([[maybe_unused]] const Capabilities& has, [[maybe_unused]] std::string name) {
#if BIFOLD_HAS_CUDA
  auto backend = std::make_shared<bifold::embed::OfflineCudaDevice>(has);
  return {backend, bifold::embed::planning_on(backend, "cuda"), std::move(name)};
#else
  throw UsageError("this build has no CUDA backend");
#endif
}

/// As a device of this machine would plan: with its capabilities, but without compiling.
Offline like_real_device(const KernelArguments& arguments) {
  const bifold::Device device = bifold::open_device(arguments.device);
  const bifold::DeviceInfo& info = device.info();
  if (!arguments.backend.empty() && arguments.backend != info.backend) {
    throw UsageError(formatted("--backend: {} is a device of {}", arguments.device, info.backend));
  }
  if (info.backend == "cuda") return offline_cuda(device.capabilities(), info.name);
  return offline_opencl(device.capabilities(), info.kind, info.name);
}

Offline offline_for(const KernelArguments& arguments) {
  if (!arguments.backend.empty()) {
    constexpr std::string_view all[] = {"cuda", "opencl"};
    chosen("--backend", arguments.backend, all, [](std::string_view name) { return name; });
  }
  if (!arguments.device.empty()) {
    if (!arguments.arch.empty()) {
      throw UsageError("--device: decides what --arch would; leave one out");
    }
    return like_real_device(arguments);
  }
  const std::string arch = arguments.arch.empty() ? "sm_90" : arguments.arch;
  if (arch == "cpu" || arch == "gpu") {
    if (arguments.backend == "cuda") {
      throw UsageError(formatted("--arch: {} is a device of OpenCL", arch));
    }
#if BIFOLD_HAS_OPENCL
    return arch == "cpu" ? offline_opencl(bifold::embed::offline_cpu(), DeviceKind::cpu, "a CPU")
                         : offline_opencl(bifold::embed::offline_gpu(), DeviceKind::gpu, "a GPU");
#else
    throw UsageError("this build has no OpenCL backend");
#endif
  }
  const std::optional<int> number = cuda_architecture(arch);
  if (!number) {
    throw UsageError(formatted("--arch: '{}' is neither cpu, gpu nor like sm_90", arch));
  }
#if BIFOLD_HAS_CUDA
  if (arguments.backend != "opencl") {
    return offline_cuda(bifold::embed::offline_capabilities(*number), arch);
  }
#endif
#if BIFOLD_HAS_CUDA && BIFOLD_HAS_OPENCL
  return offline_opencl(bifold::embed::offline_opencl_capabilities(*number), DeviceKind::gpu, arch);
#else
  throw UsageError("this build lacks the CUDA backend, or OpenCL's");
#endif
}

void plan(const Offline& offline, const KernelArguments& arguments, Algorithm algorithm) {
  const Type input = understand_type("--type", arguments.type);
  const Type output =
      arguments.output.empty() ? input : understand_type("--output", arguments.output);
  const Type accumulator = arguments.accumulator.empty()
                               ? bifold::accumulator_of(output)
                               : understand_type("--accumulator", arguments.accumulator);
  const bifold::Operator op = operator_on(accumulator, understand_operator(arguments.op));
  const std::string_view variant = understand_variant(algorithm, arguments.variant);
  if (algorithm == Algorithm::select) {
    bifold::SelectShape shape{.input = input, .output = output, .kept = Type::u64};
    if (!arguments.accumulator.empty()) shape.kept = accumulator;
    shape.variant = variant;
    warm(offline.device, shape);
  } else if (algorithm == Algorithm::scan) {
    bifold::ScanShape shape{.input = input, .output = output, .accumulator = accumulator};
    shape.kind = understand_kind(arguments.kind);
    shape.op = op;
    shape.variant = variant;
    shape.order = understand_order(arguments.order);
    shape.lines = arguments.lines;
    warm(offline.device, shape);
  } else {
    bifold::ReduceShape shape{.input = input, .accumulator = accumulator, .op = op};
    shape.variant = variant;
    shape.order = understand_order(arguments.order);
    if (output != accumulator) shape.result = output;
    shape.lines = arguments.lines;
    if (arguments.segments) shape.segments = bifold::SegmentShape{};
    warm(offline.device, shape);
  }
}

/// The text with a heading before each part: its file and its name. A part begins with a `#line`
/// that has the name and the dialect's suffix.
std::string with_headings(std::string_view text, const OfflineDevice& device) {
  constexpr std::string_view directive = "#line 1 \"";
  std::string result;
  std::string last;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    const std::string_view line = text.substr(at, end - at);
    if (line.starts_with(directive)) {
      std::string_view name = line.substr(directive.size());
      name = name.substr(0, name.find('"'));
      const bool part = name.ends_with(device.kernel_suffix());
      // What is generated goes on behind an operator or a map.
      if ((part || name == "generated") && name != last) {
        last = name;
        if (part) name.remove_suffix(device.kernel_suffix().size());
        const std::string_view path = part ? device.path_of_part(name) : std::string_view{};
        const std::string_view colon = path.empty() ? "" : ": ";
        result += formatted("\n// ===== {}{}{} =====\n", path, colon, name);
      }
    }
    result += line;
    at = end;
  }
  return result;
}

}  // namespace

std::string kernel_text(const KernelArguments& arguments) {
  const Algorithm algorithm = understand_algorithm(arguments.algorithm);
  const Offline offline = offline_for(arguments);
  plan(offline, arguments, algorithm);
  // A text may have several kernels of a plan.
  std::vector<std::string_view> texts;
  std::map<std::string_view, std::vector<std::string>> entries;
  for (const auto& planned : offline.backend->planned()) {
    const std::string_view text = planned->source.text;
    auto& of_text = entries[text];
    if (of_text.empty()) texts.push_back(text);
    for (const std::string& entry : planned->entries) {
      if (std::find(of_text.begin(), of_text.end(), entry) == of_text.end()) {
        of_text.push_back(entry);
      }
    }
  }
  std::string result;
  for (const std::string_view text : texts) {
    const std::vector<std::string>& of_text = entries.at(text);
    const std::vector<std::string_view> names(of_text.begin(), of_text.end());
    result += formatted("{}// {} {} of {} for {}: {}{}\n", result.empty() ? "" : "\n",
                        arguments.algorithm, arguments.variant, arguments.type, offline.name,
                        joined(names, ", "), arguments.live ? ", what it reaches" : "");
    result +=
        with_headings(arguments.live ? bifold::embed::live_text(text, of_text) : std::string(text),
                      *offline.backend);
  }
  return result;
}

int run_kernel(const KernelArguments& arguments) {
  write_text(kernel_text(arguments));
  return 0;
}

std::string kernel_help() {
  return "Examples:\n"
         "  bifold-bench kernel scan order_v1_ring --type i32 --arch sm_90\n"
         "  bifold-bench kernel reduce --type f32 --arch cpu --live\n"
         "  bifold-bench kernel scan --type f32 --lines\n"
         "Exit status: 0; 1 when the device runs no such kernel; 2 for a bad command line.";
}

}  // namespace bench
