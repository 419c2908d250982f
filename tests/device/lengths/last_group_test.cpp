// Reductions in one launch under stress: many runs in a row, alone and beside a queue that keeps
// the device busy, every result compared.
#include <doctest/doctest.h>

#include <array>
#include <bifold/bifold.hpp>
#include <iostream>
#include <string>
#include <type_traits>
#include <vector>

#include "support/cases/rows.hpp"
#include "support/cases/stress.hpp"
#include "support/cases/workload.hpp"
#include "support/devices/busy_queue.hpp"
#include "support/environment.hpp"
#include "support/values/random.hpp"

namespace bifold {

namespace {

/// Every row that needs no second launch. Those of one group have nobody to wait for.
std::vector<const gallery::Variant*> single_launch_rows(Type type) {
  std::vector<const gallery::Variant*> rows;
  for (const auto* row : test::rows_on_device(Algorithm::reduce, type, plus)) {
    const gallery::Requirements& needs = row->requirements;
    const bool together = needs.published_words || needs.counted_groups || needs.atomic_accumulator;
    if (together && row->launches == 1) rows.push_back(row);
  }
  if (rows.empty()) std::cout << "SKIPPED: the device runs no reduction in one launch\n";
  return rows;
}

/// Elements, and the sums of the first of them. Floating values are integers whose sums are exact,
/// in whatever order.
template <class T>
struct Data {
  Data(Queue& queue, std::uint64_t n, std::uint64_t seed) : sums{T{}} {
    std::vector<T> values(n);
    test::Random random(seed);
    for (T& value : values) {
      const std::uint64_t word = random.next();
      value = std::is_floating_point_v<T>
                  ? static_cast<T>(static_cast<std::int64_t>(word >> 60) - 8)
                  : static_cast<T>(word);
      sums.push_back(reference::combine(OperatorKind::plus, sums.back(), value));
    }
    input = queue.upload(std::span<const T>(values));
  }

  Buffer<T> input;
  std::vector<T> sums;
};

/// A queue whose runs alternate between two inputs and differ in length, as what an earlier run
/// left behind would be right on the same one.
template <class T>
class Stress {
 public:
  explicit Stress(std::uint64_t n)
      : n_(n),
        data_{Data<T>(queue_, n, test::seed() + n), Data<T>(queue_, n, test::seed() + n + 1)},
        results_(test::device(), batch) {}

  /// What went wrong, or nothing.
  std::string run(const test::AnyPlan& plan, std::uint64_t runs) {
    Buffer<std::uint8_t> memory(test::device(), plan.workspace_bytes(n_));
    Workspace prepared(memory);
    prepared.prepare(queue_);
    std::vector<T> expected(batch);
    std::vector<T> found(batch);
    for (std::uint64_t run = 0; run < runs; ++run) {
      Data<T>& data = data_[run % 2];
      const std::uint64_t count = (run % 3 == 0 ? n_ : n_ / 7) - run % 11;
      const std::uint64_t slot = run % batch;
      plan.run(queue_, data.input.view(0, count), results_.view(slot, 1), T{},
               run / batch % 2 == 0 ? nullptr : &prepared);
      expected[slot] = data.sums[count];
      if (slot != batch - 1 && run + 1 < runs) continue;
      queue_.download(results_.view(0, batch), std::span<T>(found));
      for (std::uint64_t i = 0; i <= slot; ++i) {
        if (found[i] == expected[i]) continue;
        return "run " + std::to_string(run - slot + i) + " of n " + std::to_string(n_) + " gave " +
               std::to_string(found[i]) + " instead of " + std::to_string(expected[i]) + ", seed " +
               std::to_string(test::seed());
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
  Buffer<T> results_;
};

template <class T>
void stress_rows(std::uint64_t usual_size, std::uint64_t runs) {
  if (!test::device().supports(type_of<T>())) return;
  const std::uint64_t n = test::stress_size(usual_size);
  Stress<T> stress(n);
  for (const auto* row : single_launch_rows(type_of<T>())) {
    const test::Workload workload = test::workload_of(*row, type_of<T>(), plus);
    const std::string problem = stress.run(test::AnyPlan(workload), runs);
    CHECK_MESSAGE(problem.empty(), describe(workload), ": ", problem);
    std::cout << row->name << ' ' << name_of(type_of<T>()) << ": " << runs << " runs of n " << n
              << '\n';
  }
}

}  // namespace

TEST_SUITE_BEGIN("single_pass");

TEST_CASE("reductions in one launch, run after run") {
  const std::uint64_t runs = test::stress_runs(1000, 300);
  stress_rows<std::int32_t>(1'003'565, runs);
  stress_rows<float>(1'003'565, runs);
  stress_rows<std::uint64_t>(503'565, runs);
}

TEST_CASE("reductions in one launch beside a queue that keeps the device busy") {
  const std::uint64_t runs = test::stress_runs(200, 60);
  const test::BusyQueue busy;
  stress_rows<std::int32_t>(1'003'565, runs);
  stress_rows<double>(503'565, runs);
}

TEST_SUITE_END();

}  // namespace bifold
