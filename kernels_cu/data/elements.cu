// Part elements_one:
// the elements of one array. A work-item loads first and lifts later, so that loads need
// not wait for one another; i is an element's index.
// Provides: elements, ring_elements

#define INPUT_PARAMETERS const IN *input_memory, u64 input_offset
#define INPUT (input_memory + input_offset)

typedef const IN* Elements;
typedef IN Element;

DEVICE u64 first_of(Elements elements) { return 0; }
DEVICE const IN* address_at(Elements elements, u64 i) { return elements + i; }
DEVICE Element load_element(Elements elements, u64 i) { return elements[i]; }
DEVICE ACC lift_element(Element element, u64 i) { return LIFT_AT(element, i); }

// Whether the elements start at that address.
DEVICE bool starts_at(Elements elements, const void* address) {
  return (const void*)elements == address;
}

// Part elements_from:
// the elements of one array as elements_one has them, but the array is taken to begin in
// front of them, where a pack does; i counts from there. What lies before is the identity.
// Provides: elements, ring_elements

#define INPUT_PARAMETERS const IN *input_memory, u64 input_offset, u64 first
#define INPUT elements_from(input_memory + input_offset - first, first)

typedef struct {
  const IN* array;
  u64 first;
} Elements;
typedef IN Element;

DEVICE Elements elements_from(const IN* array, u64 first) {
  Elements elements;
  elements.array = array;
  elements.first = first;
  return elements;
}

DEVICE u64 first_of(Elements elements) { return elements.first; }
DEVICE const IN* address_at(Elements elements, u64 i) { return elements.array + i; }
DEVICE Element load_element(Elements elements, u64 i) {
  return i < elements.first ? (IN)IDENTITY : elements.array[i];
}
DEVICE ACC lift_element(Element element, u64 i) { return LIFT_AT(element, i); }

// Whether the array starts at that address.
DEVICE bool starts_at(Elements elements, const void* address) {
  return (const void*)elements.array == address;
}

// Part elements_two:
// the elements of two arrays, taken in pairs. A work-item loads first and lifts later, so
// that loads need not wait for one another; i is an element's index.
// Provides: elements

#define INPUT_PARAMETERS \
  const IN *input_memory, u64 input_offset, const SECOND *second_memory, u64 second_offset
#define INPUT elements_from(input_memory + input_offset, second_memory + second_offset)

typedef struct {
  const IN* x;
  const SECOND* y;
} Elements;

typedef struct {
  IN x;
  SECOND y;
} Element;

DEVICE Elements elements_from(const IN* x, const SECOND* y) {
  Elements elements;
  elements.x = x;
  elements.y = y;
  return elements;
}

DEVICE Element load_element(Elements elements, u64 i) {
  Element element;
  element.x = elements.x[i];
  element.y = elements.y[i];
  return element;
}
DEVICE ACC lift_element(Element element, u64 i) { return LIFT_PAIR(element.x, element.y, i); }

// Whether the elements start at that address.
DEVICE bool starts_at(Elements elements, const void* address) {
  return (const void*)elements.x == address || (const void*)elements.y == address;
}
