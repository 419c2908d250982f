// Single-pass scans under stress: many runs in a row, on one queue, on two at once and beside one
// that keeps the device busy, every result compared on the device.
#include <doctest/doctest.h>

#include <array>
#include <bifold/bifold.hpp>
#include <cmath>
#include <iostream>
#include <limits>
#include <mutex>
#include <thread>

#include "core/probe/comparison.hpp"
#include "support/cases/group_sizes.hpp"
#include "support/cases/rows.hpp"
#include "support/cases/stress.hpp"
#include "support/cases/workload.hpp"
#include "support/devices/busy_queue.hpp"
#include "support/environment.hpp"
#include "support/errors.hpp"
#include "support/values/random.hpp"

namespace bifold {

namespace {

using test::Workload;

/// A tenth for the rows whose tiles wait for one another one by one, or combine by one work-item.
std::uint64_t share_of(const gallery::Variant& row, std::uint64_t runs) {
  const bool slow = row.name == "chained" || row.name == "lookback_warp_copy";
  return slow ? std::max<std::uint64_t>(runs / 10, 1) : runs;
}

std::vector<std::uint64_t> sizes(std::initializer_list<std::uint64_t> usual) {
  if (const auto size = test::asked("BIFOLD_TEST_STRESS_SIZE")) return {*size};
  return usual;
}

/// Every row that publishes words between groups.
std::vector<const gallery::Variant*> single_pass_rows(Type type) {
  std::vector<const gallery::Variant*> rows;
  for (const auto* row : test::rows_on_device(Algorithm::scan, type, plus)) {
    if (test::publishes(*row)) rows.push_back(row);
  }
  if (rows.empty()) std::cout << "SKIPPED: the device runs no single-pass scan\n";
  return rows;
}

/// The two kinds of a row's scan.
struct Plans {
  explicit Plans(const Workload& workload)
      : inclusive(plan(workload, ScanKind::inclusive)),
        exclusive(plan(workload, ScanKind::exclusive)) {}

  static test::AnyPlan plan(Workload workload, ScanKind kind) {
    workload.kind = kind;
    return test::AnyPlan(workload);
  }

  test::AnyPlan inclusive;
  test::AnyPlan exclusive;
};

/// Elements, and what any scan of them has to give.
template <class T>
struct Data {
  static constexpr T init = static_cast<T>(41);

  Data(Queue& queue, std::uint64_t n, std::uint64_t seed)
      : input(queue.device(), n), prefixes(queue.device(), n + 1) {
    // In pieces: 10^9 elements need not be on the host at once.
    constexpr std::uint64_t piece = std::uint64_t{1} << 24;
    std::vector<T> values(std::min(n, piece));
    std::vector<T> sums(values.size());
    test::Random random(seed);
    T sum = init;
    queue.fill(prefixes.view(0, 1), init);
    for (std::uint64_t begin = 0; begin < n; begin += piece) {
      const std::uint64_t count = std::min(piece, n - begin);
      for (std::uint64_t i = 0; i < count; ++i) {
        values[i] = static_cast<T>(random.next());
        sums[i] = sum = reference::combine(OperatorKind::plus, sum, values[i]);
      }
      queue.upload(std::span<const T>(values).first(count), input.view(begin, count));
      queue.upload(std::span<const T>(sums).first(count), prefixes.view(begin + 1, count));
    }
  }

  Buffer<T> input;
  Buffer<T>
      prefixes;  ///< From `init` on: an exclusive scan, and behind the first an inclusive one.
};

/// A queue whose runs alternate between two inputs, as words that an earlier run left behind would
/// be right on the same one.
template <class T>
class Stress {
 public:
  static constexpr std::uint64_t slack = 8;

  explicit Stress(std::uint64_t n)
      : n_(n),
        data_{Data<T>(queue_, n, test::seed() + n), Data<T>(queue_, n, test::seed() + n + 1)},
        output_(test::device(), n + slack),
        comparison_(queue_, type_of<T>()) {}

  static std::uint64_t bytes(std::uint64_t n) { return 5 * (n + slack) * sizeof(T); }

