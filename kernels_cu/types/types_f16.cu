// Prelude: f16, a type of elements that are stored, and computed with as f32. A struct, so that no
// expression takes its bits for a number.

struct f16 {
  u16 bits;
};

DEVICE f16 f16_of_bits(u16 bits) {
  f16 x;
  x.bits = bits;
  return x;
}
