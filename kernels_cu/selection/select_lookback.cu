// Part select_lookback: Single-pass selection with decoupled look-back by a whole warp. A group
// draws a tile, holds it in registers, publishes how many elements are kept, and gathers these in
// local memory while its first warp adds up what earlier tiles have published, LANES tiles at once,
// as in scan_lookback_warp. Waiting is bounded, and a missing tile is counted by the group that
// needs it. In place it is not: a tile overwrites elements of earlier tiles, and only what these
// publish themselves tells that they have loaded them. So tiles are always drawn, by groups that
// run. Cost: reads each element once, writes what is kept once; one launch; 5 barriers per tile.
// Assumes 64-bit words visible to other running groups.
// Source: bifold; look-back as in Willen & Brolos 2022, version 3, and Merrill & Garland 2016.
// Provides: select_lookback
// Uses: count, total, select_places, elements, element_start, beside, lanes, lane_folds,
//   select_tile, tile_words, tiles, tiles_drawn, launch, device_fence, tile_epoch_drawn,
//   lane_index, warp_index, lane_highest

// As try_read, for a tile whose words stayed empty: its elements are counted here.
DEVICE u32 count_missing(Elements input, u64 tile, ACC* value) {
  ACC count = IDENTITY;
  for (u64 i = tile * TILE; i < (tile + 1) * TILE; ++i) {
    count = COMBINE(count, lift_element(load_element(input, i), i));
  }
  *value = count;
  return STATE_AGGREGATE;
}

extern "C" __global__ void __launch_bounds__(GROUP_SIZE)
    select_lookback(INPUT_PARAMETERS, COUNT_PARAMETERS, OUT* output, u64* control,
                    SelectPlaces places TOTAL_PARAMETERS BESIDE_PARAMETERS) {
  __shared__ LaneScratch lane_scratch;
  __shared__ u32 counts[WARPS];
  __shared__ OUT gathered[TILE];
  __shared__ Beside gathered_beside[BESIDE_SLOTS];
  __shared__ ACC prefix;
  __shared__ u64 drawn;
  pdl_wait();
  const u64 n = COUNT;
  const Elements input = INPUT;
  output += places.output;
  control += places.control;
  u64* words = control + 2;
  const bool in_place = starts_at(input, output);

  // --- Draw a tile ---
  const u64 ticket = draw_ticket(control, &drawn);
  const Draw draw = tile_at(tile_of(ticket), n);
  const u64 tile = draw.tile;
  const u64 begin = tile * TILE;

  // --- Rank what is kept of the tile in registers ---
  Element item[PER_ITEM];
  u32 rank[PER_ITEM];
  const u32 flags = load_tile(input, begin, n, item);
  if (in_place) device_fence();
  const u32 count = rank_tile(flags, rank, &lane_scratch, counts);
  const u32 size = tile_size(begin, n);
  const u32 epoch = epoch_drawn(ticket);
  if (warp_index() == 0 && lane_index() == 0 && draw.predecessors > 0) {
    publish(words, tile, epoch, STATE_AGGREGATE, (ACC)count);
  }

  // --- Gather it in local memory ---
  gather_tile(item, flags, rank, begin, count, size, gathered, gathered_beside);

  // --- Look back, publish the inclusive prefix ---
  if (warp_index() == 0) {
    ACC carry = IDENTITY;
    i32 inclusive = -1;
    for (i64 nearest = (i64)draw.predecessors - 1; inclusive < 0; nearest -= LANES) {
      const i64 mine = nearest - (LANES - 1) + lane_index();
      ACC value = IDENTITY;
      u32 state = mine < 0 ? STATE_INCLUSIVE : STATE_EMPTY;
      i32 missing = LANES;
      for (u32 spin = 0; (in_place || spin < SPIN_LIMIT) && missing > inclusive; ++spin) {
        if (state == STATE_EMPTY) state = try_read(words, (u64)mine, epoch, &value);
        inclusive = lane_highest(state == STATE_INCLUSIVE, &lane_scratch);
        missing = lane_highest(state == STATE_EMPTY, &lane_scratch);
      }
      if (missing > inclusive) {
        if (state == STATE_EMPTY && (i32)lane_index() > inclusive) {
          state = count_missing(input, (u64)mine, &value);
        }
        inclusive = lane_highest(state == STATE_INCLUSIVE, &lane_scratch);
      }
      if ((i32)lane_index() < inclusive) value = IDENTITY;
      carry = COMBINE(lane_reduce(value, &lane_scratch), carry);
    }
    if (lane_index() == 0) {
      const ACC through = COMBINE(carry, (ACC)count);
      if (draw.valid) publish(words, tile, epoch, STATE_INCLUSIVE, through);
      LEAVE_KEPT(draw.last, through, n, places.room);
      prefix = carry;
    }
  }
  __syncthreads();

  // --- Store whole lines of it ---
  store_tile(gathered, count, size, output, begin, n, prefix, 0, places.room);
  if (STORES_BESIDE) {
    store_beside(gathered_beside, count, BESIDE_OUTPUT, prefix, BESIDE_ROOM(places.room));
  }

  // --- Move the epoch on ---
  if (threadIdx.x == 0) {
    end_epoch(control, words, places.capacity, epoch, places.tiles,
              ticket_of(ticket) + 1 == places.tiles);
  }
}
