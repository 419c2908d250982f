// Plans over a group on the application's queues, which may keep no order.
#include <bifold/group/group_plans.hpp>
#include <memory>

#include "group/queue_transport.hpp"
#include "interop/opencl/application.hpp"

namespace bifold::test::interop_opencl {

TEST_SUITE_BEGIN("interop");

TEST_CASE("runs over a group come behind what was enqueued before, in any queue") {
  for (const cl_command_queue_properties properties :
       {cl_command_queue_properties{0}, out_of_order}) {
    INFO("properties ", properties);
    const Application app(properties);
    Queue queue = native::queue(app.queue, native::device(app.context, app.device));
    const OwnedMemory last = make_buffer(app.context, bytes);
    const auto scanned = native::view<std::uint32_t>(last, count);
    std::vector<Slice> slices;
    std::vector<ScanSlice> scans;
    std::vector<Share> shares;
    for (const std::uint32_t begin : {0U, count / 2}) {
      const auto half = app.out().subview(begin, count / 2);
      slices.push_back({queue, half});
      scans.push_back({queue, half, scanned.subview(begin, count / 2)});
      shares.push_back({queue, count / 2});
    }
    Group group(std::make_shared<QueueTransport>(2));
    GroupReducePlan sum(group, {.input = Type::u32, .accumulator = Type::u32}, shares);
    GroupScanPlan scan(group,
                       {.input = Type::u32,
                        .output = Type::u32,
                        .accumulator = Type::u32,
                        .kind = ScanKind::exclusive},
                       shares);
    auto results = queue.allocate<std::uint32_t>(2);
    Gate gate(app.context);
    exclusive_scan(queue, app.in(), app.out(), plus, {.wait = {gate.adopted()}});
    sum.run(slices, {results.view(0, 1), results.view(1, 1)});
    scan.run(scans);
    succeed(clFlush(app.queue));
    std::this_thread::sleep_for(30ms);
    gate.set(CL_COMPLETE);
    scan.finish();
    const std::vector<std::uint32_t> whole = ramp();
    const std::uint32_t all = std::accumulate(whole.begin(), whole.end(), 0U);
    CHECK(queue.download(results) == std::vector<std::uint32_t>{all, all});
    std::vector<std::uint32_t> want(count);
    std::exclusive_scan(whole.begin(), whole.end(), want.begin(), 0U);
    CHECK(app.read(last) == want);
  }
}

TEST_SUITE_END();

}  // namespace bifold::test::interop_opencl
