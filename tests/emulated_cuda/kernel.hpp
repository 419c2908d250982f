// What stands in front of a kernel's text, compiled for the host: the words of CUDA C++ that
// kernels use, and the instructions that they name. The stand-in compiler writes
// `asm("add.u64 %0, %1;" : "=l"(a) : "l"(b))` as `ASM_add_u64("add.u64 %0, %1;", a, b)`.
#include <atomic>
#include <bifold/half.hpp>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <tuple>
#include <type_traits>
#include <utility>

#include "emulator.hpp"

#define __global__
#define __device__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))
#define __shared__ thread_local
#define __INTADDR__(address) ((unsigned long long)(address))

struct Dimension {
  unsigned x;
};
#define threadIdx (Dimension{emulated::item()})
#define blockIdx (Dimension{emulated::group()})
#define gridDim (Dimension{emulated::groups()})

struct alignas(8) uint2 {
  unsigned x, y;
};
inline uint2 make_uint2(unsigned x, unsigned y) { return {x, y}; }

struct alignas(16) uint4 {
  unsigned x, y, z, w;
};
inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) { return {x, y, z, w}; }

template <class T>
void __stwb(T* to, T value) {
  *to = value;
}

inline void __syncthreads() { emulated::barrier(); }
inline void __syncwarp(unsigned) { (void)emulated::ballot(true); }
inline unsigned __ballot_sync(unsigned, bool yes) { return emulated::ballot(yes); }
inline unsigned __shfl_sync(unsigned, unsigned value, unsigned lane) {
  return emulated::shuffled(value, lane);
}
inline unsigned __shfl_up_sync(unsigned, unsigned value, unsigned distance) {
  const unsigned lane = emulated::item() % 32;
  return emulated::shuffled(value, lane < distance ? lane : lane - distance);
}
inline unsigned __shfl_down_sync(unsigned, unsigned value, unsigned distance) {
  const unsigned lane = emulated::item() % 32;
  return emulated::shuffled(value, lane + distance > 31 ? lane : lane + distance);
}

inline unsigned __reduce_add_sync(unsigned, unsigned value) {
  for (unsigned distance = 1; distance < 32; distance *= 2) {
    value += emulated::shuffled(value, (emulated::item() % 32) ^ distance);
  }
  return value;
}

template <class T>
T min(T a, T b) {
  return b < a ? b : a;
}
template <class T>
T max(T a, T b) {
  return a < b ? b : a;
}
inline int __clz(int value) { return std::countl_zero(static_cast<unsigned>(value)); }
inline unsigned __float_as_uint(float value) { return std::bit_cast<unsigned>(value); }
inline float __uint_as_float(unsigned bits) { return std::bit_cast<float>(bits); }
inline long long __double_as_longlong(double value) { return std::bit_cast<long long>(value); }
inline double __longlong_as_double(long long bits) { return std::bit_cast<double>(bits); }

using Word = unsigned long long;

// --- Words that other groups see ---

inline std::atomic_ref<Word> shared_word(const Word* word) {
  return std::atomic_ref<Word>(*const_cast<Word*>(word));
}
// Who polls lets others go on.
inline void ASM_ld_relaxed_gpu_global_u64(const char*, Word& value, const Word* word) {
  emulated::pass();
  value = shared_word(word).load(std::memory_order_relaxed);
}
inline void ASM_ld_relaxed_gpu_global_v2_u64(const char*, Word& a, Word& b, const Word* words) {
  emulated::pass();
  a = shared_word(words).load(std::memory_order_relaxed);
  b = shared_word(words + 1).load(std::memory_order_relaxed);
}
inline void ASM_st_relaxed_gpu_global_u64(const char*, Word* word, Word value) {
  shared_word(word).store(value, std::memory_order_relaxed);
}
inline void ASM_atom_relaxed_gpu_global_add_u64(const char*, Word& before, Word* word, Word value) {
  before = shared_word(word).fetch_add(value, std::memory_order_relaxed);
}

template <class T>
T atomicCAS(T* word, T before, T after) {
  std::atomic_ref<T>(*word).compare_exchange_strong(before, after);
  return before;
}
template <class T, class F>
T exchanged(T* word, F combined) {
  T before = std::atomic_ref<T>(*word).load();
  while (!std::atomic_ref<T>(*word).compare_exchange_weak(before, combined(before))) {
  }
  return before;
}
template <class T>
T atomicAdd(T* word, T x) {
  return exchanged(word, [x](T before) { return before + x; });
}
template <class T>
T atomicMin(T* word, T x) {
  return exchanged(word, [x](T before) { return x < before ? x : before; });
}
template <class T>
T atomicMax(T* word, T x) {
  return exchanged(word, [x](T before) { return x > before ? x : before; });
}
template <class T>
T atomicAnd(T* word, T x) {
  return std::atomic_ref<T>(*word).fetch_and(x);
}
template <class T>
T atomicOr(T* word, T x) {
  return std::atomic_ref<T>(*word).fetch_or(x);
}
template <class T>
T atomicXor(T* word, T x) {
  return std::atomic_ref<T>(*word).fetch_xor(x);
}
inline void ASM_fence_acq_rel_gpu(const char*) {
  std::atomic_thread_fence(std::memory_order_acq_rel);
}

