// `bifold-bench kernel`, the golden texts, and what every kernel's text is made of.
#include <doctest/doctest.h>

#include <algorithm>
#include <bifold/bifold.hpp>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "base/usage_error.hpp"
#include "commands/kernel/kernel_command.hpp"
#include "core/kernel/part_list.hpp"
#include "embed/live_text.hpp"
#include "support/bench_tool.hpp"
#if BIFOLD_HAS_CUDA
#include "embed/offline_cuda.hpp"
#endif

namespace bifold {

namespace {

using bench::KernelArguments;
using bench::UsageError;
using test::contains;

KernelArguments kernel_of(std::string algorithm, std::string variant, std::string type,
                          std::string arch) {
  KernelArguments arguments;
  arguments.algorithm = std::move(algorithm);
  arguments.variant = std::move(variant);
  arguments.type = std::move(type);
  arguments.arch = std::move(arch);
  return arguments;
}

/// The architectures that this build can plan for.
std::vector<std::string> architectures() {
  std::vector<std::string> known;
#if BIFOLD_HAS_CUDA
  known.insert(known.end(), {"sm_75", "sm_90"});
#endif
#if BIFOLD_HAS_OPENCL
  known.insert(known.end(), {"cpu", "gpu"});
#endif
  return known;
}

/// A plan's texts, which begin with a line that names their entries.
struct Text {
  std::string text;
  std::vector<std::string> entries;
};
std::vector<Text> texts_of(const std::string& printed, const KernelArguments& kernel) {
  std::vector<Text> texts;
  const std::string head = "// " + kernel.algorithm + " " + kernel.variant + " of ";
  for (std::size_t at = printed.find(head); at != std::string::npos;) {
    const std::size_t line = printed.find('\n', at);
    std::size_t next = printed.find("\n" + head, line);
    if (next != std::string::npos) ++next;
    Text text{printed.substr(line + 1, next == std::string::npos ? next : next - line - 1), {}};
    std::string names = printed.substr(at, line - at);
    names = names.substr(names.rfind(": ") + 2);
    for (std::size_t begin = 0; begin < names.size();) {
      const std::size_t end = std::min(names.find(", ", begin), names.size());
      text.entries.push_back(names.substr(begin, end - begin));
      begin = end + 2;
    }
    texts.push_back(std::move(text));
    at = next;
  }
  return texts;
}

/// The texts of a row on that architecture; none where it does not run there.
std::vector<Text> planned(const KernelArguments& arguments) {
  try {
    return texts_of(bench::kernel_text(arguments), arguments);
  } catch (const Error& error) {
    CHECK((error.category() == ErrorCategory::unsupported ||
           error.category() == ErrorCategory::invalid_argument));
    return {};
  }
}

}  // namespace

TEST_SUITE_BEGIN("bench kernel");

#if BIFOLD_HAS_CUDA
TEST_CASE("kernel: the text of a variant comes under headings, whole or what is reached") {
  KernelArguments ring = kernel_of("scan", "order_v1_ring", "i32", "sm_90");
  const std::string whole = bench::kernel_text(ring);
  CHECK(whole.starts_with("// scan order_v1_ring of i32 for sm_90: scan_order_ring\n"));
  CHECK(contains(whole, "// ===== kernels_cu/ring/order_ring.cu: order_ring ====="));
  CHECK(contains(whole, "typedef i32 VALUE;"));
  CHECK_FALSE(contains(whole, "// Uses:"));
  KernelArguments harris = kernel_of("reduce", "harris5", "i32", "sm_90");
  CHECK(contains(bench::kernel_text(harris), "harris1("));
  harris.live = true;
  const std::string live = bench::kernel_text(harris);
  CHECK_FALSE(contains(live, "harris1("));
  CHECK(contains(live, "fold_last_lanes("));
  ring.backend = "opencl";
#if BIFOLD_HAS_OPENCL
  CHECK(contains(bench::kernel_text(ring),
                 "// ===== kernels_cl/ring/order_ring.cl: order_ring ====="));
#endif
}
#endif

TEST_CASE("kernel: what it does not know is a usage error; what no device runs, an error") {
  const std::string arch = architectures().front();
  CHECK_THROWS_AS((void)bench::kernel_text(kernel_of("sort", "production", "i32", arch)),
                  UsageError);
  CHECK_THROWS_AS((void)bench::kernel_text(kernel_of("scan", "produktion", "i32", arch)),
                  UsageError);
  CHECK_THROWS_AS((void)bench::kernel_text(kernel_of("scan", "production", "i33", arch)),
                  UsageError);
  CHECK_THROWS_AS((void)bench::kernel_text(kernel_of("scan", "production", "i32", "sm_x")),
                  UsageError);
#if BIFOLD_HAS_OPENCL
  CHECK_THROWS_AS((void)bench::kernel_text(kernel_of("scan", "order_v1_ring", "i32", "cpu")),
                  Error);
#endif
}

TEST_CASE("kernel: its help has two examples and the exit statuses") {
  const std::string help = bench::kernel_help();
  CHECK(contains(help, "\n  bifold-bench kernel scan"));
  CHECK(contains(help, "\n  bifold-bench kernel reduce"));
  CHECK(contains(help, "Exit status: 0; 1"));
}

// With BIFOLD_WRITE_GOLDEN=1 in the environment this case writes them.
TEST_CASE("golden texts are what is compiled") {
  struct Golden {
    KernelArguments kernel;
    std::string file;
  };
  const Golden goldens[] = {
#if BIFOLD_HAS_CUDA
    {kernel_of("scan", "production", "i32", "sm_90"), "scan_i32_sm_90.txt"},
    {kernel_of("reduce", "production", "f32", "sm_90"), "reduce_f32_sm_90.txt"},
#endif
#if BIFOLD_HAS_OPENCL
    {kernel_of("scan", "production", "f32", "cpu"), "scan_f32_cpu.txt"},
#endif
  };
  for (const Golden& golden : goldens) {
    const std::string path = std::string(BIFOLD_SOURCE_DIR) + "/tests/data/golden/" + golden.file;
    const std::string text = bench::kernel_text(golden.kernel);
    // NOLINTNEXTLINE(concurrency-mt-unsafe): no thread is there.
    if (std::getenv("BIFOLD_WRITE_GOLDEN") != nullptr) {
      std::ofstream(path, std::ios::binary) << text;
    }
    std::ifstream stream(path, std::ios::binary);
    const std::string kept{std::istreambuf_iterator<char>(stream), {}};
    CHECK_MESSAGE(kept == text, golden.file,
                  " differs from what is compiled; if that is meant: BIFOLD_WRITE_GOLDEN=1 "
                  "bifold-test-bench-tool --test-suite=\"bench kernel\"");
  }
}

#if BIFOLD_HAS_CUDA
TEST_CASE("a part that is missing, or provides something else, is named with who asked for it") {
  const embed::OfflineCudaDevice device(embed::offline_capabilities(90));
  const auto message = [&](std::string_view replaced, const std::string& by) {
    core::PartList parts(
        device, [&](std::string_view name) { return name == replaced ? by : std::string(name); });
    try {
      parts.add("compare");
    } catch (const Error& error) {
      CHECK(error.category() == ErrorCategory::build_failure);
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(message("", "").empty());
  CHECK(contains(message("group_tree", "no_tree"),
                 "no kernel part \"no_tree\" in CUDA C++; group_tree is asked for by the part "
                 "compare"));
  CHECK(contains(message("group_tree", "words"), "part words does not provide it; group_tree"));
  CHECK(contains(message("compare", "no_kernel"), "\"no_kernel\" in CUDA C++, as the kernel"));
}
#endif

TEST_CASE("each part of each variant's text is used by something behind it") {
  // Their words are types', of which an operator may call any.
  const std::set<std::string> always{"types"};
  std::size_t seen = 0;
  for (const std::string& arch : architectures()) {
    for (const auto& row : gallery::variants()) {
      for (const std::string type : {"i32", "i8", "f16"}) {
        const std::string algorithm(name_of(row.algorithm));
        for (const Text& text : planned(kernel_of(algorithm, std::string(row.name), type, arch))) {
          INFO(arch << " " << algorithm << " " << row.name << " " << type);
          for (const std::string& part : embed::unused_parts(text.text)) {
            CHECK_MESSAGE(always.contains(part), part, " is used by nothing");
          }
          ++seen;
        }
      }
    }
  }
  CHECK(seen > 100);
}

TEST_CASE("production's texts have no function that is not reached") {
  for (const std::string& arch : architectures()) {
    for (const std::string algorithm : {"reduce", "scan"}) {
      for (const std::string type : {"i8", "i32", "i64", "f16", "bf16", "f32", "f64"}) {
        for (const Text& text : planned(kernel_of(algorithm, "production", type, arch))) {
          for (const auto& name : embed::unreached_functions(text.text, text.entries)) {
            FAIL_CHECK(name << " in " << algorithm << " of " << type << " for " << arch);
          }
        }
      }
    }
  }
}

TEST_SUITE_END();

}  // namespace bifold
