// Lines in memory, and what calls on them have to give: each line alone, on the host.
#pragma once

#include <algorithm>
#include <bifold/bifold.hpp>
#include <bifold/reference/v1.hpp>
#include <cstring>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/values/arithmetic.hpp"

namespace bifold::test {

/// Where elements of lines lie in a view, which begins at the lowest one.
class LinePlaces {
 public:
  explicit LinePlaces(const Lines& lines) : lines_(lines) {
    if (lines.count() == 0 || lines.length == 0) return;
    std::int64_t highest = 0;
    for (const auto& [count, stride] :
         {std::pair(lines.outer, lines.outer_stride), std::pair(lines.length, lines.stride),
          std::pair(lines.inner, lines.inner_stride)}) {
      const std::int64_t reach = static_cast<std::int64_t>(count - 1) * stride;
      (reach < 0 ? first_ : highest) += reach < 0 ? -reach : reach;
    }
    size_ = static_cast<std::uint64_t>(first_ + highest) + 1;
  }

  /// Elements of a view that just holds them.
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
  /// Of element k of a line.
  [[nodiscard]] std::uint64_t at(std::uint64_t line, std::uint64_t k) const noexcept {
    const auto outer = static_cast<std::int64_t>(line / lines_.inner);
    const auto inner = static_cast<std::int64_t>(line % lines_.inner);
    return static_cast<std::uint64_t>(first_ + outer * lines_.outer_stride +
                                      static_cast<std::int64_t>(k) * lines_.stride +
                                      inner * lines_.inner_stride);
  }

 private:
  Lines lines_;
  std::int64_t first_ = 0;
  std::uint64_t size_ = 0;
};

/// The same bits, any NaN counting as the same.
template <class T>
bool same_element(const T& left, const T& right) {
  if constexpr (std::is_floating_point_v<T>) {
    return same_bits(left, right);
  } else if constexpr (requires { left.index; }) {  // Indexed, which may have padding.
    return left.index == right.index && same_element(left.value, right.value);
  } else if constexpr (requires { left.minimum; }) {
    return same_element(left.minimum, right.minimum) && same_element(left.maximum, right.maximum);
  } else {
    // NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): no other struct here has padding.
    return std::memcmp(&left, &right, sizeof(T)) == 0;
  }
}

/// Device memory of lines, with what it should contain: elements of lines, and others around and
/// between them, which nobody may write.
template <class T>
class LineMemory {
 public:
  static constexpr std::uint64_t around = 3;

  LineMemory(Queue& queue, const Lines& lines, T other, std::uint64_t shift = 0)
      : queue_(queue),
        places_(lines),
        first_(around + shift),
        image_(places_.size() + first_ + around, other),
        memory_(queue.upload(std::span<const T>(image_))) {}

  /// From the lowest element of the lines on, as many as are needed and `more`.
  [[nodiscard]] View<T> view(std::uint64_t more = 0) {
    return memory_.view(first_, places_.size() + more);
  }
  /// What element k of the line should be; behind upload() it is.
  T& at(std::uint64_t line, std::uint64_t k) { return image_[first_ + places_.at(line, k)]; }
  void upload() { queue_.upload(std::span<const T>(image_), memory_); }

  /// How memory differs from what it should contain, or nothing.
  [[nodiscard]] std::string difference() {
    const std::vector<T> now = queue_.download(memory_);
    for (std::size_t i = 0; i < now.size(); ++i) {
      if (same_element(now[i], image_[i])) continue;
      std::ostringstream text;
      text << "element " << i << " of " << now.size() << ", which begin " << first_
           << " in front of the view";
      if constexpr (requires { now[i].value; }) {
        text << ", is " << +now[i].value << " at " << now[i].index << " instead of "
             << +image_[i].value << " at " << image_[i].index;
      } else if constexpr (requires { now[i].minimum; }) {
        text << ", is " << +now[i].minimum << " and " << +now[i].maximum << " instead of "
             << +image_[i].minimum << " and " << +image_[i].maximum;
      } else if constexpr (std::is_arithmetic_v<T>) {
        text << ", is " << std::hexfloat << +now[i] << " instead of " << +image_[i];
      }
      return text.str();
    }
    return {};
  }

 private:
  Queue& queue_;
  LinePlaces places_;
  std::uint64_t first_;
  std::vector<T> image_;
  Buffer<T> memory_;
};

/// An operator and a map, and the same on the host.
template <class In, class Acc = In>
struct LineCall {
  Operator op;
  std::function<Acc(const Acc&, const Acc&)> combine;
  std::function<In(Random&)> draw;
  Acc init;
  std::optional<Acc> nothing{};  ///< What comes of nothing, if anything does.
  In other{};                    ///< Stands where no line has an element.
  Map map{};
  std::function<Acc(const In&, std::uint64_t)> lift = [](const In& x, std::uint64_t) {
    return static_cast<Acc>(x);
  };