// --- Signals and copies ---

// Addresses of local memory have 32 bits: they count from a place in it.
inline thread_local char local_anchor;
template <class T>
void ASM_cvta_to_shared_u64(const char*, Word& address, const T* local) {
  address = static_cast<unsigned>(reinterpret_cast<const char*>(local) - &local_anchor);
}
inline void* local_at(unsigned address) { return &local_anchor + static_cast<int>(address); }

// In the 64 bits of a barrier: who is expected and still awaited, bytes to come, and the phase.
struct Phases {
  unsigned expected : 12;
  unsigned awaited : 12;
  unsigned odd : 1;
  int bytes;

  void settle() {
    if (awaited > 0 || bytes != 0) return;
    awaited = expected;
    odd ^= 1;
  }
};
static_assert(sizeof(Phases) == sizeof(Word));
inline Phases& phases_at(unsigned signal) { return *static_cast<Phases*>(local_at(signal)); }

inline void ASM_mbarrier_init_shared(const char*, unsigned signal, unsigned arrivals) {
  phases_at(signal) = {arrivals, arrivals, 0, 0};
}
inline void ASM_mbarrier_arrive_shared(const char*, unsigned signal, unsigned count = 1) {
  Phases& phases = phases_at(signal);
  phases.awaited -= count;
  phases.settle();
  // Who waited goes on at once, before what comes next here.
  emulated::pass();
}
// Some are still awaited, or bytes might have been those of a phase that is over.
inline void ASM_mbarrier_expect_tx_relaxed_cta_shared(const char*, unsigned signal,
                                                      unsigned bytes) {
  Phases& phases = phases_at(signal);
  if (phases.awaited == 0) std::abort();
  phases.bytes += static_cast<int>(bytes);
}
inline void ASM_mbarrier_try_wait_parity_shared(const char*, unsigned& given, unsigned signal,
                                                unsigned parity) {
  struct Wanted {
    const Phases* phases;
    unsigned parity;
  };
  const Wanted wanted{&phases_at(signal), parity};
  emulated::await(
      [](const void* of) {
        const auto* each = static_cast<const Wanted*>(of);
        return each->phases->odd != each->parity;
      },
      &wanted);
  given = 1;
}
// What the copy engine takes.
inline void check_units(const void* global, unsigned local, unsigned bytes) {
  if ((reinterpret_cast<std::uintptr_t>(global) |
       reinterpret_cast<std::uintptr_t>(local_at(local)) | bytes) %
          16 ==
      0) {
    return;
  }
  std::fprintf(stderr, "emulated: a bulk copy of %u bytes that is not of units\n", bytes);
  std::abort();
}

inline void ASM_cp_async_bulk_shared(const char*, unsigned to, const void* from, unsigned bytes,
                                     unsigned signal, Word = 0) {
  check_units(from, to, bytes);
  emulated::later({[](const emulated::Later& copy) {
                     std::memcpy(copy.to, copy.from, copy.bytes);
                     auto& phases = *static_cast<Phases*>(copy.signal);
                     phases.bytes -= static_cast<int>(copy.bytes);
                     phases.settle();
                   },
                   local_at(to), from, bytes, &phases_at(signal)});
}
// Copies out that this work-item has started and that have not read local memory, and how many of
// them it has committed to: it can wait for those.
struct CopiesOut {
  unsigned started;
  unsigned committed;
  unsigned read;
};
inline thread_local CopiesOut copies_out[1024];
inline void ASM_cp_async_bulk_global_shared(const char*, void* to, unsigned from, unsigned bytes) {
  check_units(to, from, bytes);
  CopiesOut* const own = &copies_out[emulated::item()];
  ++own->started;
  emulated::later({[](const emulated::Later& copy) {
                     std::memcpy(copy.to, copy.from, copy.bytes);
                     ++static_cast<CopiesOut*>(copy.signal)->read;
                   },
                   to, local_at(from), bytes, own});
}
inline void ASM_cp_async_bulk_commit_group(const char*) {
  CopiesOut& own = copies_out[emulated::item()];
  own.committed = own.started;
}
inline void ASM_cp_async_bulk_wait_group_read(const char*) {
  emulated::await(
      [](const void* of) {
        const auto* own = static_cast<const CopiesOut*>(of);
        return own->read >= own->committed;
      },
      &copies_out[emulated::item()]);
}
inline void ASM_fence_proxy_async(const char*) {}
inline void ASM_cp_async_bulk_prefetch_L2_global(const char*, Word, unsigned) {}
inline void ASM_createpolicy_fractional_L2(const char*, Word& policy) { policy = 0; }
inline void ASM_fence_proxy_async_shared(const char*) {}
inline void ASM_griddepcontrol_wait(const char*) {}
inline void ASM_griddepcontrol_launch_dependents(const char*) {}
template <class P>
void ASM_ld_global_L2(const char*, unsigned& x, unsigned& y, unsigned& z, unsigned& w,
                      const P* from, Word) {
  const auto* word = static_cast<const unsigned*>(static_cast<const void*>(from));
  x = word[0], y = word[1], z = word[2], w = word[3];
}

