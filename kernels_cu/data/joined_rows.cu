// Part joined_rows_none: rows of misaligned vectors are loaded element by element.
// Provides: joined_rows
// Uses: vectors_in

#define JOINS_IN 0

DEVICE void load_joined_rows(const IN* own, u64 left, u32 rows, InVector* vector) {}

// Part joined_rows_shuffle: rows of misaligned vectors are loaded by shuffles. Such a vector has
// the end of one lane's elements and the beginning of the next lane's.
// Provides: joined_rows
// Uses: lanes, vectors_in, join_words, lane_index, shuffle_word

#define JOINS_IN (VEC > 1 && sizeof(IN) * VEC >= 4)  // Where vectors are whole words.

typedef union {
  InVector vector;
  u32 word[4];
} InWords;

// Loads `rows` rows of LANES vectors; this lane's first one begins at `own`. The input has `left`
// elements from there on. Elements of a vector that reaches beyond them are loaded singly.
DEVICE void load_joined_rows(const IN* own, u64 left, u32 rows, InVector* vector) {
  const u32 misalignment = (u32)((u64)own % sizeof(InVector) / sizeof(IN));
  const u32 words = JOINS_IN ? sizeof(IN) * VEC / 4 : 0;
  const u32 handed = (sizeof(IN) * (VEC - 1) + 3) / 4;
  const u32 misaligned_bytes = misalignment * sizeof(IN);
  const IN* from = own - misalignment;
#pragma unroll
  for (u32 r = 0; r < rows; ++r) vector[r] = load_vector(from + r * LANES * VEC);
  InWords behind;
  behind.vector = vector[rows - 1];
  if (lane_index() == LANES - 1) {
    const u32 next = (rows - 1) * LANES * VEC + VEC;
    if (next + VEC <= left) {
      behind.vector = load_vector(from + next);
    } else {
#pragma unroll
      for (u32 k = 0; k < VEC; ++k) {
        if (k < misalignment) behind.vector.item[k] = from[next + k];
      }
    }
  }
#pragma unroll
  for (u32 r = 0; r < rows; ++r) {
    InWords low;
    InWords high;
    InWords row_behind;
    low.vector = vector[r];
    row_behind.vector = vector[r + 1 < rows ? r + 1 : r];
#pragma unroll
    for (u32 w = 0; w < words; ++w) {
      high.word[w] = 0;
      if (w >= handed) continue;
      const u32 given = lane_index() == 0 ? row_behind.word[w] : low.word[w];
      high.word[w] = shuffle_word(given, (lane_index() + 1) % LANES);
      if (r + 1 == rows && lane_index() == LANES - 1) high.word[w] = behind.word[w];
    }
    InWords joined;
    join_words(low.word, high.word, words, misaligned_bytes, joined.word);
    vector[r] = joined.vector;
  }
}

// Part joined_results_none: rows of misaligned vectors are not stored by words.
// Provides: joined_results, tile_results
// Uses: vectors_out

#define JOINS_OUT 0

DEVICE void store_joined_rows(OUT* own, u32 misalignment, u32 rows, const OutVector* vector) {}

// Part joined_results_shuffle: rows of misaligned vectors are stored by shuffles of their words. A
// vector in memory has the end of one lane's results and the beginning of the next lane's. At most
// half of its words, rounded up, come from a neighbour.
// Provides: joined_results, tile_results
// Uses: lanes, vectors_out, lane_index, shuffle_word

// Where vectors are whole words and have at most LANES elements.
#define JOINS_OUT (VEC > 1 && VEC <= LANES && sizeof(OUT) * VEC >= 4)

typedef union {
  OutVector vector;
  u32 word[4];
} OutWords;

