// The table of variants as a whole: whatever is wrong in a row shows here, before a device has it.
#include "core/gallery/gallery.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "core/base/format.hpp"
#include "support/source_tree.hpp"

namespace bifold {

namespace {

/// The text of that part in one of the kernel folders, or nothing.
std::string part_text(std::string_view folder, std::string_view family) {
  const std::string head = core::formatted("// Part {}:", family);
  for (const test::SourceFile& file : test::source_files(folder, {".cu", ".cl"})) {
    const std::size_t begin = file.text.find(head);
    if (begin == std::string::npos) continue;
    return file.text.substr(begin, file.text.find("\n// Part ", begin) - begin);
  }
  return {};
}

std::size_t kernels_in(std::string_view text) {
  std::size_t count = 0;
  for (const std::string_view word : {"__global__", "__kernel"}) {
    for (std::size_t at = text.find(word); at != std::string_view::npos;
         at = text.find(word, at + 1)) {
      ++count;
    }
  }
  return count;
}

bool has_kernel(const std::string& text, std::string_view name) {
  return text.find(core::formatted(" {}(", name)) != std::string::npos;
}

}  // namespace

TEST_SUITE_BEGIN("gallery");

TEST_CASE("no two rows of an algorithm have one name, and every row says what it is") {
  std::set<std::pair<Algorithm, std::string_view>> names;
  for (const gallery::Variant& variant : gallery::variants()) {
    INFO(name_of(variant.algorithm) << " " << variant.name);
    CHECK(names.emplace(variant.algorithm, variant.name).second);
    CHECK(gallery::find(variant.algorithm, variant.name) == &variant);
    CHECK_FALSE(variant.summary.empty());
    CHECK_FALSE(variant.source.empty());
  }
}

TEST_CASE("every row but production has a planner and a family, and production has rows to try") {
  for (const gallery::Variant& variant : gallery::variants()) {
    INFO(name_of(variant.algorithm) << " " << variant.name);
    const core::Recipe& recipe = core::recipe_of(variant);
    const bool production = variant.name == "production";
    CHECK((recipe.planner == nullptr) == production);
    CHECK(variant.family.empty() == production);
    CHECK(recipe.on_gpu.empty() != production);
    CHECK(recipe.on_cpu.empty() != production);
    for (const auto& list : {recipe.on_gpu, recipe.on_lanes_of_32, recipe.on_cpu}) {
      CHECK(std::set(list.begin(), list.end()).size() == list.size());
      for (const std::string_view name : list) {
        INFO("it tries " << name);
        const gallery::Variant* tried = gallery::find(variant.algorithm, name);
        CHECK((tried != nullptr && core::recipe_of(*tried).planner != nullptr));
      }
    }
  }
}

TEST_CASE("every row's entry is a kernel of its family") {
  for (const gallery::Variant& variant : gallery::variants()) {
    if (variant.family.empty()) continue;
    const core::Row row = core::row_of(variant);
    for (const std::string_view folder : {"kernels_cu", "kernels_cl"}) {
      const bool opencl = folder == "kernels_cl";
      const std::string_view backend = variant.requirements.backend;
      if (!backend.empty() && (backend == "opencl") != opencl) continue;
      INFO(name_of(variant.algorithm) << " " << variant.name << " in " << folder);
      const std::string text = part_text(folder, variant.family);
      CHECK(kernels_in(text) > 0);
      // A planner of several kernels names them itself.
      const bool by_planner = row.recipe.entry.empty() && kernels_in(text) > 1;
      CHECK((by_planner || has_kernel(text, row.entry())));
    }
  }
}

TEST_SUITE_END();

}  // namespace bifold
