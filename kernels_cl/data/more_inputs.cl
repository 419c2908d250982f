// Part more_inputs: what arrays behind the second one have in common, wherever they lie.
// Provides: more_inputs

#define ELEMENT_MEMBER_OF(k) IN_##k more_##k;
typedef struct {
  IN x;
  SECOND y;
  EACH_MORE_INPUT(ELEMENT_MEMBER_OF)
  u64 place;  // In its line, of strided lines.
} Element;

#define INPUT_PARAMETERS_OF(k) , const __global IN_##k *input_##k, u64 input_offset_##k
#define INPUT_ARGUMENTS_OF(k) , input_##k, input_offset_##k
#define INPUT_ADDRESS_OF(k) , input_##k + input_offset_##k
#define INPUT_MEMBER_OF(k) const __global IN_##k* more_##k;
#define INPUT_PARAMETER_OF(k) , const __global IN_##k* more_##k
#define SET_INPUT(k) elements.more_##k = more_##k;

// Part elements_more: the elements of three arrays or more, taken together; i is their index.
// Provides: elements
// Uses: more_inputs

#define INPUT_PARAMETERS                                                                   \
  const __global IN *input_memory, u64 input_offset, const __global SECOND *second_memory, \
      u64 second_offset EACH_MORE_INPUT(INPUT_PARAMETERS_OF)
#define INPUT                                \
  elements_from(input_memory + input_offset, \
                second_memory + second_offset EACH_MORE_INPUT(INPUT_ADDRESS_OF))

typedef struct {
  const __global IN* x;
  const __global SECOND* y;
  EACH_MORE_INPUT(INPUT_MEMBER_OF)
} Elements;

DEVICE Elements elements_from(const __global IN* x,
                              const __global SECOND* y EACH_MORE_INPUT(INPUT_PARAMETER_OF)) {
  Elements elements;
  elements.x = x;
  elements.y = y;
  EACH_MORE_INPUT(SET_INPUT)
  return elements;
}

#define LOAD_INPUT(k) element.more_##k = elements.more_##k[i];
DEVICE Element load_element(Elements elements, u64 i) {
  Element element;
  element.x = elements.x[i];
  element.y = elements.y[i];
  EACH_MORE_INPUT(LOAD_INPUT)
  return element;
}
DEVICE ACC lift_element(Element element, u64 i) { return LIFT_ALL(element, i); }

// Part element_start_more: whether the elements of any array start at an address.
// Provides: element_start
// Uses: elements

#define INPUT_STARTS_AT(k) || (const __global void*)elements.more_##k == address
DEVICE bool starts_at(Elements elements, const __global void* address) {
  return (const __global void*)elements.x == address ||
         (const __global void*)elements.y == address EACH_MORE_INPUT(INPUT_STARTS_AT);
}

// Part line_elements_more: the elements of a line of three arrays or more, taken together. Arrays
// behind the second one lie as that one does.
// Provides: line_elements
// Uses: line_order, more_inputs

#define INPUT_PARAMETERS                                                                   \
  const __global IN *input_memory, u64 input_offset, const __global SECOND *second_memory, \
      u64 second_offset EACH_MORE_INPUT(INPUT_PARAMETERS_OF)
#define INPUT_ARGUMENTS \
  input_memory, input_offset, second_memory, second_offset EACH_MORE_INPUT(INPUT_ARGUMENTS_OF)

typedef struct {
  const __global IN* first;
  const __global SECOND* second;
  EACH_MORE_INPUT(INPUT_MEMBER_OF)
} LineElements;

#define FIND_INPUT(k) elements.more_##k = input_##k + input_offset_##k + second;
DEVICE LineElements elements_from(INPUT_PARAMETERS, u64 first, u64 second) {
  LineElements elements;
  elements.first = input_memory + input_offset + first;
  elements.second = second_memory + second_offset + second;
  EACH_MORE_INPUT(FIND_INPUT)
  return elements;
}

#define MOVE_INPUT(k) elements.more_##k += behind_first(e, ELEMENT_STRIDE(places.second));
DEVICE LineElements elements_behind(LineElements elements, LinePlaces places, u32 e) {
  elements.first += behind_first(e, ELEMENT_STRIDE(places.input));
  elements.second += behind_first(e, ELEMENT_STRIDE(places.second));
  EACH_MORE_INPUT(MOVE_INPUT)
  return elements;
}
DEVICE LineElements elements_beside(LineElements elements, u64 behind) {
  elements.first += behind;
  return elements;
}

