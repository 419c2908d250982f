// Prelude: the functions of operator and map texts, of f32.

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
