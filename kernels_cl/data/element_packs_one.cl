// Prelude: VEC consecutive elements of one array loaded as one access.

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
  return (u32)((size_t)address_at(elements, 0) % (sizeof(IN) * VEC) / sizeof(IN));
}
