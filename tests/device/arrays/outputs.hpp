// Outputs of a call together, against calls with each alone.
#pragma once

#include <doctest/doctest.h>

#include <bifold/bifold.hpp>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "support/cases/affordable.hpp"
#include "support/environment.hpp"

namespace app {
/// x -> slope * x + shift.
struct Ramp {
  float slope;
  float shift;
};
struct Quad {
  float a;
  float b;
  std::uint32_t c;
  float d;
};
}  // namespace app
BIFOLD_STRUCT_NAMED(app::Ramp, Ramp, slope, shift);
BIFOLD_STRUCT_NAMED(app::Quad, Quad, a, b, c, d);

namespace bifold::test {

using app::Quad;
using app::Ramp;

/// Those of a line for each element, the first one applied first.
inline Operator lines_in_turn() {
  return Operator::user("lines_in_turn",
                        "make_Ramp(b.slope * a.slope, b.slope * a.shift + b.shift)",
                        Value(Ramp{1, 0}));
}
inline constexpr const char* to_line = "make_Ramp(x < 0.0f ? -0.5f : 0.75f, x)";

inline Operator line_sums() {
  return Operator::fieldwise(type_of<Ramp>(), std::vector<Operator>(2, Operator(plus)));
}

struct Wanted {
  Type type;
  const char* text;
};

/// Outputs of one, two, four and sixteen bytes.
inline std::vector<Wanted> four_widths() {
  return {{Type::u8, "s.shift < 0.0f ? 1u : 200u"},
          {Type::f16, "s.shift"},
          {Type::f32, "s.slope - s.shift"},
          {type_of<Quad>(), "make_Quad(s.slope, s.shift, 7u, -s.shift)"}};
}

inline std::vector<float> numbers(std::size_t count) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<float>(i * 31 % 17) - 8.25F;
  return values;
}

/// Memory of an output, with bytes around it that nobody may write.
class Target {
 public:
  static constexpr std::size_t around = 96;

  Target(Queue& queue, Type type, std::uint64_t count, std::uint64_t shift = 0)
      : queue_(queue), before_(around + shift * size_of(type)) {
    std::vector<std::uint8_t> bytes(before_ + count * size_of(type) + around);
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = other(i);
    memory_ = queue.upload(std::span<const std::uint8_t>(bytes));
    view_ = erase(memory_);
    view_.byte_offset += before_;
    view_.count = count;
    view_.type = type;
  }

  [[nodiscard]] const ErasedView& view() const noexcept { return view_; }
  /// The bytes of the output; the others have to be as they were.
  [[nodiscard]] std::vector<std::uint8_t> bytes() {
    const std::vector<std::uint8_t> all = queue_.download(memory_);
    const std::size_t end = before_ + view_.count * size_of(view_.type);
    std::size_t touched = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (i >= before_ && i < end) continue;
      if (all[i] != other(i)) ++touched;
    }
    CHECK(touched == 0);
    const auto at = [&](std::size_t i) { return all.begin() + static_cast<std::ptrdiff_t>(i); };
    return {at(before_), at(end)};
  }
  [[nodiscard]] bool untouched() {
    const std::vector<std::uint8_t> all = queue_.download(memory_);
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i] != other(i)) return false;
    }
    return true;
  }

 private:
  // The same behind the first element, wherever that lies.
  [[nodiscard]] std::uint8_t other(std::size_t i) const noexcept {
    return static_cast<std::uint8_t>((i - before_) * 7 + 1);
  }

  Queue& queue_;
  std::size_t before_;
  Buffer<std::uint8_t> memory_;
  ErasedView view_;
};

template <class Options>
using Call = std::function<void(const ErasedView& to, const Options& options)>;

/// The call with all outputs at once, each shifted by another number of elements, against calls
/// with each alone.
template <class Options>
void check(Queue& queue, const std::vector<Wanted>& wanted, std::uint64_t count,
           const Options& options, const Call<Options>& call) {
  std::vector<Target> together;
  together.reserve(wanted.size());
  Options all = options;
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    together.emplace_back(queue, wanted[k].type, count, 1 + 2 * k);
    if (k > 0) all.more_outputs.push_back({together[k].view(), wanted[k].text});
  }
  all.result_map = wanted[0].text;
  call(together[0].view(), all);
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    CAPTURE(wanted[k].text);
    Target alone(queue, wanted[k].type, count);
    Options one = options;
    one.result_map = wanted[k].text;
    // One row for all: others give the same bits by other kernels.
    call(alone.view(), one);
    CHECK(together[k].bytes() == alone.bytes());
  }
}

inline std::vector<Wanted> first_of(std::size_t count) {
  auto wanted = four_widths();
  wanted.resize(count);
  return wanted;
}

inline std::vector<std::size_t> lengths() {
  if (test::simulated()) return {1, 33, 1000, 4097};
  return {1, 2, 33, 1000, 4095, 4097, 70'001};
}

}  // namespace bifold::test
