#include "commands/check/selection.hpp"

#include <algorithm>
#include <span>
#include <vector>

#include "base/format.hpp"
#include "commands/check/calls.hpp"
#include "commands/check/lengths.hpp"
#include "commands/check/struct_cases.hpp"
#include "measure/timing.hpp"

namespace bench {
namespace {

/// Beyond many tiles of any row.
constexpr std::uint64_t many = 200'003;
constexpr unsigned repeats = 20;

bool is_kept(std::uint64_t i) { return i % 7 < 3; }

/// What was stored, and behind it places that stay as they are.
template <class T>
class Selections {
 public:
  Selections(bifold::Queue& queue, const bifold::gallery::Variant& row, const Sample<T>& sample)
      : queue_(queue),

        plan_(queue.device(), {.input = bifold::type_of<T>(),
                               .output = bifold::type_of<T>(),
                               .predicate = "i % 7 < 3",
                               .variant = row.name}),
        elements_(many),
        output_(queue.allocate<T>(many)),
        kept_(queue.allocate<std::uint64_t>(1)) {
    for (std::uint64_t i = 0; i < many; ++i) elements_[i] = sample.at(i);
    input_ = queue.upload(std::span<const T>(elements_));
  }

  [[nodiscard]] std::string problem(std::uint64_t n, bool in_place) {
    const std::uint64_t offset = n % 5 < many - n ? n % 5 : 0;
    const auto wanted = std::span<const T>(elements_).subspan(offset, n);
    const auto input = input_.view(offset, n);
    auto output = output_.view(0, n);
    if (in_place) {
      queue_.copy(input, output);
      plan_.run(queue_, output, output, kept_);
    } else {
      queue_.fill(output, foreign<T>());
      plan_.run(queue_, input, output, kept_);
    }
    queue_.finish(10 * wait_limit);
    const std::uint64_t count = queue_.download(kept_)[0];
    const std::vector<T> found = queue_.download(output);
    std::uint64_t at = 0;
    for (std::uint64_t i = 0; i < n; ++i) {
      if (!is_kept(i)) continue;
      if (!same_result(found[at], wanted[i])) {
        return formatted("{}: element {} is {} instead of {}", describe(n, in_place), at,
                         exact_text(found[at]), exact_text(wanted[i]));
      }
      ++at;
    }
    if (count != at) {
      return formatted("{}: kept {} instead of {}", describe(n, in_place), count, at);
    }
    for (; at < n; ++at) {
      if (same_result(found[at], in_place ? wanted[at] : foreign<T>())) continue;
      return describe(n, in_place) + ": wrote elsewhere";
    }
    return {};
  }

 private:
  [[nodiscard]] static std::string describe(std::uint64_t n, bool in_place) {
    return formatted("{}, n = {}{}", bifold::name_of(bifold::type_of<T>()), n,
                     in_place ? ", in place" : "");
  }

  bifold::Queue& queue_;
  bifold::SelectPlan plan_;
  std::vector<T> elements_;
  bifold::Buffer<T> input_;
  bifold::Buffer<T> output_;
  bifold::Buffer<std::uint64_t> kept_;
};

}  // namespace

template <class T>
std::string check_selection(bifold::Queue& queue, const bifold::gallery::Variant& row,
                            const Sample<T>& sample, std::uint64_t& calls) {
  Selections<T> selections(queue, row, sample);
  std::string problem;
  const auto runs = [&](std::uint64_t n, bool in_place) {
    problem = selections.problem(n, in_place);
    ++calls;
    return problem.empty();
  };
  for (const std::uint64_t n : near_lengths(queue.device(), row, bifold::type_of<T>(), true)) {
    if (!runs(std::min(n, many), false)) return problem;
  }
  // Groups wait for each other most often in place.
  const bool in_place = row.launches == 1 && queue.device().capabilities().acquire_release;
  for (unsigned i = 0; i < repeats; ++i) {
    if (!runs(many - i % 3, false) || !runs(70'001, in_place)) return problem;
  }
  return {};
}

// NOLINTBEGIN(bugprone-macro-parentheses): a type takes none.
#define BENCH_INSTANTIATE(T)                                                            \
  template std::string check_selection(bifold::Queue&, const bifold::gallery::Variant&, \
                                       const Sample<T>&, std::uint64_t&);
// NOLINTEND(bugprone-macro-parentheses)
BENCH_INSTANTIATE(std::int32_t)
BENCH_INSTANTIATE(std::uint32_t)
BENCH_INSTANTIATE(std::uint8_t)
BENCH_INSTANTIATE(std::int64_t)
BENCH_INSTANTIATE(float)
BENCH_INSTANTIATE(double)
BENCH_INSTANTIATE(bifold::f16)
BENCH_INSTANTIATE(bifold::bf16)
BENCH_INSTANTIATE(ThreeBytes)
BENCH_INSTANTIATE(AffineMap)
BENCH_INSTANTIATE(ThreeWords)
BENCH_INSTANTIATE(TwoWide)
BENCH_INSTANTIATE(EightWide)
#undef BENCH_INSTANTIATE

}  // namespace bench
