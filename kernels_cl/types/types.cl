// Part types: element types, and conversions that both dialects share.
// Provides: types

#pragma OPENCL FP_CONTRACT OFF

#ifdef __clang__
// The checks in kernels are conditions on constants. NVIDIA's driver prints every warning to an
// application's stderr.
#pragma clang diagnostic ignored "-Wconstant-logical-operand"
#endif

typedef char i8;
typedef short i16;
typedef int i32;
typedef long i64;
typedef uchar u8;
typedef ushort u16;
typedef uint u32;
typedef ulong u64;
typedef float f32;

#define DEVICE static inline

// Where a field of a struct lies, as a constant.
#define FIELD_OFFSET(type, field) __builtin_offsetof(type, field)

// The bit pattern of a value, as an unsigned integer of its width, and back.
#define bits_of_i8(x) ((u8)(x))
#define bits_of_i16(x) ((u16)(x))
#define bits_of_i32(x) ((u32)(x))
#define bits_of_i64(x) ((u64)(x))
#define bits_of_u8(x) ((u8)(x))
#define bits_of_u16(x) ((u16)(x))
#define bits_of_u32(x) ((u32)(x))
#define bits_of_u64(x) ((u64)(x))
#define bits_of_f32(x) as_uint(x)
#define i8_of_bits(b) ((i8)(b))
#define i16_of_bits(b) ((i16)(b))
#define i32_of_bits(b) ((i32)(b))
#define i64_of_bits(b) ((i64)(b))
#define u8_of_bits(b) ((u8)(b))
#define u16_of_bits(b) ((u16)(b))
#define u32_of_bits(b) ((u32)(b))
#define u64_of_bits(b) ((u64)(b))
#define f32_of_bits(b) as_float((u32)(b))

// The dialect's own names, from which its vector types are made.
#define NATIVE_i8 char
#define NATIVE_i16 short
#define NATIVE_i32 int
#define NATIVE_i64 long
#define NATIVE_u8 uchar
#define NATIVE_u16 ushort
#define NATIVE_u32 uint
#define NATIVE_u64 ulong
#define NATIVE_f32 float
#define PASTE_TOKENS(a, b) a##b
#define PASTE(a, b) PASTE_TOKENS(a, b)
#define VECTOR(type, width) PASTE(PASTE(NATIVE_, type), width)

// Part rounding_of_sum_f32: what a sum of two f32 loses by rounding.
// Provides: rounding_of_sum_f32

// The rounding error of a + b, exactly (Knuth's two-sum).
DEVICE f32 rounding_of_sum_f32(f32 a, f32 b) {
  const f32 sum = a + b;
  const f32 rest = sum - a;
  return (a - (sum - rest)) + (b - rest);
}
