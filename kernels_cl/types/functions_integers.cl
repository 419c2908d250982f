// Prelude: the functions of operator and map texts, of integers.

#define text_popcount_i32(x) popcount((i32)(x))
#define text_popcount_u32(x) popcount((u32)(x))
#define text_popcount_i64(x) popcount((i64)(x))
#define text_popcount_u64(x) popcount((u64)(x))
#define text_clz_i32(x) clz((i32)(x))
#define text_clz_u32(x) clz((u32)(x))
#define text_clz_i64(x) clz((i64)(x))
#define text_clz_u64(x) clz((u64)(x))
#define text_mul_hi_i32(a, b) mul_hi((i32)(a), (i32)(b))
#define text_mul_hi_u32(a, b) mul_hi((u32)(a), (u32)(b))
#define text_mul_hi_i64(a, b) mul_hi((i64)(a), (i64)(b))
#define text_mul_hi_u64(a, b) mul_hi((u64)(a), (u64)(b))

#define INTEGER_FUNCTIONS(type, bits, unsigned_type)                                        \
  DEVICE type text_min_##type(type a, type b) { return a < b ? a : b; }                     \
  DEVICE type text_max_##type(type a, type b) { return a > b ? a : b; }                     \
  DEVICE type text_clamp_##type(type x, type low, type high) {                              \
    return text_min_##type(text_max_##type(x, low), high);                                  \
  }                                                                                         \
  DEVICE type text_rotate_##type(type x, type n) {                                          \
    const unsigned_type by = (unsigned_type)n & (bits - 1);                                 \
    return (type)((unsigned_type)x << by | (unsigned_type)x >> ((bits - by) & (bits - 1))); \
  }

INTEGER_FUNCTIONS(i32, 32, u32)
INTEGER_FUNCTIONS(u32, 32, u32)
INTEGER_FUNCTIONS(i64, 64, u64)
INTEGER_FUNCTIONS(u64, 64, u64)

// Of the least value, which has no other sign, itself.
DEVICE i32 text_abs_i32(i32 x) { return x < 0 ? (i32)(0u - (u32)x) : x; }
DEVICE i64 text_abs_i64(i64 x) { return x < 0 ? (i64)((u64)0 - (u64)x) : x; }
#define text_abs_u32(x) (x)
#define text_abs_u64(x) (x)
