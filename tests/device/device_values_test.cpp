// Values in device memory: n, the initial value and a scan's total, on every row that takes them.
#include <doctest/doctest.h>

#include <bifold/bifold.hpp>
#include <cstring>
#include <numeric>

#include "support/cases/expected.hpp"
#include "support/cases/group_sizes.hpp"
#include "support/cases/rows.hpp"
#include "support/cases/workload.hpp"
#include "support/environment.hpp"
#include "support/errors.hpp"
#include "support/values/random.hpp"

// An affine map x -> factor * x + offset.
struct Linear {
  std::uint32_t factor;
  std::uint32_t offset;
  friend bool operator==(const Linear&, const Linear&) = default;
};
BIFOLD_STRUCT(Linear, factor, offset);

// The same, as long as a unit of copies.
struct LongLinear {
  std::uint64_t factor;
  std::uint64_t offset;
  friend bool operator==(const LongLinear&, const LongLinear&) = default;
};
BIFOLD_STRUCT(LongLinear, factor, offset);

namespace bifold {

using test::AnyPlan;
using test::HostData;
using test::Workload;

namespace {

constexpr auto guard = std::byte{0xa5};
constexpr DeviceValues all_of_reduce{Type::u64, true, false};
constexpr DeviceValues all_of_scan{Type::u64, true, true};

/// Elements in device memory between guards.
class Guarded {
 public:
  static constexpr std::uint64_t around = 3;

  Guarded(Queue& queue, Type type, std::uint64_t count, std::uint64_t shift)
      : queue_(queue),
        type_(type),
        count_(count),
        first_(around + shift),
        image_((count + shift + 2 * around) * size_of(type), guard),
        memory_(queue.device(), image_.size()) {
    queue_.upload_bytes(erase(memory_), image_.data(), image_.size());
  }

  [[nodiscard]] ErasedView view() {
    ErasedView all = erase(memory_);
    all.type = type_;
    all.byte_offset = first_ * size_of(type_);
    all.count = count_;
    return all;
  }
  void set(const void* elements, std::uint64_t count) {
    std::memcpy(image_.data() + first_ * size_of(type_), elements, count * size_of(type_));
    queue_.upload_bytes(erase(memory_), image_.data(), image_.size());
  }
  /// The first `count` elements, where nothing else has changed.
  std::optional<std::vector<std::byte>> changed(std::uint64_t count) {
    std::vector<std::byte> now(image_.size());
    queue_.download_bytes(erase(memory_), now.data(), now.size());
    const std::size_t begin = first_ * size_of(type_);
    const std::size_t bytes = count * size_of(type_);
    std::vector<std::byte> values(now.data() + begin, now.data() + begin + bytes);
    std::memcpy(now.data() + begin, image_.data() + begin, bytes);
    if (now != image_) return {};
    return values;
  }

