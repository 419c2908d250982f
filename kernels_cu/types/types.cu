// Part types: element types, and conversions that both dialects share.
// Provides: types

typedef signed char i8;
typedef short i16;
typedef int i32;
typedef long long i64;
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef float f32;

#define DEVICE __device__ __forceinline__

// Where a field of a struct lies, as a constant: the spelling this compiler's own headers use.
#define FIELD_OFFSET(type, field) __INTADDR__(&((type*)0)->field)

// The bit pattern of a value, as an unsigned integer of its width, and back.
#define bits_of_i8(x) ((u8)(x))
#define bits_of_i16(x) ((u16)(x))
#define bits_of_i32(x) ((u32)(x))
#define bits_of_i64(x) ((u64)(x))
#define bits_of_u8(x) ((u8)(x))
#define bits_of_u16(x) ((u16)(x))
#define bits_of_u32(x) ((u32)(x))
#define bits_of_u64(x) ((u64)(x))
#define bits_of_f32(x) __float_as_uint(x)
#define i8_of_bits(b) ((i8)(b))
#define i16_of_bits(b) ((i16)(b))
#define i32_of_bits(b) ((i32)(b))
#define i64_of_bits(b) ((i64)(b))
#define u8_of_bits(b) ((u8)(b))
#define u16_of_bits(b) ((u16)(b))
#define u32_of_bits(b) ((u32)(b))
#define u64_of_bits(b) ((u64)(b))
#define f32_of_bits(b) __uint_as_float(b)

// Part rounding_of_sum_f32: what a sum of two f32 loses by rounding.
// Provides: rounding_of_sum_f32

// The rounding error of a + b, exactly (Knuth's two-sum).
DEVICE f32 rounding_of_sum_f32(f32 a, f32 b) {
  const f32 sum = a + b;
  const f32 rest = sum - a;
  return (a - (sum - rest)) + (b - rest);
}