// --- Floating-point values ---

inline int __popc(unsigned x) { return std::popcount(x); }
inline int __popcll(Word x) { return std::popcount(x); }
inline int __clzll(long long x) { return std::countl_zero(static_cast<Word>(x)); }
inline int __mulhi(int a, int b) { return static_cast<int>((static_cast<long long>(a) * b) >> 32); }
inline unsigned __umulhi(unsigned a, unsigned b) {
  return static_cast<unsigned>((Word{a} * b) >> 32);
}
inline long long __mul64hi(long long a, long long b) {
  return static_cast<long long>((static_cast<__int128>(a) * b) >> 64);
}
inline Word __umul64hi(Word a, Word b) {
  return static_cast<Word>((static_cast<unsigned __int128>(a) * b) >> 64);
}

inline float extremum(float a, float b, bool least) {
  if (a != a || b != b) return std::bit_cast<float>(0x7fffffffU);
  if (a == b) return std::signbit(a) == least ? a : b;
  return (a < b) == least ? a : b;
}
inline void ASM_min_NaN_f32(const char*, float& out, float a, float b) {
  out = extremum(a, b, true);
}
inline void ASM_max_NaN_f32(const char*, float& out, float a, float b) {
  out = extremum(a, b, false);
}
inline void ASM_cvt_f32_f16(const char*, float& out, unsigned short bits) {
  out = bifold::f16::from_bits(bits);
}
inline void ASM_cvt_rn_f16_f32(const char*, unsigned short& bits, float value) {
  bits = bifold::f16(value).bits();
}
inline void ASM_cvt_rn_bf16_f32(const char*, unsigned short& bits, float value) {
  const auto word = std::bit_cast<unsigned>(value);
  bits = value != value ? 0x7fff
                        : static_cast<unsigned short>((word + 0x7fff + (word >> 16 & 1)) >> 16);
}

// --- Arithmetic on parts of words ---

// "min.s16x2" and its like, whose names macros put together.
inline void ASM_(const char* text, unsigned& out, unsigned a, unsigned b) {
  const bool least = std::strncmp(text, "min", 3) == 0;
  const bool is_signed = std::strstr(text, ".s16x2") != nullptr;
  out = 0;
  for (const unsigned at : {0U, 16U}) {
    const unsigned flip = is_signed ? 0x8000 : 0;
    const unsigned x = (a >> at & 0xffff) ^ flip;
    const unsigned y = (b >> at & 0xffff) ^ flip;
    out |= (((x < y) == least ? x : y) ^ flip) << at;
  }
}

// The selector is the last operand in the text.
inline void ASM_prmt_b32(const char* text, unsigned& out, unsigned low, unsigned high) {
  const unsigned long selector = std::strtoul(std::strrchr(text, ',') + 1, nullptr, 16);
  const Word bytes = Word{high} << 32 | low;
  out = 0;
  for (unsigned i = 0; i < 4; ++i) {
    out |= static_cast<unsigned>(bytes >> (selector >> 4 * i & 7) * 8 & 0xff) << 8 * i;
  }
}
inline void ASM_add_u16x2(const char*, unsigned& out, unsigned a, unsigned b) {
  out = ((a + b) & 0xffff) | ((a >> 16) + (b >> 16)) << 16;
}
inline void dot(const char* text, unsigned& out, unsigned a, unsigned b, unsigned sum,
                unsigned bits) {
  const bool is_signed = std::strstr(text, ".s32") != nullptr;
  out = sum;
  for (unsigned at = 0; at < 32; at += bits) {
    const unsigned mask = (1U << bits) - 1;
    const unsigned part = a >> at & mask;
    const unsigned negative = is_signed && part >> (bits - 1) != 0 ? ~mask : 0;
    out += (part | negative) * (b >> at / bits * 8 & 0xff);
  }
}
inline void ASM_dp4a_(const char* text, unsigned& out, unsigned a, unsigned b, unsigned sum) {
  dot(text, out, a, b, sum, 8);
}
inline void ASM_dp2a_lo_(const char* text, unsigned& out, unsigned a, unsigned b, unsigned sum) {
  dot(text, out, a, b, sum, 16);
}

// --- The launch ---

template <class... P>
class Packed final : public emulated::Work {
 public:
  Packed(void (*kernel)(P...), void** arguments)
      : Packed(kernel, arguments, std::index_sequence_for<P...>()) {}
  void run() const override { std::apply(kernel_, arguments_); }

 private:
  template <std::size_t... I>
  Packed(void (*kernel)(P...), void** arguments, std::index_sequence<I...>)
      : kernel_(kernel), arguments_(*static_cast<std::remove_const_t<P>*>(arguments[I])...) {}
  void (*kernel_)(P...);
  std::tuple<std::remove_const_t<P>...> arguments_;
};

template <class... P>
emulated::Work* packed(void (*kernel)(P...), void** arguments) {
  return new Packed<P...>(kernel, arguments);
}
