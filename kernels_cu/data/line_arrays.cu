// Part line_array_one: a line of one array, as an array whose elements are neighbours.
// Provides: line_array
// Uses: elements, line_starts

#define INPUT_ARGUMENTS input_memory, input_offset

DEVICE Elements array_of_line(INPUT_PARAMETERS, LinePlaces places, LineStarts starts, u64 n) {
  return input_memory + input_offset + starts.input;
}

// Part line_array_two: a line of two arrays, as arrays whose elements are neighbours.
// Provides: line_array
// Uses: elements, line_starts

#define INPUT_ARGUMENTS input_memory, input_offset, second_memory, second_offset

DEVICE Elements array_of_line(INPUT_PARAMETERS, LinePlaces places, LineStarts starts, u64 n) {
  return elements_from(input_memory + input_offset + starts.input,
                       second_memory + second_offset + starts.second);
}

// Part strided_line_one: a line of one array as an array of its own, in the order in which elements
// are combined. They lie a stride apart. An element brings its place in the line.
// Provides: line_array, elements, element_start
// Uses: line_starts, line_order

#define INPUT_PARAMETERS const IN *input_memory, u64 input_offset
#define INPUT_ARGUMENTS input_memory, input_offset

typedef struct {
  const IN* first;
  u64 stride;
  u64 n;
} Elements;
typedef struct {
  IN x;
  u64 place;
} Element;

DEVICE Elements array_of_line(INPUT_PARAMETERS, LinePlaces places, LineStarts starts, u64 n) {
  const u64 first = place_in_line(0, n) * ELEMENT_STRIDE(places.input);
  Elements line;
  line.first = input_memory + input_offset + (starts.input + first);
  line.stride = behind_first(1, ELEMENT_STRIDE(places.input));
  line.n = n;
  return line;
}
DEVICE Element load_element(Elements elements, u64 i) {
  Element element;
  element.x = elements.first[i * elements.stride];
  element.place = place_in_line(i, elements.n);
  return element;
}
DEVICE ACC lift_element(Element element, u64 i) { return LIFT_AT(element.x, element.place); }
DEVICE bool starts_at(Elements elements, const void* address) {
  return (const void*)elements.first == address;
}

// Part strided_line_two: the same of two arrays.
// Provides: line_array, elements, element_start
// Uses: line_starts, line_order

#define INPUT_PARAMETERS \
  const IN *input_memory, u64 input_offset, const SECOND *second_memory, u64 second_offset
#define INPUT_ARGUMENTS input_memory, input_offset, second_memory, second_offset

typedef struct {
  const IN* first;
  const SECOND* second;
  u64 stride;
  u64 second_stride;
  u64 n;
} Elements;
typedef struct {
  IN x;
  SECOND y;
  u64 place;
} Element;

DEVICE Elements array_of_line(INPUT_PARAMETERS, LinePlaces places, LineStarts starts, u64 n) {
  const u64 place = place_in_line(0, n);
  Elements line;
  line.first = input_memory + input_offset + (starts.input + place * ELEMENT_STRIDE(places.input));
  line.second =
      second_memory + second_offset + (starts.second + place * ELEMENT_STRIDE(places.second));
  line.stride = behind_first(1, ELEMENT_STRIDE(places.input));
  line.second_stride = behind_first(1, ELEMENT_STRIDE(places.second));
  line.n = n;
  return line;
}
DEVICE Element load_element(Elements elements, u64 i) {
  Element element;
  element.x = elements.first[i * elements.stride];
  element.y = elements.second[i * elements.second_stride];
  element.place = place_in_line(i, elements.n);
  return element;
}
DEVICE ACC lift_element(Element element, u64 i) {
  return LIFT_PAIR(element.x, element.y, element.place);
}
DEVICE bool starts_at(Elements elements, const void* address) {
  return (const void*)elements.first == address || (const void*)elements.second == address;
}

// Part element_vectors_none: elements that are not neighbours are loaded one by one.
// Provides: element_vectors
// Uses: elements

#define VECTORS_EVERYWHERE 0
typedef struct {
  Element item[VEC];
} ElementVector;

DEVICE bool vectors_aligned(Elements elements) { return true; }
DEVICE u32 vector_misalignment(Elements elements) { return 0; }
DEVICE ElementVector load_elements(Elements elements, u64 i) {
  ElementVector vector;
  vector.item[0] = load_element(elements, i);
  return vector;
}
DEVICE Element element_of(ElementVector vector, u32 k) { return vector.item[k]; }
