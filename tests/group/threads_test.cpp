// Groups whose ranks are threads, and what becomes of calls where a rank or the transport fails.
#include <doctest/doctest.h>

#include <bifold/bifold.hpp>
#include <bifold/group/distributed.hpp>
#include <bifold/group/group_plans.hpp>
#include <chrono>
#include <functional>
#include <thread>

#include "group/cuts.hpp"
#include "group/thread_transport.hpp"
#include "support/errors.hpp"
#include "support/values/arithmetic.hpp"

namespace bifold {

namespace {

using test::Board;
using test::Failure;
using test::Fault;
using test::Offsets;
using test::Sliced;
using test::ThreadTransport;

constexpr std::chrono::seconds patient{30};
constexpr std::uint64_t leaf = 4096;

// A process of three ranks, each a thread.
class Threads {
 public:
  static constexpr std::uint32_t ranks = 3;

  explicit Threads(std::chrono::nanoseconds deadline) {
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      transports.push_back(std::make_shared<ThreadTransport>(board, rank));
      groups.emplace_back(transports.back(), GroupOptions{deadline});
    }
  }

  // What body(rank) throws, on a thread for each.
  static std::vector<Failure> run(const std::function<void(std::uint32_t)>& body) {
    std::vector<Failure> failures(ranks);
    std::vector<std::thread> threads;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      threads.emplace_back([&, rank] { failures[rank] = test::failure_of([&] { body(rank); }); });
    }
    for (std::thread& thread : threads) thread.join();
    return failures;
  }

  Board board{ranks};
  std::vector<std::shared_ptr<ThreadTransport>> transports;
  std::vector<Group> groups;
};

const std::string nothing_thrown = "nothing was thrown";

// A reduction and a scan that exchange elements, values, totals and the total; as calls, or made
// ready as plans and run.
class Calls {
 public:
  explicit Calls(bool planned = false)
      : planned_(planned), host_(test::drawn(test::sums<float>(), 20'000)), data_(host_) {
    sum_ = reduce(data_.queue(0), erase(data_.input()), plus, 0.5F);
    inclusive_scan(data_.queue(0), data_.input(), data_.output(), plus);
    want_ = data_.outputs();
    for (std::uint32_t rank = 0; rank < Threads::ranks; ++rank)
      totals_.emplace_back(test::device(), 1);
  }

  // Whether both were right; throws what they throw.
  void run(Group& group, std::uint32_t rank) {
    right_[rank] = false;
    const Slice mine = data_.slice(offsets_, rank);
    ScanSlice slice = data_.scan_slices(offsets_)[rank];
    slice.total = totals_[rank];
    Value sum;
    if (planned_) {
      const std::vector<Share> shares{{mine.queue, mine.input.count}};
      constexpr Type f32 = Type::f32;
      GroupReducePlan reduction(group, {.input = f32, .accumulator = f32}, shares, 0.5F);
      sum = reduction.run({mine});
      GroupScanPlan(
          group,
          {.input = f32, .output = f32, .accumulator = f32, .on_device = {{}, false, true, {}}},
          shares)
          .run({slice});
    } else {
      sum = reduce(group, {mine}, plus, 0.5F);
      scan(group, ScanKind::inclusive, {slice}, plus);
    }
    Queue& queue = data_.queue(rank);
    const auto got =
        queue.download(data_.output().view(offsets_[rank], offsets_[rank + 1] - offsets_[rank]));
    right_[rank] =
        sum == sum_ &&
        test::same_bytes(std::span<const float>(got),
                         std::span<const float>(want_).subspan(offsets_[rank], got.size())) &&
        queue.download(totals_[rank]).front() == want_.back();
  }
  [[nodiscard]] bool right(std::uint32_t rank) const { return right_[rank]; }
  Queue& queue(std::uint32_t rank) { return data_.queue(rank); }
  // The queue works, whatever became of a group's call.
  [[nodiscard]] bool goes_on(std::uint32_t rank) {
    return reduce(data_.queue(rank), erase(data_.input()), plus, 0.5F) == sum_;
  }

 private:
  bool planned_;
  std::vector<float> host_;
  Sliced<float> data_;
  Offsets offsets_{0, 5000, 12'345, 20'000};
  Value sum_;
  std::vector<float> want_;
  std::vector<Buffer<float>> totals_;
  std::array<bool, Threads::ranks> right_{};
};

}  // namespace

TEST_SUITE_BEGIN("group_threads");