 private:
  Queue& queue_;
  Type type_;
  std::uint64_t count_;
  std::uint64_t first_;
  std::vector<std::byte> image_;
  Buffer<std::uint8_t> memory_;
};

/// One call: n in device memory, of an input of `most` elements.
struct Trial {
  std::uint64_t n = 0;
  std::uint64_t most = 0;
  bool in_place = false;
};

std::string compare(const test::Expected& expected, Guarded& got, const char* what) {
  const auto values = got.changed(expected.values.size());
  if (!values) return std::string(what) + ": memory around it changed";
  const std::string difference = test::first_difference(expected, values->data());
  return difference.empty() ? "" : std::string(what) + ": " + difference;
}

/// op(init, all n elements), as an accumulator.
test::Expected total_of(Workload workload, const HostData& input, std::uint64_t n,
                        const Value& init) {
  workload.row = gallery::find(Algorithm::reduce, "production");
  workload.output = workload.accumulator;
  return test::expected_of(workload, input, 0, n, init);
}

/// Runs the call and compares what it wrote, and nothing else; whether it is right.
bool right(Queue& queue, const AnyPlan& plan, const Workload& workload, const Trial& trial,
           const Workspace* workspace = nullptr) {
  const bool scan = workload.row->algorithm == Algorithm::scan;
  const bool counted = workload.on_device.count.has_value();
  const std::uint64_t n = counted ? std::min(trial.n, trial.most) : trial.most;
  const std::uint64_t shift = trial.n % 5;
  const HostData host = test::make_input(workload.input, workload.op.kind(), trial.most + 1,
                                         test::seed() + trial.n, workload.flavor);
  const Value init = test::make_init(workload.accumulator, workload.op.kind(), test::seed());

  Guarded input(queue, workload.input, trial.most, shift);
  Guarded output(queue, workload.output, scan ? trial.most : 1, shift + 1);
  Guarded count(queue, workload.on_device.count.value_or(Type::u64), 1, shift);
  Guarded start(queue, workload.accumulator, 1, shift);
  Guarded total(queue, workload.accumulator, 1, shift);
  input.set(host.bytes(), trial.most);
  if (trial.in_place) output.set(host.bytes(), trial.most);
  count.set(&trial.n, 1);  // The host is little-endian, so a u32 is the low half.
  start.set(init.data(), 1);

  test::ValueViews values;
  if (counted) values.count = count.view();
  if (workload.on_device.init) values.init = start.view();
  if (workload.on_device.total) values.total = total.view();
  const Value decoy = workload.on_device.init ? Value(std::uint8_t{99}) : init;
  plan.run(queue, trial.in_place ? output.view() : input.view(), output.view(), decoy, workspace,
           values);

  std::string problem = compare(test::expected_of(workload, host, 0, n, init), output, "result");
  if (workload.on_device.total) {
    problem += compare(total_of(workload, host, n, init), total, "; total");
  }
  if (!input.changed(0) || !count.changed(0) || !start.changed(0)) problem += "; what it read";
  CHECK_MESSAGE(problem.empty(), describe(workload), "; n ", trial.n, " of ", trial.most,
                std::string(trial.in_place ? " in place" : ""), ", seed ", test::seed(), ": ",
                problem);
  return problem.empty();
}

/// Lengths about the tiles of a row, the capacity, and beyond it.
std::vector<Trial> edges(const Workload& workload) {
  const std::uint64_t tile = test::tile_of(workload);
  const std::uint64_t most = 5 * tile + 3;
  const std::uint64_t beyond = workload.on_device.count == Type::u32 ? 0xffffffff : ~0ULL;
  std::vector<Trial> trials;
  for (const std::uint64_t n : {std::uint64_t{0}, std::uint64_t{1}, tile - 1, tile, tile + 1,
                                3 * tile, most - 1, most, most + 1, beyond}) {
    trials.push_back({n, most});
    if (workload.row->algorithm == Algorithm::scan) trials.push_back({n, most, true});
  }
  trials.push_back({0, 0});
  trials.push_back({7, 0});
  trials.push_back({1, 1});
  trials.push_back({2 * tile, tile});
  return trials;
}

/// Stops at the first trial that fails: the others would say the same.
void check(Queue& queue, const Workload& workload, const std::vector<Trial>& trials) {
  try {
    const AnyPlan plan(workload);
    for (const Trial& trial : trials) {
      if (!right(queue, plan, workload, trial)) return;
    }
  } catch (const Error& error) {
    FAIL_CHECK(describe(workload), ": ", std::string(error.what()), error.log());
  }
}

/// One row of each kernel that takes values from device memory.
std::vector<const gallery::Variant*> rows_with_values(Algorithm algorithm, Type type,
                                                      const Operator& op) {
  auto rows = test::families_on_device(algorithm, type, op);
  std::erase_if(rows, [](const auto* row) { return !row->device_values; });
  return rows;
}

DeviceValues all_of(Algorithm algorithm) {
  return algorithm == Algorithm::scan ? all_of_scan : all_of_reduce;
}

/// Structs of two numbers whose operator does not commute, everything in device memory.
template <class M>
void check_structs() {
  Queue queue(test::device());
  const std::string make = "make_" + std::string(name_of(type_of<M>()));
  const Operator op = Operator::user(
      "chain", make + "(a.factor * b.factor, b.factor * a.offset + b.offset)", M{1, 0});
  const auto chain = [](const M& a, const M& b) {
    return M{a.factor * b.factor, b.factor * a.offset + b.offset};
  };
  constexpr std::uint64_t n = 1500;
  std::vector<M> host(2000);
  for (std::uint32_t i = 0; i < host.size(); ++i) host[i] = {2 * i + 1, 7 * i};
  const M start{3, 5};
  std::vector<M> sums{start};
  for (std::uint64_t i = 0; i < n; ++i) sums.push_back(chain(sums.back(), host[i]));

  const auto input = queue.upload(std::span<const M>(host));
  const auto init = queue.upload(std::span(&start, 1));
  const auto count = queue.upload(std::span(&n, 1));
  for (const auto* row : rows_with_values(Algorithm::scan, type_of<M>(), op)) {
    INFO(row->name);
    auto output = queue.upload(std::span<const M>(host));
    auto total = queue.allocate<M>(1);
    exclusive_scan(queue, input, output, op,
                   {.variant = row->name, .count_from = count, .init_from = init, .total = total});
    const auto got = queue.download(output);
    CHECK(std::equal(got.begin(), got.begin() + n, sums.begin()));
    CHECK(std::equal(got.begin() + n, got.end(), host.begin() + n));
    CHECK((queue.download(total)[0] == sums.back()));
  }
  for (const auto* row : rows_with_values(Algorithm::reduce, type_of<M>(), op)) {
    INFO(row->name);
    const ReduceOptions options{.variant = row->name, .count_from = count, .init_from = init};
    CHECK((reduce(queue, input, op, M{1, 1}, options) == sums.back()));
  }
}

}  // namespace

TEST_SUITE_BEGIN("device_values");

TEST_CASE("n in device memory, about every edge, with init and total, on every row") {
  Queue queue(test::device());
  for (const Algorithm algorithm : {Algorithm::reduce, Algorithm::scan}) {
    std::size_t turn = 0;
    const auto rows = rows_with_values(algorithm, Type::i32, plus);
    CHECK(rows.size() >= 5);
    for (const auto* row : rows) {
      Workload workload = test::workload_of(*row, Type::i32, plus, ScanKind(turn % 2));
      workload.on_device = all_of(algorithm);
      if (++turn % 2 == 0) workload.on_device.count = Type::u32;
      check(queue, workload, edges(workload));
    }
  }
}

TEST_CASE("n alone in device memory, in place off alignment") {
  Queue queue(test::device());
  constexpr std::uint64_t most = 100'003;
  for (const Type type : {Type::u8, Type::u16, Type::u32, Type::u64}) {
    for (const auto* row : rows_with_values(Algorithm::scan, type, plus)) {
      Workload workload = test::workload_of(*row, type, plus);
      workload.on_device.count = Type::u64;
      std::vector<Trial> trials;
      // How the range lies depends on n.
      for (const std::uint64_t n :
           {0U, 1U, 2U, 3U, 4U, 5U, 6U, 15U, 16U, 50'000U, 99'999U, 100'003U, 100'009U}) {
        trials.push_back({n, most, true});
      }
      check(queue, workload, trials);
    }
  }
}

TEST_CASE("operators and types of every class, in both kinds of scan") {
  Queue queue(test::device());
  const std::pair<Type, Operator> cases[] = {
      {Type::i8, plus},        {Type::u16, multiplies}, {Type::i64, minimum},
      {Type::f32, plus},       {Type::f64, maximum},    {Type::u32, bit_xor},
      {Type::u8, logical_and}, {Type::f32, logical_or}, {Type::u64, bit_or}};
  std::size_t turn = 0;
  for (const auto& [type, op] : cases) {
    if (!test::device().supports(type)) continue;
    for (const Algorithm algorithm : {Algorithm::reduce, Algorithm::scan}) {
      // Another row for each: compiling every one for all of them would take minutes on a CPU.
      const auto rows = rows_with_values(algorithm, type, op);
      Workload workload =
          test::workload_of(*rows[turn % rows.size()], type, op, ScanKind(turn % 2));
      workload.on_device = all_of(algorithm);
      check(queue, workload, {{700, 1000}, {0, 1000}, {5000, 4000}});
    }
    ++turn;
  }
}

TEST_CASE("each value alone and any two of them, the others the host's") {
  Queue queue(test::device());
  for (const Algorithm algorithm : {Algorithm::reduce, Algorithm::scan}) {
    const auto rows = rows_with_values(algorithm, Type::i32, plus);
    for (const auto* row : {rows.front(), rows.back()}) {
      for (int set = 0; set < (algorithm == Algorithm::scan ? 8 : 4); ++set) {
        Workload workload = test::workload_of(*row, Type::i32, plus, ScanKind::exclusive);
        if (set % 2 != 0) workload.on_device.count = Type::u64;
        workload.on_device.init = set / 2 % 2 != 0;
        workload.on_device.total = set / 4 != 0;
        std::vector<Trial> trials{{600, 3000}, {0, 3000}, {1, 1}};
        // With the host's values only, a scan of nothing has nothing to leave.
        if (workload.on_device.any()) trials.push_back({0, 0});
        check(queue, workload, trials);
      }
    }
  }
}

TEST_CASE("a total and an initial value have the accumulator's type, other than the output's") {
  Queue queue(test::device());
  for (const auto* row : rows_with_values(Algorithm::scan, Type::i64, plus)) {
    if (!test::takes(*row, {Type::i32, Type::i64, Type::i16, ScanKind::inclusive, plus})) continue;
    Workload workload = test::workload_of(*row, Type::i64, plus);
    workload.input = Type::i32;
    workload.output = Type::i16;
    workload.on_device = all_of_scan;
    check(queue, workload, {{900, 1000}, {0, 10}});
  }
}

TEST_CASE("floating sums of n elements are within the bound for n elements") {
  Queue queue(test::device());
  for (const Algorithm algorithm : {Algorithm::reduce, Algorithm::scan}) {
    const auto rows = rows_with_values(algorithm, Type::f32, plus);
    Workload workload = test::workload_of(*rows.front(), Type::f32, plus);
    workload.flavor = test::Flavor::real;
    workload.on_device = all_of(algorithm);
    check(queue, workload, {{30'000, 100'000}, {100'000, 100'000}});
  }
}

TEST_CASE("in order v1 the bits are those of n from the host, whatever the input could hold") {
  Queue queue(test::device());
  constexpr std::uint64_t most = 300'000;
  constexpr std::uint64_t lengths[] = {0, 1, 4'095, 4'097, 131'072, 200'001, most};
  const HostData host =
      test::make_input(Type::f32, OperatorKind::plus, most, test::seed(), test::Flavor::real);
  const auto input = queue.upload(std::span<const float>(host.as<float>(), most));
  std::size_t rows = 0;
  for (const auto* row : rows_with_values(Algorithm::reduce, Type::f32, plus)) {
    if (row->order != gallery::Order::v1) continue;
    ++rows;
    for (const std::uint64_t n : lengths) {
      INFO(row->name << ", n " << n);
      const auto count = queue.upload(std::span(&n, 1));
      const float counted =
          reduce(queue, input, plus, 0.5F, {.variant = row->name, .count_from = count});
      const float given = reduce(queue, input.view(0, n), plus, 0.5F, {.variant = row->name});
      CHECK(Value(counted).bits() == Value(given).bits());
    }
  }
  CHECK(rows > 0);
}

TEST_CASE("an operator that does not commute keeps index order") {
  Queue queue(test::device());
  const Operator op = Operator::user(
      "affine16",
      "((((a >> 16) * (b >> 16)) & 0xffffu) << 16) | (((b >> 16) * (a & 0xffffu) + b) & 0xffffu)",
      Value(std::uint32_t{1} << 16));
  const auto compose = [](std::uint64_t a, std::uint64_t b) -> std::uint64_t {
    const std::uint64_t constant = ((b >> 16) * (a & 0xffffu) + (b & 0xffffu)) & 0xffffu;
    return (((a >> 16) * (b >> 16)) & 0xffffu) << 16 | constant;
  };
  for (const Algorithm algorithm : {Algorithm::reduce, Algorithm::scan}) {
    for (const auto* row : rows_with_values(algorithm, Type::u32, op)) {
      Workload workload = test::workload_of(*row, Type::u32, op, ScanKind::exclusive);
      workload.combine = compose;
      workload.on_device = all_of(algorithm);
      check(queue, workload, {{2100, 3001}, {0, 70}, {4000, 3001}});
    }
  }
}

TEST_CASE("structs, in the order of their operator") {
  check_structs<Linear>();
  check_structs<LongLinear>();
}

TEST_CASE("results of enqueued calls are the next ones' n and initial value") {
  Queue queue(test::device());
  constexpr std::uint32_t capacity = 20'000;
  std::vector<std::uint32_t> flags(capacity);
  for (std::uint32_t i = 0; i < capacity; ++i) flags[i] = i % 3 == 0 ? 1 : 0;
  const auto input = queue.upload(std::span<const std::uint32_t>(flags));
  auto ones = queue.allocate<std::uint32_t>(capacity);
  queue.fill(ones, 1);
  for (const auto* row : rows_with_values(Algorithm::scan, Type::u32, plus)) {
    INFO(row->name);
    auto flagged = queue.allocate<std::uint32_t>(1);
    auto sum = queue.allocate<std::uint32_t>(1);
    auto last = queue.allocate<std::uint32_t>(1);
    auto running = queue.allocate<std::uint32_t>(capacity);
    queue.fill(running, 9);
    queue.fill(sum, 1000);
    exclusive_scan(queue, input, running, plus, {.variant = row->name, .total = flagged});
    for (int round = 0; round < 3; ++round) {  // The result accumulates.
      reduce_into(queue, ones, sum, plus, {.count_from = flagged, .init_from = sum});
    }
    inclusive_scan(queue, ones, running, plus,
                   {.variant = row->name, .count_from = flagged, .init_from = sum, .total = last});
    constexpr std::uint32_t n = (capacity + 2) / 3;
    CHECK(queue.download(flagged)[0] == n);
    CHECK(queue.download(sum)[0] == 1000 + 3 * n);
    CHECK(queue.download(last)[0] == 1000 + 4 * n);
    const auto got = queue.download(running);
    CHECK(got[0] == 1000 + 3 * n + 1);
    CHECK(got[n - 1] == 1000 + 4 * n);
    // Behind n stands what the first scan left.
    CHECK(got[n] == (n + 2) / 3);
    CHECK(got[capacity - 1] == n);
  }
}

TEST_SUITE_END();

}  // namespace bifold
