// How exact CUB's sums are, on the inputs of `bifold-bench accuracy`: cub::DeviceReduce::Sum, and
// the last value of cub::DeviceScan::InclusiveSum, one run each. Prints a table with the tool's
// first four columns, so that one can be checked against the other.
//
//   nvcc -std=c++17 -O2 -arch=sm_90 -cudart static -Ibench bench/peers/cub_accuracy.cu -o cub
//   ./cub > bench/results/accuracy/cub-nvidia-h200.md
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cub/cub.cuh>
#include <vector>

#include "data/accuracy_inputs.hpp"

namespace {

void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(status));
  std::exit(1);
}

/// Device memory of the program's whole life.
template <class T>
T* allocate(std::size_t count) {
  void* memory = nullptr;
  check(cudaMalloc(&memory, count * sizeof(T)), "cudaMalloc");
  return static_cast<T*>(memory);
}

template <class T>
struct Memory {
  T* input;
  T* output;
  T* total;
};

/// Calls CUB twice, as it wants: for the size of its scratch memory, and with it.
template <class Call>
void with_scratch(Call call) {
  std::size_t bytes = 0;
  check(call(nullptr, bytes), "size of scratch");
  auto* scratch = allocate<unsigned char>(bytes);
  check(call(scratch, bytes), "CUB");
  check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  check(cudaFree(scratch), "cudaFree");
}

template <class T>
T fetch(const T* from) {
  T value{};
  check(cudaMemcpy(&value, from, sizeof(T), cudaMemcpyDeviceToHost), "cudaMemcpy");
  return value;
}

template <class T>
void measure(const Memory<T>& memory, bench::Family family, unsigned exponent, const char* type) {
  const std::size_t n = std::size_t{1} << exponent;
  std::vector<double> serial;
  std::vector<double> reduction;
  std::vector<double> scan;
  for (unsigned seed = 1; seed <= bench::accuracy_trials; ++seed) {
    const std::vector<T> values = bench::accuracy_input<T>(family, seed, n);
    const bench::ExactSum exact = bench::exact_sum(values);
    check(cudaMemcpy(memory.input, values.data(), n * sizeof(T), cudaMemcpyHostToDevice),
          "cudaMemcpy");
    with_scratch([&](void* scratch, std::size_t& bytes) {
      return cub::DeviceReduce::Sum(scratch, bytes, memory.input, memory.total,
                                    static_cast<long long>(n));
    });
    with_scratch([&](void* scratch, std::size_t& bytes) {
      return cub::DeviceScan::InclusiveSum(scratch, bytes, memory.input, memory.output,
                                           static_cast<long long>(n));
    });
    serial.push_back(bench::relative_error(exact, bench::serial_sum(values)));
    reduction.push_back(bench::relative_error(exact, fetch(memory.total)));
    scan.push_back(bench::relative_error(exact, fetch(memory.output + n - 1)));
  }
  std::printf("| %s | %s | 2^%u | %s | %s | %s |\n", type, name_of(family), exponent,
              bench::error_cell(serial).c_str(), bench::error_cell(reduction).c_str(),
              bench::error_cell(scan).c_str());
  std::fflush(stdout);
}

template <class T>
void measure_all(const char* type) {
  const std::size_t most = std::size_t{1} << bench::accuracy_exponents.back();
  const Memory<T> memory{allocate<T>(most), allocate<T>(most), allocate<T>(1)};
  for (const bench::Family family : bench::families) {
    for (const unsigned exponent : bench::accuracy_exponents) {
      measure<T>(memory, family, exponent, type);
    }
  }
}

}  // namespace

int main() {
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, 0), "cudaGetDeviceProperties");
  int runtime = 0;
  check(cudaRuntimeGetVersion(&runtime), "cudaRuntimeGetVersion");
  std::printf("CUB %d.%d.%d of CUDA %d.%d, %s\n\n", CUB_MAJOR_VERSION, CUB_MINOR_VERSION,
              CUB_SUBMINOR_VERSION, runtime / 1000, runtime % 1000 / 10, properties.name);
  std::printf(
      "| type | elements | n | from left to right | CUB, reduction | CUB, scan |\n"
      "| --- | --- | --- | --- | --- | --- |\n");
  measure_all<float>("f32");
  measure_all<double>("f64");
  return 0;
}
