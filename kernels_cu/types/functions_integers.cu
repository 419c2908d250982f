// Prelude: the functions of operator and map texts, of integers.

#define text_popcount_i32(x) __popc((u32)(x))
#define text_popcount_u32(x) ((u32)__popc(x))
#define text_popcount_i64(x) ((i64)__popcll((u64)(x)))
#define text_popcount_u64(x) ((u64)__popcll(x))
#define text_clz_i32(x) __clz(x)
#define text_clz_u32(x) ((u32)__clz((i32)(x)))
#define text_clz_i64(x) ((i64)__clzll(x))
#define text_clz_u64(x) ((u64)__clzll((i64)(x)))
#define text_mul_hi_i32(a, b) __mulhi(a, b)
#define text_mul_hi_u32(a, b) __umulhi(a, b)
#define text_mul_hi_i64(a, b) __mul64hi(a, b)
#define text_mul_hi_u64(a, b) __umul64hi(a, b)

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
