// Structs as elements, operators on them, and maps: one text, every row that takes it.
#include <doctest/doctest.h>

#include <bifold/bifold.hpp>
#include <cstring>
#include <numeric>

#include "core/device/workspace.hpp"
#include "support/cases/rows.hpp"
#include "support/environment.hpp"
#include "support/errors.hpp"
#include "support/values/packed.hpp"
#include "support/values/random.hpp"

// What is known of a piece of an array whose maximum segment sum is wanted.
struct Segment {
  std::int32_t best;
  std::int32_t prefix;
  std::int32_t suffix;
  std::int32_t total;
  friend bool operator==(const Segment&, const Segment&) = default;
};
BIFOLD_STRUCT(Segment, best, prefix, suffix, total);

namespace app {
// An affine map x -> factor * x + offset.
struct Affine {
  std::uint32_t factor;
  std::uint32_t offset;
  friend bool operator==(const Affine&, const Affine&) = default;
};
struct WideAffine {
  std::uint64_t factor;
  std::uint64_t offset;
  friend bool operator==(const WideAffine&, const WideAffine&) = default;
};
// Three values, padded to six times two bytes.
struct Triple {
  std::int16_t low;
  std::int32_t sum;
  std::int16_t high;
  friend bool operator==(const Triple&, const Triple&) = default;
};
struct Pixel {
  std::uint8_t red;
  std::uint8_t green;
  std::uint8_t blue;
  friend bool operator==(const Pixel&, const Pixel&) = default;
};
// As large as elements come.
struct Wide {
  std::uint64_t a, b, c, d, e, f, g, h;
  friend bool operator==(const Wide&, const Wide&) = default;
};
struct Real {
  float x;
  double y;
};
// No BIFOLD_STRUCT makes this one an element.
struct Stranger {
  float x;
};
}  // namespace app
BIFOLD_STRUCT_NAMED(app::Affine, Affine, factor, offset);
BIFOLD_STRUCT_NAMED(app::WideAffine, WideAffine, factor, offset);
BIFOLD_STRUCT_NAMED(app::Triple, Triple, low, sum, high);
BIFOLD_STRUCT_NAMED(app::Pixel, Pixel, red, green, blue);
BIFOLD_STRUCT_NAMED(app::Wide, Wide, a, b, c, d, e, f, g, h);
BIFOLD_STRUCT_NAMED(app::Real, Real, x, y);

