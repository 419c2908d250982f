// Part select_places: where a selection stores and what it publishes.
// Provides: select_places

// Indices and counts of a launch, in one parameter.
typedef struct {
  u64 output;    // Index of the first result,
  u64 room;      // places from there on,
  u64 control;   // and the index of the first control word.
  u64 capacity;  // Words behind those.
  u64 tiles;
} SelectPlaces;

// How many of `count` results from place `at` on have a place.
DEVICE u32 stored_of(u32 count, u64 at, u64 room) {
  const u64 left = at < room ? room - at : 0;
  return count < left ? count : (u32)left;
}

// Part select_tile: a tile of a selection in registers. A warp owns PER_ITEM consecutive rows of
// the tile; a row is LANES consecutive elements. So every load of a full tile is coalesced, and
// elements stay in index order. What is kept is gathered in local memory, so that whole lines are
// stored.
// Provides: select_tile
// Uses: elements, lanes, lane_index, warp_index, lane_ranks, select_places, selected, rejected,
//   beside

#ifndef GROUP_SIZE
#define GROUP_SIZE 256  // Work-items per group.
#endif
#ifndef PER_ITEM
#define PER_ITEM 8  // Elements per work-item, at most 32.
#endif
#define TILE (GROUP_SIZE * PER_ITEM)
#define BESIDE_SLOTS (STORES_BESIDE ? TILE : 1)

#define LINE_RESULTS (sizeof(OUT) < 128 ? 128 / sizeof(OUT) : 1)  // That a line in memory holds.

// Index of the element that this work-item holds in `row`.
DEVICE u32 row_index(u32 row) { return (warp_index() * PER_ITEM + row) * LANES + lane_index(); }

// Loads the tile from `begin` on. Bit r of the result is set if the element of row r is kept.
DEVICE u32 load_tile(Elements input, u64 begin, u64 n, Element item[PER_ITEM]) {
  u32 flags = 0;
  if (begin + TILE <= n) {
#pragma unroll
    for (u32 r = 0; r < PER_ITEM; ++r) item[r] = load_element(input, begin + row_index(r));
#pragma unroll
    for (u32 r = 0; r < PER_ITEM; ++r) {
      flags |= (u32)lift_element(item[r], begin + row_index(r)) << r;
    }
    return flags;
  }
#pragma unroll
  for (u32 r = 0; r < PER_ITEM; ++r) {
    const u64 i = begin + row_index(r);
    if (i < n) {
      item[r] = load_element(input, i);
      flags |= (u32)lift_element(item[r], i) << r;
    }
  }
  return flags;
}

// How many elements of the tile are kept. Those before this work-item's in row r go to rank[r].
// Ends with a barrier.
DEVICE u32 rank_tile(u32 flags, u32 rank[PER_ITEM], __local LaneScratch* lane_scratch,
                     __local u32* counts) {
  u32 own = 0;
#pragma unroll
  for (u32 r = 0; r < PER_ITEM; ++r) {
    u32 row;
    rank[r] = own + lane_rank((flags >> r & 1u) != 0, lane_scratch, &row);
    own += row;
  }
  if (lane_index() == 0) counts[warp_index()] = own;
  barrier(CLK_LOCAL_MEM_FENCE);
  u32 before = 0;
  u32 all = 0;
#pragma unroll
  for (u32 g = 0; g < WARPS; ++g) {
    if (g == warp_index()) before = all;
    all += counts[g];
  }
#pragma unroll
  for (u32 r = 0; r < PER_ITEM; ++r) rank[r] += before;
  barrier(CLK_LOCAL_MEM_FENCE);
  return all;
}

// How many elements the tile from `begin` on has.
DEVICE u32 tile_size(u64 begin, u64 n) {
  return begin >= n ? 0 : n - begin < TILE ? (u32)(n - begin) : TILE;
}

