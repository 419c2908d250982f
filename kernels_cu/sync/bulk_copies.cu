// Part bulk_copies:
// copies from global to local memory by the bulk copy engine, and the signals by which
// work-items of a group wait for such copies and for each other. From sm_90 on.
// A signal has phases: it has been given in one when so many arrived as it was made for, and the
// bytes announced in it have landed. Who waits names the phase by its parity; waiting for the phase
// before the first one is over at once.
// Provides: bulk_copies

typedef u64 Signal;

DEVICE u32 local_address(const void* local) {
  u64 address;
  asm("cvta.to.shared.u64 %0, %1;" : "=l"(address) : "l"(local));
  return (u32)address;
}

DEVICE void make_signal(Signal* signal, u32 arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;"
               :
               : "r"(local_address(signal)), "r"(arrivals)
               : "memory");
}

DEVICE void arrive(Signal* signal) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];"
               :
               : "r"(local_address(signal))
               : "memory");
}

// Arrives as often as `count` work-items.
DEVICE void arrive_for(Signal* signal, u32 count) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0], %1;"
               :
               : "r"(local_address(signal)), "r"(count)
               : "memory");
}

// Announces bytes that a copy is going to deliver, before as many as are needed have arrived.
DEVICE void expect(Signal* signal, u32 bytes) {
  asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;"
               :
               : "r"(local_address(signal)), "r"(bytes)
               : "memory");
}

DEVICE void await(Signal* signal, u32 parity) {
  u32 given = 0;
  while (given == 0) {
    asm volatile(
        "{\n\t.reg .pred given;\n\t"
        "mbarrier.try_wait.parity.shared::cta.b64 given, [%1], %2;\n\t"
        "selp.u32 %0, 1, 0, given;\n\t}"
        : "=r"(given)
        : "r"(local_address(signal)), "r"(parity)
        : "memory");
  }
}

// Copies `bytes` bytes, which the signal expects; addresses and bytes are multiples of 16.
DEVICE void copy_in(void* to, const void* from, u32 bytes, Signal* signal) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
      :
      : "r"(local_address(to)), "l"(from), "r"(bytes), "r"(local_address(signal))
      : "memory");
}

// The same of what is to displace nothing in the cache but what came like that, too.
DEVICE void copy_in_passing(void* to, const void* from, u32 bytes, Signal* signal) {
  u64 policy;
  asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint "
      "[%0], [%1], %2, [%3], %4;"
      :
      : "r"(local_address(to)), "l"(from), "r"(bytes), "r"(local_address(signal)), "l"(policy)
      : "memory");
}

// Copies that are started later come behind this work-item's accesses to local memory so far.
DEVICE void order_copies() { asm volatile("fence.proxy.async.shared::cta;" : : : "memory"); }

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

// Copies out that are started later come behind accesses to global memory so far, too.
DEVICE void order_copies_out() { asm volatile("fence.proxy.async;" : : : "memory"); }

// Waits until the copies that this work-item has started have read local memory.
DEVICE void await_copies_out() { asm volatile("cp.async.bulk.wait_group.read 0;" : : : "memory"); }
