// Part select_drawn: Single-pass selection for CPUs, one work-item per group. It draws a tile,
// gathers what is kept in its own memory, publishes how many that are, adds up what earlier tiles
// have published, and stores. Waiting is bounded, and a missing tile is counted by the work-item
// that needs it; but not in place, as in select_lookback. Cost: reads each element once, writes
// what is kept once; one launch; no barrier. Assumes 64-bit words visible to other running groups.
// Source: bifold; look-back as in Merrill & Garland 2016.
// Provides: select_drawn
// Uses: words, count, total, select_places, elements, selected, rejected, beside, atomics,
//   tile_words, element_start, device_fence

// How many of the elements [begin, end) are kept.
DEVICE ACC count_kept(Elements input, u64 begin, u64 end) {
  ACC count = IDENTITY;
  for (u64 i = begin; i < end; ++i) count += lift_element(load_element(input, i), i);
  return count;
}

// Reads what a full tile has published, or counts it.
DEVICE u32 await_count(const __global u64* words, u64 tile, u32 epoch, Elements input,
                       bool in_place, ACC* value) {
  u32 spins = 0;
  do {
    const u32 state = try_read(words, tile, epoch, value);
    if (state != STATE_EMPTY) return state;
  } while (in_place || ++spins < SPIN_LIMIT);
  *value = count_kept(input, tile * TILE, (tile + 1) * TILE);
  return STATE_AGGREGATE;
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void select_drawn(
    INPUT_PARAMETERS, COUNT_PARAMETERS, __global OUT* output, __global u64* control,
    SelectPlaces places TOTAL_PARAMETERS BESIDE_PARAMETERS) {
  const Elements input = INPUT;
  const u64 n = COUNT;
  output += places.output;
  control += places.control;
  __global u64* words = control + 2;
  const bool in_place = starts_at(input, output);
  OUT gathered[TILE];
  Beside gathered_beside[STORES_BESIDE ? TILE : 1];

  u64 drawn = add_word(control, 1);
  const u32 epoch = epoch_of(drawn);
  for (u64 tile; (tile = ticket_of(drawn)) * TILE < n; drawn = add_word(control, 1)) {
    const u64 begin = tile * TILE;
    const u32 size = n - begin < TILE ? (u32)(n - begin) : TILE;

    // --- Gather what is kept; the next one takes the place of one that is not ---
    u32 count = 0;
    for (u32 k = 0; k < size; ++k) {
      const Element element = load_element(input, begin + k);
      const u32 flag = (u32)lift_element(element, begin + k);
      const u32 slot = STORES_REJECTED && flag == 0 ? REJECTED_SLOT(0, size, k - count) : count;
      gathered[slot] = selected(element, begin + k);
      if (STORES_BESIDE) gathered_beside[slot] = beside_of(element, begin + k);
      count += flag;
    }
    if (in_place) device_fence();
    if (tile > 0) publish(words, tile, epoch, STATE_AGGREGATE, (ACC)count);

    // --- Look back, publish the inclusive prefix ---
    ACC before = IDENTITY;
    u32 state = STATE_AGGREGATE;
    for (u64 t = tile; t > 0 && state != STATE_INCLUSIVE; --t) {
      ACC value;
      state = await_count(words, t - 1, epoch, input, in_place, &value);
      before += value;
    }
    publish(words, tile, epoch, STATE_INCLUSIVE, before + count);
    LEAVE_KEPT(n - begin <= TILE, before + count, n, places.room);

    // --- Store as much of it as there is room for ---
    const u32 stored = stored_of(count, before, places.room);
    for (u32 k = 0; k < stored; ++k) output[before + k] = gathered[k];
    if (STORES_BESIDE) {
      const u32 stored_beside = stored_of(count, before, BESIDE_ROOM(places.room));
      __global Beside* beside = BESIDE_OUTPUT;
      for (u32 k = 0; k < stored_beside; ++k) beside[before + k] = gathered_beside[k];
    }
    if (STORES_REJECTED) {
      const u64 place = REJECTED_PLACE(n, 0, begin - before, size - count);
      for (u32 k = 0; k < size - count; ++k) output[place + k] = gathered[count + k];
    }
  }
  LEAVE_KEPT(n == 0 && get_group_id(0) == 0, IDENTITY, n, places.room);

  // --- Move the epoch on ---
  const u64 drawers = (n + TILE - 1) / TILE + get_num_groups(0);
  end_epoch(control, words, places.capacity, epoch, get_num_groups(0),
            ticket_of(drawn) + 1 == drawers);
}
