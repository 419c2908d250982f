// What a call costs whose plan is there, against the fake driver: a launch, and nothing else.
#include <doctest/doctest.h>

#include <bifold/bifold.hpp>
#include <bifold/group/group_plans.hpp>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "fake_cuda/fixture.hpp"
#include "support/counted_allocations.hpp"
#include "support/devices/pool.hpp"

namespace {

using namespace fake_cuda;

std::int64_t calls(const char* prefix) {
  return fake<std::int64_t(const char*)>("fake_cuda_calls")(prefix);
}

/// Of the driver, and of this thread's memory.
struct Cost {
  std::int64_t launches;
  std::int64_t copies;
  std::int64_t waits;
  std::int64_t questions;  ///< Whether the stream is captured.
  std::int64_t contexts;   ///< Made current, and what was so before again.
  std::int64_t others;
  std::int64_t allocations;
};

Cost taken() {
  const std::int64_t launches = calls("cuLaunchKernel");
  const std::int64_t copies = calls("cuMemcpy");
  const std::int64_t waits = calls("cuStreamSynchronize") + calls("cuStreamQuery") +
                             calls("cuEventSynchronize") + calls("cuEventQuery") +
                             calls("cuCtxSynchronize");
  const std::int64_t questions = calls("cuStreamIsCapturing");
  const std::int64_t contexts = calls("cuCtxPushCurrent") + calls("cuCtxPopCurrent");
  const std::int64_t others = calls("") - launches - copies - waits - questions - contexts;
  return {launches, copies, waits, questions, contexts, others, 0};
}

Cost cost_of(const std::function<void()>& call) {
  for (int i = 0; i < 3; ++i) call();
  const Cost before = taken();
  const std::int64_t allocated = bifold::test::allocations();
  call();
  const std::int64_t allocations = bifold::test::allocations() - allocated;
  const Cost after = taken();
  return {after.launches - before.launches,
          after.copies - before.copies,
          after.waits - before.waits,
          after.questions - before.questions,
          after.contexts - before.contexts,
          after.others - before.others,
          allocations};
}

/// For its scope, what the driver allocates is not counted.
struct WithoutDriver {
  WithoutDriver() { bifold::test::leave_out_allocations(fake<bool()>("fake_cuda_within")); }
  ~WithoutDriver() { bifold::test::leave_out_allocations(nullptr); }
  WithoutDriver(const WithoutDriver&) = delete;
  WithoutDriver& operator=(const WithoutDriver&) = delete;
};

/// A queue, and arrays longer than what one group takes.
struct Bench {
  bifold::Device device = bifold::open_device("cuda:0", {.cache = {.disk = false}});
  bifold::Queue queue{device};
  bifold::Buffer<float> from{device, 100'000};
  bifold::Buffer<float> to{device, 100'000};
  bifold::Buffer<float> one{device, 1};
};

TEST_SUITE("cuda driver") {
  TEST_CASE_FIXTURE(Working, "a warm call is a launch and nothing else" * unless("working")) {
    const WithoutDriver without;
    Bench on;
    const std::vector<std::pair<std::string, std::function<void()>>> warm{
        {"reduce_into", [&] { bifold::reduce_into(on.queue, on.from, on.one, bifold::plus); }},
        {"reduce_into by maximum",
         [&] { bifold::reduce_into(on.queue, on.from, on.one, bifold::maximum); }},
        {"inclusive_scan", [&] { bifold::inclusive_scan(on.queue, on.from, on.to, bifold::plus); }},
        {"exclusive_scan",
         [&] { bifold::exclusive_scan(on.queue, on.from, on.to, bifold::plus, 1.0F); }},
        {"a scan in place",
         [&] { bifold::inclusive_scan(on.queue, on.to, on.to, bifold::minimum); }}};
    for (const auto& [name, call] : warm) {
      CAPTURE(name);
      const Cost cost = cost_of(call);
      CHECK(cost.launches == 1);
      CHECK(cost.copies == 0);
      CHECK(cost.waits == 0);
      CHECK(cost.questions == 1);
      CHECK(cost.contexts == 4);  // For the question, and for the launch.
      CHECK(cost.others == 0);
      CHECK(cost.allocations == 0);
    }
    on.queue.finish();
    // Both counts count.
    const std::int64_t before = bifold::test::allocations();
    ::operator delete(::operator new(sizeof(int)));  // As a function, it may not be left out.
    CHECK(bifold::test::allocations() == before + (bifold::test::counts_allocations() ? 1 : 0));
    const Cost copied = cost_of([&] { on.queue.copy(on.from, on.to); });
    CHECK(copied.copies == 1);
    CHECK(copied.launches == 0);
  }

  TEST_CASE_FIXTURE(Working,
                    "a reduction's value comes to the host without a copy" * unless("working")) {
    Bench on;
    const auto reduce = [](bifold::Queue& queue, bifold::Buffer<float>& from) {
      return [&] { static_cast<void>(bifold::reduce(queue, from, bifold::plus, 0.0F)); };
    };
    const Cost pinned = cost_of(reduce(on.queue, on.from));
    CHECK(pinned.launches == 1);
    CHECK(pinned.copies == 0);
    CHECK(pinned.waits >= 1);

    // An application's memory is not known to be the host's.
    bifold::test::Pool pool;
    bifold::DeviceOptions options{.cache = {.disk = false}, .scratch = pool.allocator()};
    const bifold::Device pooled = bifold::open_device("cuda:0", options);
    pool.use(pooled);
    bifold::Queue own(pooled);
    bifold::Buffer<float> from(pooled, on.from.size());
    const Cost copied = cost_of(reduce(own, from));
    CHECK(copied.launches == 1);
    CHECK(copied.copies == 1);
  }

  TEST_CASE_FIXTURE(Working, "a warm call over a group allocates nothing" * unless("working")) {
    const WithoutDriver without;
    Bench on;
    bifold::Queue other{on.device};
    constexpr std::uint64_t half = 65'536;  // A node of the tree, and no whole group of tiles.
    const std::uint64_t rest = on.from.size() - half;
    bifold::Buffer<std::int32_t> integers{on.device, on.from.size()};
    const std::vector<bifold::Slice> slices{{on.queue, on.from.view(0, half)},
                                            {other, on.from.view(half, rest)}};
    const std::vector<bifold::Slice> uneven{{on.queue, on.from.view(0, 5000)},
                                            {other, on.from.view(5000, 95'000)}};
    const std::vector<bifold::ScanSlice> scans{
        {on.queue, on.from.view(0, half), on.to.view(0, half)},
        {other, on.from.view(half, rest), on.to.view(half, rest)}};
    const std::vector<bifold::ScanSlice> exact{
        {on.queue, integers.view(0, half), integers.view(0, half)},
        {other, integers.view(half, rest), integers.view(half, rest)}};
    auto group = bifold::Group::in_process(2);
    const bifold::Operator sum = bifold::plus;
    const bifold::Operator own = bifold::Operator::user("own", "a + b", bifold::Type::f32);
    const bifold::Value init(0.5F);
    bifold::GroupReducePlan plan(group,
                                 {.input = bifold::Type::f32, .accumulator = bifold::Type::f32},
                                 {{on.queue, half}, {other, rest}});
    struct Call {
      std::string name;
      std::int64_t launches;
      std::int64_t copies;
      std::int64_t waits;  // At most.
      std::function<void()> body;
    };
    const auto reduce = [&](const std::vector<bifold::Slice>& over, const bifold::Operator& op) {
      return [&] { static_cast<void>(bifold::reduce(group, over, op, init)); };
    };
    const std::vector<Call> warm{
        {"reduce", 2, 0, 2, reduce(slices, sum)},
        {"reduce by an operator that the host does not know", 3, 1, 4, reduce(slices, own)},
        {"a run of a plan", 2, 0, 2, [&] { static_cast<void>(plan.run(slices)); }},
        {"scan of integers", 3, 0, 1,
         [&] { bifold::scan(group, bifold::ScanKind::inclusive, exact, sum); }}};
    for (const Call& call : warm) {
      CAPTURE(call.name);
      const Cost cost = cost_of(call.body);
      CHECK(cost.launches == call.launches);
      CHECK(cost.copies == call.copies);
      CHECK(cost.waits <= call.waits);
      CHECK(cost.allocations == 0);
    }
    // Where elements travel between ranks, too.
    for (const auto& body : std::vector<std::function<void()>>{
             reduce(uneven, sum),
             [&] { bifold::scan(group, bifold::ScanKind::inclusive, scans, sum); }}) {
      CHECK(cost_of(body).allocations == 0);
    }
    // Nor on the device.
    const auto memory_calls = [] {
      return calls("cuMemAlloc") + calls("cuMemFree") + calls("cuMemHost");
    };
    const std::int64_t before = memory_calls();
    for (const Call& call : warm) call.body();
    reduce(uneven, sum)();
    CHECK(memory_calls() == before);
    on.queue.finish();
    other.finish();
  }
}

}  // namespace
