#include "commands/tune/search.hpp"

#include <algorithm>
#include <cstddef>
#include <random>
#include <span>
#include <thread>
#include <utility>

#include "base/format.hpp"
#include "core/gallery/shape_tuning.hpp"
#include "core/sequences/order_leaves.hpp"
#include "core/shape/layout.hpp"
#include "data/host_data.hpp"
#include "data/structs.hpp"
#include "measure/limits.hpp"

namespace bench {

using bifold::core::Tuning;

namespace {

/// Turns of a first look at candidates, of a second one at the best of them, and of the last one
/// that decides, in which the built-in values take part twice.
constexpr unsigned first_turns = 3;
constexpr unsigned second_turns = 7;
constexpr unsigned last_turns = 15;
constexpr unsigned fewest_last_turns = 6;
/// Candidates that get a second look, and the gain that makes one worth it.
constexpr std::size_t second_lookers = 3;
constexpr double promising = 0.005;
/// Of a unit's time, what the first looks may take.
constexpr double share_of_looks = 0.7;

constexpr std::uint64_t word_bytes = 8;

/// Whether a value of the parameter can matter to the unit on this device.
bool matters(const bifold::Device& device, const TuneUnit& unit,
             bifold::core::TuningMember parameter, std::uint32_t value) {
  if (parameter == &Tuning::at_least_mib) return false;  // A matter of two rows.
  if (parameter == &Tuning::group_size) {
    return value >= device.capabilities().subgroup_width &&
           value <= device.capabilities().max_group_size;
  }
  if (parameter == &Tuning::low_occupancy_max_mib) {
    // Bytes in words have that kernel as far as the one for long inputs, by another parameter.
    return bifold::core::has_quick_leaves({device, unit.shape}) &&
           !bifold::core::combines_bytes({device, unit.shape});
  }
  // A ring looks back in two ways, and these belong to one of them.
  const bool of_groups = parameter == &Tuning::lookback_distance_tiles ||
                         parameter == &Tuning::lookback_distance_groups ||
                         parameter == &Tuning::group_polls;
  return !of_groups || layout_of(unit.shape, device.capabilities()).looks_back_by_groups;
}

/// Those of `values` that differ from the other ones.
Tuning differing(const Tuning& values, const Tuning& from) {
  Tuning result;
  for (const auto& parameter : bifold::core::parameters()) {
    const Tuning::Value& value = values.*parameter.member;
    if (value != from.*parameter.member) result.*parameter.member = value;
  }
  return result;
}

}  // namespace

struct TuneBench::Candidate {
  Tuning values;  ///< All of the row's.
  std::unique_ptr<const TunePlan> plan;
  double gain = 0;
};

/// Of one unit: from the best values so far, one parameter is changed at a time.
class TuneBench::Search {
 public:
  Search(TuneBench& bench, const TuneUnit& unit, const std::vector<std::uint64_t>& sizes,
         TuneLine& line)
      : bench_(bench),
        unit_(unit),
        inputs_(tune_inputs(unit, sizes)),
        line_(line),
        built_in_{bifold::core::built_in_tuning({bench.device_, unit.shape}, *unit.row), nullptr},
        random_(static_cast<unsigned>(data_seed)) {
    built_in_.plan = std::make_unique<const TunePlan>(bench.device_, unit, built_in_.values);
    for (const auto& parameter : bifold::core::tuning_space(*unit.row)) {
      line.built_in.*parameter.member = built_in_.values.*parameter.member;
    }
    seen_.push_back(built_in_.values);
  }

  void run(Clock::time_point deadline, const std::function<bool()>& stopped) {
    const auto start = Clock::now();
    const auto looks_until =
        start + std::chrono::duration_cast<Clock::duration>((deadline - start) * share_of_looks);
    do {
      std::vector<Candidate> candidates = next();
      if (candidates.empty()) break;
      look_at(candidates, first_turns);
      for (Candidate& candidate : candidates) known_.push_back(std::move(candidate));
      sort_known();
    } while (Clock::now() < looks_until && !stopped());
    std::erase_if(known_, [](const Candidate& c) { return c.gain < promising; });
    if (known_.empty() || stopped()) return;
    const auto second_look = Clock::now();
    look_at(known_, second_turns);
    if (known_.empty()) return;
    sort_known();
    // Three plans take part; a turn of one took about this long.
    const std::chrono::duration<double> spent = Clock::now() - second_look;
    const std::chrono::duration<double> left = deadline - Clock::now();
    const double turn = spent.count() / (second_turns * static_cast<double>(known_.size() + 1));
    const double turns = left.count() / (3 * turn);
    decide(known_.front(),
           static_cast<unsigned>(std::clamp<double>(turns, fewest_last_turns, last_turns)));
  }