namespace bifold {

using app::Affine;
using app::Pixel;
using app::Triple;
using app::Wide;
using app::WideAffine;
using test::failure_of;

static_assert(element<Segment> && element<const Affine> && !builtin_element<Segment>);
static_assert(!element<app::Stranger>);
static_assert(!operator_on<BuiltinOperator<OperatorKind::plus>, Segment>);
static_assert(operator_on<Operator, Segment>);

namespace {

const char* const join_text =
    "make_Segment(max(max(a.best, b.best), a.suffix + b.prefix),"
    " max(a.prefix, a.total + b.prefix), max(b.suffix, b.total + a.suffix), a.total + b.total)";
const char* const segment_text = "make_Segment(max(x, 0), max(x, 0), max(x, 0), x)";

Segment join(const Segment& a, const Segment& b) {
  return {std::max({a.best, b.best, a.suffix + b.prefix}), std::max(a.prefix, a.total + b.prefix),
          std::max(b.suffix, b.total + a.suffix), a.total + b.total};
}
Segment segment_of(std::int32_t x) {
  const std::int32_t positive = std::max(x, 0);
  return {positive, positive, positive, x};
}

template <class M>
M compose(const M& a, const M& b) {
  return {a.factor * b.factor, b.factor * a.offset + b.offset};
}

template <class M>
Operator affine_operator() {
  return Operator::user("compose",
                        "make_" + std::string(name_of(type_of<M>())) +
                            "(a.factor * b.factor, b.factor * a.offset + b.offset)",
                        M{1, 0});
}

std::vector<std::int32_t> signed_numbers(std::size_t n) {
  test::Random random(test::seed());
  std::vector<std::int32_t> numbers(n);
  for (auto& x : numbers) x = static_cast<std::int32_t>(random.between(-1000, 1000));
  return numbers;
}

template <class M>
std::vector<M> affine_maps(std::size_t n) {
  using Field = decltype(M::factor);
  test::Random random(test::seed());
  std::vector<M> maps(n);
  for (auto& x : maps) {
    x = {static_cast<Field>(random.next() | 1U), static_cast<Field>(random.next())};
  }
  return maps;
}

constexpr std::uint64_t lengths[] = {0, 1, 2, 63, 64, 65, 255, 257, 1000, 4097, 100'003};
constexpr std::uint64_t longest = 100'003 + 16;

enum class Sweep : std::uint8_t { rows, families };

// Every row of an algorithm that takes the type and operator, or one of each kernel file.
template <class Body>
int for_supporting_rows(Algorithm algorithm, Type type, const Operator& op, Sweep sweep,
                        Body body) {
  const auto rows = sweep == Sweep::rows
                        ? test::rows_on_device(algorithm, type, op)
                        : test::files_on_device(algorithm, type, op, size_of(type));
  for (const gallery::Variant* row : rows) {
    INFO(row->name);
    body(*row);
  }
  return static_cast<int>(rows.size());
}

template <class In, class Acc, class Combine, class MapOnHost>
int check_reductions(const std::vector<In>& host, const Operator& op, const Acc& init,
                     const Map& map, Sweep sweep, Combine combine, MapOnHost map_on_host) {
  Queue queue(test::device());
  const Buffer<In> input = queue.upload(std::span(host));
  return for_supporting_rows(Algorithm::reduce, type_of<Acc>(), op, sweep, [&](const auto& row) {
    ReduceOptions options;
    options.variant = row.name;
    for (const std::uint64_t n : lengths) {
      const std::uint64_t offset = n % 7;
      INFO("n " << n << ", offset " << offset);
      const Acc expected =
          reference::reduce(std::span(host).subspan(offset, n), init, map_on_host, combine);
      const auto got = transform_reduce(queue, input.view(offset, n), op, init, map, options);
      CHECK((got == expected));
    }
  });
}

template <class T>
T same(const T& x) {
  return x;
}

// Inclusive and exclusive, in place and not, on every row.
template <class M>
void check_affine_scans() {
  Queue queue(test::device());
  // On a GPU also so many that groups which stay have tile after tile.
  std::vector<std::uint64_t> sizes(std::begin(lengths), std::end(lengths));
  if (test::device().info().kind == DeviceKind::gpu) sizes.push_back(2'500'003);
  const auto host = affine_maps<M>(sizes.back() + 16);
  const Buffer<M> input = queue.upload(std::span<const M>(host));
  const Operator op = affine_operator<M>();
  const M init{3, 7};
  const int rows =
      for_supporting_rows(Algorithm::scan, type_of<M>(), op, Sweep::rows, [&](const auto& row) {
        ScanOptions options;
        options.variant = row.name;
        for (const std::uint64_t n : sizes) {
          const std::uint64_t offset = n % 5;
          INFO("n " << n << ", offset " << offset);
          const auto part = std::span<const M>(host).subspan(offset, n);
          std::vector<M> expected(n);
          Buffer<M> output(test::device(), n);
          reference::scan(ScanKind::exclusive, part, std::span(expected), init, same<M>,
                          compose<M>);
          exclusive_scan(queue, input.view(offset, n), output, op, init, options);
          CHECK((queue.download(output) == expected));
          if (!test::device().capabilities().acquire_release && row.requirements.published_words) {
            continue;  // In place is refused there, as its own test says.
          }
          queue.copy(input.view(offset, n), output);
          reference::scan(ScanKind::inclusive, part, std::span(expected), init, same<M>,
                          compose<M>);
          inclusive_scan(queue, output, output, op, init, options);
          CHECK((queue.download(output) == expected));
        }
      });
  CHECK(rows >= 2);
}

}  // namespace

TEST_SUITE_BEGIN("struct");

TEST_CASE("a struct type has the struct's size and alignment") {
  CHECK(size_of(type_of<Triple>()) == 12);
  CHECK(align_of(type_of<Triple>()) == 4);
}

TEST_CASE("the maximum segment sum, its map fused, on every row that keeps index order") {
  const Operator op = Operator::user("join", join_text, Segment{});
  const int rows = check_reductions(signed_numbers(longest), op, Segment{5, 5, 5, 5}, segment_text,
                                    Sweep::rows, join, segment_of);
  CHECK(rows >= 2);  // At least the production row and what it stands for.
}

TEST_CASE("scans of affine maps, inclusive and exclusive, in place and not, on every row") {
  check_affine_scans<Affine>();
  check_affine_scans<WideAffine>();
}

TEST_CASE("fieldwise: several reductions in one pass, padding between the fields") {
  const Operator op = Operator::fieldwise(type_of<Triple>(), {minimum, plus, maximum});
  CHECK(op.commutative());
  const auto combine = [](const Triple& a, const Triple& b) {
    return Triple{std::min(a.low, b.low), a.sum + b.sum, std::max(a.high, b.high)};
  };
  const auto on_host = [](std::int32_t x) {
    return Triple{static_cast<std::int16_t>(x), x, static_cast<std::int16_t>(x)};
  };
  const int rows = check_reductions(signed_numbers(longest), op, Triple{50, 1, -50},
                                    "make_Triple(x, x, x)", Sweep::rows, combine, on_host);
  CHECK(rows >= 4);
}

TEST_CASE("elements of three bytes and of sixty-four") {
  test::Random random(test::seed());
  std::vector<Pixel> pixels(longest);
  for (Pixel& p : pixels) {
    const std::uint64_t bits = random.next();
    std::memcpy(&p, &bits, sizeof p);
  }
  const auto mix = [](const Pixel& a, const Pixel& b) {
    return Pixel{static_cast<std::uint8_t>(a.red + b.red),
                 static_cast<std::uint8_t>(a.green ^ b.green), std::max(a.blue, b.blue)};
  };
  CHECK(check_reductions(pixels, Operator::fieldwise(type_of<Pixel>(), {plus, bit_xor, maximum}),
                         Pixel{1, 2, 3}, {}, Sweep::families, mix, same<Pixel>) >= 4);

  std::vector<Wide> wide(longest);
  for (Wide& w : wide) {
    w = {random.next(), random.next(), random.next(), random.next(),
         random.next(), random.next(), random.next(), random.next()};
  }
  const auto add = [](const Wide& a, const Wide& b) {
    return Wide{a.a + b.a, a.b ^ b.b, std::max(a.c, b.c), std::min(a.d, b.d),
                a.e * b.e, a.f & b.f, a.g | b.g,          a.h + b.h};
  };
  CHECK(check_reductions(wide,
                         Operator::fieldwise(type_of<Wide>(), {plus, bit_xor, maximum, minimum,
                                                               multiplies, bit_and, bit_or, plus}),
                         Wide{1, 2, 3, 4, 5, 6, 7, 8}, {}, Sweep::families, add, same<Wide>) >= 4);
}

TEST_CASE("a map of numbers, into a wider accumulator, on every row") {
  const auto square = [](std::int32_t x) { return std::int64_t{x} * x; };
  const int rows = check_reductions(signed_numbers(longest), plus, std::int64_t{11}, "(i64)x * x",
                                    Sweep::families, std::plus<>{}, square);
  CHECK(rows >= 4);
}

TEST_CASE("a map decides for a logical operator, and maps of one operator keep apart") {
  Queue queue(test::device());
  const std::vector<std::int32_t> host{1, 5, 7, 9};
  const auto input = queue.upload(std::span<const std::int32_t>(host));
  CHECK(transform_reduce(queue, input, logical_and, 1, "x > 0") == 1);
  CHECK(transform_reduce(queue, input, logical_and, 1, "x > 1") == 0);
  CHECK(transform_reduce(queue, input, logical_or, 0, "x == 7") == 1);
  CHECK(transform_reduce(queue, input, plus, 0, "x > 5") == 2);
  CHECK(transform_reduce(queue, input, plus, 0, "x") == 22);
  CHECK(reduce(queue, input, plus, 0) == 22);
}

// Offsets count whole elements, and twelve bytes divide no place where scratch starts.
TEST_CASE("scratch for structs keeps to its part of a workspace") {
  Queue queue(test::device());
  const auto host = signed_numbers(longest);
  const auto input = queue.upload(std::span<const std::int32_t>(host));
  const Operator op = Operator::fieldwise(type_of<Triple>(), {minimum, plus, maximum});
  const Map map("make_Triple(x, x, x)");
  Buffer<Triple> result(test::device(), 1);
  for_supporting_rows(Algorithm::reduce, type_of<Triple>(), op, Sweep::rows, [&](const auto& row) {
    const ReducePlan plan(test::device(), {Type::i32, type_of<Triple>(), op, row.name, map});
    const std::uint64_t n = 10'007;
    const std::uint64_t bytes = plan.workspace_bytes(n);
    constexpr std::uint64_t guard = 300;
    Buffer<std::uint8_t> memory(test::device(), bytes + 2 * guard);
    queue.fill(memory, 0xa5);
    Workspace workspace(memory.view(guard, bytes));
    workspace.prepare(queue);
    const core::Scratch scratch = core::layout(test::device(), workspace.memory());
    ReduceOptions options;
    options.workspace = &workspace;
    plan.run(queue, input.view(0, n), result, Triple{0, 0, 0}, options);
    const Triple got = queue.download(result).front();
    CHECK(got.sum == std::accumulate(host.begin(), host.begin() + 10'007, 0));
    const auto after = queue.download(memory);
    const auto all = [&](std::uint64_t begin, std::uint64_t end, std::uint8_t value) {
      return std::all_of(after.begin() + static_cast<std::ptrdiff_t>(begin),
                         after.begin() + static_cast<std::ptrdiff_t>(end),
                         [value](std::uint8_t byte) { return byte == value; });
    };
    CHECK(all(0, guard, 0xa5));
    CHECK(all(guard + bytes, guard + bytes + guard, 0xa5));
    // On devices whose memory has addresses the offsets count from within the workspace.
    if (scratch.memory.handle == memory.view().memory().handle) {
      CHECK(all(scratch.tagged_offset, scratch.tagged_offset + scratch.tagged_bytes, 0));
    }
  });
}

TEST_CASE("fill, copy and an empty reduction of structs") {
  Queue queue(test::device());
  const auto check = [&queue]<class T>(const T& value, const Operator& op) {
    for (const std::uint64_t n : {1ULL, 2ULL, 7ULL, 1000ULL}) {
      Buffer<T> buffer(test::device(), n + 2);
      queue.fill(buffer, T{});
      queue.fill(buffer.view(1, n), value);
      const std::vector<T> got = queue.download(buffer);
      CHECK((got.front() == T{}));
      CHECK((got.back() == T{}));
      CHECK(std::count(got.begin(), got.end(), value) == static_cast<std::ptrdiff_t>(n));
      CHECK((reduce(queue, buffer.view(0, 0), op, value) == value));
    }
  };
  check(Triple{-3, 70'000, 9}, Operator::fieldwise(type_of<Triple>(), {plus, plus, plus}));
  check(Pixel{1, 2, 3}, Operator::fieldwise(type_of<Pixel>(), {plus, plus, plus}));
  check(Affine{5, 6}, affine_operator<Affine>());
  check(Segment{1, 2, 3, 4}, Operator::user("join", join_text, Segment{}));
}

TEST_CASE("what no text or type can mean is refused in words") {
  Queue queue(test::device());
  const Buffer<std::int32_t> numbers(test::device(), 4);
  const Operator op = Operator::user("join", join_text, Segment{});
  auto failure = failure_of([&] { (void)reduce(queue, numbers, op, Segment{}); });
  CHECK(failure.category == ErrorCategory::invalid_argument);
  CHECK(failure.mentions("only a map makes Segment of i32"));

  failure = failure_of(
      [&] { (void)transform_reduce(queue, numbers, op, Segment{}, "make_Segment(x, x, x, q)"); });
  CHECK(failure.category == ErrorCategory::invalid_argument);
  CHECK(failure.mentions("map: \"make_Segment(x, x, x, q)\", column 23: \"q\""));

  for (const char* text : {"", "x;", "x = 1", "f(x", "\"x\"", "#x"}) {
    failure = failure_of([&] { (void)Map(text); });
    CHECK_MESSAGE(failure.category == ErrorCategory::invalid_argument, text);
    CHECK(failure.mentions("map"));
  }

  for (const auto& operators : {std::vector<Operator>{plus, plus},
                                std::vector<Operator>{plus, plus, affine_operator<Affine>()}}) {
    failure = failure_of([&] { (void)Operator::fieldwise(type_of<Triple>(), operators); });
    CHECK(failure.category == ErrorCategory::invalid_argument);
    CHECK(failure.mentions("Triple"));
  }
  failure = failure_of([&] { (void)Operator::fieldwise(Type::i32, {plus}); });
  CHECK(failure.mentions("no struct"));
  failure = failure_of([&] { (void)Operator::fieldwise(type_of<app::Real>(), {plus, bit_or}); });
  CHECK(failure.mentions("bit_or"));

  // The erased call meets what the typed one does not compile.
  const Buffer<Segment> segments(test::device(), 4);
  failure = failure_of([&] { (void)reduce(queue, erase(segments), plus, Value(Segment{})); });
  CHECK(failure.category == ErrorCategory::invalid_argument);
  CHECK(failure.mentions("plus"));
  CHECK(failure.mentions("Segment"));
}

TEST_CASE("a struct that the kernel compiler lays out otherwise is a build failure") {
  const auto failure = failure_of([] { test::build_packed(test::device()); });
  CHECK(failure.category == ErrorCategory::build_failure);
  CHECK(failure.log.find("userlayout_Packed") != std::string::npos);
}

TEST_CASE("a struct with a double needs a device that has doubles") {
  CHECK(test::device().supports(type_of<app::Real>()) == test::device().supports(Type::f64));
}

TEST_SUITE_END();

}  // namespace bifold
