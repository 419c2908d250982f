// Part lifted_chunks: an element, loaded and lifted.
// Provides: lifted_chunks
// Uses: elements

DEVICE ACC lifted(Elements input, u64 i) { return lift_element(load_element(input, i), i); }

// Part arrays_of_items_chunks: arrays of elements that a CPU's work-item takes one by one.
// Provides: arrays
// Uses: elements, lifted_chunks

DEVICE void copy_array(const ACC* from, ACC* to, u32 count) {
  for (u32 c = 0; c < count; ++c) to[c] = from[c];
}

DEVICE void combine_arrays(const ACC* left, const ACC* right, ACC* to, u32 count) {
  for (u32 c = 0; c < count; ++c) to[c] = COMBINE(left[c], right[c]);
}

DEVICE void lift_array(Elements input, u64 begin, ACC* to, u32 count) {
  for (u32 c = 0; c < count; ++c) to[c] = lifted(input, begin + c);
}

DEVICE void store_array(const ACC* from, __global OUT* output, u32 count) {
  for (u32 c = 0; c < count; ++c) output[c] = TO_OUT(from[c]);
}

// Part array_sums_of_items_chunks: elements are combined with an array of sums, one by one.
// Provides: array_sums
// Uses: lifted_chunks

// Appends an element to each of the sums.
DEVICE void append_array(ACC* sums, Elements input, u64 begin, u32 count) {
  for (u32 c = 0; c < count; ++c) sums[c] = COMBINE(sums[c], lifted(input, begin + c));
}

// Part arrays_of_fields_chunks: arrays of structs that a CPU's work-item takes as arrays of fields.
// One operator combines all fields, which have one type. Compilers vectorise these loops, but not
// those over structs.
// Provides: arrays
// Uses: elements

typedef char fields_are_all[sizeof(ACC) == FIELDS * sizeof(FIELD) ? 1 : -1];

DEVICE void copy_array(const ACC* from, ACC* to, u32 count) {
  const FIELD* source = (const FIELD*)from;
  FIELD* target = (FIELD*)to;
  for (u32 f = 0; f < count * FIELDS; ++f) target[f] = source[f];
}

DEVICE void combine_arrays(const ACC* left, const ACC* right, ACC* to, u32 count) {
  const FIELD* a = (const FIELD*)left;
  const FIELD* b = (const FIELD*)right;
  FIELD* target = (FIELD*)to;
  for (u32 f = 0; f < count * FIELDS; ++f) target[f] = COMBINE_FIELDS(a[f], b[f]);
}

DEVICE void lift_array(Elements input, u64 begin, ACC* to, u32 count) {
  const __global FIELD* source = (const __global FIELD*)(input + begin);
  FIELD* target = (FIELD*)to;
  for (u32 f = 0; f < count * FIELDS; ++f) target[f] = source[f];
}

DEVICE void store_array(const ACC* from, __global OUT* output, u32 count) {
  const FIELD* source = (const FIELD*)from;
  __global FIELD* target = (__global FIELD*)output;
  for (u32 f = 0; f < count * FIELDS; ++f) target[f] = source[f];
}

// Part array_sums_of_fields_chunks: elements are combined with an array of sums, field by field.
// Provides: array_sums
// Uses: elements

// Appends an element to each of the sums.
DEVICE void append_array(ACC* sums, Elements input, u64 begin, u32 count) {
  const __global FIELD* source = (const __global FIELD*)(input + begin);
  FIELD* target = (FIELD*)sums;
  for (u32 f = 0; f < count * FIELDS; ++f) target[f] = COMBINE_FIELDS(target[f], source[f]);
}