 private:
  /// Candidates near the best values so far, as many as are compiled at once; none where all were
  /// tried.
  std::vector<Candidate> next() {
    const std::size_t at_once = std::clamp(std::thread::hardware_concurrency(), 2U, 16U);
    for (;;) {
      std::vector<Tuning> untried;
      if (!known_.empty() && known_.front().gain > promising) {
        untried = neighbours(known_.front().values);
      }
      if (untried.empty()) untried = neighbours(built_in_.values);
      if (untried.empty()) return {};
      std::shuffle(untried.begin(), untried.end(), random_);
      untried.resize(std::min(untried.size(), at_once));
      if (std::vector<Candidate> built = build(std::move(untried)); !built.empty()) return built;
    }
  }

  /// Untried values that differ from these in one parameter.
  std::vector<Tuning> neighbours(const Tuning& from) {
    std::vector<Tuning> all;
    for (const auto& parameter : bifold::core::tuning_space(*unit_.row)) {
      for (const std::uint32_t value : parameter.values) {
        if (!matters(bench_.device_, unit_, parameter.member, value)) continue;
        Tuning values = from;
        values.*parameter.member = value;
        if (std::find(seen_.begin(), seen_.end(), values) != seen_.end()) continue;
        all.push_back(values);
      }
    }
    return all;
  }

  /// Their plans, compiled by several threads; those that do not compile are left out.
  std::vector<Candidate> build(std::vector<Tuning> tunings) {
    seen_.insert(seen_.end(), tunings.begin(), tunings.end());
    std::vector<Candidate> candidates(tunings.size());
    {
      std::vector<std::jthread> threads;
      for (std::size_t i = 0; i < tunings.size(); ++i) {
        candidates[i].values = tunings[i];
        threads.emplace_back([this, &candidate = candidates[i]] {
          try {
            candidate.plan =
                std::make_unique<const TunePlan>(bench_.device_, unit_, candidate.values);
          } catch (const std::exception&) {
            candidate.plan = nullptr;  // Too much for the device, which is an answer, too.
          }
        });
      }
    }
    std::erase_if(candidates, [](const Candidate& c) { return c.plan == nullptr; });
    return candidates;
  }

  /// Verifies the candidates at every size, and measures their gains.
  void look_at(std::vector<Candidate>& candidates, unsigned turns) {
    std::erase_if(candidates, [this](const Candidate& c) { return !verified(c); });
    if (candidates.empty()) return;
    std::vector<const TunePlan*> plans{built_in_.plan.get()};
    for (const Candidate& candidate : candidates) plans.push_back(candidate.plan.get());
    std::vector<std::vector<double>> speedups(candidates.size());
    for (const TuneInput& input : inputs_) {
      const Samples samples = bench_.measure(unit_, plans, input, turns);
      for (std::size_t i = 0; i < candidates.size(); ++i) {
        speedups[i].push_back(speedup(samples[0], samples[i + 1]));
      }
    }
    for (std::size_t i = 0; i < candidates.size(); ++i) candidates[i].gain = mean_gain(speedups[i]);
    if (turns == first_turns) line_.tried += static_cast<unsigned>(candidates.size());
  }

  bool verified(const Candidate& candidate) {
    try {
      for (const TuneInput& input : inputs_) {
        if (bench_.same(unit_, *built_in_.plan, *candidate.plan, input)) continue;
        line_.problem = formatted(
            "WRONG with {} at n = {}",
            bifold::core::text_of(differing(candidate.values, built_in_.values)), input.n);
        return false;
      }
      return true;
    } catch (const bifold::Error& error) {
      if (device_loss(error) != nullptr) throw;
      return false;  // It does not fit the device.
    }
  }

  void sort_known() {
    std::stable_sort(known_.begin(), known_.end(),
                     [](const Candidate& a, const Candidate& b) { return a.gain > b.gain; });
    if (known_.size() > second_lookers) known_.resize(second_lookers);
  }

  /// By samples of its own: what has been picked as the best of many owes a part of its gain to
  /// chance.
  void decide(const Candidate& candidate, unsigned turns) {
    std::vector<Samples> sizes;
    sizes.reserve(inputs_.size());
    for (const TuneInput& input : inputs_) {
      sizes.push_back(bench_.measure(
          unit_, {built_in_.plan.get(), built_in_.plan.get(), candidate.plan.get()}, input, turns));
    }
    line_.compared = compared_in_turns(sizes);
    line_.best = differing(candidate.values, built_in_.values);
    if (line_.compared.better()) line_.chosen = line_.best;
  }