  [[nodiscard]] std::vector<Acc> lifted(std::span<const In> line) const {
    std::vector<Acc> values;
    for (std::uint64_t i = 0; i < line.size(); ++i) values.push_back(lift(line[i], i));
    return values;
  }

  /// The reduction of a line alone.
  [[nodiscard]] Acc reduced(std::span<const In> line, const std::optional<Acc>& from) const {
    if (line.empty()) return from ? *from : nothing.value_or(Acc{});
    const std::vector<Acc> values = lifted(line);
    const auto keep = [](const Acc& x) { return x; };
    const Acc sum =
        op.commutative()
            ? reference::v1::reduce<Acc>(std::span<const Acc>(values), keep, combine)
            : reference::v1::reduce_in_order<Acc>(std::span<const Acc>(values), keep, combine);
    return from ? combine(*from, sum) : sum;
  }

  /// The outputs of a scan of a line alone, and behind them its total.
  [[nodiscard]] std::vector<Acc> scanned(std::span<const In> line, ScanKind kind, bool reverse,
                                         const std::optional<Acc>& from) const {
    std::vector<Acc> values = lifted(line);
    if (reverse) std::reverse(values.begin(), values.end());
    const auto join = [&](const Acc& a, const Acc& b) {
      return reverse ? combine(b, a) : combine(a, b);
    };
    using Running = reference::v1::RunningScan<Acc, decltype(join)>;
    Running running = from ? Running(*from, join) : Running(join);
    std::optional<Acc> sum = from ? from : nothing;
    std::vector<Acc> outputs;
    for (const Acc& x : values) {
      if (kind == ScanKind::exclusive) outputs.push_back(sum.value());
      running.append(x);
      sum = running.value();
      if (kind == ScanKind::inclusive) outputs.push_back(*sum);
    }
    if (reverse) std::reverse(outputs.begin(), outputs.end());
    outputs.push_back(sum ? *sum : Acc{});
    return outputs;
  }
};

/// An operator whose results tell another association apart.
template <class T>
LineCall<T> line_call(const Arithmetic<T>& arithmetic) {
  LineCall<T> call{arithmetic.op, arithmetic.combine, arithmetic.draw, arithmetic.init};
  if (call.op.has_identity()) {
    call.nothing = call.op.of_nothing(type_of<T>()).template as<T>();
  }
  if constexpr (std::is_floating_point_v<T>) {
    call.other = std::numeric_limits<T>::quiet_NaN();
  } else {
    call.other = T{std::numeric_limits<decltype(T::factor)>::quiet_NaN(), 1};
  }
  return call;
}

/// Sums of integers in Acc, modulo 2^width.
template <class In, class Acc = In>
LineCall<In, Acc> integer_sums() {
  const auto add = [](Acc a, Acc b) { return reference::combine(OperatorKind::plus, a, b); };
  const auto draw = [](Random& random) { return static_cast<In>(random.next()); };
  return {plus, add, draw, Acc{41}, Acc{0}, static_cast<In>(77)};
}

/// The lines of an input, drawn.
template <class In>
struct DrawnLines {
  template <class Call>
  DrawnLines(Queue& queue, const Call& call, const Lines& drawn, std::uint64_t shift)
      : lines(drawn), memory(queue, drawn, call.other, shift) {
    Random random(seed() + lines.length + 77 * lines.count());
    for (std::uint64_t line = 0; line < lines.count(); ++line) {
      for (std::uint64_t k = 0; k < lines.length; ++k) memory.at(line, k) = call.draw(random);
    }
    memory.upload();
  }

  /// A line copied out; its first `count` elements.
  std::vector<In> line(std::uint64_t number, std::uint64_t count = ~std::uint64_t{0}) {
    std::vector<In> elements;
    for (std::uint64_t k = 0; k < std::min(count, lines.length); ++k) {
      elements.push_back(memory.at(number, k));
    }
    return elements;
  }