#define FIRST_OF_INPUT(k) element.more_##k = *elements.more_##k;
DEVICE Element first_element(LineElements elements) {
  Element element;
  element.x = *elements.first;
  element.y = *elements.second;
  EACH_MORE_INPUT(FIRST_OF_INPUT)
  return element;
}

#define LINE_OF_INPUT_STARTS_AT(k) || (const __global void*)elements.more_##k == address
DEVICE bool line_starts_at(LineElements elements, const __global void* address) {
  return (const __global void*)elements.first == address ||
         (const __global void*)elements.second == address EACH_MORE_INPUT(LINE_OF_INPUT_STARTS_AT);
}
DEVICE ACC lift_in_line(Element element, u64 i, u64 n) {
  return LIFT_ALL(element, place_in_line(i, n));
}

// Part line_neighbours_more: an element of VEC lines of three arrays or more, as in
// line_neighbours_two.
// Provides: line_neighbours
// Uses: line_vector_items

#define NEIGHBOUR_OF_INPUT(k) element.more_##k = elements.more_##k[beside];
DEVICE void load_neighbours(LineElements elements, LinePlaces places,
                            __private LineVector* vector) {
#pragma unroll
  for (u32 k = 0; k < VEC; ++k) {
    const u64 beside = k * places.second.inner;
    Element element;
    element.x = elements.first[k];
    element.y = elements.second[beside];
    EACH_MORE_INPUT(NEIGHBOUR_OF_INPUT)
    put_vector_item(vector, k, element);
  }
}

// Part line_array_more: a line of three arrays or more, as arrays whose elements are neighbours.
// Provides: line_array
// Uses: elements, line_starts, more_inputs

#define INPUT_ARGUMENTS \
  input_memory, input_offset, second_memory, second_offset EACH_MORE_INPUT(INPUT_ARGUMENTS_OF)

#define LINE_ADDRESS_OF(k) , input_##k + input_offset_##k + starts.second
DEVICE Elements array_of_line(INPUT_PARAMETERS, LinePlaces places, LineStarts starts, u64 n) {
  return elements_from(
      input_memory + input_offset + starts.input,
      second_memory + second_offset + starts.second EACH_MORE_INPUT(LINE_ADDRESS_OF));
}

// Part strided_line_more: the same of three arrays or more. Those behind the second one lie as it
// does.
// Provides: line_array, elements, element_start
// Uses: line_starts, line_order, more_inputs

#define INPUT_PARAMETERS                                                                   \
  const __global IN *input_memory, u64 input_offset, const __global SECOND *second_memory, \
      u64 second_offset EACH_MORE_INPUT(INPUT_PARAMETERS_OF)
#define INPUT_ARGUMENTS \
  input_memory, input_offset, second_memory, second_offset EACH_MORE_INPUT(INPUT_ARGUMENTS_OF)

typedef struct {
  const __global IN* first;
  const __global SECOND* second;
  EACH_MORE_INPUT(INPUT_MEMBER_OF)
  u64 stride;
  u64 second_stride;
  u64 n;
} Elements;

#define PLACE_INPUT(k) line.more_##k = input_##k + input_offset_##k + second;
DEVICE Elements array_of_line(INPUT_PARAMETERS, LinePlaces places, LineStarts starts, u64 n) {
  const u64 place = place_in_line(0, n);
  const u64 second = starts.second + place * ELEMENT_STRIDE(places.second);
  Elements line;
  line.first = input_memory + input_offset + (starts.input + place * ELEMENT_STRIDE(places.input));
  line.second = second_memory + second_offset + second;
  EACH_MORE_INPUT(PLACE_INPUT)
  line.stride = behind_first(1, ELEMENT_STRIDE(places.input));
  line.second_stride = behind_first(1, ELEMENT_STRIDE(places.second));
  line.n = n;
  return line;
}

#define LOAD_STRIDED_INPUT(k) element.more_##k = elements.more_##k[i * elements.second_stride];
DEVICE Element load_element(Elements elements, u64 i) {
  Element element;
  element.x = elements.first[i * elements.stride];
  element.y = elements.second[i * elements.second_stride];
  EACH_MORE_INPUT(LOAD_STRIDED_INPUT)
  element.place = place_in_line(i, elements.n);
  return element;
}
DEVICE ACC lift_element(Element element, u64 i) { return LIFT_ALL(element, element.place); }

#define STRIDED_INPUT_STARTS_AT(k) || (const __global void*)elements.more_##k == address
DEVICE bool starts_at(Elements elements, const __global void* address) {
  return (const __global void*)elements.first == address ||
         (const __global void*)elements.second == address EACH_MORE_INPUT(STRIDED_INPUT_STARTS_AT);
}
