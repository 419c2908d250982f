// Scalars on every row, and by every name that a compiler or a kernel knows.
#include <doctest/doctest.h>

#include <algorithm>
#include <bifold/bifold.hpp>
#include <string>
#include <vector>

#include "support/cases/affordable.hpp"
#include "support/cases/hard_names.hpp"
#include "support/cases/rows.hpp"
#include "support/environment.hpp"

namespace bifold {

namespace {

std::vector<std::int32_t> numbers(std::size_t count) {
  std::vector<std::int32_t> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = static_cast<std::int32_t>(i * 7919 % 2003) - 1000;
  }
  return values;
}

std::vector<std::size_t> lengths() {
  if (test::simulated()) return {1, 1000, 4097};
  return {1, 33, 1000, 4097, 70'001};
}

const Map scaled("(i32)((u32)x * k)", {{"k", Type::u32}});
const ResultMap moved("s + d", {{"d", Type::i32}});
/// The sum, and a text whose scalar is 0.
const Operator sum = Operator::user("sum", "(i32)((u32)a + (u32)b + nothing)", Value(0),
                                    Commutativity::commutative, {{"nothing", Type::u32}});

}  // namespace

TEST_SUITE_BEGIN("scalars_rows");

TEST_CASE("reductions and scans with scalars in all texts, on every row") {
  Queue queue(test::device());
  const auto host = numbers(70'010);
  const auto data = queue.upload(std::span<const std::int32_t>(host));
  auto cells = queue.upload(std::span<const std::int32_t>(std::vector<std::int32_t>{0, 77, 0}));
  auto out = queue.allocate<std::int32_t>(host.size());
  // The last scalar is in device memory for every other row.
  std::size_t turn = 0;
  for (const Algorithm algorithm : {Algorithm::reduce, Algorithm::scan}) {
    std::size_t ran = 0;
    const auto of_sum = test::families_on_device(algorithm, Type::i32, sum);
    for (const Operator& op : {Operator(plus), sum}) {
      for (const auto* row : test::families_on_device(algorithm, Type::i32, op)) {
        // A user's operator has scalars of its own. What takes none of those runs a built-in one.
        const bool takes_sum = std::find(of_sum.begin(), of_sum.end(), row) != of_sum.end();
        if (takes_sum != (op == sum)) continue;
        const bool from = turn++ % 2 == 0;
        core::PlanShape shape{.input = Type::i32,
                              .accumulator = Type::i32,
                              .output = Type::i32,
                              .op = op,
                              .map = scaled,
                              .result_map = moved};
        shape.on_device.scalars = from ? (op == sum ? 4 : 2) : 0;
        if (!test::takes(*row, shape)) continue;
        ++ran;
        for (const std::size_t n : lengths()) {
          for (const std::uint32_t k : {3U, 0xfffffffeU}) {
            std::vector<Scalar> scalars{{"k", k}};
            if (op == sum) scalars.emplace_back("nothing", 0U);
            if (from) {
              scalars.emplace_back("d", cells.view(1, 1));
            } else {
              scalars.emplace_back("d", 77);
            }
            const ErasedView input = erase(data.view(n % 5, n));
            std::vector<std::int32_t> want(n);
            std::uint32_t all = 0;
            for (std::size_t i = 0; i < n; ++i) {
              all += static_cast<std::uint32_t>(host[i + n % 5]) * k;
              want[i] = static_cast<std::int32_t>(all + 77);
            }
            CAPTURE(row->name);
            CAPTURE(n);
            CAPTURE(k);
            if (algorithm == Algorithm::scan) {
              transform_scan(queue, ScanKind::inclusive, input, erase(out.view(0, n)), op, {},
                             scaled,
                             {.variant = row->name, .result_map = moved, .scalars = scalars});
              CHECK(queue.download(out.view(0, n)) == want);
            } else {
              transform_reduce_into(
                  queue, input, erase(out.view(0, 1)), op, {}, scaled,
                  {.variant = row->name, .result_map = moved, .scalars = scalars});
              CHECK(queue.download(out.view(0, 1))[0] == want.back());
            }
          }
        }
      }
    }
    CHECK(ran > 5);
  }
}

TEST_CASE("any name that is no word of texts may be a scalar's") {
  Queue queue(test::device());
  const std::vector<std::int32_t> host{5};
  const auto data = queue.upload(std::span<const std::int32_t>(host));
  std::vector<std::string> names;
  for (const std::string& name : test::hard_names()) {
    try {
      const Map map(name, {{name, Type::i32}});
      const ResultMap result(name, {{name, Type::i32}});
      static_cast<void>(Operator::user("any", "a + " + name, Type::i32, {}, {{name, Type::i32}}));
      names.push_back(name);
    } catch (const Error&) {
    }
  }
  CHECK(names.size() > 280);
  for (std::size_t at = 0; at < names.size();) {
    std::int32_t value = 1;
    std::int32_t want = 0;
    std::vector<Scalar> scalars;
    const auto text_of = [&](std::string text, std::vector<ScalarType>& declared) {
      for (; declared.size() < max_scalars && at < names.size(); ++at, value = value * 3 % 1009) {
        declared.push_back({names[at], Type::i32});
        scalars.emplace_back(names[at], value);
        text += " + " + names[at];
        want += value;
      }
      return text;
    };
    std::vector<ScalarType> in_map;
    std::vector<ScalarType> in_result;
    const std::string map = text_of("x", in_map);
    const std::string result = text_of("s", in_result);
    CHECK_MESSAGE(
        transform_reduce(queue, data, plus, 0, Map(map, in_map),
                         {.result_map = {result, in_result}, .scalars = scalars}) == 5 + want,
        map, ", ", result);
  }
}

TEST_SUITE_END();

}  // namespace bifold
