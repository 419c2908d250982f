// Wrong calls: each one typed error with the cause in words, nothing written, the queue usable.
#include <doctest/doctest.h>

#include <bifold/bifold.hpp>
#include <functional>
#include <numeric>

#include "core/device/state.hpp"
#include "support/environment.hpp"
#include "support/errors.hpp"

namespace bifold {

using test::Failure;
using test::failure_of;

namespace {

constexpr std::uint64_t length = 1000;

/// A queue with an input and an output whose content is known; checks the aftermath of wrong calls.
struct Stage {
  Queue queue{test::device()};
  std::vector<std::int32_t> host = [] {
    std::vector<std::int32_t> values(length);
    std::iota(values.begin(), values.end(), -300);
    return values;
  }();
  Buffer<std::int32_t> input = queue.upload(std::span<const std::int32_t>(host));
  Buffer<std::int32_t> output = queue.upload(std::span<const std::int32_t>(host));

  /// `call` must fail with `category` and mention every one of `words`; after it both buffers are
  /// as they were, and a reduction on the same queue is right.
  Failure refuses(const std::function<void()>& call, ErrorCategory category,
                  std::initializer_list<const char*> words) {
    const Failure failure = failure_of(call);
    CHECK_MESSAGE(failure.category == category, failure.what);
    for (const char* word : words) {
      CHECK_MESSAGE(failure.mentions(word), "no word of '", std::string(word),
                    "' in: ", failure.what);
    }
    CHECK(queue.download(input) == host);
    CHECK(queue.download(output) == host);
    CHECK(reduce(queue, input, plus, 0) == std::accumulate(host.begin(), host.end(), 0));
    return failure;
  }
};

constexpr auto invalid = ErrorCategory::invalid_argument;

}  // namespace

TEST_SUITE_BEGIN("bad_input");

TEST_CASE("an unknown variant is named") {
  Stage stage;
  stage.refuses([&] { (void)reduce(stage.queue, stage.input, plus, 0, {.variant = "no_such"}); },
                invalid, {"no_such"});
  stage.refuses(
      [&] { inclusive_scan(stage.queue, stage.input, stage.output, plus, {.variant = "tree9"}); },
      invalid, {"tree9"});
  // A row of the other algorithm is unknown too.
  stage.refuses(
      [&] {
        inclusive_scan(stage.queue, stage.input, stage.output, plus, {.variant = "catanzaro"});
      },
      invalid, {"catanzaro"});
}

TEST_CASE("a variant of another backend is unsupported, in words") {
  Stage stage;
  auto kept = stage.queue.allocate<std::uint64_t>(1);
  for (const auto& row : gallery::variants()) {
    const std::string_view backend = row.requirements.backend;
    if (backend.empty() || backend == test::device().info().backend) continue;
    CHECK_FALSE(gallery::supports(test::device(), row, Type::i32, plus).supported);
    const auto call = [&] {
      if (row.algorithm == Algorithm::reduce) {
        (void)reduce(stage.queue, stage.input, plus, 0, {.variant = row.name});
      } else if (row.algorithm == Algorithm::select) {
        select(stage.queue, stage.input, stage.output, kept, "1", {.variant = row.name});
      } else {
        inclusive_scan(stage.queue, stage.input, stage.output, plus, {.variant = row.name});
      }
    };
    stage.refuses(call, ErrorCategory::unsupported, {std::string(backend).c_str()});
  }
}

TEST_CASE("counts that differ") {
  Stage stage;
  const auto shorter = stage.output.view(0, length - 1);
  stage.refuses([&] { inclusive_scan(stage.queue, stage.input, shorter, plus); }, invalid,
                {"999", "1000"});
  stage.refuses([&] { exclusive_scan(stage.queue, stage.input.view(0, 5), shorter, plus, 3); },
                invalid, {"5", "999"});
  stage.refuses([&] { reduce_into(stage.queue, stage.input, stage.output, plus, 0); }, invalid,
                {"1000"});
  stage.refuses([&] { reduce_into(stage.queue, stage.input, stage.output.view(7, 0), plus, 0); },
                invalid, {"0"});
}

TEST_CASE("ranges beyond their buffer") {
  Stage stage;
  stage.refuses([&] { (void)stage.input.view(0, length + 1); }, invalid, {"1001"});
  stage.refuses([&] { (void)stage.input.view(length, 1); }, invalid, {});
  stage.refuses([&] { (void)stage.input.view(length + 1, 0); }, invalid, {});
  // Offsets and counts whose sum or product wraps around.
  const std::uint64_t huge = ~std::uint64_t{0};
  stage.refuses([&] { (void)stage.input.view(huge, 2); }, invalid, {});
  stage.refuses([&] { (void)stage.input.view(2, huge); }, invalid, {});
  stage.refuses([&] { (void)stage.input.view(1, huge / 4); }, invalid, {});
  stage.refuses([&] { (void)stage.input.view(huge / 4 + 1, 1); }, invalid, {});
  // A view of a view knows its own end, not that of the buffer.
  const auto part = stage.input.view(10, 10);
  stage.refuses([&] { (void)part.subview(5, 6); }, invalid, {});
  CHECK(part.subview(5, 5).size() == 5);
  CHECK(part.subview(10, 0).empty());
}

TEST_CASE("views that start between elements") {
  Stage stage;
  const auto bytes = stage.input.view().as<std::uint8_t>();
  REQUIRE(bytes.size() == length * 4);
  stage.refuses([&] { (void)bytes.subview(2, 40).as<std::int32_t>(); }, invalid, {"2", "4"});
  stage.refuses([&] { (void)stage.input.view(1, 10).as<std::int64_t>(); }, invalid, {"4", "8"});
  CHECK(bytes.subview(8, 43).as<std::int64_t>().size() == 5);
}

TEST_CASE("overlapping ranges") {
  Stage stage;
  auto& queue = stage.queue;
  auto& data = stage.output;
  stage.refuses([&] { inclusive_scan(queue, data.view(0, 500), data.view(1, 500), plus); }, invalid,
                {"overlap"});
  stage.refuses([&] { exclusive_scan(queue, data.view(1, 500), data.view(0, 500), plus, 1); },
                invalid, {"overlap"});
  // In place needs one element size: the same bytes as another type overlap.
  stage.refuses(
      [&] {
        const auto halves = View<const std::int32_t>(data.view(0, 100)).as<const std::int16_t>();
        inclusive_scan(queue, halves.subview(0, 100), data.view(0, 100), plus);
      },
      invalid, {"overlap"});
  stage.refuses([&] { reduce_into(queue, data, data.view(500, 1), plus, 0); }, invalid,
                {"overlap"});
  stage.refuses([&] { queue.copy(data.view(0, 10), data.view(9, 10)); }, invalid, {"overlap"});
  // Neighbours do not overlap.
  auto other = queue.upload(std::span<const std::int32_t>(stage.host));
  inclusive_scan(queue, other.view(0, 500), other.view(500, 500), plus);
  CHECK(queue.download(other.view(500, 1))[0] == stage.host[0]);
  reduce_into(queue, other.view(0, 500), other.view(500, 1), plus, 0);
  CHECK(queue.download(other.view(0, 500)) ==
        std::vector<std::int32_t>(stage.host.begin(), stage.host.begin() + 500));
}

TEST_CASE("types and initial values that do not fit the plan") {
  Stage stage;
  const ReducePlan sum(test::device(), {});
  const ErasedView input = erase(stage.input);
  auto result = stage.output.view(0, 1);
  stage.refuses([&] { sum.run(stage.queue, input, result, Value(std::int64_t{1} << 31)); }, invalid,
                {"i64", "i32"});
  stage.refuses(
      [&] {
        const auto wrong = View<const std::int32_t>(stage.input).as<const std::uint32_t>();
        sum.run(stage.queue, wrong, result, Value(0));
      },
      invalid, {"type"});
  stage.refuses(
      [&] {
        const View<const std::int32_t> read_only = stage.output.view(0, 1);
        sum.run(stage.queue, input, read_only, Value(0));
      },
      invalid, {});
  stage.refuses(
      [&] {
        (void)reduce(stage.queue, erase(stage.input.view().as<float>()), bit_xor, Value(0.0f));
      },
      invalid, {"bit_xor", "f32"});
}

TEST_CASE("a type that the device lacks is unsupported") {
  Stage stage;
  for (const Type type : all_types) {
    if (test::device().supports(type)) continue;
    stage.refuses([&] { (void)ReducePlan(test::device(), {.input = type, .accumulator = type}); },
                  ErrorCategory::unsupported, {std::string(name_of(type)).c_str()});
  }
}

TEST_CASE("host ranges that do not match the device's") {
  Stage stage;
  std::vector<std::int32_t> wrong(length - 1);
  stage.refuses([&] { stage.queue.download(stage.input, std::span<std::int32_t>(wrong)); }, invalid,
                {"999", "1000"});
  stage.refuses([&] { stage.queue.upload(std::span<const std::int32_t>(wrong), stage.output); },
                invalid, {"999", "1000"});
  stage.refuses([&] { stage.queue.copy(stage.input.view(0, 3), stage.output.view(0, 4)); }, invalid,
                {"count"});
}

TEST_CASE("a text that does not compile brings the log and the numbered source") {
  auto& device = *test::device().state()->backend;
  const backend::Source source{"typo", "undeclared_name here;\n", device.compile_options()};
  const Failure failure = failure_of([&] { (void)device.build(source); });
  CHECK(failure.category == ErrorCategory::build_failure);
  CHECK(failure.mentions("typo"));
  CHECK(failure.log.find("undeclared_name") != std::string::npos);
  CHECK(failure.source.find("undeclared_name") != std::string::npos);
  // Numbered lines, from 1 on.
  CHECK(failure.source.find("1") != std::string::npos);
  CHECK(failure.source.find('\n') != std::string::npos);
  CHECK(failure.backend == test::device().info().backend);
}

TEST_CASE("texts that end compilers are refused before one sees them") {
  Stage stage;
  std::string chain = "a + b";
  while (chain.size() < 128 << 10) chain += " + b - b";
  stage.refuses([&] { (void)Operator::user("chain", chain, Value(0)); }, invalid, {"8192"});
  chain.resize(8189);
  const Operator longest = Operator::user("chain", chain.substr(0, chain.rfind(" +")), Value(0));
  std::int64_t sum = 0;
  for (const std::int32_t x : stage.queue.download(stage.input)) sum += x;
  CHECK(reduce(stage.queue, stage.input, longest, 0) == static_cast<std::int32_t>(sum));
  const auto mapped = [&](const char* map) {
    return [&stage, map] { (void)transform_reduce(stage.queue, stage.input, plus, 0, map); };
  };
  stage.refuses(mapped("mapped(x)"), invalid, {"\"mapped\"", "column 1"});
  stage.refuses(mapped("x + COMBINE(x, x)"), invalid, {"\"COMBINE\"", "column 5"});
  stage.refuses(mapped("x & 1.0f"), invalid, {"map: \"x & 1.0f\", column 3"});
  // Not the text that the map becomes part of.
  stage.refuses([&] { (void)count_if(stage.queue, stage.input, "x & 1.0f"); }, invalid,
                {"map: \"x & 1.0f\", column 3"});
  stage.refuses(
      [&] {
        (void)reduce_many(stage.queue, erase(stage.input),
                          {{plus, Type::i32}, {plus, Type::i32, "x.low"}});
      },
      invalid, {"map: \"x.low\", column 3"});
}

TEST_CASE("an allocation that no device has room for") {
  Stage stage;
  const std::uint64_t too_much = std::uint64_t{1} << 60;
  stage.refuses([&] { (void)Buffer<std::uint8_t>(test::device(), too_much); },
                ErrorCategory::out_of_memory, {});
  // A size in bytes that wraps around 2^64 is as absurd.
  stage.refuses([&] { (void)Buffer<std::uint64_t>(test::device(), (std::uint64_t{1} << 61) + 1); },
                ErrorCategory::out_of_memory, {});
}

TEST_CASE("selectors of this device's backend") {
  const std::string backend = test::device().info().backend;
  CHECK(open_device(test::device().info().selector).info().selector ==
        test::device().info().selector);
  for (const std::string& wrong : {backend + ":9999", backend + ":no such device"}) {
    const Failure failure = failure_of([&] { (void)open_device(wrong); });
    CHECK(failure.category == ErrorCategory::unavailable);
    CHECK(failure.mentions(wrong));
  }
  // A word that several devices contain is refused with their list.
  const std::string vendor = test::device().info().vendor;
  std::size_t alike = 0;
  for (const DeviceInfo& info : devices()) {
    const std::string words = info.vendor + '\n' + info.name + '\n' + info.platform;
    alike += info.backend == backend && words.find(vendor) != std::string::npos ? 1u : 0u;
  }
  const Failure failure = failure_of([&] { (void)open_device(backend + ":" + vendor); });
  CHECK(failure.category.has_value() == (alike > 1));
  if (alike > 1) CHECK(failure.category == ErrorCategory::invalid_argument);
}

TEST_CASE("memory of another device is refused") {
  Stage stage;
  const Device other = test::open_again({});
  auto foreign = Queue(other).allocate<std::int32_t>(length);
  const Failure failure =
      failure_of([&] { inclusive_scan(stage.queue, foreign, stage.output, plus); });
  // Two opens of one device may share a context (CUDA's primary one): then this is no error.
  if (foreign.view().memory().context == stage.input.view().memory().context) return;
  CHECK(failure.category == invalid);
  CHECK(stage.queue.download(stage.output) == stage.host);
}

TEST_SUITE_END();

}  // namespace bifold
