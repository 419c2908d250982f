#include "delays.hpp"

#include <CL/cl.h>

#include <cstdlib>
#include <string>

#include "program_text.hpp"

namespace bifold::test {

namespace {

cl_icd_dispatch without{};

// Behind the functions that it replaces. The clock is a source of numbers that no launch repeats.
constexpr const char* delays = R"(
#ifdef __NV_CL_C_VERSION
DEVICE u64 clock_now(void) {
  u64 now;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(now) : : "memory");
  return now;
}
#else
DEVICE u64 clock_now(void) { return __builtin_readcyclecounter(); }
#endif

DEVICE void stay_behind(void) {
  u64 number = (clock_now() + get_group_id(0)) * 0x9E3779B97F4A7C15ul;
  number = (number ^ number >> 29) * 0xBF58476D1CE4E5B9ul;
  number ^= number >> 32;
  const u32 most = number / 8 % 16 != 0 ? 255u : 16383u;
  volatile u32 left = number % 8 != 0 ? 0u : (u32)(number >> 8) & most;
  while (left > 0) left = left - 1;
}

DEVICE void store_word_late(__global u64* word, u64 value) {
  stay_behind();
  store_word(word, value);
}
#define store_word(word, value) store_word_late(word, value)

DEVICE u64 add_word_late(__global u64* word, u64 value) {
  stay_behind();
  const u64 before = add_word(word, value);
  stay_behind();
  return before;
}
#define add_word(word, value) add_word_late(word, value)

)";

cl_program CL_API_CALL with_delays(cl_context owner, cl_uint count, const char** strings,
                                   const std::size_t* lengths, cl_int* code) {
  std::string text = joined(count, strings, lengths);
  // The last function of every prelude that has words of this kind.
  const std::size_t at = text.find("DEVICE void device_fence(void)");
  if (at != std::string::npos) text.insert(at, delays);
  return create_program(without.clCreateProgramWithSource, owner, text, code);
}

cl_program CL_API_CALL no_binary(cl_context, cl_uint, const cl_device_id*, const std::size_t*,
                                 const unsigned char**, cl_int*, cl_int* code) {
  if (code != nullptr) *code = CL_INVALID_BINARY;
  return nullptr;
}

}  // namespace

void delay_groups(cl_icd_dispatch& target) {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): set by the test.
  if (std::getenv("BIFOLD_LAYER_DELAYS") == nullptr) return;
  without = target;
  target.clCreateProgramWithSource = &with_delays;
  target.clCreateProgramWithBinary = &no_binary;
}

}  // namespace bifold::test
