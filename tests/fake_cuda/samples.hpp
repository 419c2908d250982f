// Small things that the CUDA driver tests build, launch and look at.
#pragma once

#include <bifold/bifold.hpp>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "interface.hpp"

namespace fake_cuda {

namespace backend = bifold::backend;
using bifold::detail::Memory;

inline backend::Source source_of(const backend::Device& device, std::string text) {
  return {"sample.cu", std::move(text), device.compile_options()};
}

inline const std::string sample_text =
    "extern \"C\" __global__ void sample(unsigned* out, unsigned long long offset) {\n"
    "  out[offset + threadIdx.x] = 1u;\n"
    "}\n";

template <class T>
std::span<const std::byte> bytes_of(const T& value) {
  return std::as_bytes(std::span(&value, 1));
}

inline std::vector<std::uint8_t> contents(backend::Queue& queue, const Memory& memory) {
  std::vector<std::uint8_t> host(memory.bytes);
  queue.download(host.data(), memory, 0, memory.bytes);
  return host;
}

/// An event that no CUDA queue has made.
class ForeignEvent final : public backend::Event {
 public:
  void wait(bifold::TimeLimit) const override {}
  [[nodiscard]] bool complete() const override { return true; }
  [[nodiscard]] double seconds_since(const backend::Event&) const override { return 0; }
};

/// Frees what it allocated.
class Block {
 public:
  Block(backend::Device& device, std::uint64_t bytes)
      : device_(device), memory_(device.allocate(bytes)) {}
  ~Block() { device_.free(memory_); }
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;
  operator const Memory&() const { return memory_; }  // NOLINT(google-explicit-constructor)

 private:
  backend::Device& device_;
  Memory memory_;
};

}  // namespace fake_cuda
