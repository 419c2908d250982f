#include "counted_allocations.hpp"

#include <cstddef>
#include <cstdlib>
#include <new>
#include <utility>

namespace bifold::test {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool counting = false;
#else
constexpr bool counting = true;
#endif

thread_local std::int64_t counted = 0;
thread_local int fail_in = 0;
thread_local bool has_failed = false;
bool (*left_out)() = nullptr;

}  // namespace

bool counts_allocations() noexcept { return counting; }
std::int64_t allocations() noexcept { return counted; }
void leave_out_allocations(bool (*within)()) noexcept { left_out = within; }

bool fail_allocation(int nth) noexcept {
  fail_in = nth;
  return std::exchange(has_failed, false);
}

}  // namespace bifold::test

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

namespace bifold::test {
namespace {

void* allocate(std::size_t bytes, std::size_t alignment) {
  if (left_out == nullptr || !left_out()) {
    ++counted;
    if (fail_in > 0 && --fail_in == 0) {
      has_failed = true;
      throw std::bad_alloc();
    }
  }
  // aligned_alloc takes whole multiples.
  const std::size_t whole = (bytes + alignment - 1) / alignment * alignment;
  void* const memory = std::aligned_alloc(alignment, whole == 0 ? alignment : whole);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace
}  // namespace bifold::test

// The library's other forms call these.
void* operator new(std::size_t bytes) {
  return bifold::test::allocate(bytes, __STDCPP_DEFAULT_NEW_ALIGNMENT__);
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return bifold::test::allocate(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t /*bytes*/) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t /*alignment*/) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t /*bytes*/, std::align_val_t /*alignment*/) noexcept {
  std::free(memory);
}

#endif