  TuneBench& bench_;
  const TuneUnit& unit_;
  std::vector<TuneInput> inputs_;
  TuneLine& line_;
  Candidate built_in_;
  std::vector<Candidate> known_;  ///< Best first.
  std::vector<Tuning> seen_;
  std::mt19937 random_;
};

TuneBench::TuneBench(const bifold::Device& device, bifold::Type type, std::uint64_t bytes)
    : device_(device),
      type_(type),
      queue_(device),
      bytes_((bytes + word_bytes - 1) / word_bytes * word_bytes),
      input_(device, bytes_),
      expected_(device, bytes_),
      output_(device, bytes_),
      comparison_(queue_, bifold::Type::u64) {
  // A period of data is uploaded, and doubled on the device.
  constexpr std::uint64_t period = 1'000'003;
  const bifold::Type part = field_type(type);
  const std::uint64_t count = std::min(period, bytes / bifold::size_of(part));
  const HostData data(part, bifold::plus, count);
  const std::uint64_t used = count * bifold::size_of(part);
  queue_.upload(std::span(reinterpret_cast<const std::uint8_t*>(data.input()), used),
                input_.view(0, used));
  for (std::uint64_t filled = used; filled < bytes; filled += std::min(filled, bytes - filled)) {
    const std::uint64_t more = std::min(filled, bytes - filled);
    queue_.copy(bifold::View<const std::uint8_t>(input_.view(0, more)), input_.view(filled, more));
  }
}

bifold::ErasedView TuneBench::view(bifold::Buffer<std::uint8_t>& buffer,
                                   std::uint64_t count) const {
  bifold::ErasedView view = buffer.view();
  view.type = type_;
  view.count = count;
  return view;
}

bool TuneBench::same(const TuneUnit& unit, const TunePlan& left, const TunePlan& right,
                     const TuneInput& input) {
  const std::uint64_t results = input.results(unit.row->algorithm);
  const std::uint64_t bytes = results * bifold::size_of(type_);
  // What lies behind the results in their last word is the same in both.
  const auto words = [bytes](bifold::Buffer<std::uint8_t>& buffer) {
    bifold::ErasedView view = buffer.view();
    view.type = bifold::Type::u64;
    view.count = (bytes + word_bytes - 1) / word_bytes;
    return view;
  };
  queue_.fill(words(expected_), std::uint64_t{0x5a5a5a5a5a5a5a5a});
  queue_.fill(words(output_), std::uint64_t{0x5a5a5a5a5a5a5a5a});
  left.run(queue_, view(input_, input.n), view(expected_, results), input.lines);
  right.run(queue_, view(input_, input.n), view(output_, results), input.lines);
  comparison_.add(words(expected_), words(output_));
  queue_.finish(wait_limit);
  return comparison_.take() == 0;
}

Samples TuneBench::measure(const TuneUnit& unit, const std::vector<const TunePlan*>& plans,
                           const TuneInput& of, unsigned turns) {
  const bifold::ErasedView input = view(input_, of.n);
  const bifold::ErasedView output = view(output_, of.results(unit.row->algorithm));
  std::vector<std::function<void()>> calls;
  calls.reserve(plans.size());
  for (const TunePlan* plan : plans) {
    calls.emplace_back(
        [this, plan, input, output, lines = of.lines] { plan->run(queue_, input, output, lines); });
  }
  return measure_in_turns(queue_, turns, calls);
}

TuneLine TuneBench::tune(const TuneUnit& unit, const std::vector<std::uint64_t>& sizes,
                         Clock::time_point deadline, const std::function<bool()>& stopped) {
  TuneLine line{unit, {}, {}};
  try {
    Search(*this, unit, sizes, line).run(deadline, stopped);
  } catch (const bifold::Error& error) {
    if (device_loss(error) != nullptr) throw;
    line.problem = one_line(error.what());
  }
  return line;
}

TuneLine TuneBench::switch_point(const TuneLine& small, const TuneLine& large) {
  TuneLine line{large.unit, {}, {}};
  line.built_in.at_least_mib = large.built_in.at_least_mib;
  try {
    find_switch_point(small, large, line);
  } catch (const bifold::Error& error) {
    if (device_loss(error) != nullptr) throw;
    line.problem = one_line(error.what());
  }
  return line;
}

void TuneBench::find_switch_point(const TuneLine& small, const TuneLine& large, TuneLine& line) {
  namespace core = bifold::core;
  const std::uint32_t built_in = line.built_in.at_least_mib.value();
  const auto space = core::tuning_space(*large.unit.row);
  const auto parameter = std::find_if(
      space.begin(), space.end(),
      [](const core::TuningParameter& p) { return p.member == &Tuning::at_least_mib; });
  const auto plan_of = [this](const TuneLine& of) {
    const Tuning built_in_values = core::built_in_tuning({device_, of.unit.shape}, *of.unit.row);
    return TunePlan(device_, of.unit, core::changed(built_in_values, of.chosen));
  };
  const TunePlan before = plan_of(small);
  const TunePlan behind = plan_of(large);
  std::vector<Place> places;
  for (const std::uint32_t mib : parameter->values) {
    const std::uint64_t bytes = std::uint64_t{mib} << 20;
    if (bytes > bytes_) break;
    const std::uint64_t n = bytes / bifold::size_of(type_) - 7;
    if (!same(large.unit, before, behind, {n})) {
      line.problem = formatted("WRONG at n = {}", n);
      return;
    }
    places.push_back({mib, compared_in_turns({measure(large.unit, {&before, &before, &behind}, {n},
                                                      last_turns)})});
  }
  const SwitchPoint point = switch_point_of(places, built_in);
  line.tried = static_cast<unsigned>(places.size());
  if (point.mib == built_in) return;
  line.compared = point.compared;
  line.best.at_least_mib = point.mib;
  if (point.compared.better()) line.chosen = line.best;
}

}  // namespace bench
