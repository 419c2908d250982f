// Part line_places: where the lines of a call lie. Strides count elements, modulo 2^64.
// Provides: line_places

typedef struct {
  u64 outer;
  u64 inner;
  u64 element;
} LineStrides;

typedef struct {
  LineStrides input;
  LineStrides second;
  LineStrides output;
  u64 inner;      // Lines of one outer index.
  u64 init_step;  // From the initial value of a line to that of the next one.
} LinePlaces;

// From an element of a line to the next one.
#define ELEMENT_STRIDE(strides) (UNIT_STRIDE ? (u64)1 : (strides).element)

// Part line_starts: where a line begins.
// Provides: line_starts
// Uses: line_places

// How far the first elements of a line lie behind those of line 0.
typedef struct {
  u64 input;
  u64 second;
  u64 output;
  u64 inner;  // The line's index among those of its outer index.
} LineStarts;

DEVICE LineStarts starts_of_line(LinePlaces places, u64 line) {
  u64 outer = 0;
  if (line >= places.inner) {
    outer = line / places.inner;
    line -= outer * places.inner;
  }
  LineStarts starts;
  starts.input = outer * places.input.outer + line * places.input.inner;
  starts.second = outer * places.second.outer + line * places.second.inner;
  starts.output = outer * places.output.outer + line * places.output.inner;
  starts.inner = line;
  return starts;
}

// Where the line begins that lies as far behind as another one, `step`, behind line 0. Nothing is
// divided.
DEVICE LineStarts starts_behind(LinePlaces places, LineStarts starts, LineStarts step) {
  starts.input += step.input;
  starts.second += step.second;
  starts.output += step.output;
  starts.inner += step.inner;
  if (starts.inner >= places.inner) {
    starts.inner -= places.inner;
    starts.input += places.input.outer - places.inner * places.input.inner;
    starts.second += places.second.outer - places.inner * places.second.inner;
    starts.output += places.output.outer - places.inner * places.output.inner;
  }
  return starts;
}

// Part line_order: the order in which the elements of a line are combined.
// Provides: line_order
// Uses: line_places

// The place of element i of a line of n elements. A reversed scan begins with the last one.
DEVICE u64 place_in_line(u64 i, u64 n) { return REVERSED ? n - 1 - i : i; }

// How far an element lies behind the one that is combined e elements earlier.
DEVICE u64 behind_first(u32 e, u64 stride) {
  const u64 distance = e * stride;
  return REVERSED ? (u64)0 - distance : distance;
}

// Part line_elements_one: the elements of a line of one array; i is an element's index in its line,
// in the order in which elements are combined. A place is an index in memory's order.
// Provides: line_elements
// Uses: line_order

#define INPUT_PARAMETERS const IN *input_memory, u64 input_offset
#define INPUT_ARGUMENTS input_memory, input_offset

typedef IN Element;
typedef struct {
  const IN* first;
} LineElements;

DEVICE LineElements elements_from(INPUT_PARAMETERS, u64 first, u64 second) {
  LineElements elements;
  elements.first = input_memory + input_offset + first;
  return elements;
}
DEVICE LineElements elements_behind(LineElements elements, LinePlaces places, u32 e) {
  elements.first += behind_first(e, ELEMENT_STRIDE(places.input));
  return elements;
}
// Those of another line, whose first element lies so far behind in the first array.
DEVICE LineElements elements_beside(LineElements elements, u64 behind) {
  elements.first += behind;
  return elements;
}
DEVICE Element first_element(LineElements elements) { return *elements.first; }
DEVICE bool line_starts_at(LineElements elements, const void* address) {
  return (const void*)elements.first == address;
}
DEVICE ACC lift_in_line(Element element, u64 i, u64 n) {
  return LIFT_AT(element, place_in_line(i, n));
}

// Part line_elements_two: the elements of a line of two arrays, taken in pairs.
// Provides: line_elements
// Uses: line_order

#define INPUT_PARAMETERS \
  const IN *input_memory, u64 input_offset, const SECOND *second_memory, u64 second_offset
#define INPUT_ARGUMENTS input_memory, input_offset, second_memory, second_offset

typedef struct {
  IN x;
  SECOND y;
} Element;
typedef struct {
  const IN* first;
  const SECOND* second;
} LineElements;

