// argmin and argmax, which search by rank, among special values, equal ones, and none.
#include <doctest/doctest.h>

#include <algorithm>
#include <bifold/bifold.hpp>
#include <bit>
#include <limits>
#include <optional>
#include <string>

#include "support/cases/affordable.hpp"
#include "support/environment.hpp"
#include "support/values/random.hpp"

namespace bifold {

namespace {

/// Zeros, denormals, ordinary numbers, infinities, and NaNs of both signs and several payloads.
template <class T>
std::vector<T> special_values() {
  using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  using Limits = std::numeric_limits<T>;
  std::vector<T> values;
  for (const T value : {T{0}, Limits::denorm_min(), Limits::min() / 2, Limits::min(), T{1}, T{1.5},
                        Limits::max(), Limits::infinity()}) {
    values.insert(values.end(), {value, -value});
  }
  const auto infinity = std::bit_cast<Bits>(Limits::infinity());
  for (const Bits bits : {infinity + 1, infinity + (infinity >> 9), ~Bits{0} >> 1}) {
    values.push_back(std::bit_cast<T>(bits));
    values.push_back(std::bit_cast<T>(bits | ~(~Bits{0} >> 1)));
  }
  return values;
}

/// What the call writes where a result is the index alone, as U.
template <class U, class Found>
void check_indices(Queue& queue, const ErasedView& data, bool least, const ReduceOptions& options,
                   const std::vector<Found>& want) {
  auto indices = queue.allocate<U>(want.size());
  (least ? argmin_into : argmax_into)(queue, data, erase(indices), options);
  const auto got = queue.download(indices);
  for (std::size_t i = 0; i < want.size(); ++i) {
    if (got[i] == static_cast<U>(want[i].index)) continue;
    FAIL_CHECK(name_of(data.type), std::string(least ? " least" : " greatest"), " of line ", i,
               " at ", got[i], " instead of ", want[i].index);
    break;
  }
}

/// What the operator on elements and their indices finds in lines, or in all elements, and the
/// call, bit for bit.
template <class T>
void check_searches(Queue& queue, const std::vector<T>& host, const std::optional<Lines>& lines) {
  using Found = Indexed<accumulator_t<T>>;
  const auto data = queue.upload(std::span<const T>(host));
  const Type type = type_of<T>();
  for (const bool least : {true, false}) {
    const std::uint64_t count = lines ? lines->count() : 1;
    auto by_value = queue.allocate<Found>(count);
    auto by_rank = queue.allocate<Found>(count);
    ReduceOptions options;
    options.lines = lines;
    const std::string map = "make_" + std::string(name_of(type_of<Found>())) + "(x, i)";
    transform_reduce_into(queue, erase(data), erase(by_value),
                          least ? argmin_operator(type) : argmax_operator(type), {}, map, options);
    const auto find = least ? argmin_into : argmax_into;
    find(queue, erase(data), erase(by_rank), options);
    const auto want = queue.download(by_value);
    const auto got = queue.download(by_rank);
    for (std::size_t i = 0; i < want.size(); ++i) {
      const bool same_value = Value(got[i].value).bits() == Value(want[i].value).bits();
      if (same_value && got[i].index == want[i].index) continue;
      FAIL_CHECK(name_of(type), std::string(least ? " least" : " greatest"), " of line ", i, ": ",
                 got[i].value, " at ", got[i].index, " instead of ", want[i].value, " at ",
                 want[i].index);
      break;
    }
    if (least) {
      check_indices<std::uint64_t>(queue, erase(data), least, options, want);
    } else {
      check_indices<std::int64_t>(queue, erase(data), least, options, want);
    }
  }
}

/// What stands first in a line: the extreme, at the first of its places.
template <class T>
Indexed<T> first_extreme(const std::vector<T>& host, const Lines& lines, std::uint64_t line,
                         bool least) {
  using Limits = std::numeric_limits<T>;
  Indexed<T> found{least ? Limits::max() : Limits::lowest(), no_index};
  const std::uint64_t begin = line / lines.inner * static_cast<std::uint64_t>(lines.outer_stride) +
                              line % lines.inner * static_cast<std::uint64_t>(lines.inner_stride);
  for (std::uint64_t i = 0; i < lines.length; ++i) {
    const T value = host[begin + i * static_cast<std::uint64_t>(lines.stride)];
    if (i == 0 || (least ? value < found.value : value > found.value)) found = {value, i};
  }
  return found;
}

/// Lines of the lengths that matter, of which every element is one of `values`.
template <class T>
void check_lines_of(Queue& queue, const std::vector<T>& values) {
  constexpr std::uint64_t longest = (std::uint64_t{1} << 16U) + 1;
  const std::uint64_t most = test::simulated() ? 2'000 : longest;
  std::vector<T> many(most);
  test::Random random(test::seed());
  for (T& value : many) {
    value = values[static_cast<std::size_t>(
        random.between(0, static_cast<std::int64_t>(values.size()) - 1))];
  }
  const auto data = queue.upload(std::span<const T>(many));
  auto found = queue.allocate<Indexed<T>>(most);
  for (const std::uint64_t length :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{64}, std::uint64_t{129}, most}) {
    const std::uint64_t count = most / 2 / std::max(length, std::uint64_t{64}) + 1;
    for (const Lines& lines : {Lines::rows(length == most ? 1 : count, length),
                               Lines::columns(length, length == most ? 1 : count)}) {
      for (const bool least : {true, false}) {
        ReduceOptions options;
        options.lines = lines;
        const auto places = found.view(0, lines.count());
        (least ? argmin_into : argmax_into)(queue, erase(data), erase(places), options);
        const auto got = queue.download(places);
        for (std::uint64_t line = 0; line < got.size(); ++line) {
          const Indexed<T> want = first_extreme(many, lines, line, least);
          if (got[line] == want) continue;
          FAIL_CHECK(std::string(name_of(type_of<T>())),
                     std::string(least ? " least" : " greatest"), " of line ", line, " of ", length,
                     ": ", +got[line].value, " at ", got[line].index, " instead of ", +want.value,
                     " at ", want.index);
          break;
        }
      }
    }
  }
}

template <class T>
void check_type() {
  Queue queue(test::device());
  using Limits = std::numeric_limits<T>;
  const T least = Limits::lowest();
  const T greatest = Limits::max();
  check_lines_of<T>(
      queue, {least, static_cast<T>(least + 1), T{1}, static_cast<T>(greatest - 1), greatest});
  // Of equals the first, also where they are what no elements give.
  check_lines_of<T>(queue, {least});
  check_lines_of<T>(queue, {greatest});
}

template <class T>
std::vector<T> pairs_of(const std::vector<T>& values) {
  std::vector<T> pairs;
  for (const T& a : values) {
    for (const T& b : values) pairs.insert(pairs.end(), {a, b});
  }
  return pairs;
}

template <class T>
void check_special_searches() {
  if (!test::device().supports(type_of<T>())) return;
  Queue queue(test::device());
  const std::vector<T> values = special_values<T>();
  const std::vector<T> pairs = pairs_of(values);
  check_searches(queue, pairs, Lines::rows(pairs.size() / 2, 2));
  std::vector<T> many(3 * 4099);
  test::Random random(test::seed());
  for (T& value : many) {
    value = values[static_cast<std::size_t>(
        random.between(0, static_cast<std::int64_t>(values.size()) - 1))];
  }
  check_searches(queue, many, Lines::rows(3, 4099));
  check_searches(queue, many, Lines::columns(4099, 3));
  check_searches(queue, many, {});
}

}  // namespace

