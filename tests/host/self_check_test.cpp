// What `bifold-bench check` found out: kept on disk, believed only where it is true, and heeded by
// production.
#include "core/gallery/self_check.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <array>
#include <bifold/error.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/hash.hpp"
#include "core/device/state.hpp"
#include "core/gallery/choose_row.hpp"
#include "core/opening/open_state.hpp"
#include "core/shape/plan_shape.hpp"
#include "support/cases/named_row.hpp"
#include "support/devices/offline_device.hpp"
#include "support/environment.hpp"
#include "support/errors.hpp"
#include "support/kept_files.hpp"
#include "support/messages.hpp"

namespace bifold {

namespace fs = std::filesystem;

namespace {

using core::Finding;
using core::Judged;
using core::SelfCheckResult;
using test::cache_in;
using test::made_up_device;
using test::named_row;
using test::read_file;
using test::Warnings;
using test::write_file;

constexpr const char* kernels_key = "made\nup";

SelfCheckResult made_up() {
  SelfCheckResult self_check;
  self_check.set({&named_row(Algorithm::reduce, "vector"), Judged::integers, {}});
  self_check.set(
      {&named_row(Algorithm::reduce, "vector"), Judged::f32, "n = 3:\nfound 2 instead of 1"});
  self_check.set({&named_row(Algorithm::scan, "lookback_warp"), Judged::f64, "passed"});
  return self_check;
}

/// `text` with a header that fits its body: what nobody wrote by accident.
std::string with_right_header(const std::string& body) {
  std::array<char, 17> checksum{};
  std::snprintf(checksum.data(), checksum.size(), "%016llx",
                static_cast<unsigned long long>(core::hash(body)));
  return "bifold-check 1 " + std::to_string(body.size()) + " " + checksum.data() + "\n" + body;
}

std::string body_of(const std::string& text) { return text.substr(text.find('\n') + 1); }

/// Stores made_up(), lets `change` at the file, and expects it to be ignored with such a warning.
template <class Change>
void check_ignored(const char* words, Change change) {
  CAPTURE(words);
  const fs::path folder = test::fresh_folder("self_check");
  const CacheOptions options = cache_in(folder);
  REQUIRE(core::store_self_check(options, made_up_device(), kernels_key, made_up()).empty());
  const fs::path file = core::self_check_file(options, made_up_device());
  REQUIRE(fs::exists(file));
  change(file);
  const Warnings warnings;
  CHECK(core::load_self_check(options, made_up_device(), kernels_key).findings().empty());
  CHECK(warnings.count() == 1);
  CHECK(warnings.mention(words));
  CHECK(warnings.mention(file.string()));
}

/// The offline device with what is in that folder.
Device open_offline(const fs::path& folder, ForwardProgress progress) {
  DeviceOptions options;
  options.cache = cache_in(folder);
  return Device(core::open_state(
      made_up_device(), std::make_shared<test::OfflineDevice>(progress, kernels_key), options));
}

Device with_self_check(const SelfCheckResult& self_check,
                       ForwardProgress progress = ForwardProgress::started_groups) {
  const fs::path folder = test::fresh_folder("planned");
  REQUIRE(
      core::store_self_check(cache_in(folder), made_up_device(), kernels_key, self_check).empty());
  return open_offline(folder, progress);
}

/// Of an operator that any row computes to the bit.
core::PlanShape shape_of(Type type) { return {type, type, type, ScanKind::inclusive, minimum}; }

std::string production(const Device& device, Algorithm algorithm, Type type = Type::i32) {
  return std::string(core::choose_variant({device, shape_of(type)}, algorithm, "production").name);
}

}  // namespace

TEST_SUITE_BEGIN("self_check");

TEST_CASE("what is stored is what is loaded, problems on one line") {
  const CacheOptions options = cache_in(test::fresh_folder("self_check") / "made" / "anew");
  REQUIRE(core::store_self_check(options, made_up_device(), kernels_key, made_up()).empty());
  const Warnings warnings;
  const SelfCheckResult loaded = core::load_self_check(options, made_up_device(), kernels_key);
  const std::vector<Finding> stored = made_up().findings();
  REQUIRE(loaded.findings().size() == stored.size());
  for (std::size_t i = 0; i < stored.size(); ++i) {
    CHECK(loaded.findings()[i].row == stored[i].row);
    CHECK(loaded.findings()[i].judged == stored[i].judged);
  }
  CHECK(loaded.findings()[0].problem.empty());
  CHECK(loaded.findings()[1].problem == "n = 3: found 2 instead of 1");
  CHECK(loaded.findings()[2].problem == "passed");
  // What keeps production off a row is told when a device is opened.
  CHECK(warnings.count() == 2);
  CHECK(warnings.mention("reduce vector on f32"));
  CHECK(warnings.mention("found 2 instead of 1"));
}

TEST_CASE("without a file, or without a disk, nothing is known and nothing is said") {
  CacheOptions options = cache_in(test::fresh_folder("self_check"));
  const Warnings warnings;
  CHECK(core::load_self_check(options, made_up_device(), kernels_key).findings().empty());
  REQUIRE(core::store_self_check(options, made_up_device(), kernels_key, made_up()).empty());
  options.disk = false;
  CHECK(core::load_self_check(options, made_up_device(), kernels_key).findings().empty());
  CHECK(warnings.count() == 0);
}

TEST_CASE("a damaged file is ignored with a warning") {
  check_ignored("damaged", [](const fs::path& file) { write_file(file, ""); });
  check_ignored("damaged", [](const fs::path& file) { write_file(file, "bifold-check 1 0 0\n"); });
  check_ignored("damaged", [](const fs::path& file) { write_file(file, std::string(5000, '\0')); });
  check_ignored("damaged", [](const fs::path& file) { write_file(file, read_file(file) + "x"); });
  check_ignored("1099511627776 bytes",
                [](const fs::path& file) { fs::resize_file(file, std::uintmax_t{1} << 40); });
  const std::string whole = [] {
    const CacheOptions options = cache_in(test::fresh_folder("self_check"));
    REQUIRE(core::store_self_check(options, made_up_device(), kernels_key, made_up()).empty());
    return read_file(core::self_check_file(options, made_up_device()));
  }();
  for (std::size_t length = 1; length < whole.size(); length += 13) {
    check_ignored("damaged",
                  [&](const fs::path& file) { write_file(file, whole.substr(0, length)); });
  }
  for (std::size_t at = 0; at < whole.size(); at += 7) {
    check_ignored("damaged", [&](const fs::path& file) {
      std::string text = whole;
      text[at] = static_cast<char>(text[at] ^ 0x10);
      write_file(file, text);
    });
  }
}

TEST_CASE("a file that says what cannot be said is ignored as a whole") {
  for (const char* line :
       {"reduce  f32 passed", "reduce no_such_row f24 passed", "reduce vector f24 passed",
        "sort vector f32 passed", "reduce vector f32", "reduce vector f32 failed",
        "reduce vector f32 failed ", "reduce vector f32 passed away", ""}) {
    CAPTURE(line);
    check_ignored("damaged", [&](const fs::path& file) {
      write_file(file, with_right_header(body_of(read_file(file)) + line + "\n"));
    });
  }
}

TEST_CASE("what a file says of a row that this build lacks is passed over") {
  const CacheOptions options = cache_in(test::fresh_folder("self_check"));
  REQUIRE(core::store_self_check(options, made_up_device(), kernels_key, made_up()).empty());
  const fs::path file = core::self_check_file(options, made_up_device());
  const std::string lines = "reduce no_such_row f32 passed\nscan no_such_row f64 failed wrong\n";
  write_file(file, with_right_header(body_of(read_file(file)) + lines));
  const Warnings warnings;
  const SelfCheckResult loaded = core::load_self_check(options, made_up_device(), kernels_key);
  CHECK(loaded.findings().size() == made_up().findings().size());
  CHECK_FALSE(warnings.mention("ignored"));
  CHECK_FALSE(warnings.mention("no_such_row"));
}

TEST_CASE("what is true of another library, driver or device is ignored, and the reason told") {
  const auto replace = [](const char* from, const char* to) {
    return [from, to](const fs::path& file) {
      std::string body = body_of(read_file(file));
      const std::size_t at = body.find(from);
      REQUIRE(at != std::string::npos);
      body.replace(at, std::string(from).size(), to);
      write_file(file, with_right_header(body));
    };
  };
  check_ignored(R"("library 0.0" instead of "library )", [](const fs::path& file) {
    std::string body = body_of(read_file(file));
    write_file(file, with_right_header("library 0.0" + body.substr(body.find('\n'))));
  });
  check_ignored(R"("driver 1.1" instead of "driver 1.2")", replace("driver 1.2", "driver 1.1"));
  check_ignored(R"("device Made Up 8000" instead of)", replace("Made Up 9000", "Made Up 8000"));
  check_ignored(R"("backend cuda" instead of)", replace("backend opencl", "backend cuda"));
  check_ignored(R"("kernels else" instead of)", replace("kernels made up", "kernels else"));
}

