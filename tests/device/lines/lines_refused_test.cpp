// Wrong lines: each call one typed error, before anything is written.
#include <doctest/doctest.h>

#include <bifold/bifold.hpp>
#include <functional>
#include <numeric>

#include "support/environment.hpp"
#include "support/errors.hpp"

namespace bifold {

using test::failure_of;

namespace {

constexpr std::uint64_t length = 600;

struct Stage {
  Queue queue{test::device()};
  std::vector<std::int32_t> host = [] {
    std::vector<std::int32_t> values(length);
    std::iota(values.begin(), values.end(), -300);
    return values;
  }();
  Buffer<std::int32_t> input = queue.upload(std::span<const std::int32_t>(host));
  Buffer<std::int32_t> output = queue.upload(std::span<const std::int32_t>(host));

  void refuses(const std::function<void()>& call) {
    const test::Failure failure = failure_of(call);
    CHECK_MESSAGE(failure.category == ErrorCategory::invalid_argument, failure.what);
    CHECK(queue.download(input) == host);
    CHECK(queue.download(output) == host);
  }
  void refuses_reduce(const View<std::int32_t>& from, const View<std::int32_t>& to,
                      const ReduceOptions& options) {
    CAPTURE(options.lines->outer);
    CAPTURE(options.lines->length);
    CAPTURE(options.lines->inner);
    refuses([&] { reduce_into(queue, from, to, plus, 1, options); });
  }
  void refuses_scan(const View<std::int32_t>& from, const View<std::int32_t>& to,
                    const ScanOptions& options) {
    CAPTURE(options.lines->outer);
    CAPTURE(options.lines->length);
    CAPTURE(options.lines->inner);
    refuses([&] { inclusive_scan(queue, from, to, plus, 1, options); });
    refuses([&] { exclusive_scan(queue, from, to, plus, options); });
  }
};

ReduceOptions reduction(const Lines& lines) {
  ReduceOptions options;
  options.lines = lines;
  return options;
}

ScanOptions scanning(const Lines& lines, const std::optional<Lines>& to = {}) {
  ScanOptions options;
  options.lines = lines;
  options.output_lines = to;
  return options;
}

}  // namespace

TEST_SUITE_BEGIN("lines_refused");

TEST_CASE("views that do not hold the lines") {
  Stage stage;
  for (const Lines& lines :
       {Lines::rows(20, 30), Lines::columns(30, 20), Lines{3, 5, 2, -290, 4, 3},
        Lines{1, 2, 1, 0, -599, 0}, Lines{2, 1, 1, 599, 0, 0}}) {
    const std::uint64_t count = [&] {
      std::int64_t reach = 1;
      for (const auto& [many, stride] :
           {std::pair(lines.outer, lines.outer_stride), std::pair(lines.length, lines.stride),
            std::pair(lines.inner, lines.inner_stride)}) {
        reach += static_cast<std::int64_t>(many - 1) * (stride < 0 ? -stride : stride);
      }
      return static_cast<std::uint64_t>(reach);
    }();
    const std::uint64_t results = lines.count();
    stage.refuses_reduce(stage.input.view(0, count - 1), stage.output.view(0, results),
                         reduction(lines));
    if (results > 1) {
      stage.refuses_reduce(stage.input.view(0, count), stage.output.view(0, results - 1),
                           reduction(lines));
    }
    stage.refuses_scan(stage.input.view(0, count - 1), stage.output.view(0, count),
                       scanning(lines));
    stage.refuses_scan(stage.input.view(0, count), stage.output.view(0, count - 1),
                       scanning(lines));
  }
  stage.refuses_reduce(stage.input.view(0, 0), stage.output.view(0, 1),
                       reduction(Lines::rows(1, 1)));
  stage.refuses_reduce(stage.input.view(0, 0), stage.output.view(0, 2),
                       reduction(Lines::rows(3, 0)));
}

TEST_CASE("results and outputs that lie in as many lines as the input, or not at all") {
  Stage stage;
  const Lines lines{2, 10, 3, 30, 3, 1};
  for (const Lines& to : {Lines{2, 2, 3, 6, 1, 2}, Lines{3, 1, 2, 9, 1, 1}, Lines{1, 1, 7, 0, 1, 1},
                          Lines{2, 1, 2, 2, 1, 1}, Lines{2, 0, 3, 3, 1, 1}}) {
    ReduceOptions options = reduction(lines);
    options.result_lines = to;
    stage.refuses_reduce(stage.input, stage.output, options);
  }
  for (const Lines& to : {Lines{2, 11, 3, 33, 3, 1}, Lines{3, 10, 2, 20, 2, 1},
                          Lines{1, 10, 5, 0, 6, 1}, Lines{2, 9, 3, 27, 3, 1}}) {
    stage.refuses_scan(stage.input, stage.output, scanning(lines, to));
  }
}

TEST_CASE("several results into what is not a struct of their types") {
  Stage stage;
  const std::vector<Reduction> two{{plus, Type::i32, {}, {}}, {maximum, Type::i32, {}, {}}};
  auto pairs = stage.queue.allocate<MinMax<std::int32_t>>(4);
  auto others = stage.queue.allocate<MinMax<std::uint32_t>>(4);
  const ReduceOptions options = reduction(Lines::rows(4, 5));
  const auto into = [&](const ErasedView& result, const std::vector<Reduction>& reductions) {
    stage.refuses([&] { reduce_many_into(stage.queue, stage.input, result, reductions, options); });
  };
  into(erase(stage.output.view(0, 4)), two);
  into(erase(others), two);
  into(erase(pairs.view(0, 3)), two);
  into(erase(pairs), {two[0]});
  into(erase(pairs), {two[0], two[1], two[0]});
  into(erase(pairs), {});
  into(erase(pairs), {two[0], {maximum, Type::i32, {}, Value(std::int64_t{1} << 40)}});
  into(erase(pairs), {two[0], {maximum, Type::i32, "x + y", {}}});
  reduce_many_into(stage.queue, stage.input, pairs, two, options);
  CHECK(stage.queue.download(pairs)[1] == MinMax<std::int32_t>{-1465, -291});
  // Products: neither of structs, nor of floating elements into integers.
  auto floats = stage.queue.allocate<float>(20);
  stage.refuses([&] {
    inner_product_into(stage.queue, floats, floats, stage.output.view(0, 4), {}, options);
  });
  stage.refuses(
      [&] { inner_product_into(stage.queue, stage.input, stage.input, pairs, {}, options); });
}

TEST_CASE("outputs whose elements overlap each other") {
  Stage stage;
  const Lines lines = Lines::rows(4, 5);
  for (const Lines& to : {Lines{4, 5, 1, 0, 1, 0}, Lines{4, 5, 1, 5, 0, 0}, Lines{4, 5, 1, 4, 1, 0},
                          Lines{4, 5, 1, 1, 1, 0}, Lines{4, 5, 1, -4, 1, 0},
                          Lines{4, 5, 1, 2, -2, 0}, Lines{4, 5, 1, 6, 3, 0}}) {
    stage.refuses_scan(stage.input, stage.output, scanning(lines, to));
  }
  for (const auto& [outer, inner] :
       {std::pair(0, 1), std::pair(3, 0), std::pair(2, 1), std::pair(-2, 1), std::pair(2, 2)}) {
    ReduceOptions options = reduction(Lines{4, 5, 3, 15, 3, 1});
    options.result_lines = Lines{4, 1, 3, outer, 1, inner};
    stage.refuses_reduce(stage.input, stage.output, options);
  }
  // What only the input may have.
  stage.refuses_scan(stage.input, stage.output, scanning(Lines{4, 5, 1, 0, 1, 0}));
  stage.refuses([&] {
    inclusive_scan(stage.queue, stage.output, stage.output, plus,
                   scanning(Lines{4, 5, 1, 5, 0, 0}));
  });
}

TEST_CASE("inputs and outputs that share memory otherwise than in place") {
  Stage stage;
  auto& data = stage.output;
  const Lines rows = Lines::rows(10, 20);
  stage.refuses_scan(data.view(0, 300), data.view(1, 300), scanning(rows));
  stage.refuses_scan(data.view(0, 300), data.view(199, 300), scanning(rows));
  // Other lines of the same memory, even where no element is both.
  stage.refuses_scan(data, data, scanning(rows, Lines{10, 20, 1, -20, 1, 0}));
  stage.refuses_scan(data, data, scanning(Lines::rows(10, 10), Lines{10, 10, 1, 1, 10, 0}));
  const Lines every_other{1, 100, 1, 0, 2, 0};
  stage.refuses_scan(data.view(0, 300), data.view(1, 300), scanning(every_other));
  // Elements of another size.
  stage.refuses([&] {
    inclusive_scan(stage.queue, data.view().as<std::uint8_t>().subview(0, 200), data.view(0, 200),
                   plus, scanning(rows));
  });
  stage.refuses_reduce(data, data.view(190, 10), reduction(rows));
  ReduceOptions options = reduction(rows);
  options.result_lines = Lines{10, 1, 1, 30, 1, 0};
  stage.refuses_reduce(data.view(0, 200), data.view(199, 400), options);
  // Neighbours do not overlap.
  auto other = stage.queue.upload(std::span<const std::int32_t>(stage.host));
  inclusive_scan(stage.queue, other.view(0, 200), other.view(200, 200), plus, scanning(rows));
  CHECK(stage.queue.download(other.view(0, 200)) ==
        std::vector<std::int32_t>(stage.host.begin(), stage.host.begin() + 200));
  CHECK(stage.queue.download(other.view(219, 1))[0] == -300 * 20 + 190);
}

TEST_CASE("more elements than 64 bits count") {
  Stage stage;
  constexpr std::uint64_t huge = std::uint64_t{1} << 40;
  constexpr auto far = static_cast<std::int64_t>(huge);
  for (const Lines& lines :
       {Lines{huge, huge, 1, 0, 0, 0}, Lines{huge, 1, huge, 0, 0, 0}, Lines{1, huge, huge, 0, 0, 0},
        Lines{1, huge, 1, 0, far, 0}, Lines{huge, 1, 1, -far, 0, 0}, Lines{1, 1, huge, 0, 0, far},
        Lines{1 << 20, huge, 16, 0, 0, 0}, Lines{3, 1, 1, INT64_MIN, 0, 0},
        Lines{2, 2, 1, INT64_MAX, INT64_MAX, 0}, Lines{~0ULL, 1, 1, 1, 0, 0}}) {
    stage.refuses_reduce(stage.input, stage.output, reduction(lines));
    stage.refuses_scan(stage.input, stage.output, scanning(lines));
  }
}

TEST_CASE("values in device memory that are as many as neither one nor the lines") {
  Stage stage;
  auto memory = stage.queue.upload(std::span<const std::int32_t>(stage.host));
  const Lines lines = Lines::rows(4, 5);
  for (const std::uint64_t count : {0U, 2U, 3U, 5U, 20U}) {
    ReduceOptions options = reduction(lines);
    options.init_from = erase(memory.view(0, count));
    stage.refuses_reduce(stage.input, stage.output.view(0, 4), options);
    ScanOptions scan_options = scanning(lines);
    scan_options.init_from = erase(memory.view(0, count));
    stage.refuses_scan(stage.input, stage.output, scan_options);
  }
  for (const std::uint64_t count : {0U, 1U, 3U, 5U, 20U}) {
    ScanOptions options = scanning(lines);
    options.total = erase(memory.view(0, count));
    stage.refuses_scan(stage.input, stage.output, options);
  }
  // The number of lines is one u32 or u64.
  auto counts = stage.queue.allocate<std::uint64_t>(2);
  for (const ErasedView& view :
       {erase(counts.view()), erase(counts.view(0, 0)), erase(memory.view(0, 1))}) {
    ReduceOptions options = reduction(lines);
    options.lines_from = view;
    stage.refuses_reduce(stage.input, stage.output.view(0, 4), options);
    ScanOptions scan_options = scanning(lines);
    scan_options.lines_from = view;
    stage.refuses_scan(stage.input, stage.output, scan_options);
  }
  CHECK(stage.queue.download(memory) == stage.host);
}

TEST_CASE("lines of nothing without an initial value, where nothing is neutral") {
  Stage stage;
  const Operator bound =
      Operator::user("bound", "max(a, b)", Type::i32, Commutativity::commutative);
  const Lines lines = Lines::rows(4, 0);
  auto& queue = stage.queue;
  stage.refuses(
      [&] { reduce_into(queue, stage.input, stage.output.view(0, 4), bound, reduction(lines)); });
  stage.refuses([&] {
    exclusive_scan(queue, stage.input, stage.output, bound, scanning(Lines::rows(4, 3)));
  });
  ScanOptions options = scanning(lines);
  options.total = erase(stage.output.view(0, 4));
  stage.refuses([&] {
    inclusive_scan(queue, stage.input.view(0, 0), stage.output.view(10, 0), bound, options);
  });
}

TEST_CASE("plans for lines, and for none") {
  Stage stage;
  auto& queue = stage.queue;
  const ErasedView in = erase(stage.input);
  const ErasedView out = erase(stage.output.view(0, 4));
  const ReducePlan without(test::device(), {Type::i32, Type::i32, plus});
  stage.refuses([&] { without.run(queue, in, out, {}, reduction(Lines::rows(4, 5))); });
  ReduceShape shape{Type::i32, Type::i32, plus};
  shape.lines = true;
  const ReducePlan with(test::device(), shape);
  ReduceOptions options = reduction(Lines::rows(4, 5));
  // Whether there is the number of lines belongs to the shape.
  auto count = queue.allocate<std::uint64_t>(1);
  options.lines_from = erase(count);
  stage.refuses([&] { with.run(queue, in, out, {}, options); });
}

TEST_SUITE_END();

}  // namespace bifold
