// Runs the variant that this folder adds, on every device, and compares it with the host.
#include <bifold/bifold.hpp>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <numeric>
#include <span>
#include <vector>

namespace {

/// Whether the sums of the first n numbers are right, for several n.
bool sums_are_right(bifold::Queue& queue) {
  for (const std::size_t n : {1u, 63u, 64u, 65u, 1000u, 1'000'000u}) {
    std::vector<std::int32_t> numbers(n);
    std::iota(numbers.begin(), numbers.end(), -7);
    const bifold::Buffer<std::int32_t> input = queue.upload(std::span(std::as_const(numbers)));
    const auto expected = std::accumulate(numbers.begin(), numbers.end(), std::int64_t{0});
    const auto sum =
        bifold::reduce(queue, input, bifold::plus, std::int64_t{0}, {.variant = "toy"});
    if (sum != expected) {
      std::cout << "n = " << n << ": " << sum << " instead of " << expected << '\n';
      return false;
    }
  }
  return true;
}

}  // namespace

int main() try {
  bool right = true;
  int devices = 0;
  for (const bifold::DeviceInfo& info : bifold::devices()) {
    bifold::Queue queue(bifold::open_device(info.selector));
    ++devices;
    const bool here = sums_are_right(queue);
    std::cout << info.selector << ": " << (here ? "right" : "wrong") << '\n';
    right = right && here;
  }
  if (devices == 0) return 77;  // Skipped.
  return right ? 0 : 1;
} catch (const bifold::Error& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
