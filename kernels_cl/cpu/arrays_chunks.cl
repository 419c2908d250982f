// Part lifted_chunks: an element, loaded and lifted. A loop that called this would not become
// vectors.
// Provides: lifted_chunks
// Uses: elements

DEVICE __attribute__((always_inline, flatten)) ACC lifted(Elements input, u64 i) {
  return lift_element(load_element(input, i), i);
}

// Part acc_access_whole_chunks: accumulators in arrays of a CPU's work-item, read and written
// whole.
// Provides: acc_access

#define ACC_AT(place) (place)
#define PUT_ACC(place, value) ((place) = (value))

// Part acc_access_fields_chunks: accumulators that are structs, field by field. Calling conventions
// pass two f32 as one vector, and a loop that reads and writes these does not become vectors
// itself.
// Provides: acc_access

#define ACC_AT(place) fields_of(&(place))
#define PUT_ACC(place, value) put_fields(&(place), value)

// Part arrays_of_items_chunks: arrays of elements that a CPU's work-item takes one by one.
// Provides: arrays
// Uses: elements, lifted_chunks, acc_access

DEVICE void copy_array(const ACC* from, ACC* to, u32 count) {
  for (u32 c = 0; c < count; ++c) PUT_ACC(to[c], ACC_AT(from[c]));
}

DEVICE void combine_arrays(const ACC* left, const ACC* right, ACC* to, u32 count) {
  for (u32 c = 0; c < count; ++c) PUT_ACC(to[c], COMBINE(ACC_AT(left[c]), ACC_AT(right[c])));
}

DEVICE void lift_array(Elements input, u64 begin, ACC* to, u32 count) {
  for (u32 c = 0; c < count; ++c) PUT_ACC(to[c], lifted(input, begin + c));
}

DEVICE void store_array(const ACC* from, __global OUT* output, u32 count) {
  for (u32 c = 0; c < count; ++c) output[c] = TO_OUT(ACC_AT(from[c]));
}

// Part array_sums_of_items_chunks: elements are combined with an array of sums, one by one.
// Provides: array_sums
// Uses: lifted_chunks, acc_access

// Appends an element to each of the sums.
DEVICE void append_array(ACC* sums, Elements input, u64 begin, u32 count) {
  for (u32 c = 0; c < count; ++c)
    PUT_ACC(sums[c], COMBINE(ACC_AT(sums[c]), lifted(input, begin + c)));
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
