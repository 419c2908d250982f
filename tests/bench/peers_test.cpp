// Other libraries beside bifold: what is reported of peers that are right, wrong, broken or absent.
#include <doctest/doctest.h>

#include <algorithm>
#include <bifold/bifold.hpp>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "commands/run/peer_tables.hpp"
#include "document/run_document.hpp"
#include "measure/interleaved.hpp"
#include "measure/runner.hpp"
#include "support/bench_tool.hpp"

namespace {

using bench::Outcome;
using bench::PeerTask;
using bench::Regime;
using bifold::test::check_quiet;
using bifold::test::check_refused;
using bifold::test::contains;
using bifold::test::has_cpu_device;
using bifold::test::run_tool;
using bifold::test::Scratch;
using bifold::test::text_of;
using Json = nlohmann::json;

constexpr std::uint64_t small = 1000;

enum class Habit {
  right,
  off_by_one,       ///< In the last element.
  idle,             ///< Computes nothing.
  breaks_at_once,   ///< When the call is prepared.
  breaks_when_used  ///< After it has been right once.
};

/// Adds i32 from left to right.
class FakeCall final : public bench::PeerCall {
 public:
  FakeCall(const PeerTask& task, Habit habit) : task_(task), habit_(habit) {}

  void block(void* value) override {
    if (habit_ == Habit::breaks_when_used && calls_++ > 0) throw std::runtime_error("worn out");
    if (habit_ == Habit::idle) return;
    // NOLINTBEGIN(performance-no-int-to-ptr)
    const auto* input = reinterpret_cast<const std::uint32_t*>(task_.input);
    auto* output = reinterpret_cast<std::uint32_t*>(task_.output);
    // NOLINTEND(performance-no-int-to-ptr)
    std::uint32_t sum = 0;
    for (std::uint64_t i = 0; i < task_.n; ++i) {
      sum += input[i];
      if (task_.algorithm == bifold::Algorithm::scan) output[i] = sum;
    }
    const std::uint32_t last = sum + (habit_ == Habit::off_by_one ? 1 : 0);
    if (task_.algorithm == bifold::Algorithm::scan) output[task_.n - 1] = last;
    if (task_.algorithm == bifold::Algorithm::reduce) std::memcpy(value, &last, sizeof last);
  }
  void enqueue() override {
    std::uint32_t ignored = 0;
    block(&ignored);
  }
  [[nodiscard]] bool only_blocks() const override { return true; }

 private:
  PeerTask task_;
  Habit habit_;
  unsigned calls_ = 0;
};

class FakePeer final : public bench::Peer {
 public:
  explicit FakePeer(Habit habit, bench::PeerSide side = bench::PeerSide::host)
      : habit_(habit), side_(side) {}

  [[nodiscard]] std::string_view name() const override { return "fake"; }
  [[nodiscard]] std::string version() const override { return "0.1"; }
  [[nodiscard]] bench::PeerSide side() const override { return side_; }
  [[nodiscard]] std::string obstacle(const PeerTask& task) const override {
    return task.n == 1 ? "it has no pairs" : "";
  }
  [[nodiscard]] std::unique_ptr<bench::PeerCall> prepare(const PeerTask& task) const override {
    if (habit_ == Habit::breaks_at_once) throw std::runtime_error("cannot be built");
    return std::make_unique<FakeCall>(task, habit_);
  }

