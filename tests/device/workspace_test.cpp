// Caller's scratch memory: sizes, alignment, content, reuse.
#include <doctest/doctest.h>

#include <bifold/bifold.hpp>
#include <numeric>

#include "support/cases/rows.hpp"
#include "support/cases/workload.hpp"
#include "support/devices/pool.hpp"
#include "support/environment.hpp"
#include "support/errors.hpp"
#include "support/values/random.hpp"

namespace bifold {

using test::AnyPlan;
using test::failure_of;
using test::Workload;

namespace {

/// A plan per kernel and the first type, and per kernel file and any other type, scans and
/// reductions.
std::vector<std::pair<Workload, AnyPlan>> all_plans(std::initializer_list<Type> types) {
  std::vector<std::pair<Workload, AnyPlan>> plans;
  for (const Algorithm algorithm : {Algorithm::reduce, Algorithm::scan}) {
    for (const Type type : types) {
      const auto rows = type == *types.begin()
                            ? test::families_on_device(algorithm, type, plus)
                            : test::files_on_device(algorithm, type, plus, plans.size());
      for (const auto* row : rows) {
        const Workload workload = test::workload_of(*row, type, plus);
        plans.emplace_back(workload, AnyPlan(workload));
      }
    }
  }
  return plans;
}

/// Input of ones to n, and what a plan makes of it; right when the last result is the sum.
class Bench {
 public:
  static constexpr std::uint64_t capacity = 300'000;

  explicit Bench(Type type) : type_(type) {
    const test::HostData host = test::make_input(type, OperatorKind::plus, capacity, test::seed());
    queue_.upload_bytes(view_of(input_, capacity), host.bytes(), capacity);
    prefix_.resize(capacity);
    visit_type(type, [&]<class T>(T) {
      T sum{};
      for (std::uint64_t i = 0; i < capacity; ++i) {
        sum = reference::combine(OperatorKind::plus, sum, host.as<T>()[i]);
        prefix_[i] = Value(sum).bits();
      }
    });
  }

  /// Runs the plan on n elements with that scratch; whether the sum of all of them came out.
  bool right(const Workload& workload, const AnyPlan& plan, std::uint64_t n,
             const Workspace* workspace) {
    const bool scan = workload.row->algorithm == Algorithm::scan;
    const ErasedView output = view_of(output_, scan ? n : 1);
    plan.run(queue_, view_of(input_, n), output, Operator(plus).identity(type_), workspace);
    ErasedView last = output;
    last.byte_offset = (output.count - 1) * size_of(type_);
    last.count = 1;
    std::uint64_t bits = 0;
    queue_.download_bytes(last, &bits, 1);
    return bits == prefix_[n - 1];
  }

  ErasedView output(std::uint64_t count) { return view_of(output_, count); }
  ErasedView input(std::uint64_t count) { return view_of(input_, count); }
  Queue& queue() { return queue_; }

 private:
  ErasedView view_of(Buffer<std::uint8_t>& buffer, std::uint64_t count) const {
    ErasedView view = erase(buffer);
    view.type = type_;
    view.count = count;
    return view;
  }

