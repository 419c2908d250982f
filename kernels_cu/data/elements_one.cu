// Prelude: the elements of one array. A work-item loads first and lifts later, so that loads need
// not wait for one another; i is an element's index.

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