TEST_CASE("a new driver finds the self-check result on the old one, another device finds none") {
  const CacheOptions options = cache_in(test::fresh_folder("self_check"));
  REQUIRE(core::store_self_check(options, made_up_device(), kernels_key, made_up()).empty());
  DeviceInfo updated = made_up_device();
  updated.driver = "1.3";
  {
    const Warnings warnings;
    CHECK(core::load_self_check(options, updated, kernels_key).findings().empty());
    CHECK(warnings.mention("out of date"));
  }
  DeviceInfo other = made_up_device();
  other.name = "Made Up 7000";
  const Warnings warnings;
  CHECK(core::load_self_check(options, other, kernels_key).findings().empty());
  CHECK(warnings.count() == 0);
}

TEST_CASE("another user's file is not believed") {
  if (geteuid() != 0) {
    MESSAGE("SKIPPED: only root can give a file away");
    return;
  }
  check_ignored("another user's",
                [](const fs::path& file) { REQUIRE(chown(file.c_str(), 12345, 12345) == 0); });
}

TEST_CASE("a place that cannot be written is told") {
  const fs::path folder = test::fresh_folder("self_check");
  write_file(folder / "file", "occupied");
  const std::string problem =
      core::store_self_check(cache_in(folder / "file"), made_up_device(), kernels_key, made_up());
  CHECK(problem.find("could not be written") != std::string::npos);
  CHECK(read_file(folder / "file") == "occupied");
}

