// The programs in the library for NVIDIA's OpenCL: which texts have one, and what is marked in it.
#include <doctest/doctest.h>

#include <algorithm>
#include <bifold/bifold.hpp>
#include <cstdint>
#include <cstring>
#include <iostream>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/device/state.hpp"
#include "core/kernel/embedded.hpp"
#include "core/kernel/image_check.hpp"
#include "core/opening/open_state.hpp"
#include "embed/offline_opencl.hpp"
#include "embed/twins.hpp"
#include "opencl/program/image_marks.hpp"
#include "programs.hpp"
#include "shapes.hpp"
#include "support/assembler.hpp"

namespace bifold {

using backend::opencl::marked;
using core::EmbeddedForm;
using core::EmbeddedTwin;
using test::Assembler;
using test::contains;

namespace {

/// The texts that a call or plan of the listed shapes builds on such a GPU from OpenCL.
embed::PlannedTexts planned_for(int architecture) {
  const auto backend = std::make_shared<embed::OfflineOpenclDevice>(
      embed::offline_opencl_capabilities(architecture));
  DeviceInfo info;
  info.selector = "opencl offline";
  info.backend = "opencl";
  info.kind = DeviceKind::gpu;
  DeviceOptions options;
  options.cache.disk = false;
  const Device device(core::open_state(info, backend, options));
  test::warm_listed_shapes(device);
  static_cast<void>(device.state()->kernels.get(core::image_check_spec(device.capabilities())));
  return backend->planned();
}

std::string text_of(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::vector<std::byte> image_of(const EmbeddedTwin& twin, EmbeddedForm form) {
  return core::embedded(twin.twin, form, twin.architecture);
}

std::string marked_text(const EmbeddedTwin& twin, EmbeddedForm form) {
  return text_of(marked(image_of(twin, form), form, twin.traits));
}

/// What an ELF file of machine code says of its kernel: words of its attributes by name, and its
/// local memory.
struct Description {
  std::map<std::uint32_t, std::uint32_t> parameters;  ///< Flags by place in the list.
  std::set<std::uint8_t> items;                       ///< Which of the two words about them.
  std::uint64_t local_bytes = 0;
};

Description description_of(const std::string& elf) {
  const auto word = [&](auto zero, std::size_t at) {
    REQUIRE(at + sizeof zero <= elf.size());
    std::memcpy(&zero, elf.data() + at, sizeof zero);
    return zero;
  };
  Description found;
  const auto sections = word(std::uint64_t{}, 0x28);
  const std::size_t each = word(std::uint16_t{}, 0x3a);
  const auto names = word(std::uint64_t{}, sections + each * word(std::uint16_t{}, 0x3e) + 0x18);
  for (std::size_t i = 0; i < word(std::uint16_t{}, 0x3c); ++i) {
    const std::size_t header = sections + i * each;
    const std::string_view name = elf.c_str() + names + word(std::uint32_t{}, header);
    const auto size = word(std::uint64_t{}, header + 0x20);
    if (name.starts_with(".nv.shared.") && !contains(name, "reserved")) found.local_bytes = size;
    if (!name.starts_with(".nv.info.")) continue;
    std::size_t at = word(std::uint64_t{}, header + 0x18);
    for (const std::size_t end = at + size; at < end;) {
      const auto form = word(std::uint8_t{}, at);
      const auto attribute = word(std::uint8_t{}, at + 1);
      if (attribute == 0x05 || attribute == 0x10) found.items.insert(attribute);
      if (attribute == 0x17) {
        found.parameters[word(std::uint16_t{}, at + 8)] = word(std::uint32_t{}, at + 12);
      }
      at += 4U + (form == 4 ? word(std::uint16_t{}, at + 2) : 0U);
    }
  }
  return found;
}

}  // namespace

TEST_SUITE_BEGIN("embedded_table");

TEST_CASE("every text of the listed shapes has a twin on OpenCL, whatever the architecture") {
  for (const int architecture : {75, 80, 86, 89, 90, 100, 103, 120}) {
    CAPTURE(architecture);
    std::size_t texts = 0;
    std::size_t others = 0;
    for (const auto& planned : planned_for(architecture)) {
      CAPTURE(planned->source.name);
      const auto twin = core::embedded_twin(core::embedded_key(planned->source), architecture);
      if (!twin) {
        // An instruction of later architectures, by which CUDA's text asks when it is compiled.
        const std::string& text = planned->source.text;
        CHECK((contains(text, "extrema_ptx.cl") || contains(text, "bf16_ptx.cl")));
        ++others;
        continue;
      }
      CHECK(twin->architecture <= architecture);
      const auto ptx = core::embedded(twin->twin, EmbeddedForm::ptx, architecture);
      CHECK(contains(text_of(ptx), ".entry " + planned->entry + "("));
      CHECK(twin->traits.local_bytes == planned->launch.local_bytes);
      ++texts;
    }
    std::cout << texts << " texts for sm_" << architecture << ", others " << others << '\n';
    CHECK(texts > 200);
    CHECK(others <= 24);
    if (architecture == 75 || architecture == 90) CHECK(others == 0);
  }
  CHECK(core::embedded_table().digest != 0);
  const auto planned = planned_for(90);
  CHECK_FALSE(core::embedded_twin(core::embedded_key(planned.front()->source), 72));
  backend::Source altered = planned.front()->source;
  altered.text += ' ';
  CHECK_FALSE(core::embedded_twin(core::embedded_key(altered), 90));
}

TEST_CASE("pointers among the parameters are found through what the text calls them") {
  const std::string_view text =
      "#define MORE_PARAMETERS , __global u32 *rest\n"
      "#define INPUT_PARAMETERS  \\\n  const __global IN *input, \\\n  u64 offset\n"
      "__kernel __attribute__((reqd_work_group_size(8, 1, 1))) void sum(\n"
      "    INPUT_PARAMETERS, u64 n, __global OUT* output, Places places MORE_PARAMETERS) {\n"
      "  const u32 *other = 0;\n}\n__kernel void none(u32 n) {}\n";
  CHECK(embed::pointer_parameters(text, "sum") == 0b101001);
  CHECK(embed::pointer_parameters(text, "none") == 0);
  CHECK_THROWS_AS((void)embed::pointer_parameters(text, "missing"), Error);
}

TEST_CASE("everything that has a twin can be marked, and says then what OpenCL wants to know") {
  std::size_t rings = 0;
  std::size_t codes = 0;
  for (const EmbeddedTwin& twin : core::embedded_table().twins) {
    const std::string text = marked_text(twin, EmbeddedForm::ptx);
    const std::string_view head = std::string_view(text).substr(0, text.find("\n{"));
    const bool ring = twin.traits.local_bytes != 0;
    rings += ring ? 1 : 0;
    CHECK(contains(head, ".reqntid "));
    CHECK_FALSE(contains(head, ".maxntid "));
    CHECK_FALSE(contains(head, ".extern "));
    CHECK(contains(head, '[' + std::to_string(twin.traits.local_bytes) + "];") == ring);
    std::size_t pointers = 0;
    for (std::size_t at = 0; (at = head.find(" .ptr .global ", at)) != std::string_view::npos; ++at)
      ++pointers;
    CHECK(pointers == static_cast<std::size_t>(__builtin_popcount(twin.traits.pointers)));
    CHECK(pointers >= 2);
    if (image_of(twin, EmbeddedForm::machine_code).empty()) continue;
    ++codes;
    const Description before = description_of(text_of(image_of(twin, EmbeddedForm::machine_code)));
    const Description after = description_of(marked_text(twin, EmbeddedForm::machine_code));
    CHECK(before.items == std::set<std::uint8_t>{0x05});
    CHECK(after.items == std::set<std::uint8_t>{0x10});
    for (const auto& [place, flags] : after.parameters) {
      const bool pointer = (twin.traits.pointers >> place & 1U) != 0;
      CHECK(flags == (before.parameters.at(place) | (pointer ? 0x400U : 0U)));
    }
    if (ring) {
      CHECK(after.local_bytes >= before.local_bytes + twin.traits.local_bytes);
      CHECK(after.local_bytes < before.local_bytes + twin.traits.local_bytes + 128);
      CHECK(after.local_bytes <= 227U << 10U);
    } else {
      CHECK(after.local_bytes == before.local_bytes);
    }
  }
  std::cout << core::embedded_table().twins.size() << " twins, " << rings << " with rings, "
            << codes << " with machine code\n";
  CHECK(rings >= 40);
}

TEST_CASE("an image that is cut or changed is refused or taken, and nothing else") {
  const auto twins = core::embedded_table().twins;
  const auto found = std::find_if(twins.begin(), twins.end(), [](const EmbeddedTwin& twin) {
    return !image_of(twin, EmbeddedForm::machine_code).empty() && twin.traits.local_bytes != 0;
  });
  if (found == twins.end()) return;
  const auto refused = [&](std::vector<std::byte> image, EmbeddedForm form) {
    try {
      static_cast<void>(marked(std::move(image), form, found->traits));
      return false;
    } catch (const Error& error) {
      CHECK(error.category() == ErrorCategory::backend_failure);
      return true;
    }
  };
  const std::vector<std::byte> code = image_of(*found, EmbeddedForm::machine_code);
  CHECK_FALSE(refused(code, EmbeddedForm::machine_code));
  // Behind the table of sections are headers of segments, which only the driver reads.
  constexpr std::size_t segments = 512;
  REQUIRE(code.size() > 2 * segments);
  for (std::size_t bytes = 0; bytes < code.size() - segments;
       bytes += bytes < 256 ? 1 : code.size() / 97) {
    CHECK(refused({code.begin(), code.begin() + static_cast<std::ptrdiff_t>(bytes)},
                  EmbeddedForm::machine_code));
  }
  // Whatever the words of its headers are, it is not read beyond its end.
  for (std::size_t at = 0; at < code.size(); at += at < 64 ? 1 : code.size() / 997) {
    std::vector<std::byte> changed = code;
    changed[at] = ~changed[at];
    static_cast<void>(refused(changed, EmbeddedForm::machine_code));
  }
  std::string ptx = text_of(image_of(*found, EmbeddedForm::ptx));
  const auto ptx_refused = [&](std::string_view part, std::string_view replacement) {
    std::string text = ptx;
    const std::size_t at = text.find(part);
    REQUIRE(at != std::string::npos);
    text.replace(at, part.size(), replacement);
    const auto* const begin = reinterpret_cast<const std::byte*>(text.data());
    return refused({begin, begin + text.size()}, EmbeddedForm::ptx);
  };
  CHECK_FALSE(ptx_refused(".version", ".version"));
  CHECK(ptx_refused(".maxntid", ".minntid"));
  CHECK(ptx_refused(".param .u64", ".param .u32"));
  CHECK(ptx_refused(".extern .shared", ".shared"));
  CHECK(ptx_refused("[];", "[4];"));
  CHECK(ptx_refused(".entry", ".func"));
  CHECK(refused({}, EmbeddedForm::ptx));
}

TEST_SUITE_END();

TEST_SUITE_BEGIN("embedded_ptxas");

// What the words in machine code mean is nowhere written down but in what ptxas makes of PTX.
TEST_CASE("marked machine code says what ptxas says of marked PTX") {
  const Assembler ptxas("marks");
  std::size_t compared = 0;
  std::size_t turn = 0;
  for (const EmbeddedTwin& twin : core::embedded_table().twins) {
    if (image_of(twin, EmbeddedForm::machine_code).empty()) continue;
    if (turn++ % 20 != 0) continue;
    const std::string text = marked_text(twin, EmbeddedForm::ptx);
    if (!ptxas.takes(text, twin.architecture, "-O0")) {
      // It knows the limit of those who do not ask for more, which OpenCL's driver does.
      CHECK_MESSAGE(contains(ptxas.log(), "uses too much shared data"), ptxas.log());
      CHECK(twin.traits.local_bytes > 48U << 10U);
      std::string small = text;
      const std::string size = '[' + std::to_string(twin.traits.local_bytes) + "];";
      small.replace(small.find(size), size.size(), "[128];");
      REQUIRE_MESSAGE(ptxas.takes(small, twin.architecture, "-O0"), ptxas.log());
    }
    const Description expected = description_of(ptxas.machine_code());
    const Description found = description_of(marked_text(twin, EmbeddedForm::machine_code));
    CHECK(found.parameters == expected.parameters);
    CHECK(found.items == expected.items);
    if (twin.traits.local_bytes == 0) CHECK(found.local_bytes == expected.local_bytes);
    ++compared;
  }
  std::cout << compared << " compared with ptxas\n";
  CHECK((compared >= 10 || turn == 0));
}

TEST_CASE("ptxas takes marked PTX for the architectures that it is for") {
  const Assembler ptxas("marked");
  std::size_t turn = 0;
  for (const EmbeddedTwin& twin : core::embedded_table().twins) {
    if (twin.traits.local_bytes > 48U << 10U || turn++ % 20 != 0) continue;
    const std::string text = marked_text(twin, EmbeddedForm::ptx);
    CHECK_MESSAGE(ptxas.takes(text, twin.architecture, "-O0"), ptxas.log());
  }
  CHECK(turn >= 200);
}

TEST_SUITE_END();

}  // namespace bifold
