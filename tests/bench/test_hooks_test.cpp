// What tests force of kernels reaches their texts, and what these say otherwise.
#include <doctest/doctest.h>

#include <bifold/bifold.hpp>
#include <memory>
#include <string>
#include <string_view>

#include "core/call/reduce.hpp"
#include "core/call/scan.hpp"
#include "core/gallery/gallery.hpp"
#include "core/gallery/shape_tuning.hpp"
#include "embed/offline_opencl.hpp"

namespace {

namespace core = bifold::core;
namespace embed = bifold::embed;
using bifold::Type;

/// The texts that the row's plan asks for.
std::string text_of(bifold::DeviceKind kind, bifold::Algorithm algorithm, std::string_view name,
                    const core::TestHooks& hooks) {
  const auto backend = std::make_shared<embed::OfflineOpenclDevice>(
      kind == bifold::DeviceKind::cpu ? embed::offline_cpu() : embed::offline_gpu());
  const bifold::Device device = embed::planning_on(backend, "opencl", kind);
  const core::PlanShape shape{Type::i32, Type::i32, Type::i32, {}, bifold::plus};
  const core::Tuning tuning =
      core::built_in_tuning({device, shape}, core::row_named(algorithm, name));
  if (algorithm == bifold::Algorithm::scan) {
    const bifold::ScanShape scan{.op = bifold::plus, .variant = name};
    (void)core::make_plan(device, scan, tuning, hooks);
  } else {
    const bifold::ReduceShape reduction{.op = bifold::plus, .variant = name};
    (void)core::make_plan(device, reduction, tuning, hooks);
  }
  std::string all;
  for (const auto& planned : backend->planned()) all += planned->source.text;
  return all;
}

std::string scan_text(bifold::DeviceKind kind, std::string_view name,
                      const core::TestHooks& hooks = {}) {
  return text_of(kind, bifold::Algorithm::scan, name, hooks);
}

bool defines(const std::string& text, const std::string& define) {
  return text.find("#define " + define + "\n") != std::string::npos;
}

}  // namespace

TEST_SUITE_BEGIN("bench kernel");

TEST_CASE("limits that tests force are defines of the kernels that have them") {
  using enum bifold::DeviceKind;
  const core::TestHooks hooks{
      .spin_limit = 3, .epoch_limit = 5, .published_every = 7, .held_bytes = 256};
  for (const std::string_view row : {"lookback_warp", "order_v1", "order_v1_drawn"}) {
    CAPTURE(row);
    const std::string text = scan_text(cpu, row, hooks);
    CHECK(defines(text, "SPIN_LIMIT 3"));
    CHECK(defines(text, "EPOCH_LIMIT 5"));
    CHECK(defines(text, "PUBLISHED_EVERY 7") == row.starts_with("order"));
    CHECK_FALSE(defines(text, "HELD_BYTES 256"));
  }
  CHECK(
      defines(text_of(cpu, bifold::Algorithm::reduce, "order_v1_chunks", hooks), "HELD_BYTES 256"));
}

TEST_CASE("limits that nobody forces are those of the device's kind") {
  using enum bifold::DeviceKind;
  CHECK(defines(scan_text(gpu, "lookback_warp"), "SPIN_LIMIT 16384"));
  CHECK(defines(scan_text(cpu, "lookback_warp"), "SPIN_LIMIT 1024"));
  CHECK(defines(scan_text(gpu, "order_v1"), "SPIN_LIMIT 16384"));
  CHECK(defines(scan_text(cpu, "order_v1"), "SPIN_LIMIT 1024"));
  const std::string drawn = scan_text(cpu, "order_v1_drawn");
  CHECK(defines(drawn, "SPIN_LIMIT 16384"));
  CHECK(defines(drawn, "EPOCH_LIMIT 1073741823"));
  CHECK(defines(drawn, "PUBLISHED_EVERY 1"));
  CHECK(defines(text_of(cpu, bifold::Algorithm::reduce, "order_v1_chunks", {}), "HELD_BYTES 0"));
}

TEST_SUITE_END();
