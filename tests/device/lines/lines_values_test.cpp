// Lines with values in device memory: their length, how many there are, initial values, totals.
#include <doctest/doctest.h>

#include <bifold/bifold.hpp>

#include "support/cases/affordable.hpp"
#include "support/cases/lines.hpp"
#include "support/environment.hpp"

namespace bifold {

using test::LineCall;

namespace {

/// What a call takes from device memory.
struct Trial {
  Lines lines;
  std::optional<std::uint64_t> length{};
  std::optional<std::uint64_t> count{};
  bool init_each = false;
  bool init_all = false;
  bool narrow = false;  ///< Counts are u32.
};

std::string text_of(const Trial& trial) {
  std::ostringstream text;
  text << test::text_of(trial.lines);
  if (trial.length) text << ", length " << *trial.length;
  if (trial.count) text << ", count " << *trial.count;
  if (trial.init_each) text << ", init for each line";
  if (trial.init_all) text << ", init for all lines";
  return text.str();
}

/// The memory of such a call, on the device and what is to come of it.
template <class In, class Acc>
struct Setting {
  Setting(Queue& queue, const LineCall<In, Acc>& call, const Trial& trial)
      : length(std::min(trial.length.value_or(trial.lines.length), trial.lines.length)),
        count(std::min(trial.count.value_or(trial.lines.count()), trial.lines.count())),
        input(queue, call, trial.lines, 1) {
    const auto counter = [&](std::uint64_t n) {
      const std::vector<std::uint32_t> words{static_cast<std::uint32_t>(n),
                                             static_cast<std::uint32_t>(n >> 32)};
      counters.push_back(queue.upload(std::span<const std::uint32_t>(words)));
      const View<std::uint32_t> view = counters.back().view();
      return trial.narrow ? erase(view.subview(0, 1)) : erase(view.as<std::uint64_t>());
    };
    if (trial.length) count_from = counter(*trial.length);
    if (trial.count) lines_from = counter(*trial.count);
    test::Random random(test::seed());
    for (std::uint64_t line = 0; line < (trial.init_each ? trial.lines.count() : 1); ++line) {
      inits.push_back(call.lift(call.draw(random), 0));
    }
    device_inits = queue.upload(std::span<const Acc>(inits));
    if (trial.init_each || trial.init_all) init_from = erase(device_inits);
  }

  std::optional<Acc> from(std::uint64_t line) const {
    if (!init_from) return {};
    return inits.size() == 1 ? inits[0] : inits[line];
  }

  std::uint64_t length;
  std::uint64_t count;
  test::DrawnLines<In> input;
  std::vector<Buffer<std::uint32_t>> counters;
  std::vector<Acc> inits;
  Buffer<Acc> device_inits;
  std::optional<ErasedView> count_from;
  std::optional<ErasedView> lines_from;
  std::optional<ErasedView> init_from;
};

template <class Acc, class In>
void check_reduce(Queue& queue, const LineCall<In, Acc>& call, const Trial& trial) {
  Setting<In, Acc> setting(queue, call, trial);
  test::LineMemory<Acc> result(queue, Lines::values(trial.lines.count()), Acc{}, 2);
  ReduceOptions options{.count_from = setting.count_from, .init_from = setting.init_from};
  options.lines = trial.lines;
  options.lines_from = setting.lines_from;
  reduce_into(queue, erase(setting.input.memory.view()), erase(result.view()), call.op, {},
              options);
  for (std::uint64_t line = 0; line < setting.count; ++line) {
    result.at(line, 0) = call.reduced(setting.input.line(line, setting.length), setting.from(line));
  }
  const std::string problem = result.difference();
  CHECK_MESSAGE(problem.empty(), "reduce, ", text_of(trial), ": ", problem);
}

template <class Acc, class In>
void check_scan(Queue& queue, const LineCall<In, Acc>& call, const Trial& trial, ScanKind kind,
                bool reverse) {
  Setting<In, Acc> setting(queue, call, trial);
  test::LineMemory<Acc> output(queue, trial.lines, Acc{}, 2);
  test::LineMemory<Acc> totals(queue, Lines::values(trial.lines.count()), Acc{}, 1);
  ScanOptions options{.accumulate = type_of<Acc>(),
                      .count_from = setting.count_from,
                      .init_from = setting.init_from,
                      .total = erase(totals.view())};
  options.lines = trial.lines;
  options.lines_from = setting.lines_from;
  options.reverse = reverse;
  scan(queue, kind, erase(setting.input.memory.view()), erase(output.view()), call.op, {}, options);
  for (std::uint64_t line = 0; line < setting.count; ++line) {
    const auto want =
        call.scanned(setting.input.line(line, setting.length), kind, reverse, setting.from(line));
    for (std::uint64_t k = 0; k < setting.length; ++k) output.at(line, k) = want[k];
    totals.at(line, 0) = want.back();
  }
  const std::string problem = output.difference() + totals.difference();
  CHECK_MESSAGE(problem.empty(), name_of(kind), ", ", text_of(trial), ", reverse ", reverse, ": ",
                problem);
}

/// Lengths, or numbers of lines, from none to more than there are.
std::vector<std::uint64_t> counts_to(std::uint64_t n) {
  return {0, 1, n / 2 + 1, n - 1, ~std::uint64_t{0}};
}

/// Lengths in one kind of scan, numbers of lines in the other, in reverse: more kinds would be more
/// kernels, which take a CPU longest.
template <class In, class Acc>
void check_counts(Queue& queue, const LineCall<In, Acc>& call, const Lines& lines) {
  for (const std::uint64_t length : counts_to(lines.length)) {
    const Trial trial{.lines = lines, .length = length};
    check_reduce<Acc>(queue, call, trial);
    check_scan<Acc>(queue, call, trial, ScanKind::inclusive, false);
  }
  for (const std::uint64_t count : counts_to(lines.count())) {
    const Trial trial{.lines = lines, .count = count, .narrow = true};
    check_reduce<Acc>(queue, call, trial);
    check_scan<Acc>(queue, call, trial, ScanKind::exclusive, true);
  }
}

/// Lengths, numbers of lines and initial values, of each line or of all.
template <class In, class Acc>
void check_all_values(Queue& queue, const LineCall<In, Acc>& call, const Lines& lines) {
  const std::vector<std::uint64_t> lengths = counts_to(lines.length);
  const std::vector<std::uint64_t> counts = counts_to(lines.count());
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    for (const bool each : {false, true}) {
      const Trial trial{.lines = lines,
                        .length = lengths[i],
                        .count = counts[lengths.size() - 1 - i],
                        .init_each = each,
                        .init_all = !each};
      check_reduce<Acc>(queue, call, trial);
      check_scan<Acc>(queue, call, trial, ScanKind::exclusive, false);
    }
  }
}

}  // namespace

