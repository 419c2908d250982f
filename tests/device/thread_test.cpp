// Many threads on one device: results are right, and each program is compiled once.
#include <doctest/doctest.h>

#include <atomic>
#include <barrier>
#include <bifold/bifold.hpp>
#include <numeric>
#include <thread>

#include "support/cases/rows.hpp"
#include "support/environment.hpp"
#include "support/values/random.hpp"

namespace bifold {

namespace {

constexpr int thread_count = 6;

/// Runs body(thread) on every thread, all at once; failures are counted, as doctest's checks stay
/// on the main thread.
template <class Body>
std::string run_threads(Body body) {
  std::barrier start(thread_count);
  std::mutex mutex;
  std::string problems;
  std::vector<std::thread> threads;
  threads.reserve(thread_count);
  for (int thread = 0; thread < thread_count; ++thread) {
    threads.emplace_back([&, thread] {
      std::string problem;
      start.arrive_and_wait();
      try {
        problem = body(thread);
      } catch (const std::exception& error) {
        problem = error.what();
      }
      if (problem.empty()) return;
      const std::lock_guard lock(mutex);
      problems += "thread " + std::to_string(thread) + ": " + problem + "\n";
    });
  }
  for (std::thread& thread : threads) thread.join();
  return problems;
}

std::vector<std::int32_t> values_of(int thread, std::size_t count) {
  test::Random random(test::seed() + static_cast<std::uint64_t>(thread));
  std::vector<std::int32_t> values(count);
  for (auto& value : values) value = static_cast<std::int32_t>(random.between(-1000, 1000));
  return values;
}

/// A scan and a reduction of that thread's data, compared.
std::string check_once(Queue& queue, int thread, std::size_t n, std::string_view scan_row,
                       std::string_view reduce_row) {
  const auto host = values_of(thread, n);
  auto input = queue.upload(std::span<const std::int32_t>(host));
  auto output = queue.allocate<std::int32_t>(n);
  inclusive_scan(queue, input, output, plus, ScanOptions{.variant = scan_row});
  const auto total = reduce(queue, input, plus, 0, ReduceOptions{.variant = reduce_row});
  std::vector<std::int32_t> want(n);
  std::partial_sum(host.begin(), host.end(), want.begin());
  if (total != want.back()) return "wrong sum of " + std::to_string(n);
  if (queue.download(output) != want) return "wrong scan of " + std::to_string(n);
  return {};
}

}  // namespace

TEST_SUITE_BEGIN("thread");

TEST_CASE("first calls that race compile each program once") {
  CacheOptions cache;
  cache.disk = false;
  // How many programs these calls need: as many as one thread alone compiles.
  const Device alone = test::open_again(cache);
  {
    Queue queue(alone);
    REQUIRE(check_once(queue, 0, 10'000, "production", "production").empty());
  }
  const auto needed = alone.cache_statistics().compiled;
  CHECK(needed >= 2);

  const Device shared = test::open_again(cache);
  const std::string problems = run_threads([&](int thread) {
    Queue queue(shared);
    return check_once(queue, thread, 10'000 + static_cast<std::size_t>(thread), "production",
                      "production");
  });
  CHECK_MESSAGE(problems.empty(), problems);
  CHECK(shared.cache_statistics().compiled == needed);
}

TEST_CASE("queues of several threads work side by side, on every scan row") {
  const auto rows = test::rows_on_device(Algorithm::scan, Type::i32, plus);
  for (const auto* row : rows) {
    // PoCL 3.1 counts wrongly who uses a kernel's code, and ends the process, when several queues
    // launch a kernel for the first time at once, or with less than 65536 work-items and with more.
    Queue first(test::device());
    REQUIRE(check_once(first, 0, 30'000, row->name, "production").empty());
    const std::string problems = run_threads([&](int thread) -> std::string {
      Queue queue(test::device());
      for (int round = 0; round < 15; ++round) {
        const auto n =
            1 + static_cast<std::size_t>(round) * 2'003 + static_cast<std::size_t>(thread) * 13;
        const auto problem = check_once(queue, thread, n, row->name, "production");
        if (!problem.empty()) return std::string(row->name) + ": " + problem;
      }
      return {};
    });
    CHECK_MESSAGE(problems.empty(), problems);
  }
}

TEST_CASE("several threads share one queue") {
  const Queue queue(test::device());
  for (const auto* row : test::rows_on_device(Algorithm::scan, Type::i32, plus)) {
    const std::string problems = run_threads([&](int thread) -> std::string {
      Queue mine = queue;  // The same queue.
      for (int round = 0; round < 10; ++round) {
        const auto n =
            1 + static_cast<std::size_t>(round) * 5'003 + static_cast<std::size_t>(thread) * 17;
        const auto problem = check_once(mine, thread, n, row->name, "production");
        if (!problem.empty()) return std::string(row->name) + ": " + problem;
      }
      return {};
    });
    CHECK_MESSAGE(problems.empty(), problems);
  }
}

TEST_CASE("one plan is run by many threads on their own queues") {
  const ScanPlan plan(test::device(), ScanShape{.op = plus});
  const std::string problems = run_threads([&](int thread) -> std::string {
    Queue queue(test::device());
    for (int round = 0; round < 10; ++round) {
      const auto n =
          100'000 + static_cast<std::size_t>(thread) * 101 + static_cast<std::size_t>(round);
      const auto host = values_of(thread, n);
      auto data = queue.upload(std::span<const std::int32_t>(host));
      plan.run(queue, erase(data), erase(data), Value(std::int32_t{round}));
      const auto got = queue.download(data.view(n - 1, 1))[0];
      if (got != std::accumulate(host.begin(), host.end(), round)) return "wrong last element";
    }
    return {};
  });
  CHECK_MESSAGE(problems.empty(), problems);
}

TEST_CASE("devices, queues and buffers are opened and closed by many threads") {
  const std::string problems = run_threads([&](int thread) -> std::string {
    for (int round = 0; round < 3; ++round) {
      const Device own = test::open_again({});
      Queue queue(own);
      auto problem = check_once(queue, thread, 5'000, "production", "production");
      if (!problem.empty()) return problem;
    }
    return {};
  });
  CHECK_MESSAGE(problems.empty(), problems);
}

TEST_SUITE_END();

}  // namespace bifold
