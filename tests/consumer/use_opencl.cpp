// A stranger's program on an OpenCL device. Ends with 77 where there is none.
#include <bifold/bifold.hpp>
#include <cstdint>
#include <iostream>
#include <numeric>
#include <span>
#include <vector>

int main() try {
  bifold::Queue queue(bifold::open_device("opencl"));
  std::vector<std::int32_t> host(1000);
  std::iota(host.begin(), host.end(), 1);
  const auto numbers = queue.upload(std::span(host));
  const auto sum = bifold::reduce(queue, numbers, bifold::plus, std::int64_t{0});
  std::cout << "bifold " << bifold::version() << ": " << sum << " on " << queue.device().info().name
            << '\n';
  // The library's exception is caught as its type, across the edge of a shared library.
  try {
    bifold::open_device("no such backend");
    return 2;
  } catch (const bifold::Error& error) {
    if (error.category() != bifold::ErrorCategory::invalid_argument) return 3;
  }
  return sum == 500500 ? 0 : 1;
} catch (const bifold::Error& error) {
  std::cerr << error.what() << '\n';
  return error.category() == bifold::ErrorCategory::unavailable ? 77 : 1;
}
