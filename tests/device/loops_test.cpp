// Loops longer than a driver may let them be, and types that a compiler may get wrong: production
// is right there, or says why it is not to be had.
#include <doctest/doctest.h>

#include <bifold/bifold.hpp>
#include <string>
#include <vector>

#include "core/gallery/gallery.hpp"
#include "support/devices/altered_device.hpp"
#include "support/environment.hpp"
#include "support/errors.hpp"

namespace looped {
// Less than a word.
struct Colour {
  std::uint8_t r;
  std::uint8_t g;
  std::uint8_t b;
  friend bool operator==(const Colour&, const Colour&) = default;
};
// With an operator that knows only neighbours.
struct Interval {
  std::int32_t begin;
  std::int32_t end;
  friend bool operator==(const Interval&, const Interval&) = default;
};
}  // namespace looped
BIFOLD_STRUCT_NAMED(looped::Colour, colour, r, g, b);
BIFOLD_STRUCT_NAMED(looped::Interval, interval, begin, end);

namespace bifold {

namespace {

using looped::Colour;
using looped::Interval;

// One driver ends all loops of a work-item after 65,535 turns: at some 32 work-items for two cores
// the shortest of these is beyond that, and the other beyond twice as many work-items.
constexpr std::uint64_t lengths[] = {2'000'003, (std::uint64_t{1} << 24) + 43};

/// The last of the running sums of `n` ones, and whether all in front of it are right.
void check_running_sums(Queue& queue, std::uint64_t n, const ScanOptions& options = {}) {
  Buffer<std::uint32_t> ones = queue.allocate<std::uint32_t>(n);
  queue.fill(ones, 1U);
  inclusive_scan(queue, ones, ones, plus, std::uint32_t{0}, options);
  const std::vector<std::uint32_t> sums = queue.download(ones);
  for (std::uint64_t i = 0; i < n; ++i) {
    if (sums[i] == i + 1) continue;
    FAIL_CHECK("running sum ", i, " of ", n, " ones is ", sums[i]);
    break;
  }
}

void check_sum(Queue& queue, std::uint64_t n, const ReduceOptions& options = {}) {
  Buffer<std::uint32_t> ones = queue.allocate<std::uint32_t>(n);
  queue.fill(ones, 1U);
  CHECK(reduce(queue, ones, plus, std::uint32_t{7}, options) == n + 7);
}

/// Rows that production may pick on such a device, as far as it runs them.
std::vector<std::string_view> production_rows(const Device& device, Algorithm algorithm) {
  const gallery::Variant& production = *gallery::find(algorithm, "production");
  const core::Recipe& recipe = core::recipe_of(production);
  const bool cpu = device.info().kind == DeviceKind::cpu;
  std::vector<std::string_view> rows;
  for (const std::string_view name : cpu ? recipe.on_cpu : recipe.on_gpu) {
    if (gallery::supports(device, *gallery::find(algorithm, name), Type::u32, plus)) {
      rows.push_back(name);
    }
  }
  return rows;
}

/// Runs `body`; whether the device refused the type. Only one whose types are tried may do so.
template <class Body>
bool refused(const Device& device, const Body& body) {
  try {
    body();
    return false;
  } catch (const Error& error) {
    const std::string why = error.what();
    CAPTURE(why);
    CHECK(error.category() == ErrorCategory::unsupported);
    CHECK(device.capabilities().tries_types);
    const bool names = why.find("the device's compiler gets") != std::string::npos ||
                       why.find("the device's driver does not take") != std::string::npos;
    CHECK(names);
    return true;
  }
}

Operator highest_fields() {
  return Operator::fieldwise(type_of<Colour>(), {maximum, maximum, maximum});
}

Operator joined_intervals() {
  return Operator::user("joined",
                        "a.end == b.begin ? make_interval(a.begin, b.end) : make_interval(-1, -1)",
                        type_of<Interval>());
}

void check_structs(const Device& device) {
  Queue queue(device);
  const std::vector<Colour> colours{{1, 2, 3}, {9, 1, 4}, {5, 8, 2}};
  const auto input = queue.upload(std::span<const Colour>(colours));
  refused(device, [&] {
    const Colour highest = reduce(queue, input, highest_fields());
    CHECK(highest == Colour{9, 8, 4});
    auto output = queue.allocate<Colour>(3);
    inclusive_scan(queue, input, output, highest_fields());
    CHECK(queue.download(output) == std::vector<Colour>{{1, 2, 3}, {9, 2, 4}, {9, 8, 4}});
  });
  const std::vector<Interval> intervals{{1, 2}, {2, 3}, {3, 4}};
  const auto parts = queue.upload(std::span<const Interval>(intervals));
  refused(device, [&] {
    auto output = queue.allocate<Interval>(3);
    inclusive_scan(queue, parts, output, joined_intervals());
    CHECK(queue.download(output) == std::vector<Interval>{{1, 2}, {1, 3}, {1, 4}});
    const Interval joined = reduce(queue, parts, joined_intervals());
    CHECK(joined == Interval{1, 4});
  });
  const std::vector<std::uint64_t> words{1, 2, 3};
  const auto numbers = queue.upload(std::span<const std::uint64_t>(words));
  refused(device, [&] {
    const std::uint64_t sum = reduce(queue, numbers, Operator::user("added", "a + b", Type::u64));
    CHECK(sum == 6);
  });
}

/// The device under test as one whose loops end so early, and whose compiler nobody knows.
Device limited_device(std::uint64_t turns) {
  return test::altered_device([turns](Capabilities& has) {
    has.loop_turns = turns;
    has.tries_types = true;
  });
}

/// The device under test where it is of a platform that bifold is not tested on; else one that
/// says so, with the loops of the most limited driver known.
Device unknown_device() {
  if (test::device().capabilities().tries_types) return test::device();
  return limited_device(65'535);
}

}  // namespace

TEST_SUITE_BEGIN("loops");

TEST_CASE("production takes inputs for which a work-item's share would be a long loop") {
  Queue queue(test::device());
  for (const std::uint64_t n : lengths) {
    CAPTURE(n);
    check_sum(queue, n);
    check_running_sums(queue, n);
  }
}

TEST_CASE("so does every row that production may pick where loops end early") {
  const Device device = unknown_device();
  Queue queue(device);
  for (const std::string_view name : production_rows(device, Algorithm::reduce)) {
    CAPTURE(name);
    ReduceOptions options;
    options.variant = name;
    check_sum(queue, lengths[0], options);
  }
  for (const std::string_view name : production_rows(device, Algorithm::scan)) {
    CAPTURE(name);
    ScanOptions options;
    options.variant = name;
    check_running_sums(queue, lengths[0], options);
  }
}

TEST_CASE("operators that do not commute, indices and pairs take long inputs, too") {
  Queue queue(unknown_device());
  const std::uint64_t n = lengths[0];
  std::vector<std::uint32_t> ramp(n);
  for (std::uint64_t i = 0; i < n; ++i) ramp[i] = static_cast<std::uint32_t>(i);
  const auto input = queue.upload(std::span<const std::uint32_t>(ramp));
  // The later one: right only where all are combined in index order.
  const Operator last = Operator::user("last", "b == 0xffffffffu ? a : b", Value(~0U));
  CHECK(reduce(queue, input, last) == n - 1);
  auto output = queue.allocate<std::uint32_t>(n);
  exclusive_scan(queue, input, output, last, 5U);
  const std::vector<std::uint32_t> found = queue.download(output);
  CHECK(found.front() == 5);
  CHECK(found[1] == 0);
  CHECK(found.back() == n - 2);

  std::uint32_t wanted = 0;
  for (std::uint64_t i = 0; i < n; ++i) wanted += ramp[i] * ramp[i] + static_cast<std::uint32_t>(i);
  CHECK(transform_reduce(queue, input, input, plus, 0U, "x * y + (u32)i") == wanted);
}

TEST_CASE("structs and operators without identity are right, or refused with the reason") {
  // Types are tried through OpenCL alone: CUDA has one compiler.
  const bool tries = test::device().info().backend == "opencl";
  check_structs(tries ? unknown_device() : test::device());
}

TEST_CASE("rows whose groups wait for one another are left out where loops end early") {
  const Device device = unknown_device();
  const auto waits =
      gallery::supports(device, *gallery::find(Algorithm::scan, "lookback_warp"), Type::i32, plus);
  CHECK_FALSE(waits);
  const bool could = device.capabilities().atomics64;
  CHECK((waits.reason.find("65535 turns") != std::string::npos) == could);
}

TEST_CASE("what no division of the work makes short enough is refused") {
  if (test::device().info().backend != "opencl") return;
  const auto scan_by_chunks = [](const Device& device, std::uint64_t n) {
    Queue queue(device);
    auto bytes = queue.allocate<std::uint8_t>(n);
    queue.fill(bytes, std::uint8_t{1});
    ScanOptions options;
    options.variant = "order_v1_chunks";
    test::Failure failure = test::failure_of(
        [&] { inclusive_scan(queue, bytes, bytes, plus, std::uint8_t{0}, options); });
    // The queue goes on, and nothing was written.
    CHECK(queue.download(bytes).back() == (failure.category ? 1 : n % 256));
    return failure;
  };
  // A tile takes a work-item some 40,000 turns; one group goes through the totals of all tiles.
  const Device few = limited_device(45'000);
  CHECK_FALSE(scan_by_chunks(few, 1'000'000).category);
  const test::Failure too_long = scan_by_chunks(few, 23'000'000);
  CHECK(too_long.category == ErrorCategory::unsupported);
  CHECK(too_long.mentions("takes at most 22544384 elements here"));
  const test::Failure too_few = scan_by_chunks(limited_device(20'000), 1'000);
  CHECK(too_few.category == ErrorCategory::unsupported);
  CHECK(too_few.mentions("end after 20000 turns"));
}

TEST_CASE("a type that the compiler gets wrong is refused before it is used") {
  const Capabilities& has = test::device().capabilities();
  if (test::device().info().backend != "opencl" || has.tries_types) return;
  const auto wrong = [](const std::string& from, const std::string& to) {
    return test::altered_device([](Capabilities& altered) { altered.tries_types = true; },
                                [from, to](std::string& text) {
                                  const auto at = text.find(from);
                                  if (at != std::string::npos) text.replace(at, from.size(), to);
                                });
  };
  const auto failure_on = [](const Device& device) {
    Queue queue(device);
    const std::vector<Colour> colours{{1, 2, 3}, {9, 1, 4}};
    const auto input = queue.upload(std::span<const Colour>(colours));
    return test::failure_of([&] { (void)reduce(queue, input, highest_fields()); });
  };
  const test::Failure given =
      failure_on(wrong("output[count + 1] = TO_OUT(given);", "output[count + 1] = TO_OUT(last);"));
  CHECK(given.category == ErrorCategory::unsupported);
  CHECK(given.mentions("the device's compiler gets struct colour wrong as an argument by value"));
  const test::Failure kept =
      failure_on(wrong("to[i] = COMBINE((from - distance)[i], from[i])", "to[i] = from[0]"));
  CHECK(kept.mentions("gets struct colour wrong in private arrays"));
  // Structs alone are tried: nothing else is refused.
  Queue queue(wrong("TO_OUT(given)", "TO_OUT(last)"));
  check_sum(queue, 1000);
}

TEST_SUITE_END();

}  // namespace bifold
