// Several outputs of a call: each has the bytes that a call with its result map alone gives.
#include "device/arrays/outputs.hpp"

#include "support/errors.hpp"

namespace bifold {

using app::Ramp;
using test::check;
using test::failure_of;
using test::first_of;
using test::four_widths;
using test::lengths;
using test::line_sums;
using test::lines_in_turn;
using test::numbers;
using test::Target;
using test::to_line;

namespace {

std::string refusal(const std::function<void()>& call) {
  const test::Failure failure = failure_of(call);
  CHECK(failure.category == ErrorCategory::invalid_argument);
  return failure.what;
}

}  // namespace

TEST_SUITE_BEGIN("outputs_lengths");

TEST_CASE("scans of any length have the bits of each output alone") {
  Queue queue(test::device());
  const auto host = numbers(70'010);
  const auto data = queue.upload(std::span<const float>(host));
  for (const std::size_t n : lengths()) {
    CAPTURE(n);
    const ScanKind kind = n % 2 == 0 ? ScanKind::exclusive : ScanKind::inclusive;
    auto total = queue.allocate<Ramp>(1);
    ScanOptions options;
    options.total = erase(total);
    check<ScanOptions>(queue, four_widths(), n, options,
                       [&](const ErasedView& to, const ScanOptions& with) {
                         transform_scan(queue, kind, erase(data.view(n % 5, n)), to,
                                        lines_in_turn(), Value(Ramp{2, -3}), to_line, with);
                       });
  }
}

TEST_CASE("lines along rows and columns, in reverse as well") {
  Queue queue(test::device());
  for (const Lines& lines :
       {Lines::rows(5, 3), Lines::rows(3, 4097), Lines::columns(40, 37), Lines::columns(4097, 3)}) {
    CAPTURE(lines.length);
    CAPTURE(lines.inner);
    const std::uint64_t n = lines.count() * lines.length;
    const auto host = numbers(n);
    const auto data = queue.upload(std::span<const float>(host));
    ScanOptions options;
    options.lines = lines;
    options.reverse = lines.length > 100;
    check<ScanOptions>(queue, first_of(2), n, options,
                       [&](const ErasedView& to, const ScanOptions& with) {
                         transform_scan(queue, ScanKind::exclusive, erase(data), to,
                                        lines_in_turn(), Value(Ramp{2, -3}), to_line, with);
                       });
    ReduceOptions reduction;
    reduction.lines = lines;
    check<ReduceOptions>(queue, first_of(3), lines.count(), reduction,
                         [&](const ErasedView& to, const ReduceOptions& with) {
                           transform_reduce_into(queue, erase(data), to, line_sums(),
                                                 Value(Ramp{2, -3}), to_line, with);
                         });
  }
}

TEST_CASE("reductions of any length have the bits of each output alone") {
  Queue queue(test::device());
  const auto host = numbers(70'010);
  const auto data = queue.upload(std::span<const float>(host));
  for (const Operator& op : {line_sums(), lines_in_turn()}) {
    for (const std::size_t n : {std::size_t{0}, std::size_t{1}, lengths().back()}) {
      CAPTURE(n);
      check<ReduceOptions>(queue, four_widths(), 1, {},
                           [&](const ErasedView& to, const ReduceOptions& with) {
                             transform_reduce_into(queue, erase(data.view(n % 5, n)), to, op,
                                                   Value(Ramp{2, -3}), to_line, with);
                           });
    }
  }
}

TEST_SUITE_END();

TEST_SUITE_BEGIN("outputs");

TEST_CASE("one output may take the place of the input") {
  Queue queue(test::device());
  const std::size_t n = test::simulated() ? 5003 : 70'001;
  const auto host = numbers(n);
  const auto apart = queue.upload(std::span<const float>(host));
  auto want = queue.allocate<float>(n);
  auto want_signs = queue.allocate<std::uint8_t>(n);
  ScanOptions options;
  options.result_map = "s.shift";
  options.more_outputs = {{erase(want_signs), "s.shift < 0.0f"}};
  transform_scan(queue, ScanKind::inclusive, erase(apart), erase(want), lines_in_turn(), {},
                 to_line, options);
  for (const bool first : {true, false}) {
    auto data = queue.upload(std::span<const float>(host));
    auto signs = queue.allocate<std::uint8_t>(n);
    ScanOptions in_place;
    in_place.result_map = first ? "s.shift" : "s.shift < 0.0f";
    in_place.more_outputs = {first ? Output{erase(signs), "s.shift < 0.0f"}
                                   : Output{erase(data), "s.shift"}};
    transform_scan(queue, ScanKind::inclusive, erase(data), first ? erase(data) : erase(signs),
                   lines_in_turn(), {}, to_line, in_place);
    CHECK(queue.download(data) == queue.download(want));
    CHECK(queue.download(signs) == queue.download(want_signs));
  }
}

TEST_CASE("result maps of all outputs name scalars, on the host and in device memory") {
  Queue queue(test::device());
  const std::size_t n = test::simulated() ? 5003 : 70'001;
  const auto host = numbers(n);
  const auto data = queue.upload(std::span<const float>(host));
  const auto shift = queue.upload(std::span<const float>(std::vector<float>{0.25F}));
  const ResultMap scaled("s.shift * factor", {{"factor", Type::f32}});
  const ResultMap shifted("s.shift + shift", {{"shift", Type::f32}});
  const auto scan = [&](const ErasedView& to, const ScanOptions& options) {
    transform_scan(queue, ScanKind::inclusive, erase(data), to, lines_in_turn(), {}, to_line,
                   options);
  };
  auto first = queue.allocate<float>(n);
  auto second = queue.allocate<float>(n);
  auto third = queue.allocate<float>(n);
  scan(erase(first), {.result_map = "s.slope",
                      .scalars = {{"shift", shift}, {"factor", 3.0F}},
                      .more_outputs = {{erase(second), scaled}, {erase(third), shifted}}});
  auto alone = queue.allocate<float>(n);
  scan(erase(alone), {.result_map = "s.slope"});
  CHECK(queue.download(first) == queue.download(alone));
  scan(erase(alone), {.result_map = "s.shift * 3.0f"});
  CHECK(queue.download(second) == queue.download(alone));
  scan(erase(alone), {.result_map = "s.shift + 0.25f"});
  CHECK(queue.download(third) == queue.download(alone));

  const auto reduce = [&](const ErasedView& to, const ReduceOptions& options) {
    transform_reduce_into(queue, erase(data), to, line_sums(), {}, to_line, options);
  };
  const auto one = [](Buffer<float>& buffer) { return erase(buffer.view(0, 1)); };
  reduce(one(first), {.result_map = scaled,
                      .scalars = {{"factor", -2.0F}, {"shift", shift}},
                      .more_outputs = {{one(second), shifted}}});
  reduce(one(alone), {.result_map = "s.shift * -2.0f"});
  CHECK(queue.download(first)[0] == queue.download(alone)[0]);
  reduce(one(alone), {.result_map = "s.shift + 0.25f"});
  CHECK(queue.download(second)[0] == queue.download(alone)[0]);

  CHECK(refusal([&] {
          reduce(one(first), {.result_map = "s.slope", .more_outputs = {{one(second), scaled}}});
        }).find("factor") != std::string::npos);
  CHECK(refusal([&] {
          reduce(one(first), {.result_map = "s.slope",
                              .scalars = {{"shift", third.view(0, 1)}},
                              .more_outputs = {{one(third), shifted}}});
        }).find("overlaps the output") != std::string::npos);
}

TEST_CASE("of nothing a scan writes its total alone") {
  Queue queue(test::device());
  const Buffer<float> none(test::device(), 0);
  auto first = queue.allocate<float>(0);
  Target second(queue, Type::f32, 0);
  auto total = queue.allocate<Ramp>(1);
  ScanOptions options;
  options.result_map = "s.shift";
  options.total = erase(total);
  options.more_outputs = {{second.view(), "s.slope"}};
  transform_scan(queue, ScanKind::inclusive, erase(none), erase(first), lines_in_turn(),
                 Value(Ramp{2, -3}), to_line, options);
  CHECK(queue.download(total).front().shift == -3);
  CHECK(second.untouched());
}

TEST_CASE("a length in device memory leaves the rest of all outputs alone") {
  Queue queue(test::device());
  const auto host = numbers(5003);
  const auto data = queue.upload(std::span<const float>(host));
  const auto count = queue.upload(std::span<const std::uint32_t>(std::vector<std::uint32_t>{3001}));
  ScanOptions options;
  options.count_from = erase(count);
  check<ScanOptions>(queue, first_of(3), host.size(), options,
                     [&](const ErasedView& to, const ScanOptions& with) {
                       transform_scan(queue, ScanKind::inclusive, erase(data), to, lines_in_turn(),
                                      {}, to_line, with);
                     });
}

TEST_CASE("plans with outputs, and a workspace") {
  Queue queue(test::device());
  const std::size_t n = 5003;
  const auto host = numbers(n);
  const auto data = queue.upload(std::span<const float>(host));
  const ScanPlan plan(test::device(), {.input = Type::f32,
                                       .output = Type::f32,
                                       .accumulator = type_of<Ramp>(),
                                       .op = lines_in_turn(),
                                       .map = to_line,
                                       .result_map = "s.shift",
                                       .more_outputs = {{Type::f64, "s.slope"}}});
  auto memory = queue.allocate<std::uint8_t>(plan.workspace_bytes(n));
  const Workspace workspace{memory.view()};
  auto shifts = queue.allocate<float>(n);
  auto slopes = queue.allocate<double>(n);
  ScanOptions options;
  options.workspace = &workspace;
  options.more_outputs = {{erase(slopes)}};
  plan.run(queue, erase(data), erase(shifts), {}, options);
  const std::vector<float> got_shifts = queue.download(shifts);
  const std::vector<double> got_slopes = queue.download(slopes);
  ScanOptions alone;
  alone.result_map = "s.shift";
  const auto again = [&](const ErasedView& to) {
    transform_scan(queue, ScanKind::inclusive, erase(data), to, lines_in_turn(), {}, to_line,
                   alone);
  };
  again(erase(shifts));
  alone.result_map = "s.slope";
  again(erase(slopes));
  CHECK(queue.download(shifts) == got_shifts);
  CHECK(queue.download(slopes) == got_slopes);
  options.more_outputs.clear();
  CHECK(refusal([&] {
          plan.run(queue, erase(data), erase(shifts), {}, options);
        }).find("the plan has 2 outputs, the call 1") != std::string::npos);
}

TEST_CASE("what overlaps, or does not fit, is refused before anything is written") {
  Queue queue(test::device());
  const std::size_t n = 1000;
  const auto host = numbers(2 * n);
  auto data = queue.upload(std::span<const float>(host));
  auto room = queue.upload(std::span<const float>(numbers(4 * n)));
  const auto before = queue.download(room);
  const ErasedView input = erase(data.view(0, n));
  const auto scanned = [&](const ErasedView& to, std::vector<Output> more) {
    ScanOptions options;
    options.result_map = "s.shift";
    options.more_outputs = std::move(more);
    transform_scan(queue, ScanKind::inclusive, input, to, lines_in_turn(), {}, to_line, options);
  };
  const auto part = [&](std::size_t from, std::size_t count) {
    return erase(room.view(from, count));
  };
  const auto refused = [&](const ErasedView& to, std::vector<Output> more, const char* why) {
    CAPTURE(why);
    const std::string what = refusal([&] { scanned(to, std::move(more)); });
    CHECK_MESSAGE(what.find(why) != std::string::npos, what);
    CHECK(queue.download(room) == before);
  };
  refused(part(0, n), {{part(n - 1, n), "s.slope"}}, "outputs 1 and 2 overlap");
  refused(part(0, n), {{part(0, n), "s.slope"}}, "outputs 1 and 2 overlap");
  refused(part(0, n), {{part(n, n), "s.slope"}, {part(2 * n - 1, n), "s.slope"}},
          "outputs 2 and 3 overlap");
  refused(part(0, n), {{part(n, n), "s.slope"}, {part(n - 1, n), "s.slope"}},
          "outputs 1 and 3 overlap");
  refused(part(0, n), {{erase(data.view(1, n)), "s.slope"}},
          "input and output 2 overlap without being the same range");
  refused(input, {{input, "s.slope"}}, "outputs 1 and 2 overlap");
  refused(part(0, n), {{part(n, n - 1), "s.slope"}}, "output 2 has 999 elements instead of 1000");
  refused(part(0, n), {{part(n, n), "make_Ramp(s.slope, s.shift)"}}, "");
  refused(part(0, n), {{part(n, n)}}, "only a map makes f32 of Ramp");
  refused(part(0, n),
          {{part(n, n), "s.slope"},
           {part(2 * n, n), "s.slope"},
           {part(3 * n, n), "s.slope"},
           {erase(data.view(n, n)), "s.slope"}},
          "at most 4 outputs");
  ScanOptions options;
  options.result_map = "s.shift";
  options.more_outputs = {{part(n, n), "s.slope"}};
  const ErasedView total{part(n, 2).memory, part(n, 2).byte_offset, 1, type_of<Ramp>(), true};
  options.total = total;
  CHECK(refusal([&] {
          transform_scan(queue, ScanKind::inclusive, input, part(0, n), lines_in_turn(), {},
                         to_line, options);
        }).find("total overlaps the output") != std::string::npos);
  options.total.reset();
  options.variant = "reduce_then_scan";
  CHECK(failure_of([&] {
          transform_scan(queue, ScanKind::inclusive, input, part(0, n), lines_in_turn(), {},
                         to_line, options);
        }).mentions("write one array"));
  CHECK(queue.download(room) == before);
  scanned(part(0, n), {{part(n, n), "s.slope"}});
  CHECK(queue.download(room) != before);
}

TEST_SUITE_END();

}  // namespace bifold
