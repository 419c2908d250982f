// Part beside_none: of an element that is kept, one thing is stored.
// Provides: beside
// Uses: elements, total

#define STORES_BESIDE 0
#define BESIDE_PARAMETERS
#define BESIDE_OUTPUT 0
#define BESIDE_ROOM(room) 0
#define LEAVE_KEPT(mine, kept, n, room) LEAVE_TOTAL(mine, kept)

typedef u8 Beside;

DEVICE Beside beside_of(Element element, u64 i) { return 0; }

// Part beside_values: the element of another array is stored, too, in an output of its own.
// Provides: beside
// Uses: elements, total

#define STORES_BESIDE 1
#define BESIDE_PARAMETERS , __global OUT_1 *beside_memory, u64 beside_offset
#define BESIDE_OUTPUT (beside_memory + beside_offset)
#define BESIDE_ROOM(room) (room)
#define LEAVE_KEPT(mine, kept, n, room) LEAVE_TOTAL(mine, kept)

typedef OUT_1 Beside;

DEVICE Beside beside_of(Element element, u64 i) { return KEEP_VALUE(element.value); }

// Part beside_indices: the index is stored, too, in an output of its own that has one place more,
// and n behind the last one.
// Provides: beside
// Uses: elements, total

#define STORES_BESIDE 1
#define BESIDE_PARAMETERS , __global OUT_1 *beside_memory, u64 beside_offset
#define BESIDE_OUTPUT (beside_memory + beside_offset)
#define BESIDE_ROOM(room) ((room) + 1)
#define LEAVE_KEPT(mine, kept, n, room)                                \
  {                                                                    \
    LEAVE_TOTAL(mine, kept);                                           \
    if ((mine) && (kept) <= (room)) BESIDE_OUTPUT[kept] = (Beside)(n); \
  }

typedef OUT_1 Beside;

DEVICE Beside beside_of(Element element, u64 i) { return (Beside)i; }