DEVICE LineElements elements_from(INPUT_PARAMETERS, u64 first, u64 second) {
  LineElements elements;
  elements.first = input_memory + input_offset + first;
  elements.second = second_memory + second_offset + second;
  return elements;
}
DEVICE LineElements elements_behind(LineElements elements, LinePlaces places, u32 e) {
  elements.first += behind_first(e, ELEMENT_STRIDE(places.input));
  elements.second += behind_first(e, ELEMENT_STRIDE(places.second));
  return elements;
}
DEVICE LineElements elements_beside(LineElements elements, u64 behind) {
  elements.first += behind;
  return elements;
}
DEVICE Element first_element(LineElements elements) {
  Element element;
  element.x = *elements.first;
  element.y = *elements.second;
  return element;
}
DEVICE bool line_starts_at(LineElements elements, const void* address) {
  return (const void*)elements.first == address || (const void*)elements.second == address;
}
DEVICE ACC lift_in_line(Element element, u64 i, u64 n) {
  return LIFT_PAIR(element.x, element.y, place_in_line(i, n));
}

// Part line_vectors_one: VEC elements of lines of one array, as they are loaded. They are taken
// apart later, as a load under a condition waits where more is done with its value.
// Provides: line_vectors
// Uses: line_elements, vectors_in, alignment

typedef InVector LineVector;
DEVICE LineVector load_line_vector(const IN* from) { return load_vector(from); }
DEVICE Element item_of(LineVector vector, u32 k) { return vector.item[k]; }
DEVICE LineVector with_item(LineVector vector, u32 k, Element element) {
  vector.item[k] = element;
  return vector;
}

// Others than narrow elements are loaded by one access or one by one.
#define BY_WORDS 0

DEVICE LineVector load_line_words(const IN* from) { return load_vector(from); }

// Part element_words: an element that fits a word, as one.
// Provides: element_words

typedef union {
  IN element;
  u8 byte;
  u16 half_word;
  u32 word;
} WordOfElement;

DEVICE u32 word_of_element(IN element) {
  WordOfElement both;
  both.element = element;
  return sizeof(IN) == 4 ? both.word : sizeof(IN) == 2 ? both.half_word : both.byte;
}
DEVICE IN element_of_word(u32 word) {
  WordOfElement both;
  if (sizeof(IN) == 4) both.word = word;
  if (sizeof(IN) == 2) both.half_word = (u16)word;
  if (sizeof(IN) == 1) both.byte = (u8)word;
  return both.element;
}

// Part line_vectors_words: the same of elements that are narrower than a word. They stay packed
// until they are used: a compiler that takes them apart where a load is under a condition waits for
// each load.
// Provides: line_vectors
// Uses: line_elements, vectors_in, alignment, element_words

typedef struct {
  u32 word[4];  // Those that hold VEC elements.
} LineVector;

DEVICE LineVector load_line_vector(const IN* from) {
  LineVector vector;
  if (LOAD_BYTES == 16) {
    const uint4 words = *(const uint4*)from;
    vector.word[0] = words.x;
    vector.word[1] = words.y;
    vector.word[2] = words.z;
    vector.word[3] = words.w;
  } else if (LOAD_BYTES == 8) {
    const uint2 words = *(const uint2*)from;
    vector.word[0] = words.x;
    vector.word[1] = words.y;
  } else if (LOAD_BYTES == 4) {
    vector.word[0] = *(const u32*)from;
  } else if (LOAD_BYTES == 2) {
    vector.word[0] = *(const u16*)from;
  } else {
    vector.word[0] = *(const u8*)from;
  }
  return vector;
}
DEVICE Element item_of(LineVector vector, u32 k) {
  const u32 byte = k * sizeof(IN);
  return element_of_word(vector.word[byte / 4] >> (byte % 4 * 8));
}
DEVICE LineVector with_item(LineVector vector, u32 k, Element element) {
  const u32 byte = k * sizeof(IN);
  const u32 mask = (sizeof(IN) == 2 ? 0xffffu : 0xffu) << (byte % 4 * 8);
  const u32 others = vector.word[byte / 4] & ~mask;
  vector.word[byte / 4] = others | word_of_element(element) << (byte % 4 * 8);
  return vector;
}

// Vectors that are not aligned as a whole are loaded by words.
#define BY_WORDS (LOAD_BYTES > 4)

DEVICE LineVector load_line_words(const IN* from) {
  const u32* words = (const u32*)from;
  LineVector vector;
#pragma unroll
  for (u32 w = 0; w < LOAD_BYTES / 4; ++w) vector.word[w] = words[w];
  return vector;
}

// Part line_vectors_two: the same of pairs, which are loaded one by one.
// Provides: line_vectors
// Uses: line_elements

typedef struct {
  Element item[VEC];
} LineVector;
DEVICE Element item_of(LineVector vector, u32 k) { return vector.item[k]; }
DEVICE LineVector with_item(LineVector vector, u32 k, Element element) {
  vector.item[k] = element;
  return vector;
}

// Part line_vector_items: the elements of several vectors.
// Provides: line_vector_items
// Uses: line_vectors

