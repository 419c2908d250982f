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
  const auto work = [=] {
    for (std::size_t row = 0; row < rows; ++row) {
      std::memcpy(pointer_to(to + row * pitch), &word, sizeof word);
    }
  };
  return fake::enqueue(stream, fake::Command{work, {{to, (rows - 1) * pitch + sizeof(Word)}}});
}

CUresult allocate(void** block, std::size_t bytes, fake::BlockKind kind) {
  if (bytes == 0) return fake::misuse(CUDA_ERROR_INVALID_VALUE);
  const auto total = static_cast<std::size_t>(fake::setting("FAKE_CUDA_MEMORY", 268435456));
  const std::size_t used = bytes_in_use(fake::current());
  if (bytes > total || used > total - bytes) return CUDA_ERROR_OUT_OF_MEMORY;
  if (posix_memalign(block, 256, bytes) != 0) return CUDA_ERROR_OUT_OF_MEMORY;
  std::memset(*block, 0xcd, bytes);
  fake::state().blocks[address_of(*block)] = {fake::current(), bytes, kind};
  return CUDA_SUCCESS;
}

CUresult allocate(CUdeviceptr* address, std::size_t bytes, fake::BlockKind kind) {
  void* block = nullptr;
  const CUresult result = allocate(&block, bytes, kind);
  if (result == CUDA_SUCCESS) *address = address_of(block);
  return result;
}

CUresult release(CUdeviceptr address, bool host) {
  const auto found = fake::state().blocks.find(address);
  if (found == fake::state().blocks.end() || found->second.context != fake::current() ||
      (found->second.kind == fake::BlockKind::host) != host) {
    return fake::misuse(CUDA_ERROR_INVALID_VALUE);
  }
  if (host) {
    // No driver promises to wait for work that uses it: what comes late is to be seen.
    std::memset(pointer_to(address), fake::freed_pattern, found->second.bytes);
    fake::state().freed_host_blocks.emplace_back(address, found->second.bytes);
    fake::state().blocks.erase(found);
    return CUDA_SUCCESS;
  }
  fake::drain_all();  // As the driver waits for work that may use the memory.
  fake::state().blocks.erase(found);
  std::free(pointer_to(address));
  return CUDA_SUCCESS;
}

/// False for an attribute that the block does not have.
bool attribute(void* value, CUpointer_attribute which, CUdeviceptr address) {
  CUdeviceptr start = 0;
  const fake::Block* block = fake::block_of(address, &start);
  if (block == nullptr) return false;
  const bool pool = block->kind == fake::BlockKind::pool;
  const bool host = block->kind == fake::BlockKind::host;
  const auto give = [value](auto known) { *static_cast<decltype(known)*>(value) = known; };
  switch (which) {
    case CU_POINTER_ATTRIBUTE_CONTEXT: give(pool ? CUcontext{} : block->context); return true;
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      give(host ? unsigned{CU_MEMORYTYPE_HOST} : unsigned{CU_MEMORYTYPE_DEVICE});
      return true;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
      give(unsigned{block->kind == fake::BlockKind::managed});
      return true;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: give(block->context->device); return true;
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER: give(address); return true;
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR: give(start); return true;
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE: give(block->bytes); return true;
    default: return false;
  }
}

}  // namespace

extern "C" {

CUresult cuMemAlloc_v2(CUdeviceptr* address, std::size_t bytes) {
  FAKE_CALL_OUTSIDE_CAPTURE("cuMemAlloc_v2");
  return allocate(address, bytes, fake::BlockKind::device);
}

CUresult cuMemAllocManaged(CUdeviceptr* address, std::size_t bytes, unsigned) {
  FAKE_CALL_OUTSIDE_CAPTURE("cuMemAllocManaged");
  return allocate(address, bytes, fake::BlockKind::managed);
}

CUresult cuMemAllocHost_v2(void** block, std::size_t bytes) {
  FAKE_CALL_OUTSIDE_CAPTURE("cuMemAllocHost_v2");
  return allocate(block, bytes, fake::BlockKind::host);
}

// At once, whatever the stream: early enough for everybody.
CUresult cuMemAllocAsync(CUdeviceptr* address, std::size_t bytes, CUstream stream) {
  FAKE_CALL_IN_CONTEXT("cuMemAllocAsync");
  if (fake::own_stream(stream) == nullptr) return fake::misuse(CUDA_ERROR_INVALID_HANDLE);
  return allocate(address, bytes, fake::BlockKind::pool);
}

CUresult cuMemFree_v2(CUdeviceptr address) {
  FAKE_CALL_OUTSIDE_CAPTURE("cuMemFree_v2");
  return release(address, false);
}

CUresult cuMemFreeHost(void* block) {
  FAKE_CALL_OUTSIDE_CAPTURE("cuMemFreeHost");
  return release(address_of(block), true);
}

CUresult cuPointerGetAttribute(void* value, CUpointer_attribute which, CUdeviceptr address) {
  FAKE_CALL("cuPointerGetAttribute");
  return attribute(value, which, address) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuPointerGetAttributes(unsigned count, CUpointer_attribute* which, void** values,
                                CUdeviceptr address) {
  FAKE_CALL("cuPointerGetAttributes");
  for (unsigned i = 0; i < count; ++i) {
    // What is not known is zero.
    const bool wide =
        which[i] != CU_POINTER_ATTRIBUTE_MEMORY_TYPE && which[i] != CU_POINTER_ATTRIBUTE_IS_MANAGED;
    if (!attribute(values[i], which[i], address)) std::memset(values[i], 0, wide ? 8 : 4);
  }
  return CUDA_SUCCESS;
}

CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void* from, std::size_t n, CUstream stream) {
  FAKE_CALL_IN_CONTEXT("cuMemcpyHtoDAsync_v2");
  if (!fake::in_bounds(to, n)) return fake::misuse(CUDA_ERROR_INVALID_VALUE);
  return fake::enqueue(stream,
                       fake::Command{[=] { std::memcpy(pointer_to(to), from, n); }, {{to, n}}});
}

CUresult cuMemcpyDtoHAsync_v2(void* to, CUdeviceptr from, std::size_t n, CUstream stream) {
  FAKE_CALL_IN_CONTEXT("cuMemcpyDtoHAsync_v2");
  if (!fake::in_bounds(from, n)) return fake::misuse(CUDA_ERROR_INVALID_VALUE);
  return fake::enqueue(stream,
                       fake::Command{[=] { std::memcpy(to, pointer_to(from), n); }, {{from, n}}});
}

CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, std::size_t n, CUstream stream) {
  FAKE_CALL_IN_CONTEXT("cuMemcpyDtoDAsync_v2");
  const bool overlap = to < from + n && from < to + n;
  if (!fake::in_bounds(to, n) || !fake::in_bounds(from, n) || overlap) {
    return fake::misuse(CUDA_ERROR_INVALID_VALUE);
  }
  return fake::enqueue(stream,
                       fake::Command{[=] { std::memcpy(pointer_to(to), pointer_to(from), n); },
                                     {{to, n}, {from, n}}});
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
