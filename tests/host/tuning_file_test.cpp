// Tuning files: believed as a whole or not at all, and never more than an optimisation.
#include "core/gallery/tuning_file.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/device/state.hpp"
#include "core/gallery/shape_tuning.hpp"
#include "core/opening/open_state.hpp"
#include "core/shape/plan_shape.hpp"
#include "core/text/checked_text.hpp"
#include "support/cases/named_row.hpp"
#include "support/devices/offline_device.hpp"
#include "support/environment.hpp"
#include "support/kept_files.hpp"
#include "support/messages.hpp"
#include "support/values/random.hpp"

namespace bifold {

namespace fs = std::filesystem;

namespace {

using core::ElementClass;
using core::Tuning;
using core::Tunings;
using test::made_up_device;
using test::named_row;
using test::Warnings;

constexpr std::string_view architecture = "sm_90";
constexpr ElementClass integers{ElementClass::Kind::integer, 4};
constexpr ElementClass doubles{ElementClass::Kind::floating, 8};

Tunings made_up() {
  Tunings tunings;
  tunings.set({&named_row(Algorithm::reduce, "vector"), integers, {.group_size = 64, .unroll = 8}});
  tunings.set({&named_row(Algorithm::scan, "order_v1_ring"), doubles, {.at_least_mib = 96}});
  return tunings;
}

std::string whole() { return core::tuning_text(made_up_device(), architecture, made_up()); }

core::TuningReading read(std::string_view text) {
  return core::read_tuning(text, made_up_device(), architecture);
}

std::string body_of(const std::string& text) { return text.substr(text.find('\n') + 1); }

/// `body` under a header that fits: what nobody wrote by accident.
std::string with_right_header(const std::string& body) {
  return core::checked_header("bifold-tuning 1", body) + body;
}

void check_refused(const std::string& text, std::string_view words) {
  CAPTURE(text);
  const core::TuningReading reading = read(text);
  CHECK(reading.tunings.rows().empty());
  INFO(reading.problem);
  CHECK(reading.problem.starts_with("line "));
  CHECK(reading.problem.find(words) != std::string::npos);
}

void check_line_refused(const std::string& line, std::string_view words) {
  check_refused(with_right_header(body_of(whole()) + line + "\n"), words);
}

/// The offline device, opened with these options.
Device open_offline(const DeviceOptions& options) {
  return Device(core::open_state(
      made_up_device(),
      std::make_shared<test::OfflineDevice>(ForwardProgress::started_groups, "key"), options));
}

core::PlanShape shape_of(Type type) { return {type, type, type, ScanKind::inclusive, plus}; }

/// The UNROLL of the reduction "vector" of i32 on that device.
std::uint32_t unroll_on(const Device& device) {
  return core::tuning_for({device, shape_of(Type::i32)}, named_row(Algorithm::reduce, "vector"))
      .unroll.value();
}

/// A file for the offline device, which does not tell its architecture.
fs::path offline_file(const fs::path& file) {
  test::make_private(file.parent_path());
  test::write_file(file, core::tuning_text(made_up_device(), "", made_up()));
  return file;
}

}  // namespace

TEST_SUITE_BEGIN("tuning_file");

TEST_CASE("what is written is what is read") {
  const core::TuningReading reading = read(whole());
  CHECK(reading.problem.empty());
  REQUIRE(reading.tunings.rows().size() == 2);
  const Tuning* values = reading.tunings.find(named_row(Algorithm::reduce, "vector"), integers);
  REQUIRE(values != nullptr);
  CHECK(*values == Tuning{.group_size = 64, .unroll = 8});
  CHECK(reading.tunings.find(named_row(Algorithm::reduce, "vector"), doubles) == nullptr);
  CHECK(reading.tunings.find(named_row(Algorithm::reduce, "chunks"), integers) == nullptr);
  const std::string none = core::tuning_text(made_up_device(), architecture, {});
  CHECK(read(none).problem.empty());
  CHECK(read(none).tunings.rows().empty());
}

TEST_CASE("values take the place of earlier ones, and none take them away") {
  Tunings tunings = made_up();
  tunings.set({&named_row(Algorithm::reduce, "vector"), integers, {.unroll = 2}});
  CHECK(tunings.rows().size() == 2);
  CHECK(*tunings.find(named_row(Algorithm::reduce, "vector"), integers) == Tuning{.unroll = 2});
  tunings.set({&named_row(Algorithm::reduce, "vector"), integers, {}});
  CHECK(tunings.rows().size() == 1);
}

TEST_CASE("a damaged text is refused as a whole") {
  check_refused("", "line 1: it is no tuning file");
  check_refused("bifold-check 1 0 0\n", "no tuning file");
  check_refused("bifold-tuning one 0 0\n", "damaged");
  check_refused("bifold-tuning 2 0 cbf29ce484222325\n", "format 2, and this library reads 1");
  check_refused("bifold-tuning 11 0 cbf29ce484222325\n", "format 11");
  check_refused(std::string(5000, '\0'), "no tuning file");
  check_refused(std::string(5000, 'b'), "no tuning file");
  check_refused(whole() + "x", "damaged");
  const std::string text = whole();
  for (std::size_t length = 0; length < text.size(); ++length) {
    check_refused(text.substr(0, length), "line 1");
  }
  for (std::size_t at = 0; at < text.size(); ++at) {
    for (const int bit : {1, 4, 128}) {
      std::string flipped = text;
      flipped[at] = static_cast<char>(flipped[at] ^ bit);
      CHECK_FALSE(read(flipped).problem.empty());
      CHECK(read(flipped).tunings.rows().empty());
    }
  }
}

TEST_CASE("what is another device's, or of other spaces, is refused with the difference") {
  const auto with = [](std::string_view from, std::string_view to) {
    std::string body = body_of(whole());
    const std::size_t at = body.find(from);
    REQUIRE(at != std::string::npos);
    return with_right_header(body.replace(at, from.size(), to));
  };
  check_refused(with("9000", "8000"),
                R"(line 3: it is another device's: "device Made Up 8000" instead of)");
  check_refused(with("backend opencl", "backend cuda"), "line 2");
  check_refused(with("sm_90", "sm_80"), R"("architecture sm_80" instead of)");
  check_refused(with("spaces 7", "spaces 6"), R"("spaces 6" instead of "spaces 7")");
  DeviceInfo updated = made_up_device();
  updated.driver = "1.3";
  CHECK(core::read_tuning(whole(), updated, architecture).tunings.rows().size() == 2);
}

TEST_CASE("a line that says what cannot be said makes the file refused") {
  check_line_refused("reduce no_such_row integer 4 UNROLL=2",
                     R"(line 8: there is no row "reduce no_such_row" to tune)");
  check_line_refused("reduce harris7 integer 4 GROUP_SIZE=64", "no row");
  check_line_refused("reduce production integer 4 GROUP_SIZE=64", "no row");
  check_line_refused("sort vector integer 4 UNROLL=2", "no row");
  check_line_refused("", "no row");
  check_line_refused("reduce vector complex 8 UNROLL=2", R"(no elements "complex 8")");
  check_line_refused("reduce vector integer 3 UNROLL=2", "no elements");
  check_line_refused("reduce vector integer 128 UNROLL=2", "no elements");
  check_line_refused("reduce vector integer -4 UNROLL=2", "no elements");
  check_line_refused("reduce vector integer 8", "no values");
  check_line_refused("reduce vector integer 8 ROWS=2", R"(no parameter "ROWS")");
  check_line_refused("reduce vector integer 8 =2", "no parameter");
  check_line_refused("reduce vector integer 8 UNROLL", "not among the values");
  check_line_refused("reduce vector integer 8 UNROLL=3", R"("UNROLL=3" is not among the values)");
  check_line_refused("reduce vector integer 8 UNROLL=2x", "not among the values");
  check_line_refused("reduce vector integer 8 UNROLL=4294967298", "not among the values");
  check_line_refused("reduce vector integer 8 UNROLL=2 UNROLL=4", "twice");
  check_line_refused("reduce vector integer 8  UNROLL=2", "no parameter");
  check_line_refused("reduce vector integer 4 UNROLL=2", "stands there twice");
  for (const std::string hook : {"SPIN_LIMIT", "EPOCH_LIMIT", "PUBLISHED_EVERY"}) {
    check_line_refused("scan order_v1_ring integer 4 " + hook + "=1", "no parameter");
  }
  check_line_refused("reduce order_v1_chunks integer 4 HELD_BYTES=256", "no parameter");
}

TEST_CASE("a parameter's old name is read, and the new one is written") {
  const auto values_of = [](const std::string& row, const std::string& values) {
    const core::TuningReading reading =
        read(with_right_header(body_of(whole()) + row + " integer 4 " + values + "\n"));
    CAPTURE(reading.problem);
    REQUIRE(reading.tunings.rows().size() == 3);
    return reading.tunings.rows().back().values;
  };
  const Tuning ring =
      values_of("scan order_v1_ring", "STAGES=5 TRAIL_IN_GROUP=2 TRAIL_OF_GROUPS=1");
  CHECK(ring == Tuning{.stages = 5, .lookback_distance_tiles = 2, .lookback_distance_groups = 1});
  CHECK(values_of("scan order_v1_ring", core::text_of(ring)) == ring);
  CHECK(core::text_of(ring) == "STAGES=5 LOOKBACK_DISTANCE_TILES=2 LOOKBACK_DISTANCE_GROUPS=1");
  CHECK(values_of("reduce order_v1_single", "quick_to_mib=64") ==
        Tuning{.low_occupancy_max_mib = 64});
  check_line_refused("reduce order_v1_single integer 4 quick_to_mib=64 low_occupancy_max_mib=4",
                     "twice");
}

TEST_CASE("random changes never get anything but allowed values through") {
  test::Random random(20'251);
  const std::string body = body_of(whole());
  const std::string alphabet = "0123456789 =\nabcdefinorstuvy_ABCDEGILNOPRSTUZ";
  int accepted = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string text = body;
    for (std::uint64_t change = 1 + random.below(3); change > 0; --change) {
      const std::size_t at = random.below(text.size());
      switch (random.below(4)) {
        case 0: text[at] = alphabet[random.below(alphabet.size())]; break;
        case 1: text[at] = static_cast<char>(random.below(256)); break;
        case 2: text.erase(at, 1 + random.below(12)); break;
        default: text.insert(at, text.substr(random.below(text.size()), random.below(40))); break;
      }
      if (text.empty()) break;
    }
    const core::TuningReading reading = read(with_right_header(text));
    if (!reading.problem.empty()) {
      CHECK(reading.tunings.rows().empty());
      continue;
    }
    ++accepted;
    for (const core::TunedRow& tuned : reading.tunings.rows()) {
      const auto space = core::tuning_space(*tuned.row);
      for (const core::Parameter& parameter : core::parameters()) {
        const Tuning::Value& value = tuned.values.*parameter.member;
        CHECK((!value || std::any_of(space.begin(), space.end(), [&](const auto& known) {
          return known.member == parameter.member && known.allows(*value);
        })));
      }
    }
  }
  CHECK(accepted > 100);
  CHECK(accepted < 10'000);
}

TEST_CASE("the file beside the kernel cache is used, and the one that is named before it") {
  const fs::path folder = test::fresh_folder("tuning");
  DeviceOptions options;
  options.cache = test::cache_in(folder);
  const Warnings warnings;
  const std::uint32_t built_in = unroll_on(open_offline(options));
  CHECK(built_in != 8);
  offline_file(core::tuning_file(options.cache, made_up_device()));
  const Device device = open_offline(options);
  CHECK(unroll_on(device) == 8);
  const auto tuned = [&](Type type) {
    return core::tuning_for({device, shape_of(type)}, named_row(Algorithm::reduce, "vector"));
  };
  CHECK(tuned(Type::u32) == tuned(Type::i32));
  CHECK(tuned(Type::i64).unroll == built_in);
  CHECK(tuned(Type::f32).unroll == built_in);

  options.cache.disk = false;
  CHECK(unroll_on(open_offline(options)) == built_in);
  options.tuning_file = offline_file(folder / "elsewhere" / "by.name");
  CHECK(unroll_on(open_offline(options)) == 8);
  CHECK(warnings.count() == 0);
}

TEST_CASE("groups are no larger than the device has them") {
  DeviceOptions options;
  options.cache.disk = false;
  options.tuning_file = test::fresh_folder("tuning") / "file";
  Tunings tunings;
  tunings.set({&named_row(Algorithm::reduce, "vector"), integers, {.group_size = 1024}});
  test::write_file(options.tuning_file, core::tuning_text(made_up_device(), "", tunings));
  const Device device = open_offline(options);
  CHECK(device.capabilities().max_group_size == 256);
  CHECK(core::tuning_for({device, shape_of(Type::i32)}, named_row(Algorithm::reduce, "vector"))
            .group_size == 256);
}

TEST_CASE("a file that cannot be used is ignored with one warning that names it and says why") {
  const fs::path folder = test::fresh_folder("tuning");
  const auto check_ignored = [&](const fs::path& file, std::string_view words) {
    DeviceOptions options;
    options.cache = test::cache_in(folder / "cache");
    options.tuning_file = file;
    const Warnings warnings;
    CHECK(unroll_on(open_offline(options)) == unroll_on(open_offline({})));
    CAPTURE(words);
    CHECK(warnings.count() == 1);
    CHECK(warnings.mention(file.string()));
    CHECK(warnings.mention(words));
  };
  // With a good one beside the cache: what is named badly is not replaced silently.
  offline_file(core::tuning_file(test::cache_in(folder / "cache"), made_up_device()));
  check_ignored(folder / "missing", "No such file");
  check_ignored(folder, folder.string());
  check_ignored("/dev/zero", "/dev/zero");
  test::write_file(folder / "damaged", whole().substr(0, 100));
  check_ignored(folder / "damaged", "line 1: it is damaged");
  test::write_file(folder / "foreign", whole());
  check_ignored(folder / "foreign", "line 4: it is another device's");
  test::write_file(folder / "huge", "");
  fs::resize_file(folder / "huge", std::uintmax_t{1} << 40);
  check_ignored(folder / "huge", "1099511627776 bytes");
}

TEST_CASE("another user's file is believed where it is named, and not where it is found") {
  if (geteuid() != 0) {
    MESSAGE("SKIPPED: only root can give a file away");
    return;
  }
  DeviceOptions options;
  options.cache = test::cache_in(test::fresh_folder("tuning"));
  const fs::path file = offline_file(core::tuning_file(options.cache, made_up_device()));
  REQUIRE(chown(file.c_str(), 12345, 12345) == 0);
  {
    const Warnings warnings;
    CHECK(unroll_on(open_offline(options)) != 8);
    CHECK(warnings.mention("another user's"));
  }
  options.tuning_file = file;
  CHECK(unroll_on(open_offline(options)) == 8);
}

TEST_SUITE_END();

}  // namespace bifold