// `count` words, at most 4, from byte `misaligned_bytes` of a list that is longer by half of
// `count`, rounded up. `misaligned_bytes` is at most what the list is longer by.
DEVICE void cut_words(const u32* list, u32 count, u32 misaligned_bytes, u32* cut) {
  const bool far = count > 2 ? misaligned_bytes > 4 : false;
  const u32 bits = (far ? misaligned_bytes - 4 : misaligned_bytes) * 8;
#pragma unroll
  for (u32 w = 0; w < count; ++w) {
    const u32 low = far ? list[w + 1] : list[w];
    const u32 high = far ? list[w + 2] : list[w + 1];
    cut[w] = (u32)(((u64)high << 32 | low) >> bits);
  }
}

// Writes the vector in which the rows both begin and end. Lane `holder` has it, and as many lanes
// write as it has elements. Its first `misalignment` elements are the last ones of the rows, which
// end at `end`.
DEVICE void store_split_vector(OUT* first, u32 misalignment, u32 end, OutWords split, u32 words,
                               u32 holder) {
  const u32 lane = lane_index();
#pragma unroll
  for (u32 w = 0; w < words; ++w) split.word[w] = shuffle_word(split.word[w], holder);
  OUT item = split.vector.item[0];
#pragma unroll
  for (u32 k = 1; k < VEC; ++k) {
    if (k == lane) item = split.vector.item[k];
  }
  if (lane < VEC)
    first[lane < misalignment ? end + lane - misalignment : lane - misalignment] = item;
}

// Stores `rows` rows of LANES vectors. This lane's first one belongs at `own`, which is
// `misalignment` elements behind a vector boundary.
DEVICE void store_joined_rows(OUT* own, u32 misalignment, u32 rows, const OutVector* vector) {
  const u32 words = JOINS_OUT ? sizeof(OUT) * VEC / 4 : 0;
  const u32 most = (words + 1) / 2;
  const u32 lane = lane_index();
  const u32 before = misalignment * sizeof(OUT);
  const u32 behind = (VEC - misalignment) * sizeof(OUT);
  OUT* first = own - lane * VEC;
  u32 list[6];
  OutWords split;
  OutWords joined;
  if (before <= most * 4) {
    OutWords last;
    last.vector = vector[rows - 1];
    u32 handed[2];
#pragma unroll
    for (u32 w = 0; w < most; ++w) handed[w] = last.word[words - most + w];
#pragma unroll
    for (u32 r = 0; r < rows; ++r) {
      OutWords row;
      row.vector = vector[r];
#pragma unroll
      for (u32 w = 0; w < words; ++w) list[most + w] = row.word[w];
#pragma unroll
      for (u32 w = 0; w < most; ++w) {
        const u32 given = lane == LANES - 1 ? handed[w] : row.word[words - most + w];
        handed[w] = row.word[words - most + w];
        list[w] = shuffle_word(given, (lane + LANES - 1) % LANES);
      }
      cut_words(list, words, most * 4 - before, joined.word);
      if (r == 0) split = joined;
      if (r > 0 || lane > 0) store_vector(own + r * LANES * VEC - misalignment, joined.vector);
    }
    store_split_vector(first, misalignment, rows * LANES * VEC, split, words, 0);
  } else {
#pragma unroll
    for (u32 r = 0; r < rows; ++r) {
      OutWords row;
      OutWords next;
      row.vector = vector[r];
      next.vector = vector[r + 1 < rows ? r + 1 : 0];
#pragma unroll
      for (u32 w = 0; w < words; ++w) list[w] = row.word[w];
#pragma unroll
      for (u32 w = 0; w < most; ++w) {
        const u32 given = lane == 0 ? next.word[w] : row.word[w];
        list[words + w] = shuffle_word(given, (lane + 1) % LANES);
      }
      cut_words(list, words, behind, joined.word);
      if (r + 1 == rows) split = joined;
      if (r + 1 < rows || lane < LANES - 1) {
        store_vector(own + r * LANES * VEC + VEC - misalignment, joined.vector);
      }
    }
    store_split_vector(first, misalignment, rows * LANES * VEC, split, words, LANES - 1);
  }
}
