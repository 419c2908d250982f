#include "commands/accuracy/accuracy.hpp"

#include <bifold/bifold.hpp>
#include <bifold/reference/v1.hpp>
#include <cstdio>
#include <functional>
#include <span>

#include "base/format.hpp"
#include "base/live_table.hpp"
#include "base/output_file.hpp"
#include "base/sizes.hpp"
#include "data/accuracy_inputs.hpp"

namespace bench {
namespace {

using bifold::CompensatedSum;

/// The sums of one input.
template <class T>
struct Sums {
  T reduction;    ///< In order v1.
  T scan;         ///< The last value of an inclusive scan in order v1.
  T compensated;  ///< As bifold::sum_compensated().
};

template <class T>
T as_it_is(T x) {
  return x;
}

/// Knuth's two-sum, whose second part is what the first one's rounding has lost.
template <class T>
CompensatedSum<T> add_compensated(CompensatedSum<T> a, CompensatedSum<T> b) {
  const T sum = a.sum + b.sum;
  const T rest = sum - a.sum;
  return {sum, (a.error + b.error) + ((a.sum - (sum - rest)) + (b.sum - rest))};
}

template <class T>
Sums<T> sums_on_host(const std::vector<T>& values) {
  namespace v1 = bifold::reference::v1;
  const std::span<const T> input(values);
  v1::RunningScan<T, std::plus<>> running(std::plus<>{});
  for (const T x : values) running.append(x);
  const auto lift = [](T x) { return CompensatedSum<T>{x, 0}; };
  return {v1::reduce<T>(input, as_it_is<T>, std::plus<>()), running.value(),
          v1::reduce(input, CompensatedSum<T>{0, 0}, lift, add_compensated<T>).value()};
}

template <class T>
Sums<T> sums_on(const bifold::Device& device, const std::vector<T>& values) {
  bifold::Queue queue(device);
  const bifold::Buffer<T> input = queue.upload(std::span<const T>(values));
  auto output = queue.allocate<T>(values.size());
  bifold::inclusive_scan(queue, input, output, bifold::plus);
  T last{};
  queue.download(output.view(values.size() - 1, 1), std::span<T>(&last, 1));
  return {bifold::reduce(queue, input, bifold::plus), last,
          bifold::sum_compensated(queue, input, T{0})};
}

template <class T>
bool same_bits(T left, T right) {
  return bifold::Value(left).bits() == bifold::Value(right).bits();
}

/// Blocks. Compares what a device makes of an input with the host's; whether they are the same.
template <class T>
bool same_on(const bifold::Device& device, const std::vector<T>& values, const Sums<T>& host) {
  if (!device.supports(bifold::type_of<T>())) return true;
  const Sums<T> got = sums_on(device, values);
  if (same_bits(got.reduction, host.reduction) && same_bits(got.scan, host.scan) &&
      same_bits(got.compensated, host.compensated)) {
    return true;
  }
  print_error("{}: {} elements: {}, {} and {} instead of {}, {} and {}\n", device.info().selector,
              values.size(), got.reduction, got.scan, got.compensated, host.reduction, host.scan,
              host.compensated);
  return false;
}

class Measurement {
 public:
  explicit Measurement(const std::vector<std::string>& devices) {
    for (const std::string& selector : devices) devices_.push_back(bifold::open_device(selector));
    table_ =
        "| type | elements | n | from left to right | order v1, reduction | order v1, scan |"
        " compensated |\n| --- | --- | --- | --- | --- | --- | --- |\n";
    print_now(wrapped(legend, 0));
  }

  /// One line of the table.
  template <class T>
  void measure(Family family, std::size_t n) {
    std::vector<double> serial;
    std::vector<double> reduction;
    std::vector<double> scan;
    std::vector<double> compensated;
    for (unsigned seed = 1; seed <= accuracy_trials; ++seed) {
      const std::vector<T> values = accuracy_input<T>(family, seed, n);
      const ExactSum exact = exact_sum(values);
      const Sums<T> sums = sums_on_host(values);
      serial.push_back(relative_error(exact, serial_sum(values)));
      reduction.push_back(relative_error(exact, sums.reduction));
      scan.push_back(relative_error(exact, sums.scan));
      compensated.push_back(relative_error(exact, sums.compensated));
      for (const bifold::Device& device : devices_) same_ = same_on(device, values, sums) && same_;
    }
    const std::string type(bifold::name_of(bifold::type_of<T>()));
    table_ += formatted("| {} | {} | {} | {} | {} | {} | {} |\n", type, name_of(family),
                        count_text(n), error_cell(serial), error_cell(reduction), error_cell(scan),
                        error_cell(compensated));
    // A heading for each family, so that its name takes no column.
    const std::string heading = formatted("\n{}, elements {}\n", type, name_of(family));
    if (heading != heading_) print_now(heading + shown_.heading());
    heading_ = heading;
    print_now(shown_.row({count_text(n), error_cell(serial), error_cell(reduction),
                          error_cell(scan), error_cell(compensated)}));
  }

  /// Whether every device gave the host's bits so far.
  [[nodiscard]] bool same() const noexcept { return same_; }
  [[nodiscard]] const std::string& table() const noexcept { return table_; }

 private:
  static constexpr const char* legend =
      "Relative errors of sums, |sum - exact| / |exact|: the median, then the worst of five "
      "inputs. "
      "n: elements of an input. left to right: one addition after the other. v1 reduce: reduce() "
      "in "
      "order v1. v1 scan: the last value of an inclusive scan in order v1. compensated: "
      "sum_compensated(), which adds what roundings lost. A unit in the last place is 6e-08 for "
      "f32, 1.1e-16 for f64; 0 is exact.";

  std::vector<bifold::Device> devices_;
  LiveTable shown_{{{{"n", true}, 5},
                    {{"left to right"}, 16},
                    {{"v1 reduce"}, 16},
                    {{"v1 scan"}, 16},
                    {{"compensated"}, 16}}};
  std::string heading_;  ///< Of the family that is being printed.
  std::string table_;    ///< In Markdown.
  bool same_ = true;
};

}  // namespace

int run_accuracy(const AccuracyArguments& arguments) {
  const std::uint64_t most =
      arguments.max_size.empty() ? largest_size : parse_size("--max-size", arguments.max_size);
  if (!arguments.markdown.empty()) check_writable("--markdown", arguments.markdown);
  Measurement measurement(arguments.devices);
  for (const bool wide : {false, true}) {
    for (const Family family : families) {
      for (const unsigned exponent : accuracy_exponents) {
        const std::size_t n = std::size_t{1} << exponent;
        if (n > most) continue;
        if (wide) {
          measurement.measure<double>(family, n);
        } else {
          measurement.measure<float>(family, n);
        }
      }
    }
  }
  if (!arguments.markdown.empty()) {
    write_whole("--markdown", arguments.markdown, measurement.table());
  }
  return measurement.same() ? 0 : 1;
}

}  // namespace bench
