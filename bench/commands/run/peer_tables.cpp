#include "commands/run/peer_tables.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/format.hpp"
#include "base/grid.hpp"

namespace bench {
namespace {

std::string_view title_of(Regime regime) {
  switch (regime) {
    case Regime::back_to_back: return "Back to back: time per call, many enqueued before a wait";
    case Regime::isolated: return "Isolated: device time of one call, the last-level cache cold";
    case Regime::blocking: return "Blocking: the host's time from the call until it has the result";
    case Regime::graph: break;
  }
  return "In a CUDA graph: time per call, captured calls launched again and again";
}

/// Measured in all regimes, on that device.
std::vector<const Result*> interleaved(const Report& report, std::size_t device) {
  std::vector<const Result*> results;
  for (const Result& result : report.results) {
    if (result.what.device != device || result.outcome != Outcome::timed) continue;
    if (result.isolated.samples == 0) continue;
    results.push_back(&result);
  }
  return results;
}

const Peer* peer_named(const Report& report, const std::string& name) {
  for (const PeerModule& module : report.peers) {
    if (module.peer != nullptr && module.peer->name() == name) return module.peer;
  }
  return nullptr;
}

std::string cell_of(const PeerResult& peer, const Result& ours, Regime regime) {
  switch (peer.outcome) {
    case Outcome::timed: break;
    case Outcome::skipped: return "-";
    case Outcome::wrong: return "WRONG";
    case Outcome::failed: return "FAILED";
  }
  if (peer.timing_in(regime).samples == 0) return "-";
  const double seconds = peer.timing_in(regime).median_s;
  return formatted("{}, {:.2f}x", seconds_text(seconds), seconds / ours.timing_in(regime).median_s);
}

/// Those of `all` that were measured so.
std::vector<const Result*> measured_in(Regime regime, std::vector<const Result*> all) {
  std::erase_if(all, [=](const auto* result) { return result->timing_in(regime).samples == 0; });
  return all;
}

Grid grid_of(const std::vector<const Result*>& results, Regime regime) {
  Grid grid;
  grid.columns = {{"algorithm"}, {"variant"}, {"type"}, {"operator"}, {"n", true}};
  const bool in_graphs = regime == Regime::graph;
  if (in_graphs) grid.columns.push_back({"calls", true});
  grid.columns.push_back({"bifold", true});
  for (const PeerResult& peer : results.front()->peers) grid.columns.push_back({peer.name, true});
  for (const Result* result : results) {
    const Configuration& what = result->what;
    const bool scan = what.algorithm == bifold::Algorithm::scan;
    std::vector<std::string> row{
        scan ? formatted("{} scan", bifold::name_of(what.kind)) : std::string("reduce"),
        result->variant_ran, std::string(bifold::name_of(what.type)), std::string(what.op.name()),
        size_text(what)};
    if (in_graphs) row.push_back(count_text(result->calls_per_graph));
    row.push_back(seconds_text(result->timing_in(regime).median_s));
    for (const PeerResult& peer : result->peers) row.push_back(cell_of(peer, *result, regime));
    grid.rows.push_back(std::move(row));
  }
  return grid;
}

/// By what share of its time a call differs from the same one in turns with it.
struct Noise {
  double median;
  double most;
};

std::optional<Noise> noise_of(const std::vector<const Result*>& results) {
  std::vector<double> differences;
  for (const Result* result : results) {
    if (result->again.samples == 0) continue;
    differences.push_back(std::abs(result->again.median_s / result->timing.median_s - 1));
  }
  if (differences.empty()) return {};
  const double most = *std::max_element(differences.begin(), differences.end());
  return Noise{median_of(std::move(differences)), most};
}

/// Why a peer has no figure, or one that needs a word; each once.
std::vector<std::string> notes_of(const std::vector<const Result*>& results) {
  std::vector<std::string> notes;
  const auto add = [&](std::string note) {
    if (std::find(notes.begin(), notes.end(), note) == notes.end()) {
      notes.push_back(std::move(note));
    }
  };
  for (const Result* result : results) {
    const std::string_view algorithm = bifold::name_of(result->what.algorithm);
    for (const PeerResult& peer : result->peers) {
      if (peer.outcome != Outcome::timed) {
        add(formatted("{}, {} of {}: {}", peer.name, algorithm, bifold::name_of(result->what.type),
                      peer.reason));
      } else if (peer.only_blocks) {
        add(formatted("{}, {}: waits in every call, back to back, too", peer.name, algorithm));
      }
    }
  }
  if (const auto noise = noise_of(results)) {
    add(
        formatted("Back to back, bifold differs from itself by {:.1f} % in the median, by {:.1f} % "
                  "at most",
                  100 * noise->median, 100 * noise->most));
  }
  return notes;
}

std::vector<std::string> versions_of(const Report& report, const Result& any) {
  std::vector<std::string> versions;
  for (const PeerResult& result : any.peers) {
    if (const Peer* peer = peer_named(report, result.name)) {
      versions.push_back(formatted("{}: {}", result.name, peer->version()));
    }
  }
  return versions;
}

std::vector<std::string> missing_from(const Report& report) {
  std::vector<std::string> missing;
  for (const PeerModule& module : report.peers) {
    if (module.peer != nullptr) continue;
    missing.push_back(formatted("peer {} is missing: {}", module.name, module.reason));
  }
  return missing;
}

constexpr std::string_view legend =
    "A peer's cell has its median time, and that as a multiple of bifold's: above 1x bifold is "
    "faster. Those on one processor were measured in turn, a sample of each, in this run; each "
    "peer's results were compared with the host reference before. A dash: the peer has no such "
    "call.";

}  // namespace

std::string peers_as_text(const Report& report) {
  std::string text;
  for (std::size_t device = 0; device < report.devices.size(); ++device) {
    const auto results = interleaved(report, device);
    if (results.empty()) continue;
    text += formatted("\n{}  beside its peers\n", report.devices[device].info.selector);
    for (const std::string& version : versions_of(report, *results.front())) {
      text += wrapped(version, 2);
    }
    for (const Regime regime : regimes) {
      const auto here = measured_in(regime, results);
      if (here.empty()) continue;
      text += formatted("\n  {}\n\n{}", title_of(regime), as_text(grid_of(here, regime), 2));
    }
    const auto notes = notes_of(results);
    if (!notes.empty()) text += '\n';
    for (const std::string& note : notes) text += wrapped(note, 2);
  }
  if (!text.empty()) text += '\n' + wrapped(std::string(legend), 0);
  for (const std::string& missing : missing_from(report)) text += missing + '\n';
  return text;
}

std::string peers_as_markdown(const Report& report) {
  std::string text;
  for (std::size_t device = 0; device < report.devices.size(); ++device) {
    const auto results = interleaved(report, device);
    if (results.empty()) continue;
    const bifold::DeviceInfo& info = report.devices[device].info;
    text += formatted("**{}, {}** (driver {}; bifold {}, {})\n\n", info.name, info.backend,
                      info.driver, report.library_version, report.time.substr(0, 10));
    for (const std::string& version : versions_of(report, *results.front())) {
      text += formatted("- {}\n", version);
    }
    for (const Regime regime : regimes) {
      const auto here = measured_in(regime, results);
      if (here.empty()) continue;
      text += formatted("\n{}\n\n{}", title_of(regime), as_markdown(grid_of(here, regime)));
    }
    const auto notes = notes_of(results);
    if (!notes.empty()) text += '\n';
    for (const std::string& note : notes) text += formatted("- {}\n", note);
    text += '\n';
  }
  if (!text.empty()) text += std::string(legend) + '\n';
  for (const std::string& missing : missing_from(report)) text += formatted("\n- {}", missing);
  if (!text.empty() && text.back() != '\n') text += '\n';
  return text;
}

}  // namespace bench
