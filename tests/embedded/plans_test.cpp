// The programs in the library, for machines with a driver but no NVRTC. The suites run over the
// stand-in driver, embedded_plans with NVRTC hidden; nothing is executed.
#include <doctest/doctest.h>

#include <algorithm>
#include <bifold/bifold.hpp>
#include <bifold/struct.hpp>
#include <cstdint>
#include <iostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/device/state.hpp"
#include "core/gallery/shape_tuning.hpp"
#include "core/gallery/tuning_file.hpp"
#include "core/kernel/embedded.hpp"
#include "core/kernel/kernel_source.hpp"
#include "core/plan/part_choices.hpp"
#include "core/shape/plan_shape.hpp"
#include "core/tuning/tuning_space.hpp"
#include "embed/shapes.hpp"
#include "fake_cuda/fixture.hpp"
#include "programs.hpp"
#include "support/environment.hpp"
#include "support/kept_files.hpp"

struct Two {
  float a, b;
};
BIFOLD_STRUCT(Two, a, b);

struct Three {
  float a, b, c;
};
BIFOLD_STRUCT(Three, a, b, c);

struct Four {
  float a, b, c, d;
};
BIFOLD_STRUCT(Four, a, b, c, d);

namespace bifold {

using test::contains;
using test::programs_in;

namespace {

/// Whether this build holds machine code for those GPUs.
bool has_machine_code(int architecture) {
  const auto programs = programs_in(core::EmbeddedForm::machine_code);
  return std::any_of(programs.begin(), programs.end(), [&](const core::EmbeddedProgram& program) {
    return program.id.architecture == architecture;
  });
}

int architecture() { return std::stoi(test::device().capabilities().architecture.substr(3)); }

/// Without the disk, where an earlier run may have left something.
Device fresh_device() { return test::open_again({.disk = false}); }

/// Checks that `call` is refused, and that the refusal tells what to do.
template <class Call>
void check_refused(const Call& call, std::string_view file) {
  try {
    call();
    FAIL_CHECK(std::string(file), " was built");
  } catch (const Error& error) {
    CHECK(error.category() == ErrorCategory::unavailable);
    CHECK(error.backend() == "cuda");
    const std::string_view words = error.what();
    for (const std::string_view part :
         {file, std::string_view("no NVRTC for a driver of CUDA"), std::string_view("libnvrtc.so."),
          std::string_view("/usr/local/cuda/lib64/"),
          std::string_view("plus, multiplies, minimum and maximum"),
          std::string_view("\"opencl:nvidia\"")}) {
      CHECK_MESSAGE(contains(words, part), "\"", part, "\" is not in: ", words);
    }
  }
}

/// A source that the table holds, as the bandwidth probe has it.
backend::Source known_source(const Device& device) {
  core::KernelSpec spec;
  spec.family = "bandwidth";
  spec.entry = "read_vectors";
  spec.group_size = 256;
  core::add_parts(device, spec);
  return core::kernel_source(*device.state()->backend, spec);
}

}  // namespace

TEST_SUITE_BEGIN("embedded_plans");

TEST_CASE("NVRTC is hidden here, and the backend says what runs all the same") {
  for (const BackendInfo& info : backends()) {
    if (info.name != "cuda") continue;
    CHECK(info.available);
    CHECK(contains(info.version, "no NVRTC for a driver of CUDA"));
    CHECK(contains(info.version, "without NVRTC there are reduce and scan"));
  }
  CHECK(open_device("").info().backend == "cuda");
}

TEST_CASE("every shape of the list is planned from the library") {
  const Device device = fresh_device();
  std::size_t planned = 0;
  const embed::EmbeddedShapes shapes = embed::embedded_shapes();
  for (const ReduceShape& shape : shapes.reductions) {
    if (architecture() < 75) {
      check_refused([&] { (void)ReducePlan(device, shape); }, ".cu cannot be compiled");
      continue;
    }
    CHECK_NOTHROW((void)ReducePlan(device, shape));
    ++planned;
  }
  for (const ScanShape& shape : shapes.scans) {
    if (architecture() < 75) break;
    CHECK_NOTHROW((void)ScanPlan(device, shape));
    ++planned;
  }
  if (architecture() >= 75) {
    CHECK_NOTHROW(embed::warm_benchmark(device));
    // Of halves two reductions and two scans, in either order.
    CHECK(planned == (40 + 11 + 5) * 3 + 2 * 4 * 2);
  }
  std::cout << planned << " shapes, " << device.cache_statistics().compiled << " programs\n";
}

TEST_CASE("calls run, production taking the rows for large sums that the device has") {
  if (architecture() < 75) return;
  const Device device = fresh_device();
  Queue queue(device);
  auto values = queue.allocate<float>(1000);
  CHECK_NOTHROW((void)reduce(queue, values, plus, 0.0F));
  CHECK_NOTHROW((void)reduce(queue, values, minimum, 0.0F));
  CHECK_NOTHROW(exclusive_scan(queue, values, values, plus, 1.0F));
  CHECK_NOTHROW(inclusive_scan(queue, values, values, maximum));
  queue.finish();
  const bool ring = device.capabilities().ring_bytes >= 204800;
  const ScanPlan sums(device, {.input = Type::f32, .output = Type::f32, .accumulator = Type::f32});
  const std::string_view large = ring ? "order_v1_ring" : "order_v1_ahead";
  CHECK(sums.variant().name == large);
  const std::uint64_t first = std::uint64_t{ring ? 21U : 64U} << 18;  // Of MiB, by 4 bytes.
  CHECK(sums.variant(first).name == large);
  CHECK(sums.variant(first - 1).name == "order_v1");
  ScanShape shape{.input = Type::i16, .output = Type::i16, .accumulator = Type::i16};
  shape.op = maximum;
  CHECK(ScanPlan(device, shape).variant().name == (ring ? "order_v1_ring" : "lookback_warp"));
  shape.input = shape.output = shape.accumulator = Type::i32;
  CHECK(ScanPlan(device, shape).variant().name == large);
  if (ring) return;
  shape.input = shape.output = shape.accumulator = Type::i64;
  CHECK(ScanPlan(device, shape).variant().name == "order_v1");
}

TEST_CASE("a ring begins at an input that suits the elements") {
  const Device device = fresh_device();
  if (device.capabilities().ring_bytes < 204800) return;
  struct Expected {
    Type input;
    Type accumulator;
    Type output;
    std::uint64_t mib;
  };
  for (const auto& [input, accumulator, output, mib] : {Expected{Type::u8, Type::u8, Type::u8, 4},
                                                        {Type::i16, Type::i16, Type::i16, 9},
                                                        {Type::f16, Type::f32, Type::f16, 20},
                                                        {Type::i32, Type::i32, Type::i32, 21},
                                                        {Type::f64, Type::f64, Type::f64, 24},
                                                        {Type::i64, Type::i64, Type::i64, 24},
                                                        {Type::f32, Type::f64, Type::f64, 28}}) {
    CAPTURE(name_of(input));
    const ScanPlan plan(device, {.input = input, .output = output, .accumulator = accumulator});
    const std::uint64_t first = (mib << 20) / size_of(input);
    CHECK(plan.variant(first).name == "order_v1_ring");
    CHECK(plan.variant(first - 1).name != "order_v1_ring");
  }
  // Kernels for structs are not in the library.
  const gallery::Variant& ring = *gallery::find(Algorithm::scan, "order_v1_ring");
  for (const auto& [type, mib] :
       {std::pair{type_of<Two>(), 21U}, {type_of<Three>(), 7U}, {type_of<Four>(), 9U}}) {
    const Operator sums = Operator::fieldwise(type, std::vector<Operator>(size_of(type) / 4, plus));
    const core::PlanShape shape{type, type, type, ScanKind::inclusive, sums};
    CHECK(core::built_in_tuning({device, shape}, ring).at_least_mib == mib);
  }
}

TEST_CASE("where a tuning file moves a row's first size, fewer elements stay with one for any") {
  const Device& device = test::device();
  if (device.capabilities().ring_bytes < 204800) return;
  core::Tunings tunings;
  tunings.set({gallery::find(Algorithm::scan, "order_v1_ring"),
               {core::ElementClass::Kind::floating, 4},
               {.at_least_mib = 256}});
  DeviceOptions options;
  options.tuning_file = test::fresh_folder("embedded") / "tuning";
  test::write_file(options.tuning_file,
                   core::tuning_text(device.info(), device.capabilities().architecture, tunings));
  const Device tuned = open_device(device.info().selector, options);
  const ScanPlan sums(tuned, {.input = Type::f32, .output = Type::f32, .accumulator = Type::f32});
  const std::uint64_t first = std::uint64_t{256} << 18;
  CHECK(sums.variant(first).name == "order_v1_ring");
  CHECK(sums.variant(first - 1).name == "order_v1");
  CHECK(sums.variant(1).name == "order_v1");
}

TEST_CASE("a call builds what it runs, a plan what any size takes") {
  if (architecture() < 75) return;
  const Device device = fresh_device();
  Queue queue(device);
  const std::uint64_t large = std::uint64_t{16} << 20;  // 64 MiB.
  auto values = queue.allocate<float>(large);
  const auto built_by = [&](const auto& body) {
    const std::uint64_t before = device.cache_statistics().compiled;
    body();
    return device.cache_statistics().compiled - before;
  };
  const auto scan_first = [&](std::uint64_t n) {
    return built_by([&] { inclusive_scan(queue, values.view(0, n), values.view(0, n), plus); });
  };
  CHECK(scan_first(1000) == 1);
  CHECK(scan_first(2000) == 0);
  CHECK(scan_first(0) == 0);
  const bool ring = device.capabilities().ring_bytes >= 204800;
  CHECK(scan_first(large / 2) == (ring ? 1 : 0));
  CHECK(scan_first(large) == (ring ? 0 : 1));
  CHECK(scan_first(large) == 0);
  CHECK(scan_first(3000) == 0);
  const ScanShape shape{.input = Type::f32, .output = Type::f32, .accumulator = Type::f32};
  CHECK(built_by([&] { (void)ScanPlan(device, shape); }) == 0);
  const Device another = fresh_device();
  warm(another, shape);
  CHECK(another.cache_statistics().compiled == 2);
  queue.finish();
}

TEST_CASE(
    "sums have kernels for short inputs, small and large ones, and what a cache holds in part") {
  if (architecture() < 75) return;
  const auto has = [](const ReduceShape& shape) {
    const Device device = fresh_device();
    warm(device, shape);
    return device.cache_statistics().compiled;
  };
  // Of sm_90 alone it is known how much that is, and where launches overlap its PTX is embedded.
  const bool known = architecture() == 90 && fresh_device().capabilities().overlapped_launches;
  for (const Type type : {Type::i32, Type::f32, Type::f64}) {
    CAPTURE(name_of(type));
    CHECK(has({.input = type, .accumulator = type}) == (known ? 4 : 3));
  }
  // Bytes are combined in words, which leave small inputs no kernel beside that for short ones.
  CHECK(has({.input = Type::u16, .accumulator = Type::u16}) == (known ? 4 : 3));
  CHECK(has({.input = Type::u8, .accumulator = Type::u8}) == (known ? 3 : 2));
  // Calls build the one that they run, and none that another size has left.
  const Device device = fresh_device();
  Queue queue(device);
  const auto values = queue.allocate<float>((std::size_t{100} << 20) / sizeof(float));
  auto result = queue.allocate<float>(1);
  const auto built_by = [&](std::size_t mib) {
    const std::uint64_t before = device.cache_statistics().compiled;
    reduce_into(queue, values.view(0, (mib << 20) / sizeof(float)), result, plus);
    return device.cache_statistics().compiled - before;
  };
  CHECK(built_by(70) == 1);
  CHECK(built_by(1) == 1);
  CHECK(built_by(23) == 0);
  CHECK(built_by(24) == 1);
  CHECK(built_by(49) == 0);
  CHECK(built_by(50) == 0);
  CHECK(built_by(64) == 0);
  CHECK(built_by(96) == (known ? 1 : 0));
  CHECK(built_by(100) == 0);
  CHECK(built_by(2) == 0);
  queue.finish();
  CHECK(has({.input = Type::u8, .accumulator = Type::u8, .op = maximum}) == (known ? 3 : 2));
  // Their loads are shorter: of 4 bytes, of which any kernel has all of a leaf on their way, and of
  // 8.
  CHECK(has({.input = Type::u8, .accumulator = Type::u8, .op = multiplies}) == 2);
  CHECK(has({.input = Type::i32, .accumulator = Type::i64}) == 3);
}

TEST_CASE("what is not in the library is refused with what to do") {
  const Device device = fresh_device();
  const Operator op = Operator::user("largest", "a > b ? a : b", Value(std::int32_t{0}));
  check_refused([&] { (void)ReducePlan(device, {.op = op}); },
                " for operator largest cannot be compiled");
  check_refused([&] { (void)ScanPlan(device, {.op = op}); }, " for operator largest");
  check_refused([&] { (void)ReducePlan(device, {.map = "x * x"}); },
                architecture() < 75 ? ".cu" : " with map x * x cannot be compiled");
  check_refused([&] { (void)ReducePlan(device, {.op = bit_xor}); }, ".cu cannot be compiled");
  ReduceShape named;
  named.variant = "harris7";
  check_refused([&] { (void)ReducePlan(device, named); }, "reduce_harris.cu");
}

TEST_CASE("a text is found whole, and not when a character differs") {
  const Device device = fresh_device();
  backend::Device& driver = *device.state()->backend;
  const backend::Source source = known_source(device);
  constexpr auto ptx = core::EmbeddedForm::ptx;
  REQUIRE_FALSE(core::embedded(core::embedded_key(source), ptx, 75).empty());
  CHECK_FALSE(core::embedded(core::embedded_key(source), ptx, 121).empty());
  CHECK(core::embedded(core::embedded_key(source), ptx, 72).empty());
  for (const std::size_t at : {std::size_t{0}, source.text.size() / 2, source.text.size() - 1}) {
    backend::Source altered = source;
    altered.text[at] ^= 1;
    CHECK(core::embedded(core::embedded_key(altered), ptx, 75).empty());
    check_refused([&] { (void)driver.build(altered); }, "bandwidth.cu");
  }
  backend::Source longer = source;
  longer.text += ' ';
  CHECK(core::embedded(core::embedded_key(longer), ptx, 75).empty());
  backend::Source contracted = source;
  const std::size_t option = contracted.options.find("--fmad=false");
  REQUIRE(option != std::string::npos);
  contracted.options.replace(option, 12, "--fmad=true");
  CHECK(core::embedded(core::embedded_key(contracted), ptx, 75).empty());
  backend::Source other_target = source;
  other_target.options = other_target.options.substr(0, other_target.options.rfind('=')) + "=sm_86";
  CHECK(core::embedded(core::embedded_key(other_target), ptx, 86) ==
        core::embedded(core::embedded_key(source), ptx, 75));
}

TEST_CASE("machine code of this very architecture comes first, and PTX where a driver refuses it") {
  using fake_cuda::count;
  if (architecture() < 75) return;
  const ScanShape shape{.input = Type::f32, .output = Type::f32, .accumulator = Type::f32};
  const auto loaded_by = [&] {
    const std::int64_t cubins = count("loaded_cubins");
    const std::int64_t ptx = count("loaded_ptx");
    const Device device = fresh_device();
    warm(device, shape);
    warm(device, ReduceShape{.input = Type::u8, .accumulator = Type::u8});
    CHECK(count("loaded_cubins") - cubins + count("loaded_ptx") - ptx ==
          static_cast<std::int64_t>(device.cache_statistics().compiled));
    return std::pair(count("loaded_cubins") - cubins, count("loaded_ptx") - ptx);
  };
  const auto [cubins, ptx] = loaded_by();
  // Where launches do not overlap, an older driver's, the texts are others.
  const bool expected =
      has_machine_code(architecture()) && fresh_device().capabilities().overlapped_launches;
  CHECK((cubins > 0) == expected);
  CHECK((ptx == 0) == expected);
  constexpr int no_binary_for_gpu = 209;
  const fake_cuda::Failing refusing("cubin", no_binary_for_gpu);
  CHECK(loaded_by() == std::pair(std::int64_t{0}, cubins + ptx));
}

TEST_SUITE_END();

}  // namespace bifold