  /// Runs the plans in turn, in every way in which calls differ; what went wrong, or nothing. Of
  /// three runs, two have about `most` elements at most.
  std::string run(const Plans& plans, std::uint64_t runs, std::uint64_t most = ~std::uint64_t{0}) {
    const bool may_be_in_place = test::device().capabilities().acquire_release;
    const std::uint64_t bytes = plans.inclusive.workspace_bytes(n_);
    Buffer<std::uint8_t> memory(test::device(), bytes);
    Workspace prepared(memory);
    prepared.prepare(queue_);
    for (std::uint64_t run = 0; run < runs; ++run) {
      Data<T>& data = data_[run % 2];
      const bool exclusive = run / 2 % 2 == 1;
      const bool in_place = may_be_in_place && run % 5 < 2;
      const std::uint64_t longest = run % 3 == 0 ? n_ : std::min(n_, most);
      const std::uint64_t count = longest - std::min(longest - 1, run % 11);
      const auto output = output_.view(run % 7 == 3 ? 1 + run % slack : 0, count);
      const ErasedView input = in_place ? ErasedView(output) : data.input.view(0, count);
      if (in_place) {
        queue_.copy(data.input.view(0, count), output);
      } else {
        queue_.fill(output, static_cast<T>(~run));
      }
      (exclusive ? plans.exclusive : plans.inclusive)
          .run(queue_, input, output, Data<T>::init, run / batch % 2 == 0 ? nullptr : &prepared);
      comparison_.add(output, data.prefixes.view(exclusive ? 0 : 1, count));
      if (run % batch != batch - 1 && run + 1 < runs) continue;
      if (const std::uint64_t wrong = comparison_.take(); wrong > 0) {
        return std::to_string(wrong) + " elements wrong in runs " +
               std::to_string(run - run % batch) + " to " + std::to_string(run) + " of n " +
               std::to_string(n_) + ", seed " + std::to_string(test::seed());
      }
    }
    prepared.release();
    return {};
  }

 private:
  static constexpr std::uint64_t batch = 12;