DEVICE Element vector_item(const LineVector* vectors, u32 i) {
  return item_of(vectors[i / VEC], i % VEC);
}
DEVICE void put_vector_item(LineVector* vectors, u32 i, Element element) {
  vectors[i / VEC] = with_item(vectors[i / VEC], i % VEC, element);
}

// Loads the first `count` of `most` elements of a line, one by one.
DEVICE void load_vector_items(LineElements elements, LinePlaces places, u32 most, u32 count,
                              LineVector* vectors) {
#pragma unroll
  for (u32 k = 0; k < most; ++k) {
    if (k < count) put_vector_item(vectors, k, first_element(elements_behind(elements, places, k)));
  }
}

// Part line_run_one: a run of a line of one array is loaded.
// Provides: line_run
// Uses: line_vector_items

// The run that begins with element e of a line, as far as it exists.
DEVICE void load_line_run(LineElements elements, LinePlaces places, u32 e, u32 left,
                          LineVector* vectors) {
  const LineElements run = elements_behind(elements, places, e);
  const bool whole = e + RUN <= left;
  if (VEC > 1 && whole && is_aligned(run.first, LOAD_BYTES)) {
#pragma unroll
    for (u32 p = 0; p < RUN / VEC; ++p) vectors[p] = load_line_vector(run.first + p * VEC);
  } else if (BY_WORDS && whole && is_aligned(run.first, 4)) {
#pragma unroll
    for (u32 p = 0; p < RUN / VEC; ++p) vectors[p] = load_line_words(run.first + p * VEC);
  } else {
    load_vector_items(run, places, RUN, e < left ? left - e : 0, vectors);
  }
}

// Part line_run_two: a run of a line of two arrays is loaded.
// Provides: line_run
// Uses: line_vector_items

DEVICE void load_line_run(LineElements elements, LinePlaces places, u32 e, u32 left,
                          LineVector* vectors) {
  load_vector_items(elements_behind(elements, places, e), places, RUN, e < left ? left - e : 0,
                    vectors);
}

// Part line_neighbours_one: an element of VEC lines of one array that are neighbours in memory.
// Provides: line_neighbours
// Uses: line_vector_items

// Loads what lies where `elements` begins, and behind.
DEVICE void load_neighbours(LineElements elements, LinePlaces places, LineVector* vector) {
  if (VEC > 1 && is_aligned(elements.first, LOAD_BYTES)) {
    *vector = load_line_vector(elements.first);
  } else {
#pragma unroll
    for (u32 k = 0; k < VEC; ++k) put_vector_item(vector, k, elements.first[k]);
  }
}

// Part line_neighbours_two: an element of VEC lines of two arrays. Those of the first one are
// neighbours in memory.
// Provides: line_neighbours
// Uses: line_vector_items

DEVICE void load_neighbours(LineElements elements, LinePlaces places, LineVector* vector) {
#pragma unroll
  for (u32 k = 0; k < VEC; ++k) {
    Element element;
    element.x = elements.first[k];
    element.y = elements.second[k * places.second.inner];
    put_vector_item(vector, k, element);
  }
}

// Part line_count_host: the number of lines, given by the host.
// Provides: line_count

#define LINE_COUNT_PARAMETERS u64 given_lines
#define LINE_COUNT given_lines

// Part line_count_device: the number of lines, in device memory. The host gives an upper limit.
// Provides: line_count

#define LINE_COUNT_PARAMETERS const LINE_COUNT_TYPE *lines_memory, u64 lines_offset, u64 lines_limit
#define LINE_COUNT lines_within(lines_memory[lines_offset], lines_limit)

DEVICE u64 lines_within(u64 lines, u64 limit) { return lines < limit ? lines : limit; }

// Part line_init_host: the initial value of every line, given by the host.
// Provides: line_init

#define INIT_PARAMETERS ACC given_init
#define INIT_OF_LINE(places, line) given_init

// Part line_init_device: initial values in device memory, one for all lines or one for each.
// Provides: line_init

#define INIT_PARAMETERS const VALUE *init_memory, u64 init_offset
#define INIT_OF_LINE(places, line) LIFT_INIT(init_memory[init_offset + (line) * (places).init_step])

// Part line_init_counted: the initial value of every line, given by the host, where the length of
// lines is in device memory. Without elements, another value may be the result.
// Provides: line_init

#define INIT_PARAMETERS \
  ACC given_init, ACC given_nothing, const COUNT_TYPE *counted_memory, u64 counted_offset
#define INIT_OF_LINE(places, line) \
  init_of_count(given_init, given_nothing, counted_memory[counted_offset])

DEVICE ACC init_of_count(ACC init, ACC nothing, u64 count) {
  if (count == 0) init = nothing;
  return init;
}
