// Part elements_one: the elements of one array; i is an element's index. A work-item loads first
// and lifts later, so that loads do not wait for one another.
// Provides: elements, ring_elements

#define INPUT_PARAMETERS const __global IN *input_memory, u64 input_offset
#define INPUT (input_memory + input_offset)

typedef const __global IN* Elements;
typedef IN Element;

DEVICE Element load_element(Elements elements, u64 i) { return elements[i]; }
DEVICE ACC lift_element(Element element, u64 i) { return LIFT_AT(element, i); }

// Part element_address: the address of an element of one array.
// Provides: element_address
// Uses: elements

DEVICE const __global IN* address_at(Elements elements, u64 i) { return elements + i; }

// Part element_address_two: the address of an element of the first of two arrays.
// Provides: element_address
// Uses: elements

DEVICE const __global IN* address_at(Elements elements, u64 i) { return elements.x + i; }

// Part element_start_one: whether the elements of one array start at an address.
// Provides: element_start
// Uses: elements

// Whether the elements start at that address.
DEVICE bool starts_at(Elements elements, const __global void* address) {
  return (const __global void*)elements == address;
}

// Part ring_access_one: what a ring asks of an array that begins where it is said to.
// Provides: ring_access
// Uses: element_address

DEVICE u64 first_index_of(Elements elements) { return 0; }
DEVICE IN load_alone(Elements elements, u64 i) { return *address_at(elements, i); }

// Part elements_from: the elements of one array, as in elements_one. The array is taken to begin
// earlier, where a vector begins; i counts from there. Elements before the array are the identity.
// Provides: elements, ring_elements, ring_access, element_address, element_start

#define INPUT_PARAMETERS const __global IN *input_memory, u64 input_offset, u64 first_index
#define INPUT elements_from(input_memory + input_offset - first_index, first_index)

typedef struct {
  const __global IN* array;
  u64 first_index;
} Elements;
typedef IN Element;

DEVICE Elements elements_from(const __global IN* array, u64 first_index) {
  Elements elements;
  elements.array = array;
  elements.first_index = first_index;
  return elements;
}

DEVICE u64 first_index_of(Elements elements) { return elements.first_index; }
DEVICE const __global IN* address_at(Elements elements, u64 i) { return elements.array + i; }
DEVICE Element load_element(Elements elements, u64 i) {
  return i < elements.first_index ? (IN)IDENTITY : elements.array[i];
}
DEVICE IN load_alone(Elements elements, u64 i) { return load_element(elements, i); }
DEVICE ACC lift_element(Element element, u64 i) { return LIFT_AT(element, i); }

// Whether the array starts at that address.
DEVICE bool starts_at(Elements elements, const __global void* address) {
  return (const __global void*)elements.array == address;
}

// Part elements_two: the elements of two arrays, taken in pairs; i is their index. A work-item
// loads first and lifts later, so that loads do not wait for one another.
// Provides: elements, ring_elements

#define INPUT_PARAMETERS                                                                   \
  const __global IN *input_memory, u64 input_offset, const __global SECOND *second_memory, \
      u64 second_offset
#define INPUT elements_from(input_memory + input_offset, second_memory + second_offset)

typedef struct {
  const __global IN* x;
  const __global SECOND* y;
} Elements;

typedef struct {
  IN x;
  SECOND y;
} Element;

DEVICE Elements elements_from(const __global IN* x, const __global SECOND* y) {
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

// Part element_start_two: whether the elements of either array start at an address.
// Provides: element_start
// Uses: elements

// Whether the elements start at that address.
DEVICE bool starts_at(Elements elements, const __global void* address) {
  return (const __global void*)elements.x == address || (const __global void*)elements.y == address;
}
