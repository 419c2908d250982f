// Part elements_before: the elements of one array, each with the one before it. The first one has
// none, and is flagged whatever the map says.
// Provides: elements, ring_elements

#define INPUT_PARAMETERS const __global IN *input_memory, u64 input_offset
#define INPUT (input_memory + input_offset)

typedef const __global IN* Elements;

typedef struct {
  IN x;
  IN before;
} Element;

DEVICE Element load_element(Elements elements, u64 i) {
  Element element;
  element.x = elements[i];
  element.before = elements[i == 0 ? 0 : i - 1];
  return element;
}
DEVICE ACC lift_element(Element element, u64 i) {
  return i == 0 ? (ACC)1 : LIFT_PAIR(element.x, element.before, i);
}

// Part elements_before_values: the same, with an array beside them whose elements are stored, too.
// Provides: elements, element_start

#define INPUT_PARAMETERS                                                                   \
  const __global IN *input_memory, u64 input_offset, const __global VALUES *values_memory, \
      u64 values_offset
#define INPUT elements_from(input_memory + input_offset, values_memory + values_offset)

typedef struct {
  const __global IN* x;
  const __global VALUES* values;
} Elements;

typedef struct {
  IN x;
  IN before;
  VALUES value;
} Element;

DEVICE Elements elements_from(const __global IN* x, const __global VALUES* values) {
  Elements elements;
  elements.x = x;
  elements.values = values;
  return elements;
}

DEVICE Element load_element(Elements elements, u64 i) {
  Element element;
  element.x = elements.x[i];
  element.before = elements.x[i == 0 ? 0 : i - 1];
  element.value = elements.values[i];
  return element;
}
DEVICE ACC lift_element(Element element, u64 i) {
  return i == 0 ? (ACC)1 : LIFT_PAIR(element.x, element.before, i);
}

// Whether the elements start at that address.
DEVICE bool starts_at(Elements elements, const __global void* address) {
  return (const __global void*)elements.x == address;
}
