// Prelude: the elements of one array as elements_one has them, but the array is taken to begin in
// front of them, where a pack does; i counts from there. What lies before is the identity.

#define INPUT_PARAMETERS const __global IN *input_memory, u64 input_offset, u64 first
#define INPUT elements_from(input_memory + input_offset - first, first)

typedef struct {
  const __global IN* array;
  u64 first;
} Elements;
typedef IN Element;

DEVICE Elements elements_from(const __global IN* array, u64 first) {
  Elements elements;
  elements.array = array;
  elements.first = first;
  return elements;
}

DEVICE u64 first_of(Elements elements) { return elements.first; }
DEVICE const __global IN* address_at(Elements elements, u64 i) { return elements.array + i; }
DEVICE Element load_element(Elements elements, u64 i) {
  return i < elements.first ? (IN)IDENTITY : elements.array[i];
}
DEVICE ACC lift_element(Element element, u64 i) { return LIFT_AT(element, i); }

// Whether the array starts at that address.
DEVICE bool starts_at(Elements elements, const __global void* address) {
  return (const __global void*)elements.array == address;
}