 private:
  Habit habit_;
  bench::PeerSide side_;
};

/// A run of both algorithms beside that peer.
bench::Report run_beside(const bench::Peer& peer, std::uint64_t n = small) {
  bench::RunOptions options;
  options.budget = {0.001, 2};
  bench::Report report{bench::begin_measurements(), options, {{"fake", &peer, {}}}, {}, 0};
  auto sessions = bench::open_sessions({"opencl:cpu"}, options.budget, report);
  sessions.front().compete_with(report.peers);
  for (const auto algorithm : {bifold::Algorithm::reduce, bifold::Algorithm::scan}) {
    auto& result = report.results.emplace_back();
    result.what.algorithm = algorithm;
    result.what.variant = "production";
    result.what.n = n;
  }
  bench::measure_all(report, sessions, options.budget, bench::ProgressMode::off);
  return report;
}

/// Ours has its figures whatever a peer does, and the peer has none.
void check_no_figure(const bench::Report& report, Outcome outcome, const std::string& reason,
                     const std::string& cell) {
  const Json json = Json::parse(bench::run_as_json(report));
  for (std::size_t i = 0; i < report.results.size(); ++i) {
    const bench::Result& result = report.results[i];
    CHECK(result.outcome == Outcome::timed);
    for (const Regime regime : bench::regimes) {
      // Graphs are CUDA's.
      CHECK((result.timing_in(regime).samples > 0) == (regime != Regime::graph));
      CHECK((result.timing_in(regime).median_s > 0) == (regime != Regime::graph));
    }
    REQUIRE(result.peers.size() == 1);
    CHECK(result.peers[0].outcome == outcome);
    CHECK_MESSAGE(contains(result.peers[0].reason, reason), result.peers[0].reason);
    const Json& peer = json.at("results").at(i).at("peers").at(0);
    CHECK(peer.at("verified") == false);
    CHECK(peer.at("reason") == result.peers[0].reason);
    CHECK_FALSE(peer.contains("regimes"));
  }
  const std::string text = bench::peers_as_text(report);
  CHECK(contains(text, cell));
  CHECK(contains(text, reason));
  CHECK(contains(bench::peers_as_markdown(report), "| " + cell + " |"));
}

TEST_SUITE_BEGIN("bench peers");

TEST_CASE("a peer that is right has a time and a ratio in each regime") {
  if (!has_cpu_device()) return;
  const FakePeer peer(Habit::right);
  const bench::Report report = run_beside(peer);
  const Json json = Json::parse(bench::run_as_json(report));
  CHECK(json.at("peers").at(0).at("name") == "fake");
  CHECK(json.at("peers").at(0).at("version") == "0.1");
  for (const Json& result : json.at("results")) {
    CHECK(result.at("regime") == "back_to_back");
    CHECK(result.at("regimes").at("back_to_back").at("median_s") == result.at("median_s"));
    const Json& again = result.at("again");
    CHECK(again.at("samples") == result.at("samples"));
    CHECK(again.at("ratio").get<double>() == doctest::Approx(again.at("median_s").get<double>() /
                                                             result.at("median_s").get<double>()));
    const Json& fake = result.at("peers").at(0);
    CHECK(fake.at("verified") == true);
    for (const char* regime : {"back_to_back", "isolated", "blocking"}) {
      const Json& ours = result.at("regimes").at(regime);
      const Json& its = fake.at("regimes").at(regime);
      CHECK(its.at("samples") == ours.at("samples"));
      CHECK(its.at("ratio").get<double>() ==
            doctest::Approx(its.at("median_s").get<double>() / ours.at("median_s").get<double>()));
      const bool single = regime != std::string_view("back_to_back");
      if (single) CHECK(its.at("calls_per_sample") == 1);
    }
    CHECK_FALSE(result.at("regimes").contains("graph"));
    CHECK_FALSE(fake.at("regimes").contains("graph"));
    CHECK_FALSE(result.contains("calls_per_graph"));
  }
  const std::string text = bench::peers_as_text(report);
  for (const char* words : {"Back to back", "Isolated", "Blocking", "fake: 0.1", "x\n",
                            "bifold differs from itself by"}) {
    CHECK_MESSAGE(contains(text, words), words);
  }
  CHECK_FALSE(contains(text, "graph"));
}

TEST_CASE("a peer that is wrong, idle or broken is told so and has no figure") {
  if (!has_cpu_device()) return;
  check_no_figure(run_beside(FakePeer(Habit::off_by_one)), Outcome::wrong, "WRONG at index",
                  "WRONG");
  check_no_figure(run_beside(FakePeer(Habit::idle)), Outcome::wrong, "WRONG at index 0", "WRONG");
  check_no_figure(run_beside(FakePeer(Habit::breaks_at_once)), Outcome::failed, "cannot be built",
                  "FAILED");
  check_no_figure(run_beside(FakePeer(Habit::breaks_when_used)), Outcome::failed, "worn out",
                  "FAILED");
  check_no_figure(run_beside(FakePeer(Habit::right), 1), Outcome::skipped, "it has no pairs", "-");
}

TEST_CASE("a peer on the device that computes nothing is wrong, whatever lay in the output") {
  if (!has_cpu_device()) return;
  const FakePeer peer(Habit::idle, bench::PeerSide::opencl);
  check_no_figure(run_beside(peer), Outcome::wrong, "WRONG at index 0", "WRONG");
}

TEST_CASE("a peer of another backend does not compete") {
  if (!has_cpu_device()) return;
  const FakePeer peer(Habit::right, bench::PeerSide::cuda);
  for (const bench::Result& result : run_beside(peer).results) CHECK(result.peers.empty());
}

TEST_CASE("a peer's zeros may have either sign, ours not") {
  const bench::HostData data(bifold::Type::f32, bifold::plus, 3);
  std::vector<float> scan{-0.0F, 0.0F, 0.0F};
  std::memcpy(scan.data() + 1, data.inclusive(), 2 * sizeof(float));
  const auto check = [&](bench::Equality equality) {
    return bench::Verifier::check_host_scan(reinterpret_cast<const std::byte*>(scan.data()), data,
                                            3, bifold::ScanKind::exclusive, equality);
  };
  CHECK_FALSE(check(bench::Equality::values).has_value());
  CHECK((check(bench::Equality::bits) && check(bench::Equality::bits)->index == 0));
  scan[2] += 1;
  CHECK((check(bench::Equality::values) && check(bench::Equality::values)->index == 2));

  const bifold::Type type = bifold::type_of<bench::Complex>();
  const bench::Complex zero{0, -0.0F};
  const auto check_zero = [&](bench::Equality equality) {
    return bench::Verifier::check_host_scan(reinterpret_cast<const std::byte*>(&zero),
                                            bench::HostData(type, bifold::plus, 1), 1,
                                            bifold::ScanKind::exclusive, equality);
  };
  CHECK_FALSE(check_zero(bench::Equality::values).has_value());
  CHECK(check_zero(bench::Equality::bits).has_value());
}

TEST_CASE("samples are taken in turn, and each contender has as many") {
  std::string turns;
  const std::vector<bench::Stopwatch> contenders{[&](std::uint64_t) {
                                                   turns += 'a';
                                                   return 1e-3;
                                                 },
                                                 [&](std::uint64_t) {
                                                   turns += 'b';
                                                   return 2e-3;
                                                 }};
  const auto timings =
      bench::measure_in_turn({1e-9, 3}, bench::Batches::single, std::span(contenders));
  CHECK(contains(turns, "ababab"));
  CHECK_FALSE(contains(turns, "aa"));
  REQUIRE(timings.size() == 2);
  CHECK(timings[0].samples == timings[1].samples);
  CHECK(timings[0].median_s == doctest::Approx(1e-3));
  CHECK(timings[1].median_s == doctest::Approx(2e-3));
}

TEST_CASE("what a result is compared with besides is measured anew for it") {
  if (!has_cpu_device()) return;
  const FakePeer peer(Habit::right);
  const bench::Report report = run_beside(peer);
  REQUIRE(report.devices.at(0).limits.size() == 1);
  const bench::Limits& before = report.devices[0].limits[0];
  const Json json = Json::parse(bench::run_as_json(report));
  for (std::size_t i = 0; i < report.results.size(); ++i) {
    const bench::Result& result = report.results[i];
    // Two measurements of one rate are hardly ever the same number.
    const bool reduces = result.what.algorithm == bifold::Algorithm::reduce;
    CHECK((result.limits.read != before.read) == reduces);
    CHECK((result.limits.queue_copy == before.queue_copy) == reduces);
    CHECK((result.limits.kernel_copy == before.kernel_copy) == reduces);
    CHECK(result.limits.read > 0);
    CHECK(result.limits.copy() > 0);
    CHECK(json.at("results").at(i).at("empty_launch_s") == result.empty_launch_s);
    CHECK(result.empty_launch_s > 0);
  }
}

TEST_CASE("yardsticks take turns with our calls, and one that fails costs nothing but itself") {
  if (!has_cpu_device()) return;
  const bifold::Device device = bifold::open_device("opencl:cpu");
  bifold::Queue queue(device);
  const bench::HostData data(bifold::Type::i32, bifold::plus, small);
  bifold::Buffer<std::int32_t> buffer(device, small);
  bench::MatrixReference reference;
  bench::Verifier verifier;
  constexpr bench::FlushBytes flush{1 << 16, 1 << 16};
  bench::InterleavedTiming compared(queue, {1e-9, 3}, flush, {});

  std::string calls;
  const auto note = [&](char who) {
    // Of a batch, the first: whose turn it is.
    if (calls.empty() || calls.back() != who) calls += who;
  };
  const auto fails_from = [&](int first) {
    return [&note, first, count = 0]() mutable {
      note('x');
      if (++count >= first) {
        throw bifold::Error(bifold::ErrorCategory::out_of_memory, "no room");
      }
    };
  };
  double told_s = 0;
  bool told_of_failed = false;
  const auto tell = [&](bench::Result&, double median_s) { told_s = median_s; };
  const auto tell_of_failed = [&](bench::Result&, double) { told_of_failed = true; };
  const std::vector<bench::Yardstick> yardsticks{
      {[&] { note('y'); }, tell}, {fails_from(1), tell_of_failed}, {fails_from(5), tell_of_failed}};
  bench::Result result;
  const auto ours = [&](bifold::Queue&) { note('o'); };
  const auto wrong = compared.run(result, {ours, ours}, yardsticks,
                                  {data, buffer.view(), buffer.view(), reference}, verifier);
  CHECK_FALSE(wrong.has_value());
  CHECK_MESSAGE(contains(calls, "oyoyoyo"), calls);
  CHECK(told_s > 0);
  CHECK_FALSE(told_of_failed);
  CHECK(contains(result.limits.problem, "no room"));
  CHECK(result.timing.samples >= 3);
}

TEST_CASE("the host's algorithms take turns beside a device that is the host's processor") {
  using bench::PeerSide;
  using bifold::DeviceKind;
  CHECK(bench::shares_processor(PeerSide::host, DeviceKind::cpu));
  CHECK_FALSE(bench::shares_processor(PeerSide::host, DeviceKind::gpu));
  CHECK(bench::shares_processor(PeerSide::cuda, DeviceKind::gpu));
  CHECK(bench::shares_processor(PeerSide::opencl, DeviceKind::cpu));
}

TEST_CASE("the peers that are here verify, and those that are not are named") {
  if (!has_cpu_device()) return;
  const Scratch scratch;
  const auto file = scratch / "peers.json";
  const auto outcome = run_tool({"run", "--device=opencl:cpu", "--peers", "--size=1,5000",
                                 "--type=i32,f32,u8,i64,complex,triple,pair", "--kind=exclusive",
                                 "--seconds=0.001", "--samples=2", "--json", file});
  check_quiet(outcome);
  const Json json = Json::parse(text_of(file));
  REQUIRE(json.at("peers").size() == 8);
  for (const Json& peer : json.at("peers")) {
    if (peer.at("available") == true) {
      CHECK_FALSE(peer.at("version").get<std::string>().empty());
      continue;
    }
    const std::string module = peer.at("module");
    CHECK_MESSAGE(!contains(BIFOLD_BUILT_PEERS, module), "was built: " << peer.dump());
    const std::string missing = "peer " + module + " is missing: ";
    CHECK(contains(outcome.out, missing));
    std::cout << "SKIPPED: " << missing << peer.at("reason").get<std::string>() << '\n';
  }
  for (const Json& result : json.at("results")) {
    for (const Json& peer : result.at("peers")) {
      CAPTURE(result.at("type"));
      CAPTURE(peer.dump());
      CHECK((peer.at("outcome") == "timed" || peer.at("outcome") == "skipped"));
      const bool blas = peer.at("name") == "CLBlast";
      const bool adds_structs =
          bifold::parse_type(result.at("type").get<std::string>()) == std::nullopt;
      const bool can = adds_structs ? peer.at("name") == "std, TBB"
                                    : !blas || (result.at("type") == "f32" &&
                                                result.at("algorithm") == "reduce");
      CHECK((peer.at("outcome") == "timed") == can);
    }
  }
}

TEST_CASE("the tool starts where no peer is, and says so") {
  if (!has_cpu_device()) return;
  const Scratch scratch;
  const auto alone = scratch / "bifold-bench";
  std::filesystem::copy_file(BIFOLD_BENCH_PATH, alone);
  std::filesystem::create_directory(scratch / "peers");
  std::ofstream(scratch / "peers/thrust.so") << "damaged";
  const auto outcome = run_tool({"run", "--device=opencl:cpu", "--peers=cub,thrust,tbb",
                                 "--size=1000", "--type=i32", "--seconds=0.001", "--samples=2"},
                                {}, alone);
  CHECK(outcome.status == 0);
  CHECK(contains(outcome.out, "2 timed, 0 skipped, 0 wrong, 0 failed"));
  CHECK(contains(outcome.out, "peer cub is missing: not built"));
  CHECK(contains(outcome.out, "peer tbb is missing: not built"));
  CHECK(contains(outcome.out, "peer thrust is missing: " + (scratch / "peers/thrust.so").string()));
  CHECK(contains(outcome.out, "Isolated: "));  // Ours is measured in all regimes.
  CHECK_FALSE(contains(outcome.out, "clblast"));
}

TEST_CASE("names of peers and what belongs to them are checked") {
  check_refused({"run", "--peers=cudpp"},
                "cub, cub_other, cub64, cub_segmented, thrust, boost_compute, clblast, tbb");
  check_refused({"run", "--markdown=x.md"}, "--peers");
  check_refused({"run", "--no-graphs"}, "--peers");
}

TEST_CASE("the number of elements of a first call is one number") {
  for (const char* size : {"0", "x", "2^10..2^12", "1000,2000"}) {
    CAPTURE(size);
    check_refused({"startup", std::string("--size=") + size}, "--size");
  }
}

TEST_CASE("a first call is timed with kernel caches empty and warm") {
  if (!has_cpu_device()) return;
  const Scratch scratch;
  const auto file = scratch / "startup.json";
  const auto outcome =
      run_tool({"startup", "--device=opencl:cpu", "--type=i32", "--size=5000", "--json", file});
  check_quiet(outcome);
  const Json json = Json::parse(text_of(file));
  CHECK(json.at("command") == "startup");
  CHECK(json.at("n") == 5000);
  REQUIRE(json.at("results").size() == 2);
  for (const Json& result : json.at("results")) {
    CAPTURE(result.dump());
    CHECK(result.at("outcome") == "timed");
    CHECK(result.at("cold").at("compiled").get<int>() > 0);
    CHECK(result.at("cold").at("from_disk") == 0);
    CHECK(result.at("warm").at("compiled") == 0);
    CHECK(result.at("warm").at("from_disk").get<int>() > 0);
    CHECK(result.at("warm").at("second_call_s").get<double>() > 0);
  }
}

TEST_CASE("chunks in host memory are verified, and timed beside copies") {
  if (!has_cpu_device()) return;
  const Scratch scratch;
  const auto medians = scratch / "medians.csv";
  const auto outcome = run_tool({"stream", "--device=opencl:cpu", "--type=i32", "--size=300000",
                                 "--seconds=0.01", "--csv", medians});
  CHECK(outcome.status == 0);
  CHECK_MESSAGE(contains(outcome.out, "reduce"), outcome.out);
  CHECK(contains(outcome.out, "scan"));
  CHECK(contains(outcome.out, " %"));
  // A line for each, and for the copies that it stands beside.
  const std::string text = text_of(medians);
  CHECK(text.starts_with("backend,algorithm,"));
  CHECK(std::count(text.begin(), text.end(), '\n') == 5);
  for (const char* row : {"opencl,reduce,", "opencl,scan,", ",bifold,", ",copies alone,"}) {
    CHECK(contains(text, row));
  }
  check_refused({"stream", "--csv=/nowhere/medians.csv"}, "--csv");
  check_refused({"stream", "--size=0"}, "--size");
  check_refused({"stream", "--seconds=0"}, "--seconds");
}

TEST_SUITE_END();

}  // namespace
