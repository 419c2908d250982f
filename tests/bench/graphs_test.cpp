// Calls measured in CUDA graphs: bifold's, and those of peers that are right, wrong or broken
// there. Over the stand-in driver, and on a real GPU.
#include <dlfcn.h>
#include <doctest/doctest.h>

#include <bifold/bifold.hpp>
#include <cstdint>
#include <cstring>
#include <functional>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>

#include "document/run_file.hpp"
#include "measure/interleaved.hpp"
#include "support/bench_tool.hpp"
#include "support/errors.hpp"

namespace {

using bench::Outcome;
using bench::Regime;
using bifold::test::contains;
using bifold::test::failure_of;
using Json = nlohmann::json;

constexpr std::uint64_t n = 3000;

bool has_cuda_device() {
  for (const bifold::DeviceInfo& device : bifold::devices()) {
    if (device.backend == "cuda") return true;
  }
  std::cout << "SKIPPED: no CUDA device\n";
  return false;
}

/// A function of the stand-in driver; null with a real one.
template <class Function>
Function* of_stand_in(const char* symbol) {
  static void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  return library == nullptr ? nullptr : reinterpret_cast<Function*>(dlsym(library, symbol));
}

/// Lets a function of the stand-in driver fail for the length of a scope.
class Failing {
 public:
  Failing(const char* function, int code) {
    if (auto* fail = of_stand_in<void(const char*, int, int)>("fake_cuda_fail")) {
      failing_ = true;
      fail(function, 0, code);
    }
  }
  ~Failing() {
    if (failing_) of_stand_in<void()>("fake_cuda_reset")();
  }
  Failing(const Failing&) = delete;
  Failing& operator=(const Failing&) = delete;

  /// Whether it does: a real driver does as it likes.
  explicit operator bool() const { return failing_; }

 private:
  bool failing_ = false;
};

enum class Habit {
  right,
  not_captured,  ///< Says that it cannot be.
  idle,          ///< Enqueues nothing where it is captured.
  breaks,        ///< Throws where it is captured.
};

/// A scan by bifold, and by a peer that is bifold as well, in one compared.
struct Match {
  std::optional<bench::Mismatch> run() {
    bench::InterleavedTiming compared(queue, {1e-6, 2}, {1 << 16, 1 << 16}, {&peer});
    result.what.algorithm = bifold::Algorithm::scan;
    result.what.n = n;
    return compared.run(result, ours, {}, {data, input.view(), output.view(), reference}, verifier);
  }

  void scan(bifold::Queue& on) {
    plan.run(on, input.view(), output.view(), {}, {.workspace = &workspace});
  }

  /// The queue refuses to be waited for then.
  bool captured() {
    return failure_of([&] { queue.finish(); }).category == bifold::ErrorCategory::unsupported;
  }

  struct Call final : bench::PeerCall {
    explicit Call(Match& of) : match(of) {}
    void enqueue() override {
      const Habit shown = match.captured() ? match.habit : Habit::right;
      if (shown == Habit::breaks) throw std::runtime_error("worn out");
      if (shown != Habit::idle) match.scan(match.queue);
    }
    void block(void* /*value*/) override {
      enqueue();
      match.queue.finish();
    }
    [[nodiscard]] bool can_be_captured() const override {
      return match.habit != Habit::not_captured;
    }
    Match& match;
  };

  struct Same final : bench::Peer {
    explicit Same(Match& of) : match(of) {}
    [[nodiscard]] std::string_view name() const override { return "same"; }
    [[nodiscard]] std::string version() const override { return "1"; }
    [[nodiscard]] bench::PeerSide side() const override { return bench::PeerSide::cuda; }
    [[nodiscard]] std::string obstacle(const bench::PeerTask& /*task*/) const override {
      return {};
    }
    [[nodiscard]] std::unique_ptr<bench::PeerCall> prepare(
        const bench::PeerTask& /*task*/) const override {
      return std::make_unique<Call>(match);
    }
    Match& match;
  };

  explicit Match(Habit of_peer = Habit::right) : habit(of_peer) {
    workspace.prepare(queue);
    const auto* const elements = reinterpret_cast<const std::int32_t*>(data.input());
    queue.upload(std::span(elements, n), input.view());
    const auto enqueue = [this](bifold::Queue& on) { scan(on); };
    const auto block = [this](bifold::Queue& on) {
      scan(on);
      on.finish();
    };
    ours = {enqueue, block, enqueue};
  }

  Habit habit;
  bifold::Device device = bifold::open_device("cuda");
  bifold::Queue queue{device};
  bench::HostData data{bifold::Type::i32, bifold::plus, n};
  bench::MatrixReference reference;
  bifold::Buffer<std::int32_t> input{device, n};
  bifold::Buffer<std::int32_t> output{device, n};
  bifold::ScanPlan plan{device, {}};
  bifold::Buffer<std::uint8_t> scratch{device, plan.workspace_bytes(n)};
  bifold::Workspace workspace{scratch.view()};
  bench::OurCall ours;
  Same peer{*this};
  bench::Verifier verifier;
  bench::Result result{};
};

}  // namespace

TEST_SUITE_BEGIN("bench graphs");

