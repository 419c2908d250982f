// What tests of selections share.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <bifold/bifold.hpp>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "support/cases/rows.hpp"
#include "support/environment.hpp"
#include "support/values/random.hpp"

namespace bifold::test {

inline std::vector<const gallery::Variant*> selecting_rows() {
  return rows_on_device(Algorithm::select, Type::i32, plus);
}

/// Whether the row runs selections of that shape: a ring takes one array, and elements that vectors
/// or three words hold.
inline bool takes(const gallery::Variant& row, SelectShape shape) {
  shape.variant = row.name;
  try {
    static_cast<void>(SelectPlan(device(), shape));
    return true;
  } catch (const Error& error) {
    CHECK(row.name == "ring");
    CHECK(error.category() == ErrorCategory::unsupported);
    return false;
  }
}

template <class T>
std::vector<T> numbers(std::size_t n, std::uint64_t seed = 7) {
  Random random(seed);
  std::vector<T> values(n);
  for (T& value : values) value = static_cast<T>(random.next() % 100);
  return values;
}

template <class T>
Buffer<T> uploaded(Queue& queue, const std::vector<T>& host) {
  return queue.upload(std::span<const T>(host));
}

/// Places of which the first few are written, and what else is there.
template <class T>
struct Places {
  Places(Queue& queue, std::size_t count, T untouched)
      : before(count, untouched), buffer(uploaded(queue, before)) {}

  void check(Queue& queue, const std::vector<T>& want) const {
    std::vector<T> expected = before;
    std::copy(want.begin(), want.end(), expected.begin());
    CHECK(queue.download(buffer) == expected);
  }

  std::vector<T> before;
  Buffer<T> buffer;
};

}  // namespace bifold::test
