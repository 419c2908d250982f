// Memory, backed by the host's, with every range checked.
#include <cstdlib>
#include <cstring>

#include "state.hpp"

namespace {

CUdeviceptr address_of(void* pointer) { return reinterpret_cast<CUdeviceptr>(pointer); }
void* pointer_to(CUdeviceptr address) { return reinterpret_cast<void*>(address); }

std::size_t bytes_in_use(CUcontext context) {
  std::size_t sum = 0;
  for (const auto& [start, block] : fake::state().blocks) {
    if (block.context == context) sum += block.bytes;
  }
  return sum;
}

/// Enqueues setting `rows` words of type Word, `pitch` bytes apart.
template <class Word>
CUresult set(CUdeviceptr to, std::size_t pitch, Word word, std::size_t rows, CUstream stream) {
  if (rows == 0) return CUDA_SUCCESS;
  if (to % sizeof(Word) != 0 || !fake::in_bounds(to, (rows - 1) * pitch + sizeof(Word))) {
    return fake::misuse(CUDA_ERROR_INVALID_VALUE);
  }
  return fake::enqueue(stream, [=] {
    for (std::size_t row = 0; row < rows; ++row) {
      std::memcpy(pointer_to(to + row * pitch), &word, sizeof word);
    }
  });
}

}  // namespace

extern "C" {

CUresult cuMemAlloc_v2(CUdeviceptr* address, std::size_t bytes) {
  FAKE_CALL_IN_CONTEXT("cuMemAlloc_v2");
  if (bytes == 0) return fake::misuse(CUDA_ERROR_INVALID_VALUE);
  const auto total = static_cast<std::size_t>(fake::setting("FAKE_CUDA_MEMORY", 268435456));
  const std::size_t used = bytes_in_use(fake::current());
  if (bytes > total || used > total - bytes) return CUDA_ERROR_OUT_OF_MEMORY;
  void* block = nullptr;
  if (posix_memalign(&block, 256, bytes) != 0) return CUDA_ERROR_OUT_OF_MEMORY;
  std::memset(block, 0xcd, bytes);
  *address = address_of(block);
  fake::state().blocks[*address] = {fake::current(), bytes};
  return CUDA_SUCCESS;
}

CUresult cuMemFree_v2(CUdeviceptr address) {
  FAKE_CALL_IN_CONTEXT("cuMemFree_v2");
  const auto found = fake::state().blocks.find(address);
  if (found == fake::state().blocks.end() || found->second.context != fake::current()) {
    return fake::misuse(CUDA_ERROR_INVALID_VALUE);
  }
  fake::drain_all();  // As the driver waits for work that may use the memory.
  fake::state().blocks.erase(found);
  std::free(pointer_to(address));
  return CUDA_SUCCESS;
}

CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void* from, std::size_t n, CUstream stream) {
  FAKE_CALL_IN_CONTEXT("cuMemcpyHtoDAsync_v2");
  if (!fake::in_bounds(to, n)) return fake::misuse(CUDA_ERROR_INVALID_VALUE);
  return fake::enqueue(stream, [=] { std::memcpy(pointer_to(to), from, n); });
}

CUresult cuMemcpyDtoHAsync_v2(void* to, CUdeviceptr from, std::size_t n, CUstream stream) {
  FAKE_CALL_IN_CONTEXT("cuMemcpyDtoHAsync_v2");
  if (!fake::in_bounds(from, n)) return fake::misuse(CUDA_ERROR_INVALID_VALUE);
  return fake::enqueue(stream, [=] { std::memcpy(to, pointer_to(from), n); });
}

CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, std::size_t n, CUstream stream) {
  FAKE_CALL_IN_CONTEXT("cuMemcpyDtoDAsync_v2");
  const bool overlap = to < from + n && from < to + n;
  if (!fake::in_bounds(to, n) || !fake::in_bounds(from, n) || overlap) {
    return fake::misuse(CUDA_ERROR_INVALID_VALUE);
  }
  return fake::enqueue(stream, [=] { std::memcpy(pointer_to(to), pointer_to(from), n); });
}

CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char word, std::size_t n, CUstream stream) {
  FAKE_CALL_IN_CONTEXT("cuMemsetD8Async");
  return set(to, 1, word, n, stream);
}

CUresult cuMemsetD16Async(CUdeviceptr to, unsigned short word, std::size_t n, CUstream stream) {
  FAKE_CALL_IN_CONTEXT("cuMemsetD16Async");
  return set(to, 2, word, n, stream);
}

CUresult cuMemsetD32Async(CUdeviceptr to, unsigned word, std::size_t n, CUstream stream) {
  FAKE_CALL_IN_CONTEXT("cuMemsetD32Async");
  return set(to, 4, word, n, stream);
}

CUresult cuMemsetD2D32Async(CUdeviceptr to, std::size_t pitch, unsigned word, std::size_t width,
                            std::size_t height, CUstream stream) {
  FAKE_CALL_IN_CONTEXT("cuMemsetD2D32Async");
  if (width != 1 || pitch < 4) return fake::misuse(CUDA_ERROR_INVALID_VALUE);
  return set(to, pitch, word, height, stream);
}
}
