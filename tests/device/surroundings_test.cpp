// What lies just outside a range has no influence on it: NaN and infinities, or huge integers,
// stand on both sides of the input of every row.
#include <doctest/doctest.h>

#include <bifold/bifold.hpp>
#include <limits>

#include "support/cases/rows.hpp"
#include "support/environment.hpp"

namespace bifold {

namespace {

/// One `offset` elements in, n times; before and behind it what would spoil any sum and maximum.
template <class T>
std::vector<T> surrounded_ones(std::size_t offset, std::size_t n) {
  using Limits = std::numeric_limits<T>;
  // Twice this number is not zero, and neither is it any small multiple of it.
  constexpr T huge = static_cast<T>(Limits::max() / 3);
  std::vector<T> values(offset + n + 64, Limits::has_quiet_NaN ? Limits::quiet_NaN() : huge);
  if (Limits::has_infinity) {
    for (std::size_t i = 0; i < values.size(); i += 3) values[i] = Limits::infinity();
  }
  std::fill_n(values.begin() + static_cast<std::ptrdiff_t>(offset), n, T{1});
  return values;
}

template <class T>
void check_reduce(Queue& queue, const gallery::Variant& row, View<T> view, const Operator& op,
                  T expected) {
  INFO(row.name << " " << op.name() << ", n " << view.size());
  CHECK(reduce(queue, erase(view), op, Value(T{0}), {.variant = row.name}).template as<T>() ==
        expected);
}

template <class T>
void check_scan(Queue& queue, const gallery::Variant& row, View<T> view) {
  INFO(row.name << ", n " << view.size());
  auto output = queue.allocate<T>(view.size());
  inclusive_scan(queue, view, output, plus, {.variant = row.name});
  const auto result = queue.download(output);
  CHECK(result.front() == T{1});
  CHECK(result.back() == static_cast<T>(view.size()));
}

}  // namespace

TEST_SUITE_BEGIN("surroundings");

TEST_CASE_TEMPLATE("what lies just outside the range has no influence, on every row", T, float,
                   double, std::int32_t) {
  if (!test::device().supports(type_of<T>())) return;
  const Type type = type_of<T>();
  // Sums on every row of the narrow types; the rest on one row of each kernel file.
  const bool narrow = sizeof(T) == 4;
  const auto rows = [&](Algorithm algorithm, const Operator& op, bool all) {
    return all ? test::rows_on_device(algorithm, type, op)
               : test::files_on_device(algorithm, type, op, 3);
  };
  Queue queue(test::device());
  for (const std::size_t n : {1U, 5U, 255U, 256U, 1'000U, 4'097U}) {
    for (const std::size_t offset : {1U, 2U, 3U, 16U}) {
      auto data = queue.upload(std::span<const T>(surrounded_ones<T>(offset, n)));
      const View<T> view = data.view(offset, n);
      for (const auto* row : rows(Algorithm::reduce, plus, narrow)) {
        check_reduce(queue, *row, view, plus, static_cast<T>(n));
      }
      for (const auto* row : rows(Algorithm::reduce, maximum, false)) {
        check_reduce(queue, *row, view, maximum, T{1});
      }
      for (const auto* row : rows(Algorithm::scan, plus, narrow)) {
        check_scan(queue, *row, view);
      }
    }
  }
}

TEST_SUITE_END();

}  // namespace bifold