TEST_CASE("a finding replaces an earlier one, and merging keeps what failed") {
  const gallery::Variant& vector = named_row(Algorithm::reduce, "vector");
  SelfCheckResult self_check;
  self_check.set({&vector, Judged::f32, "wrong"});
  self_check.merge({&vector, Judged::f32, {}});
  CHECK(self_check.problem(vector, shape_of(Type::f32)) == "wrong");
  self_check.set({&vector, Judged::f32, {}});
  CHECK(self_check.problem(vector, shape_of(Type::f32)).empty());
  self_check.merge({&vector, Judged::f32, "worse"});
  CHECK(self_check.problem(vector, shape_of(Type::f32)) == "worse");
  CHECK(self_check.findings().size() == 1);
}

TEST_CASE("what is wrong on elements of 16 bits may be right on what they are accumulated in") {
  const gallery::Variant& single = named_row(Algorithm::reduce, "order_v1_single");
  const auto of = [](Type in, Type out) {
    core::PlanShape shape = shape_of(Type::f32);
    shape.input = in;
    shape.output = out;
    return shape;
  };
  const core::PlanShape halves = of(Type::f16, Type::f16);
  SelfCheckResult self_check;
  self_check.set({&single, Judged::integers, {}});
  self_check.set({&single, Judged::f32, {}});
  CHECK(self_check.passed(single, shape_of(Type::f32)));
  CHECK_FALSE(self_check.passed(single, halves));
  self_check.set({&single, Judged::f16, "wrong"});
  CHECK(self_check.problem(single, halves) == "wrong");
  CHECK(self_check.problem(single, shape_of(Type::f32)).empty());
  CHECK(self_check.problem(single, of(Type::bf16, Type::bf16)).empty());
  // A reduction of f16 into f32 reads them, too.
  CHECK(self_check.problem(single, of(Type::f16, Type::f32)) == "wrong");
  self_check.set({&single, Judged::f16, {}});
  CHECK(self_check.passed(single, halves));
  self_check.set({&single, Judged::f32, "wrong in what both are accumulated in"});
  CHECK_FALSE(self_check.passed(single, halves));
}

TEST_CASE("production goes on to the next row, and says why") {
  CHECK(production(with_self_check({}), Algorithm::reduce) == "order_v1_single");
  const gallery::Variant& single = named_row(Algorithm::reduce, "order_v1_single");
  SelfCheckResult self_check;
  self_check.set({&single, Judged::f32, "f32 plus, n = 3: element 0 is 2 instead of 1"});
  const Device device = with_self_check(self_check);
  // Of one type, where it is right on the others.
  const auto choice = [&](Type type) {
    return core::choose_row({device, shape_of(type)}, named_row(Algorithm::reduce, "production"));
  };
  CHECK(choice(Type::i32).variant == &single);
  CHECK(choice(Type::f64).variant == &single);
  REQUIRE(choice(Type::f32).variant != nullptr);
  CHECK(choice(Type::f32).variant != &single);
  CHECK(choice(Type::f32).reasons.find(
            "order_v1_single: bifold-bench check found it wrong on this device: f32 plus, n = 3") ==
        0);
  // Whatever it is wrong on, it runs when it is named.
  CHECK(core::choose_variant({device, shape_of(Type::f32)}, Algorithm::reduce, "order_v1_single")
            .name == "order_v1_single");
  CHECK(gallery::supports(device, single, Type::f32, minimum));
}

TEST_CASE("a row that is wrong on integers is picked for nothing") {
  SelfCheckResult self_check;
  self_check.set({&named_row(Algorithm::reduce, "order_v1_single"), Judged::integers, "wrong"});
  const Device device = with_self_check(self_check);
  for (const Type type : {Type::i8, Type::u64, Type::f32, Type::f64}) {
    CHECK(production(device, Algorithm::reduce, type) != "order_v1_single");
  }
}

