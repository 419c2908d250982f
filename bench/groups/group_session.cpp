#include "groups/group_session.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <numeric>
#include <type_traits>
#include <utility>

#include "base/format.hpp"
#include "base/usage_error.hpp"
#include "core/group/group_state.hpp"
#include "data/digest.hpp"
#include "data/host_data.hpp"
#include "groups/slice_sums.hpp"
#include "measure/arena.hpp"
#include "measure/timing.hpp"

namespace bench {
namespace {

using Clock = std::chrono::steady_clock;

/// What one process tells the others of a rank.
struct RankPlace {
  std::uint32_t host = 0;
  std::array<char, 60> selector{};  ///< Ends with a zero, as the name.
  std::array<char, 128> name{};
};

template <std::size_t N>
void copy_text(const std::string& text, std::array<char, N>& to) {
  text.copy(to.data(), N - 1);
}

/// Whether `found` is a sum of those values in any order.
bool is_sum_of(const bifold::Value& found, const std::vector<bifold::Value>& values) {
  return bifold::visit_scalar_type(found.type(), [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_integral_v<T>) {
      std::uint64_t sum = 0;
      for (const bifold::Value& value : values) sum += static_cast<std::uint64_t>(value.as<T>());
      return static_cast<T>(sum) == found.as<T>();
    } else if constexpr (std::is_floating_point_v<T>) {
      long double sum = 0;
      long double magnitudes = 0;
      for (const bifold::Value& value : values) {
        sum += value.as<T>();
        magnitudes += std::abs(value.as<T>());
      }
      const auto error = std::numeric_limits<T>::epsilon() * static_cast<T>(values.size());
      return std::abs(found.as<T>() - sum) <= error * magnitudes;
    } else {
      return false;
    }
  });
}

}  // namespace

GroupSession::GroupSession(const RunOptions& options, const Processes& processes)
    : processes_(processes), in_process_(!options.ranks), budget_(options.budget) {
  std::vector<std::string> mine = options.group;
  if (options.ranks) mine = {options.group[processes.rank_on_host() % options.group.size()]};
  try {
    in_all(processes, [&] {
      for (const std::string& selector : mine) {
        const bifold::Device device = bifold::open_device(selector);
        const auto at = static_cast<std::uint32_t>(locals_.size());
        locals_.push_back({processes.rank() + at, device, bifold::Queue(device)});
      }
      return 0;
    });
  } catch (const bifold::Error& error) {
    throw UsageError(formatted("--devices: {}", one_line(error.what())));
  }
  std::vector<RankPlace> places(mine.size());
  for (std::size_t i = 0; i < mine.size(); ++i) {
    const bifold::DeviceInfo& info = locals_[i].device.info();
    places[i].host = processes.host();
    copy_text(info.selector, places[i].selector);
    copy_text(info.name, places[i].name);
  }
  std::vector<RankPlace> all(mine.size() * processes.size());
  processes.gather(std::as_bytes(std::span(places)), std::as_writable_bytes(std::span(all)));
  for (const RankPlace& place : all) {
    RankReport& rank = ranks_.emplace_back();
    rank.host = place.host;
    rank.selector = place.selector.data();
    rank.device_name = place.name.data();
  }
}

std::vector<std::uint32_t> GroupSession::rank_counts() const {
  std::vector<std::uint32_t> counts;
  for (std::uint32_t count = 1; count < ranks_.size(); count *= 2) counts.push_back(count);
  counts.push_back(static_cast<std::uint32_t>(ranks_.size()));
  return counts;
}

std::vector<RankReport> GroupSession::ranks(std::uint32_t count) const {
  return {ranks_.begin(), ranks_.begin() + count};
}

std::vector<DeviceReport> GroupSession::devices() const {
  std::vector<DeviceReport> devices;
  for (const LocalRank& local : locals_) {
    DeviceReport report;
    report.info = local.device.info();
    if (std::ranges::any_of(devices, [&](const DeviceReport& known) {
          return known.info.selector == report.info.selector;
        })) {
      continue;
    }
    report.capabilities = local.device.capabilities();
    report.kernels = local.device.cache_statistics();
    report.facts = facts_of(local.device);
    devices.push_back(std::move(report));
  }
  return devices;
}

