#include "svm.hpp"

#include <CL/cl.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace bifold::test {

namespace {

constexpr std::byte freed_pattern{0xdd};

cl_api_clGetDeviceInfo device_info = nullptr;
cl_api_clSVMAlloc svm_alloc = nullptr;
cl_api_clSVMFree svm_free = nullptr;
std::atomic<bool> hides{false};
std::atomic<bool> keeps{false};

// Never destroyed: devices may be closed as late as a program likes.
struct Blocks {
  std::mutex mutex;
  std::map<void*, std::size_t> taken;
  std::vector<std::pair<std::byte*, std::size_t>> freed;  // They stay, with a pattern in them.
};

Blocks& blocks() {
  static auto* const all = new Blocks;
  return *all;
}

cl_int CL_API_CALL info(cl_device_id device, cl_device_info what, size_t size, void* value,
                        size_t* needed) {
  const cl_int code = device_info(device, what, size, value, needed);
  const bool asks = what == CL_DEVICE_SVM_CAPABILITIES && value != nullptr;
  if (hides && code == CL_SUCCESS && asks) std::memset(value, 0, size);
  return code;
}

void* CL_API_CALL allocate(cl_context context, cl_svm_mem_flags flags, size_t size,
                           cl_uint alignment) {
  void* const block = svm_alloc(context, flags, size, alignment);
  const std::lock_guard lock(blocks().mutex);
  if (block != nullptr) blocks().taken[block] = size;
  return block;
}

void CL_API_CALL release(cl_context context, void* block) {
  const std::lock_guard lock(blocks().mutex);
  const auto found = blocks().taken.extract(block);
  if (!found || !keeps) return svm_free(context, block);
  auto* const bytes = static_cast<std::byte*>(block);
  std::fill_n(bytes, found.mapped(), freed_pattern);
  blocks().freed.emplace_back(bytes, found.mapped());
}

}  // namespace

void watch_svm(cl_icd_dispatch& target) {
  device_info = target.clGetDeviceInfo;
  target.clGetDeviceInfo = &info;
  svm_alloc = target.clSVMAlloc;
  target.clSVMAlloc = &allocate;
  svm_free = target.clSVMFree;
  target.clSVMFree = &release;
}

void hide_svm(bool hidden) { hides = hidden; }

void keep_freed_svm(bool kept) { keeps = kept; }

long svm_written_late() {
  const std::lock_guard lock(blocks().mutex);
  return std::count_if(blocks().freed.begin(), blocks().freed.end(), [](const auto& block) {
    return std::any_of(block.first, block.first + block.second,
                       [](std::byte byte) { return byte != freed_pattern; });
  });
}

}  // namespace bifold::test
