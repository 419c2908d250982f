// Part functions_integers: the functions of operator and map texts, of integers.
// Provides: functions_integers

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

// Part functions_f32: the functions of operator and map texts, of f32.
// Provides: functions_f32
// Uses: extrema

#define text_abs_f32(x) fabsf(x)
#define text_floor_f32(x) floorf(x)
#define text_ceil_f32(x) ceilf(x)
#define text_trunc_f32(x) truncf(x)
#define text_rint_f32(x) rintf(x)
#define text_round_f32(x) roundf(x)
#define text_sqrt_f32(x) sqrtf(x)
#define text_exp_f32(x) expf(x)
#define text_exp2_f32(x) exp2f(x)
#define text_expm1_f32(x) expm1f(x)
#define text_log_f32(x) logf(x)
#define text_log2_f32(x) log2f(x)
#define text_log10_f32(x) log10f(x)
#define text_log1p_f32(x) log1pf(x)
#define text_cbrt_f32(x) cbrtf(x)
#define text_sin_f32(x) sinf(x)
#define text_cos_f32(x) cosf(x)
#define text_tan_f32(x) tanf(x)
#define text_asin_f32(x) asinf(x)
#define text_acos_f32(x) acosf(x)
#define text_atan_f32(x) atanf(x)
#define text_sinh_f32(x) sinhf(x)
#define text_cosh_f32(x) coshf(x)
#define text_tanh_f32(x) tanhf(x)
#define text_fmod_f32(a, b) fmodf(a, b)
#define text_copysign_f32(a, b) copysignf(a, b)
#define text_pow_f32(a, b) powf(a, b)
#define text_hypot_f32(a, b) hypotf(a, b)
#define text_atan2_f32(a, b) atan2f(a, b)
#define text_fma_f32(a, b, c) fmaf(a, b, c)

// A number wins over NaN, and -0 lies below +0.
DEVICE f32 text_min_f32(f32 a, f32 b) { return a != a ? b : b != b ? a : minimum_f32(a, b); }
DEVICE f32 text_max_f32(f32 a, f32 b) { return a != a ? b : b != b ? a : maximum_f32(a, b); }
DEVICE f32 text_clamp_f32(f32 x, f32 low, f32 high) {
  return text_min_f32(text_max_f32(x, low), high);
}

// By the bits, whatever the device does to denormals.
#define TEXT_MAGNITUDE_F32(x) (bits_of_f32(x) & 0x7fffffffu)
DEVICE i32 text_isnan_f32(f32 x) { return TEXT_MAGNITUDE_F32(x) > 0x7f800000u; }
DEVICE i32 text_isinf_f32(f32 x) { return TEXT_MAGNITUDE_F32(x) == 0x7f800000u; }
DEVICE i32 text_isfinite_f32(f32 x) { return TEXT_MAGNITUDE_F32(x) < 0x7f800000u; }
DEVICE i32 text_signbit_f32(f32 x) { return (i32)(bits_of_f32(x) >> 31); }

// Part functions_f64: the functions of operator and map texts, of f64.
// Provides: functions_f64
// Uses: types_f64

#define text_abs_f64(x) fabs(x)
#define text_floor_f64(x) floor(x)
#define text_ceil_f64(x) ceil(x)
#define text_trunc_f64(x) trunc(x)
#define text_rint_f64(x) rint(x)
#define text_round_f64(x) round(x)
#define text_sqrt_f64(x) sqrt(x)
#define text_exp_f64(x) exp(x)
#define text_exp2_f64(x) exp2(x)
#define text_expm1_f64(x) expm1(x)
#define text_log_f64(x) log(x)
#define text_log2_f64(x) log2(x)
#define text_log10_f64(x) log10(x)
#define text_log1p_f64(x) log1p(x)
#define text_cbrt_f64(x) cbrt(x)
#define text_sin_f64(x) sin(x)
#define text_cos_f64(x) cos(x)
#define text_tan_f64(x) tan(x)
#define text_asin_f64(x) asin(x)
#define text_acos_f64(x) acos(x)
#define text_atan_f64(x) atan(x)
#define text_sinh_f64(x) sinh(x)
#define text_cosh_f64(x) cosh(x)
#define text_tanh_f64(x) tanh(x)
#define text_fmod_f64(a, b) fmod(a, b)
#define text_copysign_f64(a, b) copysign(a, b)
#define text_pow_f64(a, b) pow(a, b)
#define text_hypot_f64(a, b) hypot(a, b)
#define text_atan2_f64(a, b) atan2(a, b)
#define text_fma_f64(a, b, c) fma(a, b, c)

// A number wins over NaN, and -0 lies below +0.
DEVICE f64 text_min_f64(f64 a, f64 b) { return a != a ? b : b != b ? a : minimum_f64(a, b); }
DEVICE f64 text_max_f64(f64 a, f64 b) { return a != a ? b : b != b ? a : maximum_f64(a, b); }
DEVICE f64 text_clamp_f64(f64 x, f64 low, f64 high) {
  return text_min_f64(text_max_f64(x, low), high);
}

// By the bits, whatever the device does to denormals.
#define TEXT_MAGNITUDE_F64(x) (bits_of_f64(x) & ((u64)0x7fffffffffffffff))
DEVICE i32 text_isnan_f64(f64 x) { return TEXT_MAGNITUDE_F64(x) > ((u64)0x7ff0000000000000); }
DEVICE i32 text_isinf_f64(f64 x) { return TEXT_MAGNITUDE_F64(x) == ((u64)0x7ff0000000000000); }
DEVICE i32 text_isfinite_f64(f64 x) { return TEXT_MAGNITUDE_F64(x) < ((u64)0x7ff0000000000000); }
DEVICE i32 text_signbit_f64(f64 x) { return (i32)(bits_of_f64(x) >> 63); }
