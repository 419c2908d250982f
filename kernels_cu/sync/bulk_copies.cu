// Part bulk_copies: copies from global to local memory by the bulk copy engine (cp.async.bulk), and
// the mbarriers by which work-items of a group wait for copies and for each other. From sm_90 on.
// A phase of an mbarrier is complete when the number of arrivals that it was made for and the bytes
// announced in it have come. A work-item waits for a phase by its parity. A wait for the phase
// before the first one returns at once.
// Provides: bulk_copies

typedef u64 Mbarrier;

DEVICE u32 local_address(const void* local) {
  u64 address;
  asm("cvta.to.shared.u64 %0, %1;" : "=l"(address) : "l"(local));
  return (u32)address;
}

DEVICE void mbarrier_init(Mbarrier* mbarrier, u32 arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;"
               :
               : "r"(local_address(mbarrier)), "r"(arrivals)
               : "memory");
}

DEVICE void mbarrier_arrive(Mbarrier* mbarrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];"
               :
               : "r"(local_address(mbarrier))
               : "memory");
}

// Counts as the arrivals of `count` work-items.
DEVICE void mbarrier_arrive_for(Mbarrier* mbarrier, u32 count) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0], %1;"
               :
               : "r"(local_address(mbarrier)), "r"(count)
               : "memory");
}

// Announces bytes that a copy will deliver, while the phase still misses an arrival.
DEVICE void mbarrier_expect_tx(Mbarrier* mbarrier, u32 bytes) {
  asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;"
               :
               : "r"(local_address(mbarrier)), "r"(bytes)
               : "memory");
}

DEVICE void mbarrier_wait(Mbarrier* mbarrier, u32 parity) {
  u32 given = 0;
  while (given == 0) {
    asm volatile(
        "{\n\t.reg .pred given;\n\t"
        "mbarrier.try_wait.parity.shared::cta.b64 given, [%1], %2;\n\t"
        "selp.u32 %0, 1, 0, given;\n\t}"
        : "=r"(given)
        : "r"(local_address(mbarrier)), "r"(parity)
        : "memory");
  }
}

// Copies `bytes` bytes, which were announced to the mbarrier. Addresses and bytes are multiples of
// 16.
DEVICE void copy_in(void* to, const void* from, u32 bytes, Mbarrier* mbarrier) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
      :
      : "r"(local_address(to)), "l"(from), "r"(bytes), "r"(local_address(mbarrier))
      : "memory");
}

// The same with L2::evict_first: these lines are displaced before all others.
DEVICE void copy_in_evict_first(void* to, const void* from, u32 bytes, Mbarrier* mbarrier) {
  u64 policy;
  asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint "
      "[%0], [%1], %2, [%3], %4;"
      :
      : "r"(local_address(to)), "l"(from), "r"(bytes), "r"(local_address(mbarrier)), "l"(policy)
      : "memory");
}

// Orders this work-item's earlier accesses to local memory before copies that are started later.
DEVICE void fence_async_local() { asm volatile("fence.proxy.async.shared::cta;" : : : "memory"); }

// Part bulk_copies_out: copies from local to global memory by the bulk copy engine.
// Provides: bulk_copies_out
// Uses: bulk_copies

// Copies `bytes` bytes from local to global memory; addresses and bytes are multiples of 16.
DEVICE void copy_out(void* to, const void* from, u32 bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;"
               :
               : "l"(to), "r"(local_address(from)), "r"(bytes)
               : "memory");
  asm volatile("cp.async.bulk.commit_group;" : : : "memory");
}

// Orders this work-item's earlier accesses to global memory before copies that are started later,
// too.
DEVICE void fence_async() { asm volatile("fence.proxy.async;" : : : "memory"); }

// Waits until the copies that this work-item started have read local memory.
DEVICE void wait_copies_out() { asm volatile("cp.async.bulk.wait_group.read 0;" : : : "memory"); }

// Part bulk_fetches: memory is brought into the L2 cache by the bulk copy engine. From sm_90 on.
// Provides: bulk_fetches

// Moves whole vectors of 16 bytes.
DEVICE void fetch_l2(const void* from, u64 bytes) {
  const u64 low = ((u64)from + 15) / 16 * 16;
  const u64 high = ((u64)from + bytes) / 16 * 16;
  if (low < high) {
    asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" : : "l"(low), "r"((u32)(high - low)));
  }
}
