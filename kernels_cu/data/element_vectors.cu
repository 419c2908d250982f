// Part element_vectors_one: VEC consecutive elements of one array loaded as one access.
// Provides: element_vectors
// Uses: elements, vectors_in, alignment, element_address

typedef InVector ElementVector;

DEVICE bool vectors_aligned(Elements elements) {
  return is_aligned(address_at(elements, 0), LOAD_BYTES);
}
DEVICE ElementVector load_elements(Elements elements, u64 i) {
  return load_vector(address_at(elements, i));
}
DEVICE Element element_of(ElementVector vector, u32 k) { return vector.item[k]; }

// An array of built-in elements has one misalignment, so that vectors can be loaded wherever it
// begins. A struct need not lie at a multiple of its size.
#ifdef LOAD_WORDS
#define VECTORS_EVERYWHERE 0
#else
#define VECTORS_EVERYWHERE 1
#endif

// The number of elements between the vector boundary at or before the first element and that
// element.
DEVICE u32 vector_misalignment(Elements elements) {
  return (u32)((u64)address_at(elements, 0) % (sizeof(IN) * VEC) / sizeof(IN));
}

// Part element_vectors_two: VEC consecutive elements of two arrays, loaded as one access each.
// Provides: element_vectors
// Uses: elements, vectors_in, alignment

#if VEC == 1

union SecondVector {
  SECOND item[1];
};

DEVICE SecondVector load_second(const SECOND* from) {
  SecondVector vector;
  vector.item[0] = *from;
  return vector;
}

#else

union SecondVector {
  VectorLoad<sizeof(SECOND) * VEC>::Words words;
  SECOND item[VEC];
};

DEVICE SecondVector load_second(const SECOND* from) {
  SecondVector vector;
  VectorLoad<sizeof(SECOND) * VEC>::load(vector.words, from);
  return vector;
}

#endif

typedef struct {
  InVector x;
  SecondVector y;
} ElementVector;

DEVICE bool vectors_aligned(Elements elements) {
  return is_aligned(elements.x, sizeof(IN) * VEC) && (u64)elements.y % (sizeof(SECOND) * VEC) == 0;
}
DEVICE ElementVector load_elements(Elements elements, u64 i) {
  ElementVector vector;
  vector.x = load_vector(elements.x + i);
  vector.y = load_second(elements.y + i);
  return vector;
}
DEVICE Element element_of(ElementVector vector, u32 k) {
  Element element;
  element.x = vector.x.item[k];
  element.y = vector.y.item[k];
  return element;
}

// Two arrays may have different misalignments: then neither is loaded by vectors.
#define VECTORS_EVERYWHERE 0
DEVICE u32 vector_misalignment(Elements elements) { return 0; }
