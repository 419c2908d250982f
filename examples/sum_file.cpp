// Sums the floats of a file of any size: sum_file FILE. Of the file, a chunk at a time is in
// memory, and the sum has the bits of one call on all of it. Without a file, it sums one that it
// writes.
#include <bifold/bifold.hpp>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

constexpr std::size_t chunk_size = std::size_t{1} << 20;

std::string written_file() {
  std::string path = "sum_file.bin";
  std::ofstream file(path, std::ios::binary);
  std::vector<float> values(chunk_size + 1234);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 1.0F / static_cast<float>(i + 1);
  const auto bytes = static_cast<std::streamsize>(values.size() * sizeof(float));
  for (int part = 0; part < 3; ++part) {
    file.write(reinterpret_cast<const char*>(values.data()), bytes);
  }
  file.close();
  if (!file) throw std::runtime_error(path + " cannot be written");
  return path;
}

void sum(const std::string& path, const bifold::Device& device) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(path + " cannot be read");
  const bifold::Queue queue(device);
  bifold::ReduceAccumulation sum(
      queue, {.input = bifold::Type::f32, .accumulator = bifold::Type::f32, .op = bifold::plus});
  std::vector<float> chunk(chunk_size);
  while (file) {
    file.read(reinterpret_cast<char*>(chunk.data()),
              static_cast<std::streamsize>(chunk.size() * sizeof(float)));
    const auto bytes = static_cast<std::size_t>(file.gcount());
    if (bytes % sizeof(float) != 0) throw std::runtime_error(path + " ends within a float");
    sum.feed(std::span(chunk).first(bytes / sizeof(float)));
  }
  if (!file.eof()) throw std::runtime_error(path + " cannot be read to its end");
  std::cout << "the sum of " << sum.count() << " floats is " << sum.value().as<float>() << '\n';
}

}  // namespace

int main(int argc, char** argv) try {
  const bifold::Device device = bifold::open_device("");
  const bool own = argc < 2;
  const std::string path = own ? written_file() : argv[1];
  sum(path, device);
  if (own) std::remove(path.c_str());
} catch (const bifold::Error& error) {
  std::cerr << error.what() << '\n';
  return error.category() == bifold::ErrorCategory::unavailable ? 77 : 1;
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
