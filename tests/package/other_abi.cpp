// Links where the standard library's types have the library's layout, and nowhere else.
#include <bifold/bifold.hpp>
#include <cstdio>
#include <span>
#include <vector>

int main() {
  for (const bifold::DeviceInfo& info : bifold::devices()) std::puts(info.name.c_str());
  const bifold::Device device = bifold::open_device("opencl");
  bifold::Queue queue(device);
  const std::vector<int> host{1, 2, 3, 4};
  auto data = queue.upload(std::span<const int>(host));
  return bifold::reduce(queue, data, bifold::plus) == 10 ? 0 : 1;
}
