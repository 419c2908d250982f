// A stranger's program on a CUDA device. Ends with 77 where there is none.
#include <bifold/bifold.hpp>
#include <cstdint>
#include <iostream>
#include <span>
#include <vector>

int main() try {
  bifold::Queue queue(bifold::open_device("cuda"));
  const std::vector<std::uint32_t> host(100'000, 1);
  auto numbers = queue.upload(std::span(host));
  bifold::inclusive_scan(queue, numbers, numbers, bifold::plus);
  return queue.download(numbers).back() == host.size() ? 0 : 1;
} catch (const bifold::Error& error) {
  std::cerr << error.what() << '\n';
  return error.category() == bifold::ErrorCategory::unavailable ? 77 : 1;
}
