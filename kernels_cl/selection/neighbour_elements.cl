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