GroupSession::Members& GroupSession::members(std::uint32_t ranks) {
  const auto known = members_.find(ranks);
  if (known != members_.end()) return known->second;
  Members& members = members_[ranks];
  std::shared_ptr<bifold::Transport> transport;
  if (in_process_) {
    transport = bifold::Group::in_process(ranks).state().transport;
  } else {
    members.team = processes_.team(ranks);
    if (members.team) transport = members.team->transport();
  }
  if (!transport) return members;
  members.transport = std::make_shared<TimedTransport>(std::move(transport));
  bifold::GroupOptions options;
  options.deadline = wait_limit;
  members.group.emplace(members.transport, options);
  return members;
}

std::vector<GroupPart> GroupSession::parts(const GroupResult& result) {
  std::vector<GroupPart> parts;
  std::uint64_t first = 0;
  for (std::uint32_t rank = 0; rank < result.ranks.size(); ++rank) {
    const std::uint64_t count = result.ranks[rank].elements;
    for (LocalRank& local : locals_) {
      if (local.rank == rank) parts.push_back({&local, first, count});
    }
    first += count;
  }
  return parts;
}

void GroupSession::check_room(const GroupResult& result) {
  const Configuration& what = result.what;
  const std::uint64_t buffers = what.algorithm == bifold::Algorithm::scan ? 2 : 1;
  std::map<std::string, std::uint64_t> needed;
  for (const GroupPart& part : parts(result)) {
    const bifold::Device& device = part.local->device;
    const auto refuse = [](const std::string& why) {
      throw bifold::Error(bifold::ErrorCategory::unsupported, why);
    };
    if (!can_combine(what.type, what.op)) {
      refuse(formatted("{} is not defined on {}", what.op.name(), bifold::name_of(what.type)));
    }
    if (!device.supports(what.type)) {
      refuse(formatted("the device has no {}", bifold::name_of(what.type)));
    }
    const bifold::Capabilities& has = device.capabilities();
    const std::uint64_t count = part.local->rank == 0 ? what.n : part.count;
    const std::uint64_t bytes = count * bifold::size_of(what.type);
    std::uint64_t& all = needed[device.info().selector];
    all += buffers * bytes;
    if (bytes > has.max_allocation_bytes || all > has.global_bytes / 2) {
      throw bifold::Error(
          bifold::ErrorCategory::out_of_memory,
          formatted("needs {} x {}{}", buffers, bytes_text(bytes),
                    part.local->rank == 0 ? ": one device has to have the whole array, too"
                                          : ", more than half of the device's memory"));
    }
  }
}

void GroupSession::load(const GroupResult& result) {
  const Configuration& what = result.what;
  for (LocalRank& local : locals_) {
    local.input = {};
    local.output = {};
  }
  for (const GroupPart& part : parts(result)) {
    LocalRank& local = *part.local;
    const std::uint64_t count = local.rank == 0 ? what.n : part.count;
    const std::uint64_t size = bifold::size_of(what.type);
    const std::uint64_t bytes = std::max<std::uint64_t>(count, 1) * size;
    local.input = bifold::Buffer<std::uint8_t>(local.device, bytes);
    if (what.algorithm == bifold::Algorithm::scan) {
      local.output = bifold::Buffer<std::uint8_t>(local.device, bytes);
    }
    std::vector<std::byte> host;
    for (std::uint64_t at = 0; at < count;) {
      const std::uint64_t some = std::min(count - at, verifier_bytes / size);
      host.resize(some * size);
      fill_elements(what.type, what.op, what.data, part.first + at, host);
      local.queue.upload_bytes(elements_of(local.input, what.type, at, some), host.data(), some);
      at += some;
    }
  }
}

