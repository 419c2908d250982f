// Calls over lines captured into CUDA graphs. See graph_test.cpp.
#include <doctest/doctest.h>

#include <algorithm>
#include <bifold/bifold.hpp>
#include <bifold/interop/cuda.hpp>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "support/devices/cuda_app.hpp"
#include "support/errors.hpp"

namespace bifold {

namespace adopted = interop::cuda;
using test::App;
using test::failure_of;
using test::Graph;
using test::Watched;

namespace {

constexpr int rows = 37;
constexpr int columns = 1000;
constexpr std::uint64_t length = std::uint64_t{rows} * columns;
constexpr Lines few = Lines::rows(2, length / 2);  // So long that they need scratch.

std::vector<int> numbers(int seed) {
  std::vector<int> values(length);
  for (std::size_t i = 0; i < length; ++i) values[i] = static_cast<int>(i) * seed % 13 - seed;
  return values;
}

/// An application with a matrix, and plans for its lines, whose numbers, lengths and initial
/// values, one for each line, are in its memory.
struct Matrix {
  explicit Matrix(const Lines& of) : lines(of) { workspace.prepare(queue); }

  [[nodiscard]] View<int> values(CUdeviceptr memory) const {
    return adopted::view<int>(memory, lines.count());
  }
  /// Sums each line, and scans it from its end with that sum in front.
  void enqueue(const Workspace* space) const {
    const auto counter = [&](std::uint64_t at) {
      return adopted::view<const std::uint32_t>(counts + 4 * at, 1);
    };
    reduce.run(queue, in, values(sums), {},
               {.workspace = space,
                .count_from = counter(0),
                .init_from = values(inits),
                .lines = lines,
                .lines_from = counter(1)});
    scan.run(queue, in, out, {},
             {.workspace = space,
              .count_from = counter(0),
              .init_from = values(sums),
              .total = values(totals),
              .lines = lines,
              .lines_from = counter(1)});
  }
  /// What that has to leave, where `most` lines are summed to their first `n` elements.
  void check(int seed, std::uint64_t n, std::uint64_t most) {
    const std::vector<int> host = numbers(seed);
    std::vector<int> wanted(length, -1);
    std::vector<int> wanted_sums(lines.count(), -1);
    std::vector<int> wanted_totals(lines.count(), -1);
    n = std::min(n, lines.length);
    for (std::uint64_t line = 0; line < std::min(most, lines.count()); ++line) {
      const auto place = [&](std::uint64_t k) {
        return lines.inner == 1 ? line * lines.length + k : k * lines.inner + line;
      };
      int sum = static_cast<int>(line) + seed;
      for (std::uint64_t k = 0; k < n; ++k) sum += host[place(k)];
      wanted_sums[line] = sum;
      for (std::uint64_t k = n; k-- > 0;) wanted[place(k)] = sum += host[place(k)];
      wanted_totals[line] = sum;
    }
    CHECK(app.read(sums, lines.count()) == wanted_sums);
    CHECK(app.read(to, length) == wanted);
    CHECK(app.read(totals, lines.count()) == wanted_totals);
  }

  Lines lines;
  App app{CU_STREAM_NON_BLOCKING};
  CUdeviceptr from = app.memory(numbers(1));
  CUdeviceptr to = app.memory(numbers(1));
  CUdeviceptr counts = app.memory(2 * sizeof(std::uint32_t));
  CUdeviceptr inits = app.memory(lines.count() * sizeof(int));
  CUdeviceptr sums = app.memory(lines.count() * sizeof(int));
  CUdeviceptr totals = app.memory(lines.count() * sizeof(int));
  Device device = adopted::device(app.context());
  mutable Queue queue = adopted::queue(app.stream(), device);
  View<int> in = adopted::view<int>(from, length);
  View<int> out = adopted::view<int>(to, length);
  ReducePlan reduce{device, {.on_device = {Type::u32, true, false, Type::u32}, .lines = true}};
  ScanPlan scan{device,
                {.on_device = {Type::u32, true, true, Type::u32}, .lines = true, .reverse = true}};
  std::uint64_t bytes =
      std::max({std::uint64_t{16}, reduce.workspace_bytes(lines), scan.workspace_bytes(lines)});
  Workspace workspace{adopted::view<std::uint8_t>(app.memory(bytes), bytes)};
};

}  // namespace

TEST_SUITE_BEGIN("interop_cuda_graph");

TEST_CASE_FIXTURE(Watched, "captured calls over lines run again on what is there then") {
  for (const Lines& lines : {Lines::rows(rows, columns), Lines::columns(rows, columns), few}) {
    CAPTURE(lines.outer);
    Matrix matrix(lines);
    matrix.app.begin_capture();
    matrix.enqueue(&matrix.workspace);
    CHECK(matrix.app.captures());
    const Graph graph(matrix.app, matrix.app.end_capture());
    CHECK(graph.nodes() >= 2);
    int seed = 2;
    for (const auto& [n, most] :
         {std::pair(1000U, 1000U), std::pair(0U, 5U), std::pair(30U, 36U), std::pair(37U, 0U)}) {
      std::vector<int> starts(lines.count());
      for (std::size_t i = 0; i < starts.size(); ++i) starts[i] = static_cast<int>(i) + seed;
      matrix.app.write(matrix.from, numbers(seed));
      matrix.app.write(matrix.inits, starts);
      matrix.app.write(matrix.counts,
                       std::vector<int>{static_cast<int>(n), static_cast<int>(most)});
      for (const CUdeviceptr left : {matrix.sums, matrix.totals}) {
        matrix.app.write(left, std::vector<int>(lines.count(), -1));
      }
      matrix.app.write(matrix.to, std::vector<int>(length, -1));
      graph.launch();
      graph.launch();
      if (test::runs_kernels()) matrix.check(seed, n, most);
      // A call of its own goes between.
      matrix.enqueue(nullptr);
      if (test::runs_kernels()) matrix.check(seed, n, most);
      ++seed;
    }
  }
}

TEST_CASE_FIXTURE(Watched, "what calls over lines cannot do while captured is refused") {
  Matrix matrix(few);
  const std::vector<std::function<void()>> calls{
      [&] { matrix.enqueue(nullptr); },  // The queue's own scratch.
      [&] {
        ReduceOptions options{.workspace = &matrix.workspace};
        options.lines = matrix.lines;
        reduce_into(matrix.queue, matrix.in, matrix.values(matrix.sums), bit_xor, options);
      },
      [&] {
        ReduceOptions options{.workspace = &matrix.workspace};
        options.lines = Lines{1, length / 2, 1, 0, 2, 0};
        static_cast<void>(reduce(matrix.queue, matrix.in, plus, options));
      }};
  matrix.app.begin_capture();
  for (const auto& call : calls) {
    const auto failure = failure_of(call);
    INFO(failure.what);
    CHECK(failure.category == ErrorCategory::unsupported);
    CHECK(failure.mentions("captured in a graph"));
    CHECK(matrix.app.captures());
  }
  matrix.enqueue(&matrix.workspace);
  const std::size_t nodes = Graph(matrix.app, matrix.app.end_capture()).nodes();
  matrix.app.begin_capture();
  matrix.enqueue(&matrix.workspace);
  // Nothing of what was refused.
  CHECK(Graph(matrix.app, matrix.app.end_capture()).nodes() == nodes);
}

TEST_SUITE_END();

}  // namespace bifold