TEST_CASE("calls that can be captured have a timing in graphs, others none") {
  if (!has_cuda_device()) return;
  for (const Habit habit : {Habit::right, Habit::not_captured}) {
    Match match(habit);
    CHECK_FALSE(match.run().has_value());
    const bench::Result& result = match.result;
    CHECK(result.graph.samples > 0);
    CHECK(result.graph.median_s > 0);
    REQUIRE(result.calls_per_graph > 0);
    CHECK(result.graph.batch % result.calls_per_graph == 0);
    REQUIRE(result.peers.size() == 1);
    CHECK(result.peers[0].outcome == Outcome::timed);
    const bench::Timing& its = result.peers[0].timing_in(Regime::graph);
    CHECK(its.samples == (habit == Habit::right ? result.graph.samples : 0));
    CHECK(result.peers[0].timing_in(Regime::blocking).samples > 0);
  }
}

TEST_CASE("a peer that is wrong or breaks where it is captured is told so, and costs nobody else") {
  if (!has_cuda_device()) return;
  for (const Habit habit : {Habit::idle, Habit::breaks}) {
    Match match(habit);
    CHECK_FALSE(match.run().has_value());
    CHECK(match.result.graph.samples > 0);
    REQUIRE(match.result.peers.size() == 1);
    const bench::PeerResult& peer = match.result.peers[0];
    CHECK(peer.outcome == (habit == Habit::idle ? Outcome::wrong : Outcome::failed));
    CHECK(contains(peer.reason, habit == Habit::idle ? "in a CUDA graph: WRONG at index 0"
                                                     : "in a CUDA graph: worn out"));
    match.queue.finish();
  }
  if (auto* count = of_stand_in<std::int64_t(const char*)>("fake_cuda_count")) {
    for (const char* left : {"captures", "graphs", "graph_execs", "misuses"}) {
      CHECK_MESSAGE(count(left) == 0, left);
    }
  }
}

TEST_CASE("ours that is wrong where it is captured is told so") {
  if (!has_cuda_device()) return;
  Match match;
  match.ours.enqueue_captured = [&](bifold::Queue& on) { on.fill(match.output.view(), 0); };
  const auto wrong = match.run();
  CHECK((wrong && wrong->index < 2));
  CHECK(match.result.graph.samples == 0);
}

TEST_CASE("no graphs are measured where none were asked for") {
  if (!has_cuda_device()) return;
  Match match;
  match.ours.enqueue_captured = {};
  CHECK_FALSE(match.run().has_value());
  CHECK(match.result.graph.samples == 0);
  CHECK(match.result.calls_per_graph == 0);
  CHECK(match.result.peers.at(0).timing_in(Regime::graph).samples == 0);
}

TEST_CASE("the tool measures graphs beside peers, and tells of them") {
  if (!has_cuda_device()) return;
  const bifold::test::Scratch scratch;
  const auto file = scratch / "graphs.json";
  const auto outcome = bifold::test::run_tool(
      {"run", "--device=cuda", "--peers=cub", "--size=1,3000", "--type=i32,triple",
       "--seconds=0.0001", "--samples=1", "--no-progress", "--json", file});
  CAPTURE(outcome.out);
  CHECK(outcome.status == 0);
  CHECK(contains(outcome.out, "In a CUDA graph"));
  const Json document = Json::parse(bifold::test::text_of(file));
  CHECK(document.at("results").size() == 8);
  for (const Json& result : document.at("results")) {
    CAPTURE(result.dump());
    CHECK(result.at("verified") == true);
    CHECK(result.at("calls_per_graph") > 0);
    CHECK(result.at("regimes").at("graph").at("median_s") > 0);
  }
  for (const bench::Result& result : bench::read_run_file(file).results) {
    CHECK(result.graph.samples == 1);
    CHECK(result.again.samples == 1);
    CHECK(result.calls_per_graph > 0);
  }
}

TEST_CASE("the tool leaves graphs out where it is told to") {
  if (!has_cuda_device()) return;
  const bifold::test::Scratch scratch;
  const auto file = scratch / "graphs.json";
  const auto outcome = bifold::test::run_tool({"run", "--device=cuda", "--peers=cub", "--no-graphs",
                                               "--size=3000", "--type=i32", "--seconds=0.0001",
                                               "--samples=1", "--no-progress", "--json", file});
  CHECK(outcome.status == 0);
  CHECK_FALSE(contains(outcome.out, "In a CUDA graph"));
  const Json document = Json::parse(bifold::test::text_of(file));
  CHECK(document.at("settings").at("graphs") == false);
  CHECK(document.at("results").size() == 2);
  for (const Json& result : document.at("results")) {
    CHECK(result.at("regimes").contains("blocking"));
    CHECK_FALSE(result.at("regimes").contains("graph"));
  }
}

// Behind all others: what the stand-in driver is to refuse by its environment, it forgets here.
TEST_CASE("what the driver refuses about a graph fails the result, and the queue stays usable") {
  if (!has_cuda_device()) return;
  Match match;
  CHECK_FALSE(match.run().has_value());
  for (const char* function : {"cuStreamBeginCapture_v2", "cuGraphInstantiateWithFlags"}) {
    match.result = {};
    {
      const Failing failing(function, 900);
      if (!failing) return;
      const auto failure = failure_of([&] { static_cast<void>(match.run()); });
      CHECK(failure.category == bifold::ErrorCategory::backend_failure);
      CHECK(failure.mentions("in a CUDA graph"));
    }
    match.queue.finish();
    match.result = {};
    CHECK_FALSE(match.run().has_value());
    CHECK(match.result.graph.samples > 0);
  }
  match.result = {};
  const Failing failing("cuStreamEndCapture", 901);
  CHECK(failure_of([&] { static_cast<void>(match.run()); }).category ==
        bifold::ErrorCategory::device_lost);
}

TEST_SUITE_END();