  Lines lines;
  LineMemory<In> memory;
};

inline std::string text_of(const Lines& lines) {
  std::ostringstream text;
  text << "lines {" << lines.outer << ", " << lines.length << ", " << lines.inner << ", "
       << lines.outer_stride << ", " << lines.stride << ", " << lines.inner_stride << '}';
  return text.str();
}

/// How a call is made.
struct LineTrial {
  Lines lines;
  std::optional<Lines> to{};  ///< Where results or outputs lie.
  bool init = false;
  std::uint64_t shift = 0;  ///< Elements by which input and output begin later.
  ScanKind kind = ScanKind::inclusive;
  bool reverse = false;
  bool total = false;
  bool in_place = false;
  std::string_view variant = "production";
};

/// Reduces the lines, and returns how results, or what lies beside them, differ from each line's
/// alone. Out is what partial results are rounded to.
template <class Out, class In, class Acc>
std::string reduce_difference(Queue& queue, const LineCall<In, Acc>& call, const LineTrial& trial) {
  const Lines to = trial.to.value_or(Lines::values(trial.lines.count()));
  DrawnLines<In> input(queue, call, trial.lines, trial.shift);
  LineMemory<Out> result(queue, to, Out{}, trial.shift + 1);
  std::optional<Value> init;
  std::optional<Acc> from;
  if (trial.init) init = Value(*(from = call.init));
  ReduceOptions options{.variant = trial.variant};
  options.lines = trial.lines;
  options.result_lines = trial.to;
  const ErasedView in = erase(input.memory.view(trial.shift % 2));
  const ErasedView out = erase(result.view(trial.to ? trial.shift % 3 : 0));
  if (call.map.is_identity()) {
    reduce_into(queue, in, out, call.op, init, options);
  } else {
    transform_reduce_into(queue, in, out, call.op, init, call.map, options);
  }
  for (std::uint64_t line = 0; line < trial.lines.count(); ++line) {
    result.at(line, 0) = static_cast<Out>(call.reduced(input.line(line), from));
  }
  const std::string read = input.memory.difference();
  return result.difference() + (read.empty() ? "" : "; of the input " + read);
}

/// The same of a scan.
template <class Out, class In, class Acc>
std::string scan_difference(Queue& queue, const LineCall<In, Acc>& call, const LineTrial& trial) {
  const Lines to = trial.to.value_or(trial.lines);
  const Lines one_each = Lines::values(trial.lines.count());
  DrawnLines<In> input(queue, call, trial.lines, trial.shift);
  std::vector<std::vector<In>> alone;
  for (std::uint64_t line = 0; line < trial.lines.count(); ++line) {
    alone.push_back(input.line(line));
  }
  LineMemory<Out> apart(queue, trial.in_place ? Lines{} : to, Out{}, trial.shift + 1);
  LineMemory<Out>* output = &apart;
  if constexpr (std::is_same_v<In, Out>) {
    if (trial.in_place) output = &input.memory;
  }
  LineMemory<Acc> total(queue, one_each, Acc{}, trial.shift);
  std::optional<Value> init;
  std::optional<Acc> from;
  if (trial.init) init = Value(*(from = call.init));
  ScanOptions options{.accumulate = type_of<Acc>(), .variant = trial.variant};
  options.lines = trial.lines;
  options.output_lines = trial.to;
  options.reverse = trial.reverse;
  if (trial.total) options.total = erase(total.view());
  const ErasedView in = erase(input.memory.view(trial.shift % 2));
  const ErasedView out = erase(output->view(trial.shift % (trial.in_place ? 2 : 3)));
  if (call.map.is_identity()) {
    scan(queue, trial.kind, in, out, call.op, init, options);
  } else {
    transform_scan(queue, trial.kind, in, out, call.op, init, call.map, options);
  }
  for (std::uint64_t line = 0; line < trial.lines.count(); ++line) {
    const auto want = call.scanned(alone[line], trial.kind, trial.reverse, from);
    for (std::uint64_t k = 0; k < trial.lines.length; ++k) {
      output->at(line, k) = static_cast<Out>(want[k]);
    }
    if (trial.total) total.at(line, 0) = want.back();
  }
  const std::string beside = total.difference();
  const std::string read = trial.in_place ? "" : input.memory.difference();
  return output->difference() + (beside.empty() ? "" : "; of totals " + beside) +
         (read.empty() ? "" : "; of the input " + read);
}

inline std::string text_of(const LineTrial& trial) {
  std::ostringstream text;
  text << text_of(trial.lines) << (trial.to ? " to " + text_of(*trial.to) : "")
       << (trial.init ? ", init" : "") << (trial.kind == ScanKind::exclusive ? ", exclusive" : "")
       << (trial.reverse ? ", reverse" : "") << (trial.total ? ", total" : "")
       << (trial.in_place ? ", in place" : "") << ", shift " << trial.shift << ", seed " << seed();
  return text.str();
}

}  // namespace bifold::test
