// Sums and scans by the backend that this folder adds, and looks at what it counted.
#include <algorithm>
#include <bifold/bifold.hpp>
#include <bifold/interop/toy.hpp>
#include <iostream>
#include <numeric>
#include <span>
#include <vector>

namespace {

using bifold::interop::toy::Counts;

bool expect(bool right, const char* what) {
  if (!right) std::cout << "wrong: " << what << '\n';
  return right;
}

template <class T>
bool sums_and_scans(const bifold::Device& device) {
  constexpr std::size_t n = 5000;  // Sums of these numbers are exact in f32, too.
  std::vector<T> numbers(n);
  std::iota(numbers.begin(), numbers.end(), T{-7});
  std::vector<T> prefixes(n);
  std::partial_sum(numbers.begin(), numbers.end(), prefixes.begin());

  bifold::Queue queue(device);
  const Counts before = bifold::interop::toy::counts(device);
  const bifold::Buffer<T> input = queue.upload(std::span(std::as_const(numbers)));
  const auto sum = bifold::reduce(queue, input, bifold::plus);
  const Counts reduced = bifold::interop::toy::counts(device);
  bifold::Buffer<T> output(device, n);
  bifold::inclusive_scan(queue, input, output, bifold::plus);
  const std::vector<T> scanned = queue.download(output);
  const Counts after = bifold::interop::toy::counts(device);

  bool right = expect(sum == prefixes.back(), "the sum");
  right = expect(scanned == prefixes, "the scan") && right;
  right = expect(reduced.launches > before.launches, "launches of the sum") && right;
  right = expect(after.launches > reduced.launches, "launches of the scan") && right;
  right = expect(after.programs > before.programs, "programs") && right;
  // Beside the numbers, a call may move a few bytes of its own.
  right = expect(after.uploaded - before.uploaded >= n * sizeof(T), "bytes uploaded") && right;
  right = expect(after.downloaded - reduced.downloaded >= n * sizeof(T), "bytes down") && right;
  return right;
}

}  // namespace

int main() try {
  const auto backends = bifold::backends();
  const auto toy = std::find_if(backends.begin(), backends.end(),
                                [](const auto& backend) { return backend.name == "toy"; });
  if (toy == backends.end()) {
    std::cout << "this library has no backend toy\n";
    return 1;
  }
  if (!toy->available) return 77;  // Skipped.
  const bifold::Device device = bifold::open_device("toy:0");
  const bool right = sums_and_scans<std::int32_t>(device) && sums_and_scans<float>(device);
  const Counts counts = bifold::interop::toy::counts(device);
  std::cout << device.info().selector << ", " << device.info().name << ": " << counts.programs
            << " programs, " << counts.launches << " launches, " << counts.uploaded << " bytes up, "
            << counts.downloaded << " bytes down\n";
  return right ? 0 : 1;
} catch (const bifold::Error& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
