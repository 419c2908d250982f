// Part scan_tile: a tile of a scan in registers.
// A lane group owns ROWS consecutive rows of the tile, a row is LANES packs of VEC consecutive
// elements, so that every load and store of a full tile is one coalesced pack per work-item and
// the elements stay in index order.
// Provides: scan_tile
// Uses: total, lanes, lane_folds, packs_in, pack_alignment, packs_out, joined_rows, tile_results

#ifndef GROUP_SIZE
#define GROUP_SIZE 256  // Work-items per group.
#endif
#ifndef ROWS
#define ROWS 4  // Packs per work-item.
#endif
#ifndef INNER_START
#define INNER_START 0  // Whether the input may begin inside the first pack of the first tile.
#endif
#define TILE (GROUP_SIZE * ROWS * VEC)

// Index of the first element that this work-item holds in `row`.
DEVICE u32 tile_index(u32 row) {
  return ((lane_group() * ROWS + row) * LANES + lane_index()) * VEC;
}

// Whether parts of tiles are moved by packs, and the input may begin inside of one. Packs with more
// elements would take more registers for that than there are.
#define PARTS_BY_PACKS (VEC <= 8)

// What of a work-item's pack from element i on is the input's: its elements from pack_front, which
// is 0 but in the first row, to pack_back.
DEVICE u32 pack_front(u32 row, u64 i, u64 first) {
  return INNER_START && row == 0 && i < first ? (u32)(first - i) : 0;
}
DEVICE u32 pack_back(u64 i, u64 n) { return i >= n ? 0 : n - i < VEC ? (u32)(n - i) : VEC; }
DEVICE bool is_within(u32 row, u64 i, u32 k, u64 first, u64 n) {
  if (!PARTS_BY_PACKS) return i + k < n;
  return k >= pack_front(row, i, first) && k < pack_back(i, n);
}

// Elements [begin, begin + TILE) of input; those before `first`, which lie in the first pack, and
// those from n on are the identity.
DEVICE void load_tile(const IN* input, u64 first, u64 begin, u64 n, ACC item[ROWS][VEC]) {
  const bool whole = begin >= first && begin + TILE <= n;
  const bool aligned = pack_aligned(input, sizeof(IN_PACK));
  IN_PACK pack[ROWS];
  if (whole && (aligned || JOINS_IN)) {
    if (aligned) {
#pragma unroll
      for (u32 r = 0; r < ROWS; ++r) pack[r] = load_pack(input + begin + tile_index(r));
    } else {
      const u64 own = begin + tile_index(0);
      load_joined_rows(input + own, n - own, ROWS, pack);
    }
#pragma unroll
    for (u32 r = 0; r < ROWS; ++r) {
#pragma unroll
      for (u32 k = 0; k < VEC; ++k) item[r][k] = LIFT(pack[r].item[k]);
    }
    return;
  }
  if (!PARTS_BY_PACKS || !aligned) {
#pragma unroll
    for (u32 r = 0; r < ROWS; ++r) {
      const u64 i = begin + tile_index(r);
#pragma unroll
      for (u32 k = 0; k < VEC; ++k) {
        item[r][k] = is_within(r, i, k, first, n) ? LIFT(input[i + k]) : IDENTITY;
      }
    }
    return;
  }
  // The pack that the input begins in is loaded as a whole. Of that which it ends in elements are
  // loaded by whoever has it, all at once: asked of each pack, they would be waited for in turns.
  bool ends = false;
#pragma unroll
  for (u32 r = 0; r < ROWS; ++r) {
    const u64 i = begin + tile_index(r);
    const u32 back = pack_back(i, n);
    if (back == VEC) pack[r] = load_pack(input + i);
    if (back > 0 && back < VEC) ends = true;
  }
  IN end[VEC];
#pragma unroll
  for (u32 k = 0; k < VEC; ++k) {
    if (ends && n / VEC * VEC + k < n) end[k] = input[n / VEC * VEC + k];
  }
#pragma unroll
  for (u32 r = 0; r < ROWS; ++r) {
    const u64 i = begin + tile_index(r);
    const u32 front = pack_front(r, i, first);
    const u32 back = pack_back(i, n);
    if (front == 0 && back == VEC) {
#pragma unroll
      for (u32 k = 0; k < VEC; ++k) item[r][k] = LIFT(pack[r].item[k]);
    } else if (back == 0) {
#pragma unroll
      for (u32 k = 0; k < VEC; ++k) item[r][k] = IDENTITY;
    } else {
#pragma unroll
      for (u32 k = 0; k < VEC; ++k) {
        IN own = end[k];
        if (back == VEC) own = pack[r].item[k];
        item[r][k] = k >= front && k < back ? LIFT(own) : IDENTITY;
      }
    }
  }
}