TEST_CASE("ranks that are threads have the bits of one device") {
  bool planned = false;
  SUBCASE("by calls") {}
  SUBCASE("by plans") { planned = true; }
  Calls calls(planned);
  Threads threads(patient);
  for (int turn = 0; turn < 3; ++turn) {
    const auto failures =
        Threads::run([&](std::uint32_t rank) { calls.run(threads.groups[rank], rank); });
    for (std::uint32_t rank = 0; rank < Threads::ranks; ++rank) {
      CHECK(failures[rank].what == nothing_thrown);
      CHECK(calls.right(rank));
    }
  }
  CHECK(threads.transports[0]->calls() == 3 * 7);
}

TEST_CASE("a deadline that no clock reaches is none") {
  Calls calls;
  Threads threads(std::chrono::nanoseconds::max());
  const auto failures =
      Threads::run([&](std::uint32_t rank) { calls.run(threads.groups[rank], rank); });
  for (std::uint32_t rank = 0; rank < Threads::ranks; ++rank) {
    CHECK(failures[rank].what == nothing_thrown);
    CHECK(calls.right(rank));
  }
}

TEST_CASE("counts that stay, without elements to exchange, take one gather a reduction") {
  Threads threads(patient);
  Sliced<float> data(test::drawn(test::sums<float>(), 5 * leaf));
  const Value sum = reduce(data.queue(0), erase(data.input()), plus, 0.5F);
  const auto failures = Threads::run([&](std::uint32_t rank) {
    const Offsets offsets{0, leaf, 2 * leaf, 5 * leaf};
    for (const std::uint64_t calls : {2U, 3U, 4U}) {
      const Value got = reduce(threads.groups[rank], {data.slice(offsets, rank)}, plus, 0.5F);
      if (!(got == sum)) throw std::runtime_error("other bits");
      if (threads.transports[rank]->calls() != calls) throw std::runtime_error("other messages");
    }
  });
  for (const Failure& failure : failures) CHECK(failure.what == nothing_thrown);
}

TEST_CASE("values that were made for the last call's counts are not used where one has changed") {
  const auto host = test::drawn(test::sums<float>(), 5 * leaf);
  Threads threads(patient);
  const auto sum_of = [&](Sliced<float>& data, const Offsets& offsets) {
    const Value sum = reduce(data.queue(0), erase(data.input()), plus, 0.5F);
    const auto failures = Threads::run([&](std::uint32_t rank) {
      const Value got = reduce(threads.groups[rank], {data.slice(offsets, rank)}, plus, 0.5F);
      if (!(got == sum)) throw std::runtime_error("other bits");
    });
    for (const Failure& failure : failures) CHECK(failure.what == nothing_thrown);
  };
  Sliced<float> five(host);
  Sliced<float> four(std::vector<float>(host.begin(), host.begin() + 4 * leaf));
  // The last two ranks have as many elements as before, elsewhere in the array.
  sum_of(five, {0, 2 * leaf, 3 * leaf, 5 * leaf});
  sum_of(five, {0, 2 * leaf, 3 * leaf, 5 * leaf});
  sum_of(four, {0, leaf, 2 * leaf, 4 * leaf});
}

TEST_CASE("a transport that fails on all ranks is the same error on all") {
  bool planned = false;
  SUBCASE("in calls") {}
  SUBCASE("in plans") { planned = true; }
  Calls calls(planned);
  for (std::uint64_t call = 0; call < 7; ++call) {
    for (const Fault fault : {Fault::fails, Fault::truncates}) {
      CAPTURE(call);
      CAPTURE(fault == Fault::fails);
      Threads threads(patient);
      for (auto& transport : threads.transports) transport->spoil(call, fault);
      const auto failures =
          Threads::run([&](std::uint32_t rank) { calls.run(threads.groups[rank], rank); });
      for (std::uint32_t rank = 0; rank < Threads::ranks; ++rank) {
        CHECK(failures[rank].category == ErrorCategory::backend_failure);
        CHECK(failures[rank].what == failures[0].what);
        CHECK(calls.goes_on(rank));
      }
      if (fault == Fault::fails) {
        CHECK(failures[0].mentions("the wire is cut"));
        const auto again = test::failure_of([&] { calls.run(threads.groups[0], 0); });
        CHECK(again.mentions("the group is out of use"));
      }
    }
  }
}

