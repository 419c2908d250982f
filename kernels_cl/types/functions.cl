// Part functions_integers: the functions of operator and map texts, of integers.
// Provides: functions_integers

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

// The least value, which has no positive counterpart, stays as it is.
DEVICE i32 text_abs_i32(i32 x) { return x < 0 ? (i32)(0u - (u32)x) : x; }
DEVICE i64 text_abs_i64(i64 x) { return x < 0 ? (i64)((u64)0 - (u64)x) : x; }
#define text_abs_u32(x) (x)
#define text_abs_u64(x) (x)

// Part functions_floating: the functions of operator and map texts, of a floating type T. Names of
// the dialect's own end in S.
// Provides: functions_floating

#define FUNCTION_OF_ONE(T, S, text_name, own) \
  DEVICE T text_name##_##T(T x) { return own##S(x); }
#define FUNCTION_OF_TWO(T, S, text_name, own) \
  DEVICE T text_name##_##T(T a, T b) { return own##S(a, b); }

// A number wins over NaN, and -0 lies below +0. Values are classified by their bits, whatever the
// device does to denormals.
#define FLOATING_FUNCTIONS(T, S, MAGNITUDE, INFINITE)                                              \
  FUNCTION_OF_ONE(T, S, text_abs, fabs)                                                            \
  FUNCTION_OF_ONE(T, S, text_floor, floor)                                                         \
  FUNCTION_OF_ONE(T, S, text_ceil, ceil)                                                           \
  FUNCTION_OF_ONE(T, S, text_trunc, trunc)                                                         \
  FUNCTION_OF_ONE(T, S, text_rint, rint)                                                           \
  FUNCTION_OF_ONE(T, S, text_round, round)                                                         \
  FUNCTION_OF_ONE(T, S, text_sqrt, sqrt)                                                           \
  FUNCTION_OF_ONE(T, S, text_exp2, exp2)                                                           \
  FUNCTION_OF_ONE(T, S, text_expm1, expm1)                                                         \
  FUNCTION_OF_ONE(T, S, text_log2, log2)                                                           \
  FUNCTION_OF_ONE(T, S, text_log10, log10)                                                         \
  FUNCTION_OF_ONE(T, S, text_log1p, log1p)                                                         \
  FUNCTION_OF_ONE(T, S, text_cbrt, cbrt)                                                           \
  FUNCTION_OF_ONE(T, S, text_sin, sin)                                                             \
  FUNCTION_OF_ONE(T, S, text_cos, cos)                                                             \
  FUNCTION_OF_ONE(T, S, text_tan, tan)                                                             \
  FUNCTION_OF_ONE(T, S, text_asin, asin)                                                           \
  FUNCTION_OF_ONE(T, S, text_acos, acos)                                                           \
  FUNCTION_OF_ONE(T, S, text_atan, atan)                                                           \
  FUNCTION_OF_ONE(T, S, text_sinh, sinh)                                                           \
  FUNCTION_OF_ONE(T, S, text_cosh, cosh)                                                           \
  FUNCTION_OF_ONE(T, S, text_tanh, tanh)                                                           \
  FUNCTION_OF_TWO(T, S, text_fmod, fmod)                                                           \
  FUNCTION_OF_TWO(T, S, text_copysign, copysign)                                                   \
  FUNCTION_OF_TWO(T, S, text_pow, pow)                                                             \
  FUNCTION_OF_TWO(T, S, text_hypot, hypot)                                                         \
  FUNCTION_OF_TWO(T, S, text_atan2, atan2)                                                         \
  DEVICE T text_fma_##T(T a, T b, T c) { return fma##S(a, b, c); }                                 \
  DEVICE T text_min_##T(T a, T b) { return a != a ? b : b != b ? a : minimum_##T(a, b); }          \
  DEVICE T text_max_##T(T a, T b) { return a != a ? b : b != b ? a : maximum_##T(a, b); }          \
  DEVICE T text_clamp_##T(T x, T low, T high) { return text_min_##T(text_max_##T(x, low), high); } \
  DEVICE i32 text_isnan_##T(T x) { return (bits_of_##T(x) & MAGNITUDE) > INFINITE; }               \
  DEVICE i32 text_isinf_##T(T x) { return (bits_of_##T(x) & MAGNITUDE) == INFINITE; }              \
  DEVICE i32 text_isfinite_##T(T x) { return (bits_of_##T(x) & MAGNITUDE) < INFINITE; }            \
  DEVICE i32 text_signbit_##T(T x) { return (i32)((bits_of_##T(x) & ~MAGNITUDE) != 0); }

// Part functions_f32: the functions of operator and map texts, of f32.
// Provides: functions_f32
// Uses: extrema, functions_floating

FLOATING_FUNCTIONS(f32, , 0x7fffffffu, 0x7f800000u)

// Part functions_f64: the functions of operator and map texts, of f64.
// Provides: functions_f64
// Uses: types_f64, extrema_f64, functions_floating

FLOATING_FUNCTIONS(f64, , (u64)0x7fffffffffffffff, (u64)0x7ff0000000000000)
