#include "measure/suite.hpp"

#include <array>

namespace bench {

std::span<const Suite> suites() {
  static constexpr std::array<Suite, 2> all{{
      {"standard", "2^9..2^27:8", "2^9..2^27:8", {0.06, 9}},
      {"quick", "2^9..2^24:8", "2^9..2^24:8", {0.02, 5}},
  }};
  return all;
}

bool suites_have(bifold::Type type, const bifold::Operator& op) {
  if (op == bifold::plus) return true;
  return op == bifold::maximum && (type == bifold::Type::i32 || type == bifold::Type::f32);
}

bool suites_have_lines(bifold::Type type, const bifold::Operator& op) {
  return op == bifold::plus && (type == bifold::Type::i32 || type == bifold::Type::f32);
}

std::vector<Matrix> suite_matrices() { return {{4096, 4096, 1}, {4096, 4096, 0}}; }

}  // namespace bench