TEST_CASE("a transport that fails on one rank is an error there, and nobody waits for ever") {
  bool planned = false;
  SUBCASE("in calls") {}
  SUBCASE("in plans") { planned = true; }
  Calls calls(planned);
  for (std::uint64_t call = 0; call < 7; ++call) {
    for (const Fault fault : {Fault::fails, Fault::truncates}) {
      CAPTURE(call);
      CAPTURE(fault == Fault::fails);
      Threads threads(std::chrono::milliseconds(50));
      threads.transports[1]->spoil(call, fault);
      const auto failures =
          Threads::run([&](std::uint32_t rank) { calls.run(threads.groups[rank], rank); });
      CHECK(failures[1].what != nothing_thrown);
      for (std::uint32_t rank = 0; rank < Threads::ranks; ++rank) {
        CHECK((failures[rank].category.has_value() || calls.right(rank)));
        CHECK(calls.goes_on(rank));
      }
    }
  }
}

TEST_CASE("ranks whose plans or runs differ get the same error, and go on") {
  Threads threads(patient);
  Sliced<float> data(test::drawn(test::sums<float>(), 20'000));
  const Value want = reduce(data.queue(0), erase(data.input()), plus, 0.5F);
  const Offsets offsets{0, 5000, 12'345, 20'000};
  const auto failures_of = [&](bool wrong_plan, bool wrong_run) {
    return Threads::run([&](std::uint32_t rank) {
      Slice mine = data.slice(offsets, rank);
      const std::vector<Share> shares{{mine.queue, mine.input.count}};
      const bool other = wrong_plan && rank == 1;
      GroupReducePlan plan(threads.groups[rank],
                           {.input = Type::f32,
                            .accumulator = Type::f32,
                            .op = other ? Operator(maximum) : Operator(plus)},
                           shares, 0.5F);
      for (const bool wrong : {wrong_run, false}) {
        Slice slice = mine;
        if (wrong && rank == 2) slice.input.type = Type::i32;
        const Failure failure = test::failure_of([&] {
          if (!(plan.run({slice}) == want)) throw std::runtime_error("other bits");
        });
        const bool told = failure.mentions("rank 2: the elements' type is not the plan's");
        if (wrong != told) throw std::runtime_error(failure.what);
        if (!wrong && failure.what != nothing_thrown) throw std::runtime_error(failure.what);
      }
    });
  };
  for (const Failure& failure : failures_of(true, false)) {
    CHECK(failure.category == ErrorCategory::invalid_argument);
    CHECK(failure.mentions("the operator differs between rank 0 and rank 1"));
  }
  for (const Failure& failure : failures_of(false, true)) CHECK(failure.what == nothing_thrown);
}

TEST_CASE("a rank without messages outwaits those that wait for one in vain") {
  Threads threads(std::chrono::seconds(2));
  Sliced<float> data(test::drawn(test::sums<float>(), 20'000));
  const Offsets offsets{0, leaf + 1000, 20'000, 20'000};
  const auto sum = [&](Threads& over) {
    return Threads::run([&](std::uint32_t rank) {
      static_cast<void>(reduce(over.groups[rank], {data.slice(offsets, rank)}, plus, 0.0F));
    });
  };
  Threads compiling(patient);
  for (const Failure& failure : sum(compiling)) CHECK(failure.what == nothing_thrown);
  threads.transports[0]->spoil(1, Fault::fails);
  threads.transports[1]->spoil(2, Fault::delays);
  for (const Failure& failure : sum(threads)) {
    CHECK_MESSAGE(failure.mentions("rank 0: the wire is cut"), failure.what);
  }
}

TEST_CASE("a header with another bit is found damaged") {
  Calls calls;
  Threads threads(patient);
  for (auto& transport : threads.transports) transport->spoil(0, Fault::flips);
  const auto failures =
      Threads::run([&](std::uint32_t rank) { calls.run(threads.groups[rank], rank); });
  for (const Failure& failure : failures) {
    CHECK(failure.category == ErrorCategory::backend_failure);
    CHECK_MESSAGE(failure.mentions("what rank 0 sent is damaged"), failure.what);
  }
}

TEST_CASE("a transport that is slow changes nothing") {
  Calls calls;
  for (std::uint64_t call = 0; call < 7; ++call) {
    Threads threads(patient);
    threads.transports[call % Threads::ranks]->spoil(call, Fault::delays);
    const auto failures =
        Threads::run([&](std::uint32_t rank) { calls.run(threads.groups[rank], rank); });
    for (std::uint32_t rank = 0; rank < Threads::ranks; ++rank) {
      CHECK(failures[rank].what == nothing_thrown);
      CHECK(calls.right(rank));
    }
  }
}

TEST_CASE("what one rank asks otherwise is the same refusal on all ranks, and names it") {
  Sliced<float> data(std::vector<float>(9000, 1.0F));
  const Offsets offsets{0, 3000, 6000, 9000};
  Threads threads(patient);
  const auto check = [&](const std::string& words, const std::function<void(std::uint32_t)>& body) {
    const auto failures = Threads::run(body);
    for (const Failure& failure : failures) {
      CHECK(failure.category == ErrorCategory::invalid_argument);
      CHECK_MESSAGE(failure.mentions(words), failure.what);
    }
  };
  const auto sum = [&](std::uint32_t rank, const Operator& op, const Value& init, const Map& map,
                       Order order = Order::v1) {
    return transform_reduce(threads.groups[rank], {data.slice(offsets, rank)}, Type::f32, op, init,
                            map, {.order = order});
  };
  check("the operator differs between rank 0 and rank 2", [&](std::uint32_t rank) {
    sum(rank, rank == 2 ? Operator(multiplies) : Operator(plus), 0.0F, {});
  });
  check("the initial value differs between rank 0 and rank 1",
        [&](std::uint32_t rank) { sum(rank, plus, rank == 1 ? 1.0F : 0.0F, {}); });
  check("the map differs between rank 0 and rank 1",
        [&](std::uint32_t rank) { sum(rank, plus, 0.0F, rank == 0 ? Map() : Map("x * x")); });
  check("the order differs between rank 0 and rank 1",
        [&](std::uint32_t rank) { sum(rank, plus, 0.0F, {}, rank == 0 ? Order::any : Order::v1); });
  check("the kind of the call differs between rank 0 and rank 1", [&](std::uint32_t rank) {
    if (rank == 0) {
      sum(rank, plus, 0.0F, {});
    } else {
      scan(threads.groups[rank], ScanKind::inclusive, {data.scan_slices(offsets)[rank]}, plus,
           0.0F);
    }
  });
  // What is refused before there is anything to say to others.
  Sliced<std::int32_t> integers(std::vector<std::int32_t>(9000, 1));
  check("rank 1: reduce_many: f32 does not convert", [&](std::uint32_t rank) {
    const Slice slice = rank == 1 ? data.slice(offsets, rank) : integers.slice(offsets, rank);
    static_cast<void>(reduce_many(threads.groups[rank], {slice}, {{plus, Type::i32}}));
  });
  check("rank 1: ", [&](std::uint32_t rank) {
    sum(rank, rank == 1 ? Operator(bit_and) : Operator(plus), 0.0F, {});
  });
  // The group is as good as before.
  const auto failures = Threads::run([&](std::uint32_t rank) {
    if (!(sum(rank, plus, 1.0F, {}) == Value(9001.0F))) throw std::runtime_error("wrong");
  });
  for (const Failure& failure : failures) CHECK(failure.what == nothing_thrown);
}

TEST_CASE("a rank that does not come is the deadline's error on the others") {
  Sliced<float> data(std::vector<float>(9000, 1.0F));
  const Offsets offsets{0, 3000, 6000, 9000};
  Threads threads(std::chrono::milliseconds(30));
  const auto failures = Threads::run([&](std::uint32_t rank) {
    if (rank == 2) return;
    static_cast<void>(reduce(threads.groups[rank], {data.slice(offsets, rank)}, plus, 0.0F));
  });
  CHECK(failures[0].category == ErrorCategory::timeout);
  CHECK(failures[1].category == ErrorCategory::timeout);
}

TEST_CASE("a group in use by another thread is refused") {
  Sliced<float> data(std::vector<float>(9000, 1.0F));
  const Offsets offsets{0, 3000, 6000, 9000};
  Threads threads(patient);
  threads.transports[0]->spoil(0, Fault::delays);
  std::atomic<bool> refused{false};
  const auto failures = Threads::run([&](std::uint32_t rank) {
    if (rank == 2) {
      // While rank 0 waits for this one, which has begun its call.
      const auto deadline = std::chrono::steady_clock::now() + patient;
      while (threads.transports[0]->calls() == 0 && std::chrono::steady_clock::now() < deadline) {
        std::this_thread::yield();
      }
      while (!refused) {
        const auto failure =
            test::failure_of([&] { static_cast<void>(reduce(threads.groups[0], {}, plus, 0.0F)); });
        refused = failure.mentions("another thread is in a call of this group");
        if (!refused) throw std::runtime_error(failure.what);
      }
    } else if (rank == 0) {
      static_cast<void>(reduce(threads.groups[rank], {data.slice(offsets, rank)}, plus, 0.0F));
      return;
    }
    static_cast<void>(reduce(threads.groups[rank], {data.slice(offsets, rank)}, plus, 0.0F));
  });
  for (const Failure& failure : failures) CHECK(failure.what == nothing_thrown);
}

TEST_SUITE_END();

}  // namespace bifold
