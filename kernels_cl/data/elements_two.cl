// Prelude: the elements of two arrays, taken in pairs. A work-item loads first and lifts later, so
// that loads need not wait for one another; i is an element's index.

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

// Whether the elements start at that address.
DEVICE bool starts_at(Elements elements, const __global void* address) {
  return (const __global void*)elements.x == address || (const __global void*)elements.y == address;
}
