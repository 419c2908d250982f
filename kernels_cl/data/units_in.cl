// Prelude: 16 bytes loaded as one access.

#ifndef HALF_KEPT
#define HALF_KEPT 0  // Whether half of what is loaded makes way in the cache before all else there.
#endif

#if HALF_KEPT
// Of an input that the cache holds not quite, one half displaces neither the other half nor what
// earlier work has left there. From sm_80 on.
DEVICE uint4 load_unit(const __global void* from) {
  u64 policy;
  asm("createpolicy.fractional.L2::evict_unchanged.L2::evict_first.b64 %0, 0.5;" : "=l"(policy));
  uint4 unit;
  asm volatile("ld.global.L2::cache_hint.v4.u32 {%0, %1, %2, %3}, [%4], %5;"
               : "=r"(unit.x), "=r"(unit.y), "=r"(unit.z), "=r"(unit.w)
               : "l"(from), "l"(policy));
  return unit;
}
#else
DEVICE uint4 load_unit(const __global void* from) { return *(const __global uint4*)from; }
#endif
