// Prelude: packs that lie in memory as they are computed with.

typedef Pack StoredPack;

DEVICE Pack pack_of(StoredPack stored) { return stored; }

DEVICE StoredPack stored_pack(Pack pack) { return pack; }
