// Ranks that ask for different things: each of them is told the same, which names what differs.
#include <doctest/doctest.h>

#include <bifold/bifold.hpp>
#include <bifold/group/group_plans.hpp>
#include <functional>
#include <string>
#include <thread>

#include "core/group/group_call.hpp"
#include "group/cuts.hpp"
#include "group/thread_transport.hpp"
#include "support/errors.hpp"

namespace bifold {

namespace {

using test::Board;
using test::Failure;
using test::Offsets;
using test::Sliced;
using test::ThreadTransport;

constexpr std::uint32_t ranks = 2;
const Offsets offsets{0, 3000, 9000};

// What body(group, rank) throws, on a thread for each rank.
std::vector<Failure> in_threads(const std::function<void(Group&, std::uint32_t)>& body) {
  Board board{ranks};
  std::vector<Failure> failures(ranks);
  std::vector<std::thread> threads;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank] {
      Group group(std::make_shared<ThreadTransport>(board, rank));
      failures[rank] = test::failure_of([&] { body(group, rank); });
    });
  }
  for (std::thread& thread : threads) thread.join();
  return failures;
}

// The second rank's request is another one in that.
void check_told(const std::string& term, const std::function<void(Group&, std::uint32_t)>& body) {
  CAPTURE(term);
  for (const Failure& failure : in_threads(body)) {
    CHECK(failure.category == ErrorCategory::invalid_argument);
    CHECK(failure.what == term + " differs between rank 0 and rank 1");
  }
}

// A reduction, of which the second rank may have another one.
struct Asked {
  Type result = Type::f32;
  Operator op = plus;
  Value init = 0.0F;
  Map map{};
  Order order = Order::v1;
};

}  // namespace

TEST_SUITE_BEGIN("group_threads");

TEST_CASE("whatever ranks ask for otherwise is named, in calls and in plans") {
  Sliced<float> data(std::vector<float>(9000, 1.0F));
  Sliced<double> doubles(std::vector<double>(9000, 1.0));
  const auto asks = [&](const Asked& other, bool planned, bool of_doubles = false) {
    return [&, other, planned, of_doubles](Group& group, std::uint32_t rank) {
      const Asked& asked = rank == 1 ? other : Asked{};
      Slice slice =
          rank == 1 && of_doubles ? doubles.slice(offsets, rank) : data.slice(offsets, rank);
      if (!planned) {
        static_cast<void>(transform_reduce(group, {slice}, asked.result, asked.op, asked.init,
                                           asked.map, {.order = asked.order}));
        return;
      }
      const ReduceShape shape{.input = slice.input.type,
                              .accumulator = asked.result,
                              .op = asked.op,
                              .map = asked.map,
                              .order = asked.order};
      GroupReducePlan(group, shape, {{slice.queue, slice.input.count}}, asked.init);
    };
  };
  const Operator sum = Operator::user("sum", "a + b", Type::f32);
  // The same name with another text.
  const Operator other_sum = Operator::user("sum", "b + a", Type::f32);
  for (const bool planned : {false, true}) {
    CAPTURE(planned);
    check_told("the operator", asks({.op = sum}, planned));
    check_told("the operator", [&](Group& group, std::uint32_t rank) {
      const Operator& op = rank == 0 ? sum : other_sum;
      const Slice slice = data.slice(offsets, rank);
      if (!planned) {
        static_cast<void>(reduce(group, {slice}, op, Value(0.0F)));
      } else {
        GroupReducePlan(group, {.input = Type::f32, .accumulator = Type::f32, .op = op},
                        {{slice.queue, slice.input.count}});
      }
    });
    check_told("the map", asks({.map = "x * x"}, planned));
    check_told("the initial value", asks({.init = 1.0F}, planned));
    check_told("the order", asks({.order = Order::any}, planned));
    check_told("the elements' type", asks({}, planned, true));
    check_told("the second array's type", [&](Group& group, std::uint32_t rank) {
      Slice slice = data.slice(offsets, rank);
      slice.second = rank == 0 ? slice.input : doubles.slice(offsets, rank).input;
      const Map product = "x * y";
      if (!planned) {
        static_cast<void>(transform_reduce(group, {slice}, Type::f32, plus, {}, product));
      } else {
        GroupReducePlan(group,
                        {.input = Type::f32,
                         .accumulator = Type::f32,
                         .map = product,
                         .second = slice.second->type},
                        {{slice.queue, slice.input.count}});
      }
    });
    check_told("the accumulator's type", asks({.result = Type::f64, .init = 0.0}, planned));
  }
}

