// The adapter of NCCL over a stand-in for it, on a CUDA device or the stand-in for that.
#include <doctest/doctest.h>

#include <array>
#include <bifold/bifold.hpp>
#include <bifold/group/group_plans.hpp>
#include <bifold/interop/nccl.hpp>

#include "group/cuts.hpp"
#include "support/devices/cuda_app.hpp"
#include "support/errors.hpp"
#include "support/patience.hpp"
#include "support/values/arithmetic.hpp"

namespace bifold {

namespace {

using test::Offsets;
using test::same_bytes;
using test::Sliced;

CUcontext primary_context() {
  CUcontext context = nullptr;
  CUDA_OK(test::cuda().cuDevicePrimaryCtxRetain(
      &context, static_cast<CUdevice>(test::device().info().index)));
  return context;
}

struct Ranks {
  template <class Slices>
  explicit Ranks(const Slices& slices, int device = 0,
                 std::chrono::nanoseconds deadline = std::chrono::seconds(60))
      : clique(stand_in::make(static_cast<int>(slices.size()), device, primary_context())) {
    std::vector<interop::nccl::Rank> ranks;
    for (std::size_t i = 0; i < slices.size(); ++i) {
      ranks.push_back({clique->ranks[i].get(), slices[i].queue});
      shares.push_back({slices[i].queue, slices[i].input.count});
    }
    group = std::make_unique<Group>(interop::nccl::group(ranks, {deadline}));
  }
  ~Ranks() {
    group.reset();
    test::cuda().cuDevicePrimaryCtxRelease(static_cast<CUdevice>(test::device().info().index));
    // Its ranks know it.
    clique->ranks.clear();
  }
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  std::shared_ptr<stand_in::Clique> clique;
  std::vector<Share> shares;
  std::unique_ptr<Group> group;
};

const ReduceShape sum{.input = Type::f32, .accumulator = Type::f32};

}  // namespace

TEST_SUITE_BEGIN("group_nccl");

TEST_CASE("plans over NCCL have the bits of one device") {
  const auto host = test::drawn(test::sums<float>(), 262'144 + 30'001);
  Sliced<float> data(host);
  const Value want = reduce(data.queue(0), erase(data.input()), plus, 0.5F);
  inclusive_scan(data.queue(0), data.input(), data.output(), plus, 0.5F);
  const std::vector<float> scanned = data.outputs();
  const std::uint64_t n = host.size();
  for (const Offsets& offsets :
       {Offsets{0, 5000, 9000, n}, Offsets{0, 262'144, n}, Offsets{0, 0, 262'200, n}}) {
    CAPTURE(test::text_of(offsets));
    const auto slices = data.slices(offsets);
    const Ranks ranks(slices);
    GroupReducePlan plan(*ranks.group, sum, ranks.shares, 0.5F);
    CHECK(plan.run(slices) == want);
    // Calls that block go by the hosts.
    CHECK(reduce(*ranks.group, slices, plus, 0.5F) == want);
    auto greatest = GroupReducePlan::argmax(*ranks.group, Type::f32, ranks.shares);
    CHECK(greatest.run(slices).as<Indexed<float>>() == argmax(data.queue(0), data.input()));
    GroupScanPlan scan(*ranks.group,
                       {.input = Type::f32, .output = Type::f32, .accumulator = Type::f32},
                       ranks.shares, 0.5F);
    data.queue(0).fill(data.output(), 0.0F);
    data.queue(0).finish();
    scan.run(data.scan_slices(offsets));
    scan.finish();
    CHECK(same_bytes(data.outputs(), scanned));
  }
}

TEST_CASE("a captured run is launched again and again") {
  const auto host = test::drawn(test::sums<float>(), 20'000);
  Sliced<float> data(host);
  const auto slices = data.slices({0, 20'000});
  const Ranks ranks(slices);
  GroupReducePlan plan(*ranks.group, sum, ranks.shares);
  Buffer<float> result(data.queue(0).device(), 1);
  const CUstream stream = interop::cuda::native_stream(slices[0].queue);
  const test::Current current(ranks.clique->context);
  CUDA_OK(test::cuda().cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
  plan.run(slices, {result});
  const auto refused = test::failure_of([&] { plan.finish(); });
  CHECK(refused.category == ErrorCategory::unsupported);
  CUgraph graph = nullptr;
  CUDA_OK(test::cuda().cuStreamEndCapture(stream, &graph));
  CUgraphExec executable = nullptr;
  CUDA_OK(test::cuda().cuGraphInstantiateWithFlags(&executable, graph, 0));
  for (const float factor : {1.0F, 3.0F}) {
    std::vector<float> scaled = host;
    for (float& x : scaled) x *= factor;
    data.queue(0).upload(std::span<const float>(scaled), data.input());
    CUDA_OK(test::cuda().cuGraphLaunch(executable, stream));
    plan.finish();
    CHECK(data.queue(0).download(result).front() ==
          reduce(data.queue(0), data.input(), plus, 0.0F));
  }
  CUDA_OK(test::cuda().cuGraphExecDestroy(executable));
  CUDA_OK(test::cuda().cuGraphDestroy(graph));
}

TEST_CASE("communicators that do not block are waited for") {
  Sliced<float> data(std::vector<float>(9000, 1.0F));
  const auto slices = data.slices({0, 5000, 9000});
  const Ranks ranks(slices, 0, std::chrono::nanoseconds::max());
  ranks.clique->of_group = ranks.clique->state = ncclInProgress;
  CHECK(reduce(*ranks.group, slices, plus, 0.0F) == Value(9000.0F));
}

TEST_CASE("past the deadline communicators are aborted, once") {
  Sliced<float> data(std::vector<float>(9000, 1.0F));
  const auto slices = data.slices({0, 5000, 9000});
  const Ranks ranks(slices, 0, std::chrono::milliseconds(50));
  GroupReducePlan plan(*ranks.group, sum, ranks.shares);
  {
    const test::Failing never("cuEventQuery", CUDA_ERROR_NOT_READY);
    if (test::cuda().computes()) return;
    const auto late = test::failure_of([&] { static_cast<void>(plan.run(slices)); });
    CHECK(late.category == ErrorCategory::timeout);
    CHECK(ranks.clique->aborted == 2);
  }
  const auto after = test::failure_of([&] { static_cast<void>(plan.run(slices)); });
  CHECK(after.category == ErrorCategory::timeout);
  CHECK(after.mentions("out of use"));
  CHECK(ranks.clique->aborted == 2);
  CHECK(reduce(data.queue(0), data.input(), plus, 0.0F) == 9000.0F);
}

TEST_CASE("a call returns past the deadline though NCCL does not end an abort") {
  if (test::cuda().computes()) return;
  const Queue queue(test::device());
  const auto clique = stand_in::make(1, 0, primary_context());
  const GroupOptions options{std::chrono::milliseconds(50)};
  interop::nccl::detail::Transport transport({{clique->ranks[0].get(), queue}}, options,
                                             std::chrono::milliseconds(50));
  clique->holds_aborts = true;
  const auto late = [&](const auto& call) {
    const auto failure = test::failure_of(call);
    CHECK(failure.category == ErrorCategory::timeout);
    CHECK_MESSAGE(failure.mentions("other ranks did not come"), failure.what);
  };
  const auto now = [] { return std::chrono::steady_clock::now(); };
  {
    const test::Failing never("cuEventQuery", CUDA_ERROR_NOT_READY);
    late([&] { transport.exchange({}, {}, now()); });
  }
  CHECK(clique->aborted == 0);
  // What follows tells the same.
  std::array<std::byte, 8> bytes{};
  late([&] { transport.all_gather(bytes, bytes, now() + test::patience); });
  late([&] { transport.enqueue_exchange({}, {}); });
  clique->holds_aborts = false;
  const auto until = now() + test::patience;
  while (clique->aborted == 0 && now() < until) std::this_thread::yield();
  CHECK(clique->aborted == 1);
  test::cuda().cuDevicePrimaryCtxRelease(static_cast<CUdevice>(test::device().info().index));
  clique->ranks.clear();
}

TEST_CASE("an error that NCCL tells ends the group") {
  Sliced<float> data(std::vector<float>(9000, 1.0F));
  const auto slices = data.slices({0, 5000, 9000});
  const Ranks ranks(slices);
  GroupReducePlan plan(*ranks.group, sum, ranks.shares);
  SUBCASE("at once") { ranks.clique->of_group = ncclSystemError; }
  SUBCASE("later") {
    ranks.clique->of_group = ncclInProgress;
    ranks.clique->state = ncclSystemError;
  }
  const auto failure = test::failure_of([&] { static_cast<void>(plan.run(slices)); });
  CHECK(failure.category == ErrorCategory::backend_failure);
  CHECK(failure.mentions("of the stand-in"));
  const auto after = test::failure_of([&] { static_cast<void>(plan.run(slices)); });
  CHECK(after.mentions("out of use"));
  CHECK(reduce(data.queue(0), data.input(), plus, 0.0F) == 9000.0F);
}

TEST_CASE("what is no group over NCCL is refused") {
  Sliced<float> data(std::vector<float>(10, 1.0F));
  const auto slices = data.slices({0, 5, 10});
  const Ranks ranks(slices);
  const auto refused = [&](const std::string& words, const auto& call) {
    const auto failure = test::failure_of(call);
    CHECK(failure.category == ErrorCategory::invalid_argument);
    CHECK_MESSAGE(failure.mentions(words), failure.what);
  };
  ncclComm_t first = ranks.clique->ranks[0].get();
  ncclComm_t second = ranks.clique->ranks[1].get();
  const Queue& queue = slices[0].queue;
  using interop::nccl::group;
  refused("there is no communicator", [] { static_cast<void>(group({})); });
  refused("is null", [&] { static_cast<void>(group(nullptr, queue)); });
  refused("ascending", [&] { static_cast<void>(group({{second, queue}, {first, queue}})); });
  const auto other = stand_in::make(3, 0, ranks.clique->context);
  refused("different sizes", [&] {
    static_cast<void>(group({{first, queue}, {other->ranks[1].get(), queue}}));
  });
  const auto elsewhere = stand_in::make(1, 7, ranks.clique->context);
  refused("is for device 7", [&] { static_cast<void>(group(elsewhere->ranks[0].get(), queue)); });
  ranks.clique->state = ncclSystemError;
  refused("ncclCommGetAsyncError", [&] { static_cast<void>(group(first, queue)); });
  ranks.clique->state = ncclSuccess;
  // A plan's queues are the communicators'.
  auto shares = ranks.shares;
  shares[1].queue = Queue(data.queue(0).device());
  refused("is not the communicator's", [&] { GroupReducePlan(*ranks.group, sum, shares); });
  elsewhere->ranks.clear();
  other->ranks.clear();
}

TEST_SUITE_END();

}  // namespace bifold