TEST_CASE("when every row is wrong, the error names the check") {
  SelfCheckResult self_check;
  for (const gallery::Variant& variant : gallery::variants()) {
    if (variant.algorithm == Algorithm::reduce) {
      self_check.set({&variant, Judged::integers, "all of it"});
    }
  }
  const Device device = with_self_check(self_check);
  const auto failure = test::failure_of([&] { production(device, Algorithm::reduce); });
  CHECK(failure.category == ErrorCategory::unsupported);
  CHECK(failure.mentions("bifold-bench check found it wrong on this device: all of it"));
  const auto support =
      gallery::supports(device, named_row(Algorithm::reduce, "production"), Type::i32, plus);
  CHECK_FALSE(support);
  CHECK(support.reason.find("bifold-bench check") != std::string::npos);
  CHECK(production(device, Algorithm::scan) == "order_v1_ahead");
  CHECK(production(device, Algorithm::scan, Type::i64) == "lookback_warp");
}

TEST_CASE("where no row in order v1 is right, floating sums fail and name the check") {
  SelfCheckResult self_check;
  for (const gallery::Variant& variant : gallery::variants()) {
    if (variant.order == gallery::Order::v1) self_check.set({&variant, Judged::f32, "other bits"});
  }
  const Device device = with_self_check(self_check);
  core::PlanShape sums{Type::f32, Type::f32, Type::f32, ScanKind::inclusive, plus};
  const auto chosen = [&] {
    return core::choose_variant({device, sums}, Algorithm::reduce, "production").name;
  };
  const auto failure = test::failure_of(chosen);
  CHECK(failure.category == ErrorCategory::unsupported);
  CHECK(failure.mentions("order_v1: bifold-bench check found it wrong on this device: other bits"));
  sums.order = Order::any;
  CHECK(chosen() == "vector");
  for (Type* type : {&sums.input, &sums.accumulator, &sums.output}) *type = Type::f64;
  sums.order = Order::v1;
  CHECK(chosen() == "order_v1_single");
  // A second array counts as the first one does.
  sums.second = Type::f32;
  sums.map = Map("x * y");
  CHECK(test::failure_of(chosen).mentions("bifold-bench check"));
}

TEST_CASE("look-back runs on a device that nothing is known of but that it passed the check") {
  const gallery::Variant& lookback = named_row(Algorithm::scan, "lookback_warp");
  const auto unknown = ForwardProgress::unknown;
  CHECK(production(with_self_check({}, unknown), Algorithm::scan) == "reduce_then_scan");
  SelfCheckResult self_check;
  self_check.set({&lookback, Judged::integers, {}});
  CHECK(production(with_self_check(self_check, unknown), Algorithm::scan) == "lookback_warp");
  // Where that is all that is known, it holds for integers.
  CHECK_FALSE(self_check.passed(lookback, shape_of(Type::f32)));
  self_check.set({&lookback, Judged::f32, {}});
  CHECK(self_check.passed(lookback, shape_of(Type::f32)));
  CHECK_FALSE(self_check.passed(lookback, shape_of(Type::f64)));
  self_check.set({&lookback, Judged::integers, "wrong in the 300th run"});
  CHECK_FALSE(self_check.passed(lookback, shape_of(Type::f32)));
  CHECK(production(with_self_check(self_check, unknown), Algorithm::scan) == "reduce_then_scan");
  // Another row that waits is not concerned, where groups are known to run on.
  CHECK(production(with_self_check(self_check), Algorithm::scan, Type::i64) == "reduce_then_scan");
  CHECK(production(with_self_check(self_check), Algorithm::scan) == "order_v1_ahead");
  self_check.set({&named_row(Algorithm::scan, "order_v1_ahead"), Judged::integers, "wrong"});
  CHECK(production(with_self_check(self_check), Algorithm::scan) == "reduce_then_scan");
}

TEST_CASE("a damaged self-check result changes nothing that production does") {
  const fs::path folder = test::fresh_folder("planned");
  SelfCheckResult self_check;
  self_check.set({&named_row(Algorithm::reduce, "order_v1_single"), Judged::integers, "wrong"});
  REQUIRE(
      core::store_self_check(cache_in(folder), made_up_device(), kernels_key, self_check).empty());
  const fs::path file = core::self_check_file(cache_in(folder), made_up_device());
  CHECK(production(open_offline(folder, ForwardProgress::started_groups), Algorithm::reduce) !=
        "order_v1_single");
  fs::resize_file(file, fs::file_size(file) - 1);
  CHECK(production(open_offline(folder, ForwardProgress::started_groups), Algorithm::reduce) ==
        "order_v1_single");
}

TEST_SUITE_END();

}  // namespace bifold
