// Prelude: VEC consecutive elements of two arrays, loaded as one access each.

#if VEC == 1
#define SECOND_VECTOR SECOND
#else
#define SECOND_VECTOR VECTOR(SECOND_NAME, VEC)
#endif

typedef union {
  SECOND_VECTOR vector;
  SECOND item[VEC];
} SECOND_PACK;

typedef struct {
  IN_PACK x;
  SECOND_PACK y;
} ElementPack;

DEVICE bool packs_aligned(Elements elements) {
  return pack_aligned(elements.x, sizeof(IN) * VEC) &&
         (size_t)elements.y % (sizeof(SECOND) * VEC) == 0;
}
DEVICE ElementPack load_elements(Elements elements, u64 i) {
  ElementPack pack;
  pack.x = load_pack(elements.x + i);
#if HALF_KEPT
  pack.y.vector = PASTE(as_, SECOND_VECTOR)(load_unit(elements.y + i));
#else
  pack.y.vector = *(const __global SECOND_VECTOR*)(elements.y + i);
#endif
  return pack;
}
DEVICE Element element_of(ElementPack pack, u32 k) {
  Element element;
  element.x = pack.x.item[k];
  element.y = pack.y.item[k];
  return element;
}

// Two arrays may lie differently: neither is taken by packs then.
#define PACKS_EVERYWHERE 0
DEVICE u32 pack_offset(Elements elements) { return 0; }