TEST_CASE("whatever ranks ask of a scan otherwise is named") {
  Sliced<float> data(std::vector<float>(9000, 1.0F));
  Buffer<float> total(data.queue(1).device(), 1);
  const auto scans =
      [&](const std::function<void(ScanKind&, DistributedOptions&, ScanSlice&)>& change) {
        return [&, change](Group& group, std::uint32_t rank) {
          ScanKind kind = ScanKind::inclusive;
          DistributedOptions options;
          ScanSlice slice = data.scan_slices(offsets)[rank];
          if (rank == 1) change(kind, options, slice);
          scan(group, kind, {slice}, plus, {}, options);
        };
      };
  check_told("the kind of the call",
             scans([](ScanKind& kind, auto&, auto&) { kind = ScanKind::exclusive; }));
  check_told("the accumulator's type", scans([](auto&, DistributedOptions& options, auto&) {
               options.accumulate = Type::f64;
             }));
  check_told("whether there is a total",
             scans([&](auto&, auto&, ScanSlice& slice) { slice.total = total; }));
  Buffer<double> output(data.queue(1).device(), 6000);
  check_told("the results' type", scans([&](auto&, DistributedOptions& options, ScanSlice& slice) {
               options.accumulate = Type::f32;
               slice.output = output;
             }));
}

TEST_CASE("ranks with other versions of the messages or of the order are told so") {
  check_told("the version of bifold's messages", [](Group& group, std::uint32_t rank) {
    core::GroupCall call(group, 1);
    core::Opening opening;
    at(opening.terms, core::Term::version) = core::terms_version() + rank;  // Of the order.
    static_cast<void>(call.open({&opening, 1}));
  });
}

TEST_CASE("a rank that makes another call than the others is found out") {
  Sliced<float> data(std::vector<float>(9000, 1.0F));
  // It has made one call more.
  const auto failures = in_threads([&](Group& group, std::uint32_t rank) {
    if (rank == 1) static_cast<void>(core::GroupCall(group, 1));
    static_cast<void>(reduce(group, {data.slice(offsets, rank)}, plus, 0.0F));
  });
  for (const Failure& failure : failures) {
    CHECK(failure.category == ErrorCategory::backend_failure);
    CHECK(failure.mentions("is damaged, or of another call"));
  }
}

TEST_CASE("two groups of threads are at work on one device at once") {
  const std::vector<float> host(9000, 1.0F);
  Sliced<float> data(host);
  // Each rank has one queue for both groups, whose memory only one of them gets.
  std::vector<std::thread> threads;
  std::vector<Failure> failures(2 * ranks);
  Board first{ranks};
  Board second{ranks};
  for (std::size_t which = 0; which < 2 * ranks; ++which) {
    threads.emplace_back([&, which] {
      const auto rank = static_cast<std::uint32_t>(which % ranks);
      failures[which] = test::failure_of([&] {
        Board& board = which < ranks ? first : second;
        Group group(std::make_shared<ThreadTransport>(board, rank));
        for (int turn = 0; turn < 20; ++turn) {
          const Value sum = reduce(group, {data.slice(offsets, rank)}, plus, 0.5F);
          if (!(sum == Value(9000.5F))) throw std::runtime_error("wrong");
        }
      });
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const Failure& failure : failures) CHECK(failure.what == "nothing was thrown");
}

TEST_SUITE_END();

}  // namespace bifold
