// Part scan_reduce_then_scan: Reduce-then-scan: every group reduces its consecutive tiles, one
// group scans the results, and every group scans its tiles from its prefix. No group waits for
// another, so it runs on every device.
// Cost: reads each element twice, writes it once; three launches; 2 barriers per tile and pass.
// Assumes nothing: operands are combined in index order, and the number of groups is not limited.
// Source: Oancea & Henriksen 2023, section on scan; seed of Willen & Brolos 2022.
// Provides: scan_reduce_then_scan
// Uses: count, init, total, lanes, lane_folds, scan_tile, blocks

extern "C" __global__ void __launch_bounds__(GROUP_SIZE)
    reduce_tiles(const IN* input, u64 input_offset, COUNT_PARAMETERS, ACC* partials,
                 u64 partials_offset) {
  __shared__ LaneScratch lane_scratch;
  __shared__ ACC totals[WARPS];
  const u64 n = COUNT;
  const u64 first = block_begin(n, blockIdx.x, gridDim.x);
  const u64 end = block_begin(n, blockIdx.x + 1, gridDim.x);
  input += input_offset;

  // --- Reduce the tiles of this group in index order ---
  ACC sum = IDENTITY;
  for (u64 begin = first; begin < end; begin += TILE) {
    ACC item[ROWS][VEC];
    ACC before[ROWS];
    ACC total;
    load_tile(input, 0, begin, n, item);
    scan_tile(item, before, &lane_scratch, totals, &total);
    sum = COMBINE(sum, total);
  }

  // --- Write the partial result of the group ---
  if (threadIdx.x == 0) partials[partials_offset + blockIdx.x] = sum;
}

extern "C" __global__ void __launch_bounds__(GROUP_SIZE)
    scan_partials(ACC* partials, u64 partials_offset, u64 count, INIT_PARAMETERS TOTAL_PARAMETERS) {
  __shared__ LaneScratch lane_scratch;
  __shared__ ACC totals[WARPS];
  const ACC init = INIT;
  partials += partials_offset;

  // --- Scan the partials, a group's width at a time ---
  ACC carry = init;
  for (u64 begin = 0; begin < count; begin += GROUP_SIZE) {
    const u64 i = begin + threadIdx.x;
    ACC row;
    ACC total;
    const ACC before = lane_scan(i < count ? partials[i] : IDENTITY, &lane_scratch, &row);
    const ACC groups = scan_warps(row, totals, &total);
    if (i < count) partials[i] = COMBINE(carry, COMBINE(groups, before));
    carry = COMBINE(carry, total);
  }
  LEAVE_TOTAL(threadIdx.x == 0, carry);
}

extern "C" __global__ void __launch_bounds__(GROUP_SIZE)
    scan_tiles(const IN* input, u64 input_offset, COUNT_PARAMETERS, const ACC* partials,
               u64 partials_offset, OUT* output, u64 output_offset FIRST_PARAMETERS) {
  __shared__ LaneScratch lane_scratch;
  __shared__ ACC totals[WARPS];
  const u64 n = COUNT;
  const u64 first = block_begin(n, blockIdx.x, gridDim.x);
  const u64 end = block_begin(n, blockIdx.x + 1, gridDim.x);
  input += input_offset;
  output += output_offset;

  // --- Scan the tiles of this group from its prefix on ---
  ACC carry = partials[partials_offset + blockIdx.x];
  for (u64 begin = first; begin < end; begin += TILE) {
    ACC item[ROWS][VEC];
    ACC before[ROWS];
    ACC total;
    load_tile(input, 0, begin, n, item);
    scan_tile(item, before, &lane_scratch, totals, &total);
    store_tile(output, 0, begin, n, item, before, carry FIRST_ARGUMENTS);
    carry = COMBINE(carry, total);
  }
}
