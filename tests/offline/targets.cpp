#include "targets.hpp"

#include <cstdlib>
#include <stdexcept>

namespace bifold::test {

namespace {

Capabilities gpu(std::uint32_t compute_units, std::uint32_t max_group_size) {
  Capabilities has{};
  has.global_bytes = std::uint64_t{8} << 30;
  has.max_allocation_bytes = std::uint64_t{4} << 30;
  has.local_bytes = 65536;
  has.compute_units = compute_units;
  has.max_group_size = max_group_size;
  has.f64 = has.f16 = true;
  has.atomics64 = has.acquire_release = true;
  has.atomic_scope = AtomicScope::device;
  has.denormals_f32 = has.denormals_f64 = true;
  has.progress = ForwardProgress::unknown;
  has.atomics = "c11";
  return has;
}

// Under ROCm: OpenCL C 2.0 and sub-groups, but no shuffles, so lanes go through local memory; no
// group is larger than 256 unless a driver says so.
Target amd(std::string_view name, std::string_view architecture, std::uint32_t width,
           std::uint32_t compute_units, std::uint32_t registers, std::uint32_t max_group_size = 256,
           std::uint32_t registers_ahead = 128) {
  Capabilities has = gpu(compute_units, max_group_size);
  has.lanes = "local";
  has.architecture = architecture;
  return {name,
          Vendor::amd,
          architecture,
          width,
          {std::string(name), "-cl-std=CL2.0 -cl-fp32-correctly-rounded-divide-sqrt", has},
          {registers, 0, 96, 448, 33792},
          {registers, 0, 96, 600, 33792},
          {registers_ahead, 0, 64, 136, 8448}};
}

// Sub-groups that shuffle, of a width that kernels may require.
Target intel(std::string_view name, std::string_view architecture, std::uint32_t width, bool f64,
             std::uint32_t compute_units, std::uint32_t max_group_size, std::uint32_t spilled = 0,
             std::string_view language = "CL3.0") {
  Capabilities has = gpu(compute_units, max_group_size);
  has.lanes = "subgroup";
  has.architecture = "intel";  // All that the driver tells.
  has.subgroup_width = width;
  has.f64 = has.denormals_f64 = f64;
  return {name,
          Vendor::intel,
          architecture,
          width,
          {std::string(name),
           "-cl-std=" + std::string(language) + " -cl-fp32-correctly-rounded-divide-sqrt", has},
          {128, spilled, 0, 512, 33792},
          {128, 16384, 0, 2048, 33792},
          {128, 32768, 0, 1280, 160},
          width < 32};
}

}  // namespace

// Budgets keep what the compilers reached; docs/porting.md has the figures. Registers stand for
// waves on a SIMD, of which gfx906 holds 256 / registers, gfx90a 512, gfx1030 1024 or, of 64
// work-items, 512: so two, four, eight and four. gfx1100 has no fewer than gfx1030. Intel's threads
// have 128 whatever they use of them; there, arrays that do not fit are private memory. Local
// memory is half of a unit's, and the results of warp tiles. Groups that stay, a tile ahead, are
// two on a unit: with 128 registers at most gfx906, too, runs both at a time, and gfx90a has twice
// as many. What is spilled of scalar registers goes to lanes of the others, and counts among those.
const std::vector<Target>& targets() {
  static const std::vector<Target> all{
      amd("gfx906", "gfx906", 64, 60, 128),
      amd("gfx90a", "gfx90a", 64, 104, 128, 256, 136),
      amd("gfx1030", "gfx1030", 32, 36, 128),
      amd("gfx1030-wave64", "gfx1030", 64, 36, 128, 1024),
      amd("gfx1100", "gfx1100", 32, 48, 128),
      amd("gfx1100-wave64", "gfx1100", 64, 48, 128, 1024),
      intel("skl", "skl", 32, true, 24, 256),
      intel("tgllp", "tgllp", 32, false, 96, 512),
      intel("tgllp-8", "tgllp", 8, false, 96, 512),
      // In whole warp tiles it spills nothing; beside what loads parts of them there is no room.
      intel("dg2", "dg2", 32, false, 512, 1024, 8192),
      intel("dg2-16", "dg2", 16, false, 512, 1024),
      // This one has no images, and the headers in compilers of its time want them for OpenCL
      // C 3.0.
      intel("pvc", "pvc", 32, true, 1024, 1024, 0, "CL2.0"),
  };
  return all;
}

const Target& target() {
  const char* name = std::getenv("BIFOLD_TEST_TARGET");  // NOLINT(concurrency-mt-unsafe)
  for (const Target& one : targets()) {
    if (name != nullptr && one.name == name) return one;
  }
  throw std::runtime_error("BIFOLD_TEST_TARGET names none of the targets");
}

}  // namespace bifold::test