// Gathers what is kept of a tile of `size` elements, `count`, in its order; behind it, where it is
// stored, what is not. A barrier has to follow.
DEVICE void gather_tile(const Element item[PER_ITEM], u32 flags, const u32 rank[PER_ITEM],
                        u64 begin, u32 count, u32 size, __local OUT* gathered,
                        __local Beside* gathered_beside) {
#pragma unroll
  for (u32 r = 0; r < PER_ITEM; ++r) {
    const u32 place = row_index(r);
    if ((flags >> r & 1u) != 0) {
      gathered[rank[r]] = selected(item[r], begin + place);
      if (STORES_BESIDE) gathered_beside[rank[r]] = beside_of(item[r], begin + place);
    } else if (STORES_REJECTED && place < size) {
      gathered[REJECTED_SLOT(count, size, place - rank[r])] = selected(item[r], begin + place);
    }
  }
}

// Stores `count` gathered results from place `at` on, as far as there is room. Warps begin at
// lines.
DEVICE void store_gathered(const __local OUT* gathered, u32 count, __global OUT* output, u64 at,
                           u64 room) {
  const u32 stored = stored_of(count, at, room);
  const u32 behind = (u32)((size_t)(output + at) / sizeof(OUT) % LINE_RESULTS);
  for (u32 k = (u32)get_local_id(0); k < behind + stored; k += GROUP_SIZE) {
    if (k >= behind) output[at + (k - behind)] = gathered[k - behind];
  }
}

// The same of what is stored beside it.
DEVICE void store_beside(const __local Beside* gathered, u32 count, __global Beside* output, u64 at,
                         u64 room) {
  const u32 stored = stored_of(count, at, room);
  for (u32 k = (u32)get_local_id(0); k < stored; k += GROUP_SIZE) output[at + k] = gathered[k];
}

// Stores what is gathered of the tile from `begin` on, before which `before` elements are kept, of
// `all`.
DEVICE void store_tile(const __local OUT* gathered, u32 count, u32 size, __global OUT* output,
                       u64 begin, u64 n, u64 before, u64 all, u64 room) {
  store_gathered(gathered, count, output, before, room);
  if (STORES_REJECTED) {
    const u32 rejected = size - count;
    store_gathered(gathered + count, rejected, output,
                   REJECTED_PLACE(n, all, begin - before, rejected), room);
  }
}

// Part rejected_dropped: what is not kept is not stored.
// Provides: rejected

#define STORES_REJECTED 0
#define NEEDS_ALL 0  // Whether its place depends on how many elements are kept of all.
#define REJECTED_SLOT(count, size, rank) 0
#define REJECTED_PLACE(n, all, before, rejected) 0

// Part rejected_reversed: what is not kept is stored from the end of the output on, the first one
// last. Among what is gathered of a tile it lies in that order, behind what is kept.
// Provides: rejected

#define STORES_REJECTED 1
#define NEEDS_ALL 0
#define REJECTED_SLOT(count, size, rank) ((size)-1 - (rank))
#define REJECTED_PLACE(n, all, before, rejected) ((n) - (before) - (rejected))

// Part rejected_behind: what is not kept is stored behind what is, in its order.
// Provides: rejected

#define STORES_REJECTED 1
#define NEEDS_ALL 1
#define REJECTED_SLOT(count, size, rank) ((count) + (rank))
#define REJECTED_PLACE(n, all, before, rejected) ((all) + (before))

// Part selected_one: what is stored of an element of one array: the element.
// Provides: selected
// Uses: elements

#define SELECTED(x, i) KEEP(x)

DEVICE OUT selected(Element element, u64 i) { return SELECTED(element, i); }

// Part selected_two: what is stored of elements of two arrays: the first.
// Provides: selected
// Uses: elements

#define SELECTED(x, i) KEEP(x)

DEVICE OUT selected(Element element, u64 i) { return SELECTED(element.x, i); }

// Part selected_indices: what is stored of an element is its index.
// Provides: selected
// Uses: elements

#define SELECTED(x, i) ((OUT)(i))

DEVICE OUT selected(Element element, u64 i) { return SELECTED(element, i); }