void GroupSession::verify(GroupResult& result, GroupCalls& calls) {
  const Configuration& what = result.what;
  std::optional<std::string> wrong;
  result.whole_digest = in_all(processes_, [&]() -> std::uint64_t {
                          if (processes_.rank() != 0) return 0;
                          LocalRank& first = locals_.front();
                          calls.spoil(first, what.n);
                          const bifold::Value value = calls.alone(first, what.n);
                          if (const auto mismatch = calls.mismatch(first, value)) {
                            wrong = "one device: " + describe(*mismatch);
                          }
                          return calls.digest(first, 0, what.n, value);
                        }).front();
  const auto digests = in_all(processes_, [&] {
    std::uint64_t sum = 0;
    for (const GroupPart& part : calls.parts()) calls.spoil(*part.local, part.count);
    if (calls.parts().empty()) return sum;
    const bifold::Value value = calls.together();
    for (const GroupPart& part : calls.parts()) {
      const std::uint64_t digest = calls.digest(*part.local, part.first, part.count, value);
      sum = calls.scans() ? sum + digest : digest;
    }
    return sum;
  });
  const std::size_t with_ranks = in_process_ ? 1 : result.ranks.size();
  result.digest = digests.front();
  for (std::size_t i = 1; i < with_ranks; ++i) {
    if (calls.scans()) {
      *result.digest += digests[i];
    } else if (digests[i] != digests.front()) {
      wrong = formatted("rank {} has another result than rank 0", i);
    }
  }
  if (!wrong && result.digest != result.whole_digest) {
    wrong = formatted("other bits than one device's: digest {}, expected {}",
                      digest_text(*result.digest), digest_text(*result.whole_digest));
  }
  if (first_says(processes_, !wrong)) return;
  result.outcome = Outcome::wrong;
  result.reason = wrong.value_or("rank 0 has a wrong result");
}

