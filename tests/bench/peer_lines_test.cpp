// Other libraries beside bifold on lines of matrices.
#include <doctest/doctest.h>

#include <bifold/bifold.hpp>
#include <cstddef>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

#include "measure/runner.hpp"
#include "support/bench_tool.hpp"

namespace {

using bench::Outcome;
using bench::PeerTask;
using bifold::test::check_quiet;
using bifold::test::contains;
using bifold::test::has_cpu_device;
using bifold::test::run_tool;
using bifold::test::Scratch;
using bifold::test::text_of;
using Json = nlohmann::json;

/// Adds f32 along lines on the host, each from left to right, as far as `lines` says.
class HostCall final : public bench::PeerCall {
 public:
  HostCall(const PeerTask& task, std::uint64_t lines) : task_(task), lines_(lines) {}

  void enqueue() override {
    // NOLINTBEGIN(performance-no-int-to-ptr)
    const auto* input = reinterpret_cast<const float*>(task_.input);
    auto* output = reinterpret_cast<float*>(task_.output);
    // NOLINTEND(performance-no-int-to-ptr)
    // NOLINTNEXTLINE(bugprone-unchecked-optional-access): it throws where there are none.
    const bifold::Lines& lines = task_.lines.value();
    const auto stride = static_cast<std::uint64_t>(lines.stride);
    for (std::uint64_t line = 0; line < lines_; ++line) {
      const std::uint64_t first = stride == 1 ? line * lines.length : line;
      float sum = 0;
      for (std::uint64_t k = 0; k < lines.length; ++k) {
        sum += input[first + k * stride];
        if (task_.algorithm == bifold::Algorithm::scan) output[first + k * stride] = sum;
      }
      if (task_.algorithm == bifold::Algorithm::reduce) output[line] = sum;
    }
  }
  void block(void* /*value*/) override { enqueue(); }

 private:
  PeerTask task_;
  std::uint64_t lines_;
};

class HostPeer final : public bench::Peer {
 public:
  HostPeer(bool takes_lines, std::uint64_t left_out)
      : takes_lines_(takes_lines), left_out_(left_out) {}

  [[nodiscard]] std::string_view name() const override { return "host"; }
  [[nodiscard]] std::string version() const override { return "0.1"; }
  [[nodiscard]] bench::PeerSide side() const override { return bench::PeerSide::host; }
  [[nodiscard]] bool takes_lines() const override { return takes_lines_; }
  [[nodiscard]] std::string obstacle(const PeerTask& /*task*/) const override { return {}; }
  [[nodiscard]] std::unique_ptr<bench::PeerCall> prepare(const PeerTask& task) const override {
    // NOLINTNEXTLINE(bugprone-unchecked-optional-access): it throws where there are none.
    return std::make_unique<HostCall>(task, task.lines.value().count() - left_out_);
  }

 private:
  bool takes_lines_;
  std::uint64_t left_out_;
};

/// Both algorithms along both axes of a matrix beside that peer.
void check_beside(const HostPeer& peer, Outcome outcome, const std::string& reason) {
  bench::RunOptions options;
  options.budget = {0.001, 2};
  bench::Report report{bench::begin_measurements(), options, {{"host", &peer, {}}}, {}, 0};
  auto sessions = bench::open_sessions({"opencl:cpu"}, options.budget, report);
  sessions.front().compete_with(report.peers);
  for (const auto algorithm : {bifold::Algorithm::reduce, bifold::Algorithm::scan}) {
    for (const unsigned axis : {0U, 1U}) {
      auto& result = report.results.emplace_back();
      result.what.algorithm = algorithm;
      result.what.variant = "production";
      result.what.type = bifold::Type::f32;
      result.what.matrix = {33, 70, axis};
      result.what.n = result.what.matrix->elements();
    }
  }
  bench::measure_all(report, sessions, options.budget, bench::ProgressMode::off);
  for (const bench::Result& result : report.results) {
    CHECK(result.outcome == Outcome::timed);
    REQUIRE(result.peers.size() == 1);
    CHECK_MESSAGE(result.peers[0].outcome == outcome, result.peers[0].reason);
    CHECK_MESSAGE(contains(result.peers[0].reason, reason), result.peers[0].reason);
  }
}

TEST_SUITE_BEGIN("bench peers");

TEST_CASE("a host's loop over lines is compared with each line, and timed if it is right") {
  if (!has_cpu_device()) return;
  check_beside(HostPeer(true, 0), Outcome::timed, "");
  check_beside(HostPeer(true, 1), Outcome::wrong, "WRONG at index");
  check_beside(HostPeer(false, 0), Outcome::skipped, "no calls on lines");
}

TEST_CASE("beside peers, lines have data that every order adds up to the same bits") {
  if (!has_cpu_device()) return;
  const Scratch scratch;
  const auto file = scratch / "peers.json";
  for (const char* const kind : {"inclusive", "exclusive"}) {
    check_quiet(run_tool({"run", "--device=opencl:cpu", "--peers=tbb,cub_segmented",
                          "--lines=33x700,3x9000", "--type=f32,u8", "--seconds=0.001",
                          "--samples=2", "--kind", kind, "--json", file}));
    const Json json = Json::parse(text_of(file));
    if (json.at("peers").at(0).at("available") == false) {
      std::cout << "SKIPPED: the peer tbb is not built\n";
    }
    for (const Json& result : json.at("results")) {
      CAPTURE(result.dump());
      CHECK(result.at("outcome") == "timed");
      CHECK(result.at("data") == "exact");
      for (const Json& peer : result.at("peers")) CHECK(peer.at("outcome") == "timed");
    }
  }
}

TEST_SUITE_END();

}  // namespace
