// Prelude: bf16, the upper half of an f32: a type of elements that are stored, and computed with as
// f32. A struct, so that no expression takes its bits for a number.

typedef struct {
  u16 bits;
} bf16;

#define NATIVE_bf16 ushort

DEVICE bf16 bf16_of_bits(u16 bits) {
  bf16 x;
  x.bits = bits;
  return x;
}

DEVICE f32 f32_of_bf16(bf16 x) { return f32_of_bits((u32)x.bits << 16); }