  Type type_;
  Queue queue_{test::device()};
  Buffer<std::uint8_t> input_{test::device(), capacity * 8};
  Buffer<std::uint8_t> output_{test::device(), capacity * 8};
  std::vector<std::uint64_t> prefix_;
};

/// Sums the first n of `ones` with that queue's own scratch; whether the sum came out.
bool sums(Queue& queue, Buffer<std::int64_t>& ones, Buffer<std::int64_t>& running,
          std::uint64_t n) {
  inclusive_scan(queue, ones.view(0, n), running.view(0, n), plus);
  return queue.download(running.view(n - 1, 1))[0] == static_cast<std::int64_t>(n);
}

const std::uint64_t some_lengths[] = {1, 255, 4'096, 4'097, 30'011, 299'999};

}  // namespace

TEST_SUITE_BEGIN("workspace");

TEST_CASE("the size query is monotone and never shrinks below what smaller inputs need") {
  test::Random random(test::seed());
  for (const auto& [workload, plan] : all_plans({Type::i32, Type::u8, Type::i64})) {
    std::vector<std::uint64_t> lengths{0};
    for (int power = 0; power < 40; ++power) {
      for (const std::int64_t step : {-1, 0, 1}) {
        lengths.push_back((std::uint64_t{1} << power) + static_cast<std::uint64_t>(step));
      }
    }
    for (int i = 0; i < 300; ++i) lengths.push_back(random.next() >> (24 + random.below(40)));
    lengths.insert(lengths.end(), {~std::uint64_t{0} - 100, ~std::uint64_t{0}});
    std::sort(lengths.begin(), lengths.end());
    std::uint64_t before = 0;
    for (const std::uint64_t n : lengths) {
      const std::uint64_t bytes = plan.workspace_bytes(n);
      if (bytes < before) {
        FAIL_CHECK(describe(workload), ": ", bytes, " bytes for ", n, ", ", before, " for less");
        break;
      }
      before = bytes;
    }
    // Scratch is for partial results: far less than the data, but for reductions that declare to
    // write some values per element, of which the workspace has room for two halves.
    const bool reduction = workload.row->algorithm == Algorithm::reduce;
    const double kept = reduction ? workload.row->writes : 0;
    const std::uint64_t n = std::uint64_t{1} << 33;
    CHECK(static_cast<double>(plan.workspace_bytes(n)) <
          static_cast<double>(n) *
              (0.5 + 2 * kept * static_cast<double>(size_of(workload.accumulator))));
  }
}

TEST_CASE("any alignment and any content of a raw workspace will do") {
  Bench bench(Type::i32);
  for (const auto& [workload, plan] : all_plans({Type::i32})) {
    for (const std::uint64_t n : some_lengths) {
      const std::uint64_t bytes = plan.workspace_bytes(n);
      for (const std::uint64_t offset :
           {0u, 1u, 2u, 3u, 4u, 5u, 7u, 8u, 12u, 16u, 31u, 33u, 63u, 64u}) {
        Buffer<std::uint8_t> memory(test::device(), bytes + offset + 64);
        const std::uint8_t dirt = offset % 3 == 0 ? 0xff : static_cast<std::uint8_t>(offset * 37);
        bench.queue().fill(memory, dirt);
        const Workspace workspace(memory.view(offset, bytes));
        const bool right = bench.right(workload, plan, n, &workspace);
        // The bytes around it are not the workspace's.
        const auto after = bench.queue().download(memory);
        bool intact = true;
        for (std::uint64_t i = 0; i < after.size(); ++i) {
          if (i < offset || i >= offset + bytes) intact = intact && after[i] == dirt;
        }
        if (right && intact) continue;
        FAIL_CHECK(describe(workload), ", n ", n, ", offset ", offset,
                   std::string(right ? "" : ", wrong sum"),
                   std::string(intact ? "" : ", bytes around the workspace changed"));
        return;
      }
    }
  }
}

TEST_CASE("one byte less is refused, with the output untouched") {
  Bench bench(Type::i32);
  for (const auto& [workload, plan] : all_plans({Type::i32})) {
    for (const std::uint64_t n : some_lengths) {
      const std::uint64_t bytes = plan.workspace_bytes(n);
      if (bytes == 0) continue;
      Buffer<std::uint8_t> memory(test::device(), bytes);
      const Workspace workspace(memory.view(0, bytes - 1));
      const std::uint64_t results = workload.row->algorithm == Algorithm::scan ? n : 1;
      bench.queue().fill(bench.output(results), Value(std::int32_t{-77}));
      const auto failure = failure_of([&, &row = workload, &made = plan] {
        made.run(bench.queue(), bench.input(n), bench.output(results), row.op.identity(row.input),
                 &workspace);
      });
      INFO(describe(workload) << ", n " << n);
      CHECK(failure.category == ErrorCategory::invalid_argument);
      CHECK(failure.mentions("workspace"));
      CHECK(failure.mentions(std::to_string(bytes)));
      std::vector<std::int32_t> after(results);
      bench.queue().download_bytes(bench.output(results), after.data(), results);
      CHECK(std::all_of(after.begin(), after.end(), [](std::int32_t x) { return x == -77; }));
    }
  }
}

TEST_CASE("a workspace that overlaps the data is refused") {
  Queue queue(test::device());
  for (const auto& [workload, plan] : all_plans({Type::i32})) {
    const std::uint64_t n = 100'000;
    const std::uint64_t bytes = plan.workspace_bytes(n);
    if (bytes == 0) continue;
    const std::uint64_t results = workload.row->algorithm == Algorithm::scan ? n : 1;
    auto data = queue.allocate<std::int32_t>(2 * n + bytes);
    const ErasedView input = erase(data.view(0, n));
    const ErasedView output = erase(data.view(n, results));
    const auto all = data.view().as<std::uint8_t>();
    for (const std::uint64_t begin : {std::uint64_t{0}, 4 * n - 1, 4 * (n + results) - 1}) {
      const Workspace workspace(all.subview(begin, bytes));
      const auto failure = failure_of([&, &row = workload, &made = plan] {
        made.run(queue, input, output, row.op.identity(row.input), &workspace);
      });
      INFO(describe(workload) << ", from byte " << begin);
      CHECK(failure.category == ErrorCategory::invalid_argument);
      CHECK(failure.mentions("overlap"));
    }
  }
}

TEST_CASE("a prepared workspace serves plans of all types and sizes one after another") {
  const auto plans = all_plans({Type::i32, Type::u8, Type::i64});
  std::uint64_t bytes = 0;
  for (const auto& [workload, plan] : plans) {
    bytes = std::max(bytes, plan.workspace_bytes(Bench::capacity));
  }
  for (const std::uint64_t offset : {0u, 3u, 8u}) {
    std::vector<std::unique_ptr<Bench>> benches;
    for (const Type type : {Type::i32, Type::u8, Type::i64}) {
      benches.push_back(std::make_unique<Bench>(type));
    }
    Buffer<std::uint8_t> memory(test::device(), bytes + offset);
    // The calls alternate between queues, ordered by the blocking download of each result.
    benches[0]->queue().fill(memory, 0xee);
    Workspace workspace(memory.view(offset, bytes));
    CHECK_FALSE(workspace.prepared());
    workspace.prepare(benches[0]->queue());
    benches[0]->queue().finish();
    CHECK(workspace.prepared());
    test::Random random(test::seed() + offset);
    for (int round = 0; round < 12; ++round) {
      for (const auto& [workload, plan] : plans) {
        const auto type = workload.input;
        Bench& bench = *benches[type == Type::i32 ? 0 : type == Type::u8 ? 1 : 2];
        const std::uint64_t n = 1 + random.below(Bench::capacity - 1);
        if (bench.right(workload, plan, n, &workspace)) continue;
        FAIL_CHECK(describe(workload), ", round ", round, ", n ", n, ", offset ", offset, ", seed ",
                   test::seed());
        return;
      }
    }
    workspace.release();
    CHECK_FALSE(workspace.prepared());
  }
}

TEST_CASE("a released workspace may be overwritten and used raw") {
  Bench bench(Type::i32);
  for (const auto& [workload, plan] : all_plans({Type::i32})) {
    const std::uint64_t bytes = plan.workspace_bytes(Bench::capacity);
    Buffer<std::uint8_t> memory(test::device(), bytes);
    Workspace workspace(memory);
    workspace.prepare(bench.queue());
    CHECK(bench.right(workload, plan, 200'000, &workspace));
    workspace.release();
    bench.queue().fill(memory, 0x5a);
    CHECK(bench.right(workload, plan, 250'000, &workspace));
    workspace.prepare(bench.queue());
    CHECK(bench.right(workload, plan, 100'000, &workspace));
  }
}

TEST_CASE("a queue's own scratch grows with its calls") {
  for (const auto& [workload, plan] : all_plans({Type::i64})) {
    Bench bench(Type::i64);
    for (const std::uint64_t n : {1u, 1'000u, 5u, 40'000u, 39'999u, 299'999u, 7u, 200'000u}) {
      INFO(describe(workload) << ", n " << n);
      CHECK(bench.right(workload, plan, n, nullptr));
    }
  }
}

TEST_CASE("trimmed scratch comes back when it is needed") {
  for (const auto& [workload, plan] : all_plans({Type::i32})) {
    Bench bench(Type::i32);
    bench.queue().trim();
    for (const std::uint64_t n : {299'999u, 5u, 200'000u}) {
      INFO(describe(workload) << ", n " << n);
      CHECK(bench.right(workload, plan, n, nullptr));
      bench.queue().trim();
      CHECK(bench.right(workload, plan, n, nullptr));
      // Trimmed while a call may be running.
      plan.run(bench.queue(), bench.input(n),
               bench.output(workload.row->algorithm == Algorithm::scan ? n : 1),
               Operator(plus).identity(Type::i32));
      bench.queue().trim();
      CHECK(bench.right(workload, plan, n, nullptr));
    }
  }
}

TEST_CASE("scratch comes from the application's allocator and all of it goes back") {
  test::Pool pool;
  const std::uint64_t most = 3'000'000;
  {
    const Device device = pool.open();
    pool.use(device);
    Queue queue(device);
    Buffer<std::int64_t> ones(device, most);
    Buffer<std::int64_t> running(device, most);
    queue.fill(ones, 1);
    CHECK(pool.taken() == 0);
    for (const std::uint64_t n : {10u, 100'000u, 3'000'000u, 1'000u}) {
      CHECK(sums(queue, ones, running, n));
      CHECK(reduce(queue, ones.view(0, n), plus) == static_cast<std::int64_t>(n));
    }
    CHECK(pool.blocks() > 0);
    // What a call outgrows is kept until one waits.
    for (const auto* row : test::families_on_device(Algorithm::scan, Type::i64, plus)) {
      const ScanPlan plan(device,
                          {Type::i64, Type::i64, Type::i64, ScanKind::inclusive, plus, row->name});
      if (plan.workspace_bytes(most) < 20'000) continue;
      INFO(std::string(row->name));
      queue.trim();
      // More than a tile: rows over lines keep nothing for less.
      constexpr std::uint64_t few = 5000;
      plan.run(queue, erase(ones.view(0, few)), erase(running.view(0, few)),
               Value(std::int64_t{0}));
      const std::size_t before = pool.blocks();
      plan.run(queue, erase(ones), erase(running), Value(std::int64_t{0}));
      CHECK(pool.blocks() > before);
      queue.finish();
      CHECK(pool.blocks() == before);
      CHECK(queue.download(running.view(most - 1, 1))[0] == static_cast<std::int64_t>(most));
    }
    queue.trim();
    CHECK(pool.blocks() == 0);
    CHECK(sums(queue, ones, running, most));
    inclusive_scan(queue, ones, running, plus);
    queue.trim();  // Waits for the scan.
    CHECK(pool.blocks() == 0);
    // And the rest when the queue ends, whose work is waited for.
    {
      Queue other(device);
      CHECK(reduce(other, ones, plus) == static_cast<std::int64_t>(most));
      inclusive_scan(other, ones, running, plus);
      CHECK(pool.blocks() > 0);
    }
    CHECK(pool.blocks() == 0);
  }
  CHECK_FALSE(pool.mistaken());
}

TEST_CASE("words are zeroed as far as calls come to use them, in memory that has others' words") {
  const std::uint64_t most = 1'000'000;
  test::Pool pool;
  const Device device = pool.open();
  pool.use(device);
  pool.recycle();
  Queue queue(device);
  Buffer<std::int64_t> values(device, most);
  Buffer<std::int64_t> running(device, most);
  // It takes a copy of its input as raw scratch: more than any scan needs of words.
  const ReducePlan large(device, {Type::i64, Type::i64, plus, "interleaved_simple"});
  REQUIRE(large.workspace_bytes(most) > most * sizeof(std::int64_t));
  for (const auto* row : test::families_on_device(Algorithm::scan, Type::i64, plus)) {
    const ScanPlan plan(device,
                        {Type::i64, Type::i64, Type::i64, ScanKind::inclusive, plus, row->name});
    INFO(std::string(row->name));
    const auto last_of_scan = [&](std::uint64_t n) {
      queue.fill(running, -1);
      plan.run(queue, erase(values.view(0, n)), erase(running.view(0, n)), Value(std::int64_t{0}));
      return queue.download(running.view(n - 1, 1))[0];
    };
    const auto total = [&] {
      large.run(queue, erase(values), erase(running.view(0, 1)), Value(std::int64_t{0}));
      return queue.download(running.view(0, 1))[0];
    };
    queue.fill(values, 2);
    CHECK(total() == 2 * static_cast<std::int64_t>(most));
    for (int call = 0; call < 3; ++call) CHECK(last_of_scan(most) == 2'000'000);
    queue.trim();
    // The same memory: as many calls later it has words of the same tags.
    queue.fill(values, 1);
    const std::size_t taken = pool.taken();
    CHECK(total() == static_cast<std::int64_t>(most));
    for (const std::uint64_t n : {std::uint64_t{1}, most / 30, most, std::uint64_t{2000}, most}) {
      CAPTURE(n);
      CHECK(last_of_scan(n) == static_cast<std::int64_t>(n));
      CHECK(total() == static_cast<std::int64_t>(most));
    }
    CHECK(pool.taken() == taken + 1);
    queue.trim();
  }
}

TEST_CASE("what an allocator does wrong fails the call and nothing else") {
  test::Pool pool;
  const Device device = pool.open();
  pool.use(device);
  Queue queue(device);
  Buffer<std::int64_t> ones(device, 500'000);
  Buffer<std::int64_t> running(device, 500'000);
  queue.fill(ones, 1);
  CHECK(sums(queue, ones, running, 100));
  struct Row {
    test::Pool::Mood mood;
    ErrorCategory category;
  };
  for (const Row row : {Row{test::Pool::Mood::empty, ErrorCategory::out_of_memory},
                        Row{test::Pool::Mood::throwing, ErrorCategory::out_of_memory},
                        Row{test::Pool::Mood::throwing_errors, ErrorCategory::device_lost}}) {
    queue.trim();
    CHECK(pool.blocks() == 0);
    pool.be(row.mood);
    const auto scans = failure_of([&] { inclusive_scan(queue, ones, running, plus); });
    CHECK(scans.category == row.category);
    CHECK(failure_of([&] { (void)reduce(queue, ones, plus); }).category == row.category);
    if (row.mood == test::Pool::Mood::throwing) CHECK(scans.mentions("the pool is closed"));
    pool.be(test::Pool::Mood::good);
    CHECK(sums(queue, ones, running, 500'000));
  }
  DeviceOptions half;
  half.scratch.allocate = pool.allocator().allocate;
  CHECK(failure_of([&] { (void)open_device(test::device().info().selector, half); }).category ==
        ErrorCategory::invalid_argument);
  CHECK_FALSE(pool.mistaken());
}

TEST_SUITE_END();

}  // namespace bifold
