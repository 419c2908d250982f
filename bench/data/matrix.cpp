#include "data/matrix.hpp"

#include <algorithm>
#include <bifold/reference/v1.hpp>
#include <cstring>
#include <span>
#include <thread>
#include <type_traits>

#include "base/format.hpp"

namespace bench {
namespace {

namespace reference = bifold::reference;

/// Some of the lines, from a matrix in memory to outputs in memory.
template <class T>
class LineByLine {
 public:
  using Acc = bifold::accumulator_t<T>;

  LineByLine(const T* input, T* outputs, const MatrixCall& call, bool rounds)
      : input_(input), outputs_(outputs), call_(call), rounds_(rounds) {}

  void operator()(std::uint64_t first, std::uint64_t end) {
    const bifold::Lines lines = call_.matrix.lines();
    std::vector<T> line(static_cast<std::size_t>(lines.length));
    for (std::uint64_t number = first; number < end; ++number) {
      const auto start =
          static_cast<std::size_t>(call_.matrix.axis == 0 ? number : number * lines.length);
      const auto step = static_cast<std::size_t>(lines.stride);
      for (std::size_t k = 0; k < line.size(); ++k) line[k] = input_[start + k * step];
      if (!call_.scan) {
        outputs_[number] = static_cast<T>(reduced(line));
        continue;
      }
      scan(line);
      for (std::size_t k = 0; k < line.size(); ++k) outputs_[start + k * step] = line[k];
    }
  }

 private:
  [[nodiscard]] Acc combine(Acc a, Acc b) const { return reference::combine(call_.op, a, b); }
  [[nodiscard]] Acc lift(T x) const { return reference::lift<Acc>(call_.op, x); }

  [[nodiscard]] Acc reduced(const std::vector<T>& line) const {
    if (rounds_) {
      return reference::v1::reduce<Acc>(
          std::span<const T>(line), [this](T x) { return lift(x); },
          [this](Acc a, Acc b) { return combine(a, b); });
    }
    Acc sum = lift(line.front());
    for (std::size_t k = 1; k < line.size(); ++k) sum = combine(sum, lift(line[k]));
    return sum;
  }

  // In place.
  void scan(std::vector<T>& line) const {
    const auto of_nothing = static_cast<T>(reference::of_nothing<Acc>(call_.op));
    if (rounds_) {
      // Sums, of which -0.0 in front changes none.
      reference::v1::scan(*call_.scan, std::span<const T>(line), std::span<T>(line),
                          static_cast<Acc>(-0.0), lifted, added);
      if (call_.scan == bifold::ScanKind::exclusive && !line.empty()) line.front() = of_nothing;
      return;
    }
    Acc sum = reference::of_nothing<Acc>(call_.op);
    bool any = false;
    for (T& element : line) {
      const Acc before = sum;
      const Acc x = lift(element);
      sum = any ? combine(sum, x) : x;
      any = true;
      element = static_cast<T>(call_.scan == bifold::ScanKind::exclusive ? before : sum);
    }
  }

  static Acc lifted(T x) { return static_cast<Acc>(x); }
  static Acc added(Acc a, Acc b) { return static_cast<Acc>(a + b); }

  const T* input_;
  T* outputs_;
  MatrixCall call_;
  bool rounds_;
};

/// Calls `work` with parts of so many lines, on all processors if that is worth it.
template <class Work>
void by_all_threads(std::uint64_t lines, std::uint64_t elements, Work work) {
  const std::uint64_t threads = std::clamp(std::thread::hardware_concurrency(), 1U, 32U);
  if (elements < (std::uint64_t{1} << 16) || threads == 1) return work(0, lines);
  std::vector<std::jthread> workers;
  const std::uint64_t share = (lines + threads - 1) / threads;
  for (std::uint64_t first = 0; first < lines; first += share) {
    workers.emplace_back(work, first, std::min(first + share, lines));
  }
}

}  // namespace

std::string text_of(const Matrix& matrix) {
  return formatted("{} x {}, axis {}", count_text(matrix.rows), count_text(matrix.columns),
                   matrix.axis);
}

const std::vector<std::byte>& MatrixReference::outputs(const HostData& data, DataKind kind,
                                                       const MatrixCall& call) {
  if (!outputs_.empty() && call == call_ && data.type() == type_ && kind == kind_) return outputs_;
  call_ = call;
  type_ = data.type();
  kind_ = kind;
  outputs_.assign(static_cast<std::size_t>(call.outputs()) * bifold::size_of(type_), {});
  bifold::visit_scalar_type(type_, [&](auto zero) {
    using T = decltype(zero);
    const bool floating = bifold::is_floating(type_) && call.op == bifold::OperatorKind::plus;
    LineByLine<T> work(reinterpret_cast<const T*>(data.input()),
                       reinterpret_cast<T*>(outputs_.data()), call,
                       floating && kind == DataKind::rounding);
    by_all_threads(call.matrix.lines().count(), call.matrix.elements(), work);
  });
  return outputs_;
}

}  // namespace bench
