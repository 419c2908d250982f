// Part element_packs_one: VEC consecutive elements of one array loaded as one access.
// Provides: element_packs
// Uses: elements, packs_in, pack_alignment

typedef IN_PACK ElementPack;

DEVICE bool packs_aligned(Elements elements) {
  return pack_aligned(address_at(elements, 0), PACK_UNIT);
}
DEVICE ElementPack load_elements(Elements elements, u64 i) {
  return load_pack(address_at(elements, i));
}
DEVICE Element element_of(ElementPack pack, u32 k) { return pack.item[k]; }

// One offset says how an array lies, so that packs can be loaded wherever it begins; but structs
// need not lie on a multiple of their size.
#ifdef PACK_WORDS
#define PACKS_EVERYWHERE 0
#else
#define PACKS_EVERYWHERE 1
#endif

// Elements between the pack's place before the first element and that element.
DEVICE u32 pack_offset(Elements elements) {
  return (u32)((u64)address_at(elements, 0) % (sizeof(IN) * VEC) / sizeof(IN));
}

// Part element_packs_two: VEC consecutive elements of two arrays, loaded as one access each.
// Provides: element_packs
// Uses: elements, packs_in, pack_alignment

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
