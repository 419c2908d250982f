#include "support/fault_sweep.hpp"

#include <doctest/doctest.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <optional>
#include <span>
#include <stdexcept>

#include "support/messages.hpp"

namespace bifold::test {

namespace {

constexpr int count = 3000;

void demand(bool right, const char* what) {
  if (!right) throw std::logic_error(what);
}

/// How a run ended; "" where it ended as it may.
std::string end_of(Script& script, const Device& device) {
  try {
    script.run(device);
  } catch (const Error&) {
    return {};
  } catch (const std::exception& failure) {
    return failure.what();
  }
  return {};
}

/// The same for one in which nothing fails.
std::string fault_of(Script& script, const Device& device) {
  try {
    script.run(device);
  } catch (const std::exception& failure) {
    return failure.what();
  }
  return {};
}

class Sweep {
 public:
  explicit Sweep(const Faults& faults) : faults_(faults), live_(faults.live()) {}

  /// Runs the script with the kth call failing; false where that is beyond the last one.
  bool step(int k, std::optional<Device>& device, const std::function<Device()>& open) {
    const bool fresh = !device;
    const std::size_t logged = messages_.count();
    std::string end;
    faults_.arm(k);
    try {
      if (fresh) device.emplace(open());
      end = end_of(script_, *device);
    } catch (const Error&) {  // Of the opening.
    } catch (const std::exception& failure) {
      end = failure.what();
    }
    const std::string failed = faults_.disarm();
    INFO("call ", k, ", ", failed);
    CHECK(end == "");
    if (!device) device.emplace(open());
    CHECK(fault_of(script_, *device) == "");
    if (fresh) device.reset();
    const std::vector<long> live = faults_.live();
    if (messages_.count() == logged) CHECK(live == live_);
    live_ = live;
    return !failed.empty();
  }

  Script& script() { return script_; }
  void start_again() { live_ = faults_.live(); }

 private:
  const Faults& faults_;
  Script script_;
  Messages messages_{LogLevel::error};
  std::vector<long> live_;
};

}  // namespace

Script::Script() : input_(count), sums_(count), output_(count) {
  std::int32_t sum = 0;
  for (int i = 0; i < count; ++i) {
    input_[static_cast<std::size_t>(i)] = i % 13;
    sums_[static_cast<std::size_t>(i)] = sum += i % 13;
  }
}

void Script::run(const Device& device) {
  const auto same = [this](const std::vector<std::int32_t>& expected) {
    return output_ == expected;
  };
  Queue queue(device);
  const auto in = queue.upload(std::span<const std::int32_t>(input_));
  auto out = queue.allocate<std::int32_t>(count);
  demand(reduce(queue, in, plus, 0) == sums_.back(), "sum");
  Event done;
  inclusive_scan(queue, in, out, plus, ScanOptions{.done = &done});
  done.wait();
  queue.download(out, std::span(output_));
  demand(same(sums_), "scan");

  const Operator larger = Operator::user("larger", "a < b ? b : a", 0);
  Queue other(device);
  const std::array<Event, 1> recorded{queue.record()};
  other.wait_for(recorded);
  demand(reduce(other, in, larger, 0) == 12, "user");
  demand(argmax(other, in).index == 12, "argmax");

  auto copied = queue.allocate<std::int32_t>(count);
  queue.fill(out, 7);
  queue.copy(out, copied);
  demand(queue.download(copied).back() == 7, "copy");

  const ScanPlan plan(device, ScanShape{});
  auto memory = queue.allocate<std::uint8_t>(plan.workspace_bytes(count));
  Workspace workspace(memory.view());
  workspace.prepare(queue);
  plan.run(queue, in, out, {}, ScanOptions{.workspace = &workspace});
  queue.download(out, std::span(output_));
  demand(same(sums_), "plan");

  ScanAccumulation chunks(queue, ScanShape{}, {}, {.piece_bytes = 6000});
  chunks.feed(std::span<const std::int32_t>(input_), std::span(output_));
  demand(same(sums_), "chunks");
  queue.trim();
  queue.finish(std::chrono::hours(1));
}

int fault_stride(int otherwise) {
  const char* text = std::getenv("BIFOLD_TEST_FAULT_STRIDE");  // NOLINT(concurrency-mt-unsafe)
  return text != nullptr ? std::atoi(text) : otherwise;
}

int sweep_kept(const Faults& faults, const std::function<Device()>& open, int stride) {
  std::optional<Device> device(open());
  Sweep sweep(faults);
  sweep.script().run(*device);
  sweep.start_again();
  int k = 1;
  while (sweep.step(k, device, open)) k += stride;
  return k - 1;
}

int sweep_fresh(const Faults& faults, const std::function<Device()>& open, int stride) {
  Sweep sweep(faults);
  int k = 1;
  for (std::optional<Device> device; sweep.step(k, device, open); device.reset()) k += stride;
  return k - 1;
}

}  // namespace bifold::test
