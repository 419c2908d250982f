// What a call costs whose plan is there, under the layer that counts: a launch, and nothing else.
#include <doctest/doctest.h>

#include <bifold/bifold.hpp>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "opencl_layer/fixture.hpp"
#include "support/counted_allocations.hpp"
#include "support/devices/pool.hpp"

namespace bifold::test::opencl {
namespace {

/// Of the driver, as far as the layer covers it, and of this thread's memory.
struct Cost {
  long launches;
  long reads;
  long others;
  std::int64_t allocations;
};

Cost cost_of(const LoadedLayer& layer, const std::function<void()>& call) {
  const auto taken = [&]() -> Cost {
    const long launches = layer.calls("clEnqueueNDRangeKernel");
    const long reads = layer.calls("clEnqueueReadBuffer") + layer.calls("clEnqueueSVMMemcpy");
    return {launches, reads, layer.calls("") - launches - reads, 0};
  };
  for (int i = 0; i < 3; ++i) call();
  const Cost before = taken();
  const std::int64_t allocated = allocations();
  call();
  const std::int64_t more = allocations() - allocated;
  const Cost after = taken();
  return {after.launches - before.launches, after.reads - before.reads,
          after.others - before.others, more};
}

std::string selector() { return "opencl:" + std::to_string(device_index()); }

/// A queue, and arrays that are more than one work-item's.
struct Arrays {
  Device device = open_device(selector(), {.cache = {.disk = false}});
  LoadedLayer layer;
  Queue queue{device};
  Buffer<float> from{device, 100'000};
  Buffer<float> to{device, 100'000};
  Buffer<float> one{device, 1};
};

}  // namespace

TEST_SUITE_BEGIN("opencl driver");

TEST_CASE("a warm call is a launch and nothing else") {
  Arrays on;
  on.queue.fill(on.from, 1.0F);
  const Operator without_identity =
      Operator::user("the_larger_one", "a < b ? b : a", Type::f32, Commutativity::commutative);
  const std::vector<std::pair<std::string, std::function<void()>>> warm{
      {"reduce_into", [&] { reduce_into(on.queue, on.from, on.one, plus); }},
      {"reduce_into by an operator without identity",
       [&] { reduce_into(on.queue, on.from, on.one, without_identity); }},
      {"reduce_into by maximum", [&] { reduce_into(on.queue, on.from, on.one, maximum); }},
      {"inclusive_scan", [&] { inclusive_scan(on.queue, on.from, on.to, plus); }},
      {"exclusive_scan", [&] { exclusive_scan(on.queue, on.from, on.to, plus, 1.0F); }},
      {"a scan in place", [&] { inclusive_scan(on.queue, on.to, on.to, plus); }}};
  for (const auto& [name, call] : warm) {
    CAPTURE(name);
    const Cost cost = cost_of(on.layer, call);
    CHECK(cost.launches == 1);
    CHECK(cost.reads == 0);
    CHECK(cost.others == 0);
    CHECK(cost.allocations == 0);
  }
  on.queue.finish();
  // Both counts count.
  const std::int64_t before = allocations();
  ::operator delete(::operator new(sizeof(int)));  // As a function, it may not be left out.
  CHECK(allocations() == before + (counts_allocations() ? 1 : 0));
  const Cost copied = cost_of(on.layer, [&] { on.queue.copy(on.from, on.to); });
  CHECK(copied.launches == 0);
  CHECK(copied.others == 1);
}

TEST_CASE("a reduction's value comes to the host without a copy where memory is shared") {
  Arrays on;
  if (!on.device.capabilities().unified_memory) return;
  on.queue.fill(on.from, 1.0F);
  const auto reduce_on = [](Queue& queue, Buffer<float>& from) {
    return [&] { CHECK(reduce(queue, from, plus, 0.0F) == 100'000.0F); };
  };
  const Cost shared = cost_of(on.layer, reduce_on(on.queue, on.from));
  CHECK(shared.launches == 1);
  CHECK(shared.reads == 0);

  // An application's memory is not known to be the host's.
  Pool pool;
  const Device pooled =
      open_device(selector(), {.cache = {.disk = false}, .scratch = pool.allocator()});
  pool.use(pooled);
  Queue own(pooled);
  Buffer<float> from(pooled, on.from.size());
  own.fill(from, 1.0F);
  const Cost copied = cost_of(on.layer, reduce_on(own, from));
  CHECK(copied.launches == 1);
  CHECK(copied.reads == 1);
}

TEST_SUITE_END();

}  // namespace bifold::test::opencl
