// Prelude: the functions of operator and map texts, of f64.

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