TEST_SUITE_BEGIN("lines_values");

TEST_CASE("few lines") {
  Queue queue(test::device());
  for (const Lines& lines : {Lines::rows(6, 50), Lines::columns(70, 5)}) {
    check_all_values(queue, test::line_call(test::sums<float>()), lines);
  }
}

TEST_CASE("floats in lines of every length") {
  if (test::too_long_here()) return;
  Queue queue(test::device());
  const auto call = test::line_call(test::sums<float>());
  for (const Lines& lines :
       {Lines::rows(500, 7), Lines::rows(40, 700), Lines::rows(3, 20'001), Lines::columns(7, 500),
        Lines::columns(700, 40), Lines::columns(20'001, 3), Lines{4, 90, 3, 900, -3, 271}}) {
    check_counts(queue, call, lines);
    check_all_values(queue, call, lines);
  }
}

TEST_CASE("structs whose operator does not commute") {
  if (test::too_long_here()) return;
  Queue queue(test::device());
  const auto call = test::line_call(test::maps<app::Map32>());
  for (const Lines& lines : {Lines::rows(50, 130), Lines::columns(900, 8), Lines::rows(2, 5001)}) {
    check_all_values(queue, call, lines);
  }
}

TEST_CASE("initial values alone, of all lines and of each") {
  Queue queue(test::device());
  const auto call = test::integer_sums<std::int32_t>();
  for (const Lines& lines : {Lines::rows(500, 7), Lines::columns(700, 40)}) {
    for (const bool each : {false, true}) {
      const Trial trial{.lines = lines, .init_each = each, .init_all = !each};
      check_reduce<std::int32_t>(queue, call, trial);
      check_scan<std::int32_t>(queue, call, trial, ScanKind::inclusive, false);
    }
  }
}

TEST_CASE("results accumulate call by call") {
  Queue queue(test::device());
  const auto call = test::line_call(test::sums<float>());
  const Lines lines = Lines::columns(300, 20);
  test::DrawnLines<float> input(queue, call, lines, 0);
  auto result = queue.allocate<float>(20);
  queue.fill(result, 0.25F);
  ReduceOptions options{.init_from = erase(result)};
  options.lines = lines;
  for (int round = 0; round < 3; ++round) {
    // The same place, whether named or not.
    if (round == 1) options.result_lines = Lines::values(20);
    if (round == 2) options.result_lines = Lines{4, 1, 5, 5, 1, 1};
    reduce_into(queue, input.memory.view(), result, plus, options);
  }
  const std::vector<float> got = queue.download(result);
  for (std::uint64_t line = 0; line < lines.count(); ++line) {
    float want = 0.25F;
    for (int round = 0; round < 3; ++round) want = call.reduced(input.line(line), want);
    CHECK(test::same_bits(got[line], want));
  }
}

TEST_CASE("where there is no line, nothing is written") {
  Queue queue(test::device());
  auto data = queue.allocate<float>(100);
  auto result = queue.allocate<float>(4);
  queue.fill(data, 2.5F);
  queue.fill(result, 1.5F);
  for (const Lines& lines : {Lines::rows(0, 5), Lines::columns(5, 0), Lines{0, 0, 0, 1, 1, 1},
                             Lines{3, 7, 0, 7, 1, 1}}) {
    Event done;
    ReduceOptions options{.done = &done};
    options.lines = lines;
    reduce_into(queue, data.view(), result.view(0, 0), plus, 3.0F, options);
    done.wait();
    ScanOptions scan_options{.done = &done};
    scan_options.lines = lines;
    inclusive_scan(queue, data.view(0, 50), data.view(50, 50), plus, scan_options);
    done.wait();
  }
  CHECK(queue.download(result) == std::vector<float>(4, 1.5F));
  CHECK(queue.download(data) == std::vector<float>(100, 2.5F));
}

TEST_SUITE_END();

}  // namespace bifold