void GroupSession::time(GroupResult& result, GroupCalls& calls, Members& members) {
  // How long the transport takes in each sample of the group's call.
  std::vector<TimedTransport::Spent> spent;
  const auto timed = [this](const std::function<double(std::uint64_t)>& here) {
    return Stopwatch([this, here](std::uint64_t count) {
      const auto seconds = numbers_in_all(processes_, [&] { return here(count); });
      return std::ranges::max(seconds);
    });
  };
  const auto repeated = [](std::uint64_t count, const auto& call) {
    const auto start = Clock::now();
    for (std::uint64_t i = 0; i < count; ++i) call();
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  std::vector<Stopwatch> contenders{timed([&](std::uint64_t count) {
    if (calls.parts().empty()) return 0.0;
    static_cast<void>(members.transport->spent());
    const double seconds = repeated(count, [&] { calls.together(); });
    TimedTransport::Spent all = members.transport->spent();
    all.seconds /= static_cast<double>(count);
    all.calls /= count;
    all.bytes /= count;
    spent.push_back(all);
    return seconds;
  })};
  for (std::uint32_t rank = 0; rank < result.ranks.size(); ++rank) {
    contenders.push_back(timed([&, rank](std::uint64_t count) {
      for (const GroupPart& part : calls.parts()) {
        if (part.local->rank != rank) continue;
        return repeated(count, [&] { calls.alone(*part.local, part.count); });
      }
      return 0.0;
    }));
  }
  contenders.push_back(timed([&](std::uint64_t count) {
    if (processes_.rank() != 0) return 0.0;
    return repeated(count, [&] { calls.alone(locals_.front(), result.what.n); });
  }));
  std::vector<SliceSums> sums = SliceSums::all(processes_, result.what, calls, members.team.get());
  std::erase_if(sums, [&](SliceSums& one) { return !adds_up(result, calls, one); });
  for (SliceSums& one : sums) {
    contenders.push_back(timed([&](std::uint64_t count) {
      if (calls.parts().empty()) return 0.0;
      return repeated(count, [&] { one.added_up(); });
    }));
  }
  const Agreement agreed = [this](bool mine) { return first_says(processes_, mine); };
  const auto timings = measure_in_turn(budget_, Batches::long_enough, contenders, agreed);
  result.timing = timings.front();
  for (std::size_t rank = 0; rank < result.ranks.size(); ++rank) {
    result.ranks[rank].slice = timings[rank + 1];
  }
  result.whole = timings[result.ranks.size() + 1];
  std::size_t at = result.ranks.size() + 2;
  for (GroupPeer& peer : result.peers) {
    if (peer.outcome == Outcome::timed) peer.timing = timings[at++];
  }

  // Those before were to warm up.
  std::vector<double> exchanges;
  for (std::size_t i = spent.size() - std::min<std::size_t>(spent.size(), result.timing.samples);
       i < spent.size(); ++i) {
    exchanges.push_back(spent[i].seconds);
  }
  const auto seconds =
      numbers_in_all(processes_, [&] { return exchanges.empty() ? 0.0 : median_of(exchanges); });
  for (std::size_t rank = 0; rank < result.ranks.size(); ++rank) {
    result.ranks[rank].exchange_s = in_process_ ? seconds.front() : seconds[rank];
  }
  const TimedTransport::Spent last = spent.empty() ? TimedTransport::Spent{} : spent.back();
  const auto bytes = in_all(processes_, [&] { return last.bytes; });
  result.sent_bytes = std::accumulate(bytes.begin(), bytes.end(), std::uint64_t{0});
  result.transport_calls = in_all(processes_, [&] { return last.calls; }).front();
  result.outcome = Outcome::timed;
}

bool GroupSession::adds_up(GroupResult& result, GroupCalls& calls, SliceSums& slices) {
  const Configuration& what = result.what;
  GroupPeer& peer = result.peers.emplace_back();
  peer.name = slices.name();
  const auto word_of = [](const bifold::Value& value) {
    std::uint64_t word = 0;
    std::memcpy(&word, value.data(), std::min(value.size(), sizeof word));
    return word;
  };
  const auto value_of = [&what](std::uint64_t word) {
    return bifold::Value::from_bytes(what.type, &word);
  };
  const auto owns = in_all(processes_, [&]() -> std::uint64_t {
    if (calls.parts().empty()) return 0;
    return word_of(slices.own());
  });
  const auto sums = in_all(processes_, [&]() -> std::uint64_t {
    if (calls.parts().empty()) return 0;
    return word_of(slices.added_up());
  });
  std::vector<bifold::Value> values;
  for (std::size_t rank = 0; rank < result.ranks.size(); ++rank) {
    values.push_back(value_of(owns[rank]));
  }
  const bifold::Value sum = value_of(sums.front());
  peer.same_bits = digest_of(sum) == result.whole_digest;
  peer.outcome = is_sum_of(sum, values) ? Outcome::timed : Outcome::wrong;
  if (peer.outcome == Outcome::wrong) peer.reason = "no sum of the slices' sums";
  return peer.outcome == Outcome::timed;
}

void GroupSession::run(GroupResult& result) {
  if (!lost_.empty()) {
    result.reason = lost_;
    return;
  }
  const std::uint64_t ranks = result.ranks.size();
  for (std::uint64_t rank = 0; rank < ranks; ++rank) {
    const std::uint64_t n = result.what.n;
    // n * rank may have more than 64 bits.
    const auto begin = [&](std::uint64_t of) { return n / ranks * of + n % ranks * of / ranks; };
    result.ranks[rank].elements = begin(rank + 1) - begin(rank);
  }
  try {
    in_all(processes_, [&] {
      check_room(result);
      load(result);
      return 0;
    });
    Members& members = this->members(static_cast<std::uint32_t>(ranks));
    bifold::Group* const group = members.group ? &*members.group : nullptr;
    GroupCalls calls(result.what, parts(result), group);
    verify(result, calls);
    if (result.outcome != Outcome::wrong) time(result, calls, members);
  } catch (const bifold::Error& error) {
    result.reason = one_line(error.what());
    const bool room = error.category() == bifold::ErrorCategory::unsupported ||
                      error.category() == bifold::ErrorCategory::out_of_memory;
    result.outcome = room ? Outcome::skipped : Outcome::failed;
    if (!room) lost_ = "an earlier configuration failed";
  }
}

}  // namespace bench
