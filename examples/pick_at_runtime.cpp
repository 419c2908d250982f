// One program, every device: the same work on each device that each backend finds, and on the host
// in plain C++, with a digest of the bits that came out. Which backends there are is only known
// here, at run time; one that is absent says why. The input is the same on every machine, so that
// digests can be compared between machines, too.
#include <algorithm>
#include <array>
#include <bifold/bifold.hpp>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iomanip>
#include <iostream>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace {

// No multiple of any tile or group.
constexpr std::size_t count = (std::size_t{1} << 22) + 3;

struct Input {
  std::vector<std::int32_t> integers;
  std::vector<float> floats;
};

constexpr std::array<std::string_view, 6> tasks{
    "sum of i32, in i64", "inclusive scan of i32, in i64", "minimum of f32", "maximum of f32",
    "sum of f32",         "inclusive scan of f32"};

struct Outcome {
  std::uint64_t digest;  // Of the bits of the whole result.
  double last;           // The value, or a scan's last element.
  double seconds;        // Of the fastest call.
};
using Outcomes = std::array<Outcome, tasks.size()>;

// The tasks, in the order of the table.
template <class Executor>
Outcomes run(Executor& on, const Input& input) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  return {on.reduce(input.integers, bifold::plus, std::int64_t{0}),
          on.scan(input.integers, bifold::plus, std::int64_t{0}),
          on.reduce(input.floats, bifold::minimum, infinity),
          on.reduce(input.floats, bifold::maximum, -infinity),
          on.reduce(input.floats, bifold::plus, 0.0f),
          on.scan(input.floats, bifold::plus, 0.0f)};
}

// FNV-1a, a byte at a time.
template <class T>
std::uint64_t digest_of(std::span<const T> values) {
  std::uint64_t digest = 0xcbf29ce484222325;
  for (const std::byte byte : std::as_bytes(values)) {
    digest = (digest ^ std::to_integer<std::uint64_t>(byte)) * 0x100000001b3;
  }
  return digest;
}

// `call` computes and waits; it runs once more than it is timed, as the first call compiles.
template <class Call>
double fastest(Call call) {
  using Clock = std::chrono::steady_clock;
  call();
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 5; ++i) {
    const auto start = Clock::now();
    call();
    best = std::min(best, std::chrono::duration<double>(Clock::now() - start).count());
  }
  return best;
}

template <class T>
Outcome outcome_of(std::span<const T> result, double seconds) {
  return {digest_of(result), static_cast<double>(result.back()), seconds};
}

class OnDevice {
 public:
  explicit OnDevice(const bifold::Device& device) : queue_(device) {}

  template <class In, class Op, class Acc>
  Outcome reduce(const std::vector<In>& input, Op op, Acc init) {
    const auto in = queue_.upload(std::span(input));
    Acc result{};
    const double seconds = fastest([&] { result = bifold::reduce(queue_, in, op, init); });
    return outcome_of(std::span<const Acc>(&result, 1), seconds);
  }

  template <class In, class Op, class Acc>
  Outcome scan(const std::vector<In>& input, Op op, Acc init) {
    const auto in = queue_.upload(std::span(input));
    auto out = queue_.allocate<Acc>(input.size());
    const double seconds = fastest([&] {
      bifold::inclusive_scan(queue_, in, out, op, init);
      queue_.finish();
    });
    return outcome_of(std::span<const Acc>(queue_.download(out)), seconds);
  }

 private:
  bifold::Queue queue_;
};

// In plain C++, in the order that the devices keep to.
class OnHost {
 public:
  template <class In, bifold::OperatorKind Kind, class Acc>
  Outcome reduce(const std::vector<In>& input, bifold::BuiltinOperator<Kind>, Acc init) {
    Acc result{};
    const double seconds = fastest(
        [&] { result = bifold::reference::v1::reduce(Kind, std::span<const In>(input), init); });
    return outcome_of(std::span<const Acc>(&result, 1), seconds);
  }

  template <class In, bifold::OperatorKind Kind, class Acc>
  Outcome scan(const std::vector<In>& input, bifold::BuiltinOperator<Kind>, Acc init) {
    std::vector<Acc> out(input.size());
    const double seconds = fastest([&] {
      bifold::reference::v1::scan(bifold::ScanKind::inclusive, Kind, std::span<const In>(input),
                                  std::span(out), init);
    });
    return outcome_of(std::span<const Acc>(out), seconds);
  }
};

// From the generator's own numbers, as the standard library's distributions differ.
Input random_input() {
  std::mt19937 random(1);
  Input input{std::vector<std::int32_t>(count), std::vector<float>(count)};
  for (std::int32_t& x : input.integers) x = static_cast<std::int32_t>(random() % 2001) - 1000;
  for (float& x : input.floats) x = static_cast<float>(random() >> 8) * 0x1p-24f - 0.25f;
  return input;
}

void print(std::string_view where, const Outcomes& outcomes) {
  std::cout << '\n' << where << '\n';
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const auto& [digest, last, seconds] = outcomes[i];
    std::cout << "  " << std::left << std::setw(31) << tasks[i] << std::right << std::fixed
              << std::setprecision(3) << std::setw(9) << seconds * 1e3 << " ms" << std::defaultfloat
              << std::setprecision(9) << std::setw(14) << last << "  " << std::hex
              << std::setfill('0') << std::setw(16) << digest << std::dec << std::setfill(' ')
              << '\n';
  }
}

// Whether this device, or a driver it needs, is what is missing: the others go on without it.
bool is_left_out(bifold::ErrorCategory category) {
  return category == bifold::ErrorCategory::unavailable ||
         category == bifold::ErrorCategory::unsupported;
}

}  // namespace

// Ends with 0 when every result has the same bits everywhere, and with 1 when one has not.
int main() try {
  for (const bifold::BackendInfo& backend : bifold::backends()) {
    std::cout << backend.name << ": "
              << (backend.available ? backend.version : "absent: " + backend.reason) << '\n';
  }
  const std::vector<bifold::DeviceInfo> devices = bifold::devices();
  if (devices.empty()) {
    std::cout << "no device, so nothing to compare\n";
    return 77;  // Skipped.
  }

  const Input input = random_input();
  OnHost host;
  const Outcomes expected = run(host, input);
  print("host: one thread, in order v1", expected);

  int compared = 0;
  bool agree = true;
  for (const bifold::DeviceInfo& info : devices) {
    const std::string where = info.selector + ": " + info.name;
    try {
      OnDevice on(bifold::open_device(info.selector));
      const Outcomes outcomes = run(on, input);
      print(where, outcomes);
      ++compared;
      for (std::size_t i = 0; i < tasks.size(); ++i) {
        if (outcomes[i].digest == expected[i].digest) continue;
        std::cout << "  DIFFERS from the host: " << tasks[i] << '\n';
        agree = false;
      }
    } catch (const bifold::Error& error) {
      if (!is_left_out(error.category())) throw;
      std::cout << '\n' << where << "\n  left out: " << error.what() << '\n';
    }
  }
  if (compared == 0) return 77;  // Skipped: no device computes.

  std::cout << "\nOn the host and " << compared << " device(s), floating sums and scans included: "
            << (agree ? "the same bits.\n" : "DIFFERENT bits.\n");
  return agree ? 0 : 1;
} catch (const bifold::Error& error) {
  std::cerr << error.what() << '\n' << error.log();
  return 1;
}
