// A sum and its running sums, on the best device there is.
#include <bifold/bifold.hpp>
#include <cstdint>
#include <iostream>
#include <numeric>
#include <span>
#include <vector>

int main() try {
  const bifold::Device device = bifold::open_device();  // $BIFOLD_DEVICE, or the best there is
  bifold::Queue queue(device);
  std::cout << "on " << device.info().name << " (" << device.info().selector << ")\n";

  std::vector<int> host(1'000'000);
  std::iota(host.begin(), host.end(), 1);
  const bifold::Buffer<int> numbers = queue.upload(std::span(host));

  // The initial value's type is the accumulator's, as with std::reduce.
  const std::int64_t sum = bifold::reduce(queue, numbers, bifold::plus, std::int64_t{0});

  auto running = queue.allocate<std::int64_t>(host.size());
  bifold::inclusive_scan(queue, numbers, running, bifold::plus);  // enqueued; download() waits
  const std::vector<std::int64_t> sums = queue.download(running);

  std::cout << "sum " << sum << ", last running sum " << sums.back() << '\n';
  return sum == sums.back() ? 0 : 1;
} catch (const bifold::Error& error) {
  std::cerr << error.what() << '\n';
  return error.category() == bifold::ErrorCategory::unavailable ? 77 : 1;  // 77: skipped
}
