// Prelude: IEEE 754-2019 minimum and maximum of f32, an instruction of sm_80: NaN wins, and -0 lies
// below +0.

DEVICE f32 minimum_f32(f32 a, f32 b) {
  f32 least;
  asm("min.NaN.f32 %0, %1, %2;" : "=f"(least) : "f"(a), "f"(b));
  return least;
}
DEVICE f32 maximum_f32(f32 a, f32 b) {
  f32 greatest;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(greatest) : "f"(a), "f"(b));
  return greatest;
}
