// Prelude: IEEE 754-2019 minimum and maximum of f32, by their bits.

DEVICE f32 minimum_f32(f32 a, f32 b) { return comes_before_f32(b, a) ? b : a; }
DEVICE f32 maximum_f32(f32 a, f32 b) { return comes_behind_f32(b, a) ? b : a; }
