// Part scan_tile: a tile of a scan in registers. A warp owns ROWS consecutive rows of the tile; a
// row is LANES vectors of VEC consecutive elements. So every load and store of a full tile is
// coalesced, and elements stay in index order.
// Provides: scan_tile
// Uses: total, lanes, lane_folds, vectors_in, alignment, vectors_out, joined_rows, tile_results,
//   lane_index, warp_index

#ifndef GROUP_SIZE
#define GROUP_SIZE 256  // Work-items per group.
#endif
#ifndef ROWS
#define ROWS 4  // Vectors per work-item.
#endif
#ifndef INNER_START
#define INNER_START 0  // Whether the input may begin inside the first vector of the first tile.
#endif
#define TILE (GROUP_SIZE * ROWS * VEC)

// Index of the first element that this work-item holds in `row`.
DEVICE u32 tile_index(u32 row) {
  return ((warp_index() * ROWS + row) * LANES + lane_index()) * VEC;
}

// Whether partial tiles are moved by vectors, and the input may begin inside a vector. Longer
// vectors would take too many registers for that.
#define PARTS_BY_VECTORS (VEC <= 8)

// Which elements of the work-item's vector at element i belong to the input: those from
// vector_front, which is 0 except in the first row, to vector_back.
DEVICE u32 vector_front(u32 row, u64 i, u64 first_index) {
  return INNER_START && row == 0 && i < first_index ? (u32)(first_index - i) : 0;
}
DEVICE u32 vector_back(u64 i, u64 n) { return i >= n ? 0 : n - i < VEC ? (u32)(n - i) : VEC; }
DEVICE bool is_within(u32 row, u64 i, u32 k, u64 first_index, u64 n) {
  if (!PARTS_BY_VECTORS) return i + k < n;
  return k >= vector_front(row, i, first_index) && k < vector_back(i, n);
}

// Elements [begin, begin + TILE) of the input. Elements before `first_index`, which lie in the
// first vector, and from n on are the identity.
DEVICE void load_tile(const IN* input, u64 first_index, u64 begin, u64 n, ACC item[ROWS][VEC]) {
  const bool whole = begin >= first_index && begin + TILE <= n;
  const bool aligned = is_aligned(input, sizeof(InVector));
  InVector vector[ROWS];
  if (whole && (aligned || JOINS_IN)) {
    if (aligned) {
#pragma unroll
      for (u32 r = 0; r < ROWS; ++r) vector[r] = load_vector(input + begin + tile_index(r));
    } else {
      const u64 own = begin + tile_index(0);
      load_joined_rows(input + own, n - own, ROWS, vector);
    }
#pragma unroll
    for (u32 r = 0; r < ROWS; ++r) {
#pragma unroll
      for (u32 k = 0; k < VEC; ++k) item[r][k] = LIFT(vector[r].item[k]);
    }
    return;
  }
  if (!PARTS_BY_VECTORS || !aligned) {
#pragma unroll
    for (u32 r = 0; r < ROWS; ++r) {
      const u64 i = begin + tile_index(r);
#pragma unroll
      for (u32 k = 0; k < VEC; ++k) {
        item[r][k] = is_within(r, i, k, first_index, n) ? LIFT(input[i + k]) : IDENTITY;
      }
    }
    return;
  }
  // The vector in which the input begins is loaded as a whole. The work-item that has the vector in
  // which the input ends loads its elements singly, all at once: checked in each vector, they would
  // be loaded one after another.
  bool ends = false;
#pragma unroll
  for (u32 r = 0; r < ROWS; ++r) {
    const u64 i = begin + tile_index(r);
    const u32 back = vector_back(i, n);
    if (back == VEC) vector[r] = load_vector(input + i);
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
    const u32 front = vector_front(r, i, first_index);
    const u32 back = vector_back(i, n);
    if (front == 0 && back == VEC) {
#pragma unroll
      for (u32 k = 0; k < VEC; ++k) item[r][k] = LIFT(vector[r].item[k]);
    } else if (back == 0) {
#pragma unroll
      for (u32 k = 0; k < VEC; ++k) item[r][k] = IDENTITY;
    } else {
#pragma unroll
      for (u32 k = 0; k < VEC; ++k) {
        IN own = end[k];
        if (back == VEC) own = vector[r].item[k];
        item[r][k] = k >= front && k < back ? LIFT(own) : IDENTITY;
      }
    }
  }
}

// The exclusive prefix of x over the warps before this one, where x is the same in every lane of a
// warp. The combination of all warps goes to total. Ends with a barrier.
DEVICE ACC scan_warps(ACC x, ACC* totals, ACC* total) {
  if (lane_index() == 0) totals[warp_index()] = x;
  __syncthreads();
  ACC before = IDENTITY;
  ACC all = totals[0];
#pragma unroll
  for (u32 g = 1; g < WARPS; ++g) {
    if (g == warp_index()) before = all;
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
  const ACC groups = scan_warps(rows, totals, total);
#pragma unroll
  for (u32 r = 0; r < ROWS; ++r) before[r] = COMBINE(groups, before[r]);
}

// Writes the scanned tile; `carry` is the tile's prefix. Elements before `first_index` and from n
// on are left alone.
DEVICE void store_tile(OUT* output, u64 first_index, u64 begin, u64 n, ACC item[ROWS][VEC],
                       ACC before[ROWS], ACC carry FIRST_PARAMETERS) {
  OutVector vector[ROWS];
#pragma unroll
  for (u32 r = 0; r < ROWS; ++r) {
    ACC running = COMBINE(carry, before[r]);
#pragma unroll
    for (u32 k = 0; k < VEC; ++k) {
      const ACC earlier = running;
      running = COMBINE(running, item[r][k]);
      ACC result = INCLUSIVE ? running : earlier;
      PUT_FIRST(r == 0 && (INNER_START || k == 0) && begin + tile_index(0) + k == first_index,
                result);
      vector[r].item[k] = TO_OUT(result);
    }
  }
  const bool whole = begin >= first_index && begin + TILE <= n;
  const u32 misalignment = (u32)((u64)output % OUT_VECTOR_ALIGNMENT);
  if (whole && misalignment == 0) {
#pragma unroll
    for (u32 r = 0; r < ROWS; ++r) store_vector(output + begin + tile_index(r), vector[r]);
  } else if (whole && JOINS_OUT) {
    store_joined_rows(output + begin + tile_index(0), misalignment / sizeof(OUT), ROWS, vector);
  } else {
#pragma unroll
    for (u32 r = 0; r < ROWS; ++r) {
      const u64 i = begin + tile_index(r);
      const u32 back = vector_back(i, n);
      if (PARTS_BY_VECTORS && misalignment == 0 && vector_front(r, i, first_index) == 0 &&
          back == VEC) {
        store_vector(output + i, vector[r]);
      } else if (!PARTS_BY_VECTORS || back > 0) {
#pragma unroll
        for (u32 k = 0; k < VEC; ++k) {
          if (is_within(r, i, k, first_index, n)) output[i + k] = vector[r].item[k];
        }
      }
    }
  }
}
