// Prelude: elements of a run in a stage of a ring, and where its first one lies.

// Element k of a run. Of a built-in type it is made of its bits: through a union, the whole strip
// would be written to memory besides.
DEVICE IN item_of(Run run, u32 k) {
#if defined(IN_OF_BITS) && RUN_BYTES == 2 * RUN
  return IN_OF_BITS((u16)(run.word[k / 2] >> k % 2 * 16));
#elif defined(IN_OF_BITS) && RUN_BYTES == 4 * RUN
  return IN_OF_BITS(run.word[k]);
#elif defined(IN_OF_BITS)
  return IN_OF_BITS((u64)run.word[2 * k + 1] << 32 | run.word[2 * k]);
#else
  union {
    u32 word[(sizeof(IN) + 3) / 4];
    IN value;
  } item;
  const u32 first = k * (u32)sizeof(IN);
#pragma unroll
  for (u32 w = 0; w < (sizeof(IN) + 3) / 4; ++w) {
    item.word[w] = run.word[first / 4 + w] >> first % 4 * 8;
  }
  return item.value;
#endif
}

// Bytes of a unit before the first element.
DEVICE u32 skew_of(Elements input) {
  const u64 address = (u64)address_at(input, 0);
  return address % sizeof(Part) != 0 ? 0 : (u32)(address % UNIT_BYTES);
}
