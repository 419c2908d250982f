// Scalars reach the functions of kernels that need them, and no others.
#include <doctest/doctest.h>

#include <bifold/bifold.hpp>
#include <string>

#include "core/kernel/scalars.hpp"

namespace bifold {

namespace {

core::KernelScalars one_scalar(bool on_device) {
  core::KernelScalars scalars;
  scalars.add({"k", Type::f32, 0, on_device});
  return scalars;
}

}  // namespace

TEST_SUITE_BEGIN("operator");

TEST_CASE("functions and macros hand scalars on to what names them") {
  const std::string text =
      "#define GROUP 4  // LIFT(x) is below\n"
      "DEVICE int other(int x) { return x; }\n"
      "DEVICE int mapped(int x) {\n  return x * userscalars.userscalar_k;\n}\n"
      "#define LIFT(x) \\\n  (1 + mapped((x)))\n"
      "DEVICE int none(void) { return LIFT(other(2)); }\n"
      "DEVICE int deep(int (*a)[2], int b) {\n"
      "#if GROUP > 2\n  if (b) { return none() + other(b); }\n#endif\n"
      "  say(\"mapped(1)\");  // mapped(1)\n  return 0;\n}\n"
      "__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void entry(int n MORE) {\n"
      "  deep(0, other(n));\n}\n"
      "extern \"C\" __global__ void __launch_bounds__(GROUP)\n    idle(int n) { other(n); }\n";
  const std::string want =
      "#define GROUP 4  // LIFT(x) is below\n"
      "DEVICE int other(int x) { return x; }\n"
      "DEVICE int mapped(int x, UserScalars userscalars) {\n"
      "  return x * userscalars.userscalar_k;\n}\n"
      "#define LIFT(x) \\\n  (1 + mapped((x), userscalars))\n"
      "DEVICE int none(UserScalars userscalars) { return LIFT(other(2)); }\n"
      "DEVICE int deep(int (*a)[2], int b, UserScalars userscalars) {\n"
      "#if GROUP > 2\n  if (b) { return none(userscalars) + other(b); }\n#endif\n"
      "  say(\"mapped(1)\");  // mapped(1)\n  return 0;\n}\n"
      "__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void entry(int n MORE, "
      "UserScalars userscalars) {\n"
      "  deep(0, other(n), userscalars);\n}\n"
      "extern \"C\" __global__ void __launch_bounds__(GROUP)\n    idle(int n, UserScalars "
      "userscalars) { other(n); }\n";
  CHECK(core::with_scalars(text, one_scalar(false)) == want);
}

TEST_CASE("entries read scalars in device memory first") {
  CHECK(core::with_scalars("__kernel void entry(u64 n) { go(n); }\n", one_scalar(true)) ==
        "__kernel void entry(u64 n, UserScalars userscalars, SCALAR_MEMORY(f32) "
        "userscalar_from_k, u64 userscalar_at_k) { userscalars.userscalar_k = "
        "userscalar_from_k[userscalar_at_k]; go(n); }\n");
}

TEST_CASE("scalars lie as C lays structs out") {
  core::KernelScalars scalars;
  scalars.add({"a", Type::u8});
  scalars.add({"b", Type::f16});  // As f32.
  scalars.add({"c", Type::complex64});
  scalars.add({"d", Type::f64});
  scalars.add({"e", Type::i16});
  struct Wanted {
    std::uint8_t a;
    float b;
    float c[2];
    double d;
    std::int16_t e;
  };
  CHECK(scalars.bytes == sizeof(Wanted));
  CHECK(scalars.all[1].offset == offsetof(Wanted, b));
  CHECK(scalars.all[2].offset == offsetof(Wanted, c));
  CHECK(scalars.all[3].offset == offsetof(Wanted, d));
  CHECK(scalars.all[4].offset == offsetof(Wanted, e));
}

TEST_SUITE_END();

}  // namespace bifold
