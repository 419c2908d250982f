// Prelude: f16, a type of elements that are stored, and computed with as f32. A struct, so that no
// expression takes its bits for a number.

struct f16 {
  u16 bits;
};