// The exclusive prefix of x over the lane groups before this one, where x is the same in every
// lane of a group; the combination of all of them goes to total. Ends with a barrier behind it.
DEVICE ACC scan_lane_groups(ACC x, ACC* totals, ACC* total) {
  if (lane_index() == 0) totals[lane_group()] = x;
  __syncthreads();
  ACC before = IDENTITY;
  ACC all = totals[0];
#pragma unroll
  for (u32 g = 1; g < LANE_GROUPS; ++g) {
    if (g == lane_group()) before = all;
    all = COMBINE(all, totals[g]);
  }
  *total = all;
  __syncthreads();
  return before;
}

// The exclusive prefix, within the tile, of the first element this work-item holds in each row;
// the combination of the whole tile goes to total.
DEVICE void scan_tile(ACC item[ROWS][VEC], ACC before[ROWS], LaneScratch* lane_scratch, ACC* totals,
                      ACC* total) {
  ACC rows = IDENTITY;
#pragma unroll
  for (u32 r = 0; r < ROWS; ++r) {
    ACC sum = item[r][0];
#pragma unroll
    for (u32 k = 1; k < VEC; ++k) sum = COMBINE(sum, item[r][k]);
    ACC row;
    before[r] = COMBINE(rows, lane_scan(sum, lane_scratch, &row));
    rows = COMBINE(rows, row);
  }
  const ACC groups = scan_lane_groups(rows, totals, total);
#pragma unroll
  for (u32 r = 0; r < ROWS; ++r) before[r] = COMBINE(groups, before[r]);
}

// Writes the scanned tile: `carry` is the combination of everything before the tile. Elements
// before `first` are left alone, as are those from n on.
DEVICE void store_tile(OUT* output, u64 first, u64 begin, u64 n, ACC item[ROWS][VEC],
                       ACC before[ROWS], ACC carry FIRST_PARAMETERS) {
  OUT_PACK pack[ROWS];
#pragma unroll
  for (u32 r = 0; r < ROWS; ++r) {
    ACC running = COMBINE(carry, before[r]);
#pragma unroll
    for (u32 k = 0; k < VEC; ++k) {
      const ACC earlier = running;
      running = COMBINE(running, item[r][k]);
      ACC result = INCLUSIVE ? running : earlier;
      PUT_FIRST(r == 0 && (INNER_START || k == 0) && begin + tile_index(0) + k == first, result);
      pack[r].item[k] = TO_OUT(result);
    }
  }
  const bool whole = begin >= first && begin + TILE <= n;
  const u32 off = (u32)((u64)output % OUT_PACK_ALIGNMENT);
  if (whole && off == 0) {
#pragma unroll
    for (u32 r = 0; r < ROWS; ++r) store_pack(output + begin + tile_index(r), pack[r]);
  } else if (whole && JOINS_OUT) {
    store_joined_rows(output + begin + tile_index(0), off / sizeof(OUT), ROWS, pack);
  } else {
#pragma unroll
    for (u32 r = 0; r < ROWS; ++r) {
      const u64 i = begin + tile_index(r);
      const u32 back = pack_back(i, n);
      if (PARTS_BY_PACKS && off == 0 && pack_front(r, i, first) == 0 && back == VEC) {
        store_pack(output + i, pack[r]);
      } else if (!PARTS_BY_PACKS || back > 0) {
#pragma unroll
        for (u32 k = 0; k < VEC; ++k) {
          if (is_within(r, i, k, first, n)) output[i + k] = pack[r].item[k];
        }
      }
    }
  }
}