TEST_SUITE_BEGIN("searches");

TEST_CASE("searches find what the operators of argmin and argmax find, bit for bit") {
  check_special_searches<float>();
  check_special_searches<double>();
  // Of 16 bits, elements become f32 first: all of them are in one array.
  Queue queue(test::device());
  std::vector<f16> halves;
  std::vector<bf16> upper;
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    halves.push_back(f16::from_bits(static_cast<std::uint16_t>(bits)));
    upper.push_back(bf16::from_bits(static_cast<std::uint16_t>(bits)));
  }
  check_searches(queue, halves, Lines::rows(64, 1024));
  check_searches(queue, upper, Lines::rows(64, 1024));
}

TEST_SUITE_END();

TEST_SUITE_BEGIN("reductions");

TEST_CASE("searches that begin with a value, or make something else of it") {
  Queue queue(test::device());
  const std::vector<float> host{3, -1, 7, -1};
  const auto data = queue.upload(std::span<const float>(host));
  // Call by call: an index is one of the call's input.
  auto least = queue.upload(std::span<const Indexed<float>>(std::vector{Indexed<float>{-9, 5}}));
  ReduceOptions options;
  options.init_from = erase(least);
  argmin_into(queue, erase(data), erase(least), options);
  CHECK(queue.download(least)[0] == Indexed<float>{-9, 5});
  argmax_into(queue, erase(data), erase(least), options);
  CHECK(queue.download(least)[0] == Indexed<float>{7, 2});
  auto place = queue.allocate<std::uint64_t>(1);
  ReduceOptions made;
  made.result_map = "s.index * 10";
  argmin_into(queue, erase(data), erase(place), made);
  CHECK(queue.download(place)[0] == 10);
  // What is wrong is told in the caller's words.
  auto narrow = queue.allocate<std::uint32_t>(1);
  CHECK_THROWS_WITH_AS(argmin_into(queue, erase(data), erase(narrow)),
                       "the result is Indexed_f32, u64 or i64, not u32", Error);
}

TEST_CASE("indices alone: of integers, from a value to begin with, and of nothing") {
  Queue queue(test::device());
  std::vector<std::int32_t> host(5000);
  for (std::size_t i = 0; i < host.size(); ++i) host[i] = static_cast<std::int32_t>(i * 7 % 1001);
  check_searches(queue, host, {});
  check_searches(queue, host, Lines::rows(5, 1000));
  check_searches(queue, host, Lines::columns(1000, 5));
  const std::vector<float> few{3, -1, 7, -1};
  const auto data = queue.upload(std::span<const float>(few));
  const auto start =
      queue.upload(std::span<const Indexed<float>>(std::vector{Indexed<float>{-9, 5}}));
  auto place = queue.allocate<std::int64_t>(1);
  ReduceOptions options;
  options.init_from = erase(start);
  argmin_into(queue, erase(data), erase(place), options);
  CHECK(queue.download(place)[0] == 5);
  argmax_into(queue, erase(data), erase(place), options);
  CHECK(queue.download(place)[0] == 2);
  argmax_into(queue, erase(data.view(0, 0)), erase(place));
  CHECK(queue.download(place)[0] == -1);
}

TEST_SUITE_END();

TEST_SUITE_BEGIN("lines_calls");

TEST_CASE("searches of integers among extremes, equals and nothing") {
  check_type<std::int8_t>();
  check_type<std::uint32_t>();
}

TEST_SUITE_END();

}  // namespace bifold
