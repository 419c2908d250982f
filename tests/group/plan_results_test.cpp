// Plans over a group of what is found or counted, and of several reductions at once: as one device
// says, whatever the split.
#include <doctest/doctest.h>

#include <bifold/bifold.hpp>
#include <bifold/group/group_plans.hpp>
#include <cstring>

#include "group/cuts.hpp"
#include "group/queue_transport.hpp"
#include "support/errors.hpp"
#include "support/values/arithmetic.hpp"

namespace bifold {

namespace {

using test::Offsets;
using test::QueueTransport;
using test::Sliced;

struct SumAndMost {
  float sum;
  std::uint64_t most;
};

// Calls body(group, slices, shares) for splits that are hard, over both kinds of transports.
template <class Body>
void over_groups(Sliced<float>& data, std::uint64_t n, const Body& body) {
  for (const Offsets& offsets : test::cuts(n, 4096, 2)) {
    CAPTURE(test::text_of(offsets));
    const std::vector<Slice> slices = data.slices(offsets);
    std::vector<Share> shares;
    for (const Slice& slice : slices) shares.push_back({slice.queue, slice.input.count});
    for (const bool streams : {false, true}) {
      CAPTURE(streams);
      const auto ranks = static_cast<std::uint32_t>(slices.size());
      Group group =
          streams ? Group(std::make_shared<QueueTransport>(ranks)) : Group::in_process(ranks);
      body(group, slices, shares);
    }
  }
}

}  // namespace

TEST_SUITE_BEGIN("group_plans");

TEST_CASE("planned extremes and counts over a group are those of one device") {
  const auto host = test::drawn(test::sums<float>(), 20'000);
  Sliced<float> data(host);
  const MinMax<float> extremes = minmax(data.queue(0), data.input());
  const std::uint64_t count = count_if(data.queue(0), data.input(), "x > 0");
  REQUIRE(count > 0);
  over_groups(data, host.size(), [&](Group& group, const auto& slices, const auto& shares) {
    auto minmax_of = GroupReducePlan::minmax(group, Type::f32, shares);
    auto count_of = GroupReducePlan::count_if(group, Type::f32, "x > 0", shares);
    CHECK(minmax_of.run(slices).template as<MinMax<float>>() == extremes);
    CHECK(count_of.run(slices) == Value(count));
  });
}

TEST_CASE("several planned reductions over a group are read once, with the bits of one device") {
  const auto host = test::drawn(test::sums<float>(), 20'000);
  Sliced<float> data(host);
  const std::vector<Reduction> reductions{{plus, Type::f32, {}, 0.5F},
                                          {maximum, Type::u64, "x > 0 ? 7 : 3"}};
  const std::vector<Value> want = reduce_many(data.queue(0), erase(data.input()), reductions);
  const std::vector<StructField> fields{{"sum", Type::f32, offsetof(SumAndMost, sum)},
                                        {"most", Type::u64, offsetof(SumAndMost, most)}};
  const Type own(StructType{"SumAndMost", sizeof(SumAndMost), fields});
  over_groups(data, host.size(), [&](Group& group, const auto& slices, const auto& shares) {
    for (const std::optional<Type>& result : {std::optional<Type>(), std::optional<Type>(own)}) {
      auto plan = GroupReducePlan::reduce_many(group, Type::f32, reductions, shares, result);
      const Value all = plan.run(slices);
      CHECK((!result || all.type() == own));
      for (std::size_t i = 0; i < want.size(); ++i) {
        const StructField& field = all.type().structure()->fields[i];
        CHECK(Value::from_bytes(field.type, all.data() + field.offset) == want[i]);
      }
    }
  });
}

TEST_CASE("what plans find in nothing, one device finds, too") {
  Sliced<float> data(std::vector<float>(4, 1.0F));
  const auto none = data.slices({0, 0, 0});
  const std::vector<Share> shares{{none[0].queue, 0}, {none[1].queue, 0}};
  for (const bool streams : {false, true}) {
    Group group = streams ? Group(std::make_shared<QueueTransport>(2)) : Group::in_process(2);
    CHECK(GroupReducePlan::count_if(group, Type::f32, "x > 0", shares).run(none) ==
          Value(std::uint64_t{0}));
    const Value sums =
        GroupReducePlan::reduce_many(group, Type::f32,
                                     {{plus, Type::f32}, {plus, Type::f64, {}, 2.5}}, shares)
            .run(none);
    const auto fields = sums.type().structure()->fields;
    CHECK(Value::from_bytes(Type::f64, sums.data() + fields[1].offset) == Value(2.5));
  }
}

TEST_CASE("plans of several reductions, and of counts, refuse what calls refuse") {
  Sliced<float> data(std::vector<float>(4, 1.0F));
  const auto slices = data.slices({0, 2, 4});
  const std::vector<Share> shares{{slices[0].queue, 2}, {slices[1].queue, 2}};
  Group group = Group::in_process(2);
  const auto refused = [&](const std::string& words, const std::function<void()>& body) {
    const test::Failure failure = test::failure_of(body);
    CHECK(failure.category == ErrorCategory::invalid_argument);
    CHECK_MESSAGE(failure.mentions(words), failure.what);
  };
  refused("0 reductions; 1 to 8 are possible",
          [&] { GroupReducePlan::reduce_many(group, Type::f32, {}, shares); });
  refused("does not convert to an integer type", [&] {
    GroupReducePlan::reduce_many(group, Type::f32, {{plus, Type::i32}}, shares);
  });
  refused("the fields of", [&] {
    GroupReducePlan::reduce_many(group, Type::f32, {{plus, Type::f32}}, shares,
                                 type_of<MinMax<float>>());
  });
  refused("is no word of", [&] { GroupReducePlan::count_if(group, Type::f32, "q > 0", shares); });
}

TEST_SUITE_END();

}  // namespace bifold
