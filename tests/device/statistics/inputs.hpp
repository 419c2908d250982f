// What the suites of statistics reduce.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace bifold::test {

/// Uniform within `spread` of `middle`; those of one length are always the same.
template <class T>
std::vector<T> numbers_around(std::size_t count, double middle, double spread) {
  std::mt19937 random(static_cast<unsigned>(count));
  std::uniform_real_distribution<double> uniform(middle - spread, middle + spread);
  std::vector<T> all(count);
  for (T& x : all) x = static_cast<T>(uniform(random));
  return all;
}

/// One row of a matrix of so many columns, or one column of as many rows as there are.
template <class T>
std::vector<T> line_of(const std::vector<T>& x, std::uint64_t columns, bool along_rows,
                       std::uint64_t line) {
  const std::uint64_t length = along_rows ? columns : x.size() / columns;
  std::vector<T> alone;
  for (std::uint64_t k = 0; k < length; ++k) {
    alone.push_back(x[along_rows ? line * columns + k : k * columns + line]);
  }
  return alone;
}

}  // namespace bifold::test
