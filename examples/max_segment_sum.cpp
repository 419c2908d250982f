// The maximum segment sum: the largest sum of any run of consecutive elements, in one reduction.
// Its operator works on a struct of four sums and does not commute; the map that makes the struct
// of an element is fused into the reduction. Operator and map are one text for CUDA and for OpenCL.
// Source: Oancea & Henriksen 2023, reduction for non-commutative operators.
#include <algorithm>
#include <bifold/bifold.hpp>
#include <cstdint>
#include <iostream>
#include <random>
#include <span>
#include <string_view>
#include <vector>

// What is known of a piece of the input; an empty run counts as 0.
struct Segment {
  std::int32_t best;    // The largest sum of a run within the piece.
  std::int32_t prefix;  // Of a run that starts where the piece does.
  std::int32_t suffix;  // Of one that ends where the piece does.
  std::int32_t total;   // Of the whole piece.
};
BIFOLD_STRUCT(Segment, best, prefix, suffix, total);

namespace {

// The best run of two neighbours lies in one of them, or crosses from the earlier into the later.
const auto join = bifold::Operator::user(
    "join",
    "make_Segment(max(max(a.best, b.best), a.suffix + b.prefix),"
    " max(a.prefix, a.total + b.prefix), max(b.suffix, b.total + a.suffix), a.total + b.total)",
    Segment{});
const bifold::Map one_element = "make_Segment(max(x, 0), max(x, 0), max(x, 0), x)";

std::int32_t on_the_host(std::span<const std::int32_t> input) {
  std::int32_t best = 0;
  std::int32_t ending_here = 0;
  for (const std::int32_t x : input) {
    ending_here = std::max(ending_here + x, 0);
    best = std::max(best, ending_here);
  }
  return best;
}

}  // namespace

// An argument names the variant to use, such as staged_ordered.
int main(int argc, char** argv) try {
  bifold::Queue queue(bifold::open_device());
  bifold::ReduceOptions options;
  if (argc > 1) options.variant = argv[1];

  std::mt19937 random(1);
  std::uniform_int_distribution<std::int32_t> element(-100, 100);
  std::vector<std::int32_t> host(1'000'003);
  for (std::int32_t& x : host) x = element(random);

  const auto input = queue.upload(std::span(host));
  const Segment whole =
      bifold::transform_reduce(queue, input, join, Segment{}, one_element, options);
  const std::int32_t expected = on_the_host(host);
  std::cout << "maximum segment sum of " << host.size() << " elements: " << whole.best
            << (whole.best == expected ? "" : ", WRONG") << '\n';
  return whole.best == expected ? 0 : 1;
} catch (const bifold::Error& error) {
  std::cerr << error.what() << '\n' << error.log();
  return error.category() == bifold::ErrorCategory::unavailable ? 77 : 1;  // 77: skipped
}