  Queue queue_{test::device()};
  std::uint64_t n_;
  std::array<Data<T>, 2> data_;
  Buffer<T> output_;
  core::Comparison comparison_;
};

template <class T>
bool fits(std::uint64_t n) {
  const Capabilities& capabilities = test::device().capabilities();
  if (Stress<T>::bytes(n) <= capabilities.global_bytes / 10 * 8 &&
      (n + Stress<T>::slack) * sizeof(T) <= capabilities.max_allocation_bytes) {
    return true;
  }
  std::cout << "SKIPPED: n " << n << " does not fit the device\n";
  return false;
}

/// Every single-pass row, `runs` times or its share, on each size.
template <class T>
void stress_rows(std::initializer_list<std::uint64_t> usual_sizes, std::uint64_t runs) {
  if (!test::device().supports(type_of<T>())) return;
  const auto rows = single_pass_rows(type_of<T>());
  for (const std::uint64_t n : sizes(usual_sizes)) {
    if (rows.empty() || !fits<T>(n)) continue;
    Stress<T> stress(n);
    for (const auto* row : rows) {
      const Workload workload = test::workload_of(*row, type_of<T>(), plus);
      const std::uint64_t count = share_of(*row, runs);
      const std::string problem = stress.run(Plans(workload), count);
      CHECK_MESSAGE(problem.empty(), describe(workload), ": ", problem);
      std::cout << row->name << ' ' << name_of(type_of<T>()) << ": " << count << " runs of n " << n
                << '\n';
    }
  }
}

/// Two rows at once, each on a queue of its own.
void stress_two_queues(std::uint64_t n, std::uint64_t runs) {
  const auto rows = single_pass_rows(Type::i32);
  for (std::size_t first = 0; first < rows.size(); ++first) {
    const gallery::Variant* pair[] = {rows[first], rows[(first + 1) % rows.size()]};
    std::mutex mutex;
    std::string problems;
    const auto body = [&](const gallery::Variant& row) {
      std::string problem;
      try {
        const Plans plans(test::workload_of(row, Type::i32, plus));
        problem = Stress<std::int32_t>(n).run(plans, runs);
      } catch (const std::exception& error) {
        problem = error.what();
      }
      if (problem.empty()) return;
      const std::lock_guard lock(mutex);
      problems += std::string(row.name) + ": " + problem + "\n";
    };
    std::thread other([&] { body(*pair[0]); });
    body(*pair[1]);
    other.join();
    CHECK_MESSAGE(problems.empty(), problems);
  }
  std::cout << "two queues at once: " << runs << " runs of n " << n << " on each pair of rows\n";
}

/// Epochs that run out with every third call. The calls between are shorter: they leave words of
/// the epoch that comes again, for tiles that they do not have.
void stress_epochs(std::uint64_t n, std::uint64_t runs) {
  Stress<std::int32_t> stress(n);
  for (const auto* row : single_pass_rows(Type::i32)) {
    Workload workload = test::workload_of(*row, Type::i32, plus);
    workload.hooks.epoch_limit = 3;
    const std::string problem = stress.run(Plans(workload), runs, n / 3);
    CHECK_MESSAGE(problem.empty(), describe(workload), ": ", problem);
  }
  std::cout << "epochs that wrap: " << runs << " runs of n " << n << " on each row\n";
}

template <class T>
void check_comparison(T one, T other) {
  if (!test::device().supports(type_of<T>())) return;
  Queue queue(test::device());
  core::Comparison comparison(queue, type_of<T>());
  std::vector<T> left(100'003, one);
  std::vector<T> right = left;
  for (const std::size_t at : {3u, 4u, 5'000u, 65'536u, 100'002u}) right[at] = other;
  const auto a = queue.upload(std::span<const T>(left));
  const auto b = queue.upload(std::span<const T>(right));
  INFO("type " << name_of(type_of<T>()));
  comparison.add(a, a);
  CHECK(comparison.take() == 0);
  comparison.add(a, b);
  CHECK(comparison.take() == 5);
  // Counts gather until they are taken; views may start anywhere, and may be empty.
  comparison.add(a.view(3, 1), b.view(3, 1));
  comparison.add(a.view(5, 100'000 - 5), b.view(5, 100'000 - 5));
  comparison.add(a.view(100'002, 1), b.view(100'002, 1));
  comparison.add(a.view(4, 0), b.view(4, 0));
  CHECK(comparison.take() == 4);
  CHECK(comparison.take() == 0);
  CHECK(test::failure_of([&] { comparison.add(a.view(0, 2), b.view(0, 3)); }).category ==
        ErrorCategory::invalid_argument);
}

}  // namespace

TEST_SUITE_BEGIN("single_pass");

TEST_CASE("a comparison on the device counts each element that differs in a bit") {
  check_comparison<std::uint8_t>(1, 2);
  check_comparison<std::int16_t>(-1, -2);
  check_comparison<std::int64_t>(1, 1 + (std::int64_t{1} << 40));
  check_comparison<float>(0.0F, -0.0F);
  check_comparison<double>(std::nan(""), -std::nan(""));
}

TEST_CASE("single-pass scans, run after run") {
  stress_rows<std::int32_t>({5'003'565}, test::stress_runs(1000, 300));
}

TEST_CASE("values of several words, run after run") {
  stress_rows<std::uint64_t>({1'003'565}, test::stress_runs(1000, 300));
}

TEST_CASE("two queues at once") {
  stress_two_queues(test::stress_size(1'003'565), test::stress_runs(200, 40));
}

TEST_CASE("single-pass scans beside a queue that keeps the device busy") {
  const std::uint64_t runs = test::stress_runs(200, 40);
  const test::BusyQueue busy;
  stress_rows<std::int32_t>({1'003'565}, runs);
  stress_rows<std::uint64_t>({503'565}, runs);
}

TEST_CASE("epochs that wrap under stress") {
  stress_epochs(test::stress_size(503'565), test::stress_runs(200, 80));
}

TEST_SUITE_END();

TEST_SUITE_BEGIN("single_pass_gpu");

TEST_CASE("large single-pass scans, run after run") {
  if (test::on_cpu() && !test::asked("BIFOLD_TEST_STRESS_RUNS")) {
    std::cout << "SKIPPED: takes a CPU hours; BIFOLD_TEST_STRESS_RUNS asks for it\n";
    return;
  }
  stress_rows<std::int32_t>({50'003'565, 500'003'565, 1'000'003'565}, test::stress_runs(1000, 1));
}

TEST_SUITE_END();

}  // namespace bifold
