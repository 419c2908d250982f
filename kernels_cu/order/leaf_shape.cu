// Prelude: leaves of order v1, LEAF_ROWS rows of COLUMNS elements.

#ifndef GROUP_SIZE
#define GROUP_SIZE 256  // Work-items per group, a multiple of 32.
#endif
#ifndef ROWS_AT_ONCE
#define ROWS_AT_ONCE 8  // Rows of a leaf that a work-item has on their way at once.
#endif
#ifndef FEW_GROUPS
#define FEW_GROUPS 0  // Whether no more groups come than may have all the registers they like.
#endif
// Whether leaves that are not whole have so many rows on their way as well: of many groups few have
// such a leaf, and all would take registers for it.
#define PARTS_AT_ONCE FEW_GROUPS
#ifndef LEAVES_EACH
#define LEAVES_EACH 1  // Leaves of a lane group, at most two.
#endif
#ifndef LEAF_ROWS
#define LEAF_ROWS 32  // Rows of a leaf.
#endif
#ifndef COLUMNS
#define COLUMNS 128  // Columns of a leaf, a multiple of 32.
#endif

#define PER_ITEM (COLUMNS / 32)
#define LEAVES (GROUP_SIZE / 32)  // Of a group at once: one for each lane group.
#define LEAF (LEAF_ROWS * COLUMNS)
// Rows at once where elements are loaded one by one.
#define ROWS_APART (PER_ITEM > 32 ? 1 : 32 / PER_ITEM < ROWS_AT_ONCE ? 32 / PER_ITEM : ROWS_AT_ONCE)
#define NODE_ELEMENTS (LEAVES * LEAVES_EACH * LEAF)
