// Built-in tuning values: a table by architecture, and what elements and caches change in it.
#include "core/tuning/tuning.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "core/device/state.hpp"
#include "core/gallery/gallery.hpp"
#include "core/gallery/shape_tuning.hpp"
#include "core/gallery/tuning_file.hpp"
#include "core/kernel/architecture.hpp"
#include "core/opening/open_state.hpp"
#include "core/shape/plan_shape.hpp"
#include "core/tuning/tuning_space.hpp"
#include "support/cases/named_row.hpp"
#include "support/devices/offline_device.hpp"
#include "support/environment.hpp"
#include "support/kept_files.hpp"

namespace bifold {

namespace {

using core::Architecture;
using core::ElementClass;
using core::Tuning;
using test::made_up_device;
using test::named_row;

Device open_offline(std::string architecture, const DeviceOptions& options) {
  return Device(
      core::open_state(made_up_device(),
                       std::make_shared<test::OfflineDevice>(ForwardProgress::started_groups, "key",
                                                             std::move(architecture)),
                       options));
}

}  // namespace

TEST_SUITE_BEGIN("tuning");

TEST_CASE("every parameter is one of its row's family, and production's rows have some") {
  Capabilities capabilities{};
  capabilities.max_group_size = 1024;
  for (const gallery::Variant& variant : gallery::variants()) {
    for (const DeviceKind kind : {DeviceKind::gpu, DeviceKind::cpu}) {
      const Tuning values =
          core::default_tuning(variant, core::recipe_of(variant).fixed, kind, capabilities, 4);
      for (const auto& parameter : core::tuning_space(variant)) {
        CAPTURE(variant.name);
        CAPTURE(parameter.name());
        const auto value = values.*parameter.member;
        if (variant.requirements.ring_bytes == 0) CHECK(value.value_or(0) != 0);
        CHECK(std::is_sorted(parameter.values.begin(), parameter.values.end()));
        CHECK_FALSE(parameter.allows(0));
      }
    }
    const core::Recipe& production = core::recipe_of(named_row(variant.algorithm, "production"));
    for (const auto& names : {production.on_gpu, production.on_lanes_of_32, production.on_cpu}) {
      if (std::find(names.begin(), names.end(), variant.name) == names.end()) continue;
      CHECK_FALSE(core::tuning_space(variant).empty());
    }
  }
}

TEST_CASE("every parameter has names, a member and a define of its own") {
  std::set<std::string_view> names;
  std::set<std::string_view> defines;
  Tuning all;
  for (const core::Parameter& parameter : core::parameters()) {
    CAPTURE(parameter.name);
    CHECK(names.insert(parameter.name).second);
    if (!parameter.old_name.empty()) CHECK(names.insert(parameter.old_name).second);
    if (!parameter.define.empty()) CHECK(defines.insert(parameter.define).second);
    CHECK_FALSE(all.*parameter.member);
    all.*parameter.member = 1;
    CHECK(core::parameter_of(parameter.member).name == parameter.name);
  }
}

TEST_CASE("architectures are told by the names that drivers give") {
  const auto of = [](std::string_view name) {
    return core::architecture_class(DeviceKind::gpu, name);
  };
  CHECK(core::architecture_class(DeviceKind::cpu, "") == Architecture::cpu);
  CHECK(of("sm_70") == Architecture::sm_75);
  CHECK(of("sm_75") == Architecture::sm_75);
  CHECK(of("sm_80") == Architecture::sm_80);
  CHECK(of("sm_86") == Architecture::sm_86);
  CHECK(of("sm_89") == Architecture::sm_86);
  CHECK(of("sm_90") == Architecture::sm_90);
  CHECK(of("sm_100") == Architecture::sm_100);
  CHECK(of("sm_120") == Architecture::sm_120);
  CHECK(of("sm_121") == Architecture::sm_120);
  CHECK(of("gfx906") == Architecture::gfx9);
  CHECK(of("gfx90a") == Architecture::gfx9);
  CHECK(of("gfx1030") == Architecture::gfx10);
  CHECK(of("gfx1100") == Architecture::gfx11);
  CHECK(of("gfx1201") == Architecture::gfx12);
  CHECK(of("intel") == Architecture::intel);
  CHECK(of("") == Architecture::unknown);
  CHECK(of("riscv") == Architecture::unknown);
}

TEST_CASE("built-in values follow the architecture") {
  Capabilities capabilities{};
  capabilities.max_group_size = 1024;
  const auto groups = [&](const char* name) {
    capabilities.architecture = name;
    return core::default_tuning(named_row(Algorithm::reduce, "vector"), {}, DeviceKind::gpu,
                                capabilities, 4)
        .groups_per_unit;
  };
  CHECK(groups("sm_90") == 8);
  CHECK(groups("sm_80") == 8);
  CHECK(groups("sm_89") == 6);
  CHECK(groups("sm_75") == 4);
  CHECK(groups("intel") == 2);
  CHECK(groups("") == 4);
}

TEST_CASE("a CPU counts on its own part of a cache that others share") {
  Capabilities capabilities{};
  capabilities.max_group_size = 4096;
  capabilities.cache_bytes = std::uint64_t{300} << 20;
  const auto past_from = [&](std::uint32_t units) {
    capabilities.compute_units = units;
    return core::default_tuning(named_row(Algorithm::scan, "order_v1_packs"), {}, DeviceKind::cpu,
                                capabilities, 4)
        .past_caches_from_kib;
  };
  CHECK(past_from(2) == 32 << 10);
  CHECK(past_from(64) == 300 << 10);
  CHECK(core::own_cache_bytes(DeviceKind::gpu, capabilities) == capabilities.cache_bytes);
}

TEST_CASE("packs of narrow elements have fewer rows on AMD's GPUs, or as a tuning file says") {
  const gallery::Variant& lookback = named_row(Algorithm::scan, "lookback_warp");
  DeviceOptions options;
  options.cache.disk = false;
  const auto rows = [&](const char* architecture, Type type) {
    const core::PlanShape shape{type, type, type, ScanKind::inclusive, plus};
    return core::tuning_for({open_offline(architecture, options), shape}, lookback).rows;
  };
  CHECK(rows("gfx90a", Type::u8) == 4);
  CHECK(rows("gfx90a", Type::u16) == 6);
  CHECK(rows("gfx90a", Type::u32) == 8);
  CHECK(rows("sm_80", Type::u8) == 8);
  CHECK(rows("sm_80", Type::u16) == 8);

  core::Tunings tunings;
  tunings.set({&lookback, {ElementClass::Kind::integer, 1}, {.rows = 12}});
  options.tuning_file = test::fresh_folder("tuning") / "file";
  test::write_file(options.tuning_file, core::tuning_text(made_up_device(), "gfx90a", tunings));
  CHECK(rows("gfx90a", Type::u8) == 12);
  CHECK(rows("gfx90a", Type::u16) == 6);
}

TEST_SUITE_END();

}  // namespace bifold
