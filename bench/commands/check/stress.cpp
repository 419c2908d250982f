#include "commands/check/stress.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <exception>
#include <optional>
#include <thread>
#include <vector>

#include "base/format.hpp"
#include "core/gallery/shape_tuning.hpp"
#include "core/plan/planning.hpp"
#include "core/probe/comparison.hpp"
#include "core/shape/plan_shape.hpp"
#include "data/host_data.hpp"
#include "measure/timing.hpp"

namespace bench {
namespace {

using bifold::ScanKind;
using bifold::gallery::Variant;
using Clock = std::chrono::steady_clock;

constexpr std::uint64_t slack = 8;
/// Runs between two looks at the result.
constexpr std::uint64_t batch = 12;
/// Fewer say nothing.
constexpr std::uint64_t fewest_runs = 4 * batch;

/// Hundreds of tiles, which a device has in flight at once; for groups that stay several for each,
/// as far as the host computes as many in a moment.
std::uint64_t longest_on(const bifold::Device& device, const Variant& row, bifold::Type type) {
  if (device.info().kind == bifold::DeviceKind::cpu) return 300'007;
  constexpr std::uint64_t hundreds = 3'000'017;
  constexpr std::uint64_t most = std::uint64_t{1} << 26;
  const bifold::core::PlanShape shape{type, type, type, ScanKind::inclusive, bifold::plus};
  const std::uint64_t groups =
      bifold::core::max_groups(device, bifold::core::tuning_for({device, shape}, row));
  const std::uint64_t tile = bifold::order_v1::scan_tile(bifold::size_of(type));
  return groups > most / tile ? hundreds : std::clamp(4 * groups * tile + 17, hundreds, most);
}

template <class T>
T element_at(std::uint64_t index, std::uint64_t seed) {
  const std::uint64_t word = random_word(index + seed);
  if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(static_cast<std::int64_t>(word >> 20) - (std::int64_t{1} << 43)) /
           static_cast<T>(1 << (word % 30));
  } else {
    return static_cast<T>(word >> 8);
  }
}

/// Elements, and what any scan of them has to give.
template <class T>
struct Data {
  static constexpr T init = static_cast<T>(41);

  Data(bifold::Queue& queue, const Variant& row, std::uint64_t n, std::uint64_t seed) {
    std::vector<T> elements(n);
    for (std::uint64_t i = 0; i < n; ++i) elements[i] = element_at<T>(i, seed);
    const auto add = [](T a, T b) {
      return bifold::reference::combine(bifold::OperatorKind::plus, a, b);
    };
    const auto wanted = expected_prefixes<T>(row, add, elements, init);
    input = queue.upload(std::span<const T>(elements));
    prefixes = queue.upload(std::span<const T>(wanted));
  }

  bifold::Buffer<T> input;
  bifold::Buffer<T> prefixes;
};

/// A queue whose runs alternate between two inputs, as words that an earlier run left behind would
/// be right on the same one.
template <class T>
class Stress {
 public:
  Stress(const bifold::Device& device, const Variant& row, std::uint64_t seed)
      : queue_(device),
        n_(longest_on(device, row, bifold::type_of<T>())),
        may_be_in_place_(device.capabilities().acquire_release),
        data_{Data<T>(queue_, row, n_, seed), Data<T>(queue_, row, n_, seed + n_)},
        inclusive_(device, row, bifold::type_of<T>(), bifold::plus, {}, ScanKind::inclusive),
        exclusive_(device, row, bifold::type_of<T>(), bifold::plus, {}, ScanKind::exclusive),
        output_(device, n_ + slack),
        memory_(device, std::max(inclusive_.workspace_bytes(n_), exclusive_.workspace_bytes(n_))),
        prepared_(memory_),
        comparison_(queue_, bifold::type_of<T>()) {
    prepared_.prepare(queue_);
  }

  /// Blocks. A batch of runs, which differ in every way in which calls do.
  void run_batch() {
    const std::uint64_t begin = runs_;
    for (; runs_ < begin + batch; ++runs_) enqueue();
    queue_.finish(wait_limit);
    const std::uint64_t wrong = comparison_.take();
    if (wrong == 0) return;
    problem_ = formatted("{}: {} elements wrong in the repeated runs {} to {} of up to {} elements",
                         bifold::name_of(bifold::type_of<T>()), wrong, begin, runs_ - 1, n_);
  }

  [[nodiscard]] std::uint64_t runs() const { return runs_; }
  [[nodiscard]] const std::string& problem() const { return problem_; }

 private:
  void enqueue() {
    Data<T>& data = data_[runs_ % 2];
    const bool exclusive = runs_ / 2 % 2 == 1;
    const bool in_place = may_be_in_place_ && runs_ % 5 < 2;
    const std::uint64_t longest = runs_ % 3 == 0 ? n_ : n_ / 7;
    const std::uint64_t count = longest - runs_ % 11;
    const auto output = output_.view(runs_ % 7 == 3 ? 1 + runs_ % slack : 0, count);
    const auto source = data.input.view(0, count);
    if (in_place) {
      queue_.copy(source, output);
    } else {
      queue_.fill(output, static_cast<T>(runs_));
    }
    const bool own_scratch = runs_ / batch % 2 == 0;
    (exclusive ? exclusive_ : inclusive_)
        .run(queue_, in_place ? bifold::ErasedView(output) : bifold::ErasedView(source), output,
             bifold::Value(Data<T>::init), own_scratch ? nullptr : &prepared_);
    comparison_.add(output, data.prefixes.view(exclusive ? 0 : 1, count));
  }

  bifold::Queue queue_;
  std::uint64_t n_;
  bool may_be_in_place_;
  std::array<Data<T>, 2> data_;
  RowPlan inclusive_;
  RowPlan exclusive_;
  bifold::Buffer<T> output_;
  bifold::Buffer<std::uint8_t> memory_;
  bifold::Workspace prepared_;
  bifold::core::Comparison comparison_;
  std::uint64_t runs_ = 0;
  std::string problem_;
};

template <class T>
void run_for(Stress<T>& stress, double seconds) {
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  const std::uint64_t least = stress.runs() + fewest_runs;
  while (stress.problem().empty() && (stress.runs() < least || Clock::now() < end)) {
    stress.run_batch();
  }
}

}  // namespace

template <class T>
StressOutcome stress(const bifold::Device& device, const Variant& row, double seconds) {
  Stress<T> one(device, row, 1);
  run_for(one, seconds / 2);
  if (!one.problem().empty()) return {one.runs(), one.problem()};
  Stress<T> other(device, row, 2);
  // Alone first: some drivers trip over a kernel whose first runs come from two queues.
  other.run_batch();
  std::exception_ptr failure;
  std::thread thread([&] {
    try {
      run_for(other, seconds / 2);
    } catch (...) {
      failure = std::current_exception();
    }
  });
  try {
    run_for(one, seconds / 2);
  } catch (...) {
    thread.join();
    throw;
  }
  thread.join();
  if (failure) std::rethrow_exception(failure);
  const std::string& problem = one.problem().empty() ? other.problem() : one.problem();
  return {one.runs() + other.runs(), problem.empty() ? "" : problem + ", with two queues at once"};
}

template StressOutcome stress<std::int32_t>(const bifold::Device&, const Variant&, double);
template StressOutcome stress<std::uint64_t>(const bifold::Device&, const Variant&, double);
template StressOutcome stress<float>(const bifold::Device&, const Variant&, double);

}  // namespace bench
