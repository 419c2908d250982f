// Prelude: VEC consecutive elements of two arrays, loaded as one access each.

#if VEC == 1

union SECOND_PACK {
  SECOND item[1];
};

DEVICE SECOND_PACK load_second(const SECOND* from) {
  SECOND_PACK pack;
  pack.item[0] = *from;
  return pack;
}

#else

union SECOND_PACK {
  PackLoad<sizeof(SECOND) * VEC>::Words words;
  SECOND item[VEC];
};

DEVICE SECOND_PACK load_second(const SECOND* from) {
  SECOND_PACK pack;
  PackLoad<sizeof(SECOND) * VEC>::load(pack.words, from);
  return pack;
}

#endif

typedef struct {
  IN_PACK x;
  SECOND_PACK y;
} ElementPack;

DEVICE bool packs_aligned(Elements elements) {
  return pack_aligned(elements.x, sizeof(IN) * VEC) &&
         (u64)elements.y % (sizeof(SECOND) * VEC) == 0;
}
DEVICE ElementPack load_elements(Elements elements, u64 i) {
  ElementPack pack;
  pack.x = load_pack(elements.x + i);
  pack.y = load_second(elements.y + i);
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
