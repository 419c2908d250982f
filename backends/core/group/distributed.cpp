#include <algorithm>
#include <bifold/error.hpp>
#include <bifold/group/distributed.hpp>
#include <bit>
#include <string>
#include <utility>

#include "core/call/map_errors.hpp"
#include "core/call/reduce_many.hpp"
#include "core/call/reductions.hpp"
#include "core/group/group_call.hpp"
#include "core/group/group_reduce.hpp"
#include "core/group/group_scan.hpp"
#include "core/operators/map.hpp"
#include "core/slices/split.hpp"

namespace bifold {

namespace {

// A process without slices has no type to ask for; the call refuses it on every rank.
Type element_of(const std::vector<Slice>& slices) {
  return slices.empty() ? Type() : slices.front().input.type;
}

bool is_alone(const Group& group, std::size_t slices) { return group.size() == 1 && slices == 1; }

Value reduce_alone(const Slice& slice, const core::GroupReduction& asked) {
  Queue queue = slice.queue;
  ReduceOptions options;
  options.order = asked.order;
  if (asked.init && asked.of_nothing) {
    return core::transform_reduce(queue, slice.input, asked.op, {*asked.init, *asked.of_nothing},
                                  asked.map, options);
  }
  if (slice.second) {
    return transform_reduce(queue, slice.input, *slice.second, asked.result, asked.op, asked.init,
                            asked.map, options);
  }
  return transform_reduce(queue, slice.input, asked.result, asked.op, asked.init, asked.map,
                          options);
}

Value reduce_all(Group& group, const std::vector<Slice>& slices,
                 const core::GroupReduction& asked) {
  if (is_alone(group, slices.size())) return reduce_alone(slices.front(), asked);
  return core::reduce_over(group, slices, asked);
}

// What is found in elements of a type.
core::GroupReduction first_of(Type element, const Operator& op, Order order) {
  const Type result = core::indexed_type(element);
  return {.result = result,
          .op = op,
          .map = core::indexed_map(element),
          .order = order,
          .index_at = result.structure()->fields[1].offset};
}

// A reduction has no other accumulator than its result's.
void refuse_accumulate(const DistributedOptions& options) {
  if (!options.accumulate) return;
  throw Error(ErrorCategory::invalid_argument, "accumulate: of calls over groups, scans take it");
}

void refuse_second(const std::vector<Slice>& slices) {
  for (const Slice& slice : slices) {
    if (!slice.second) continue;
    throw Error(ErrorCategory::invalid_argument, "reduce_many: a slice has a second array");
  }
}

}  // namespace

std::vector<std::uint64_t> even_split(std::uint64_t n, std::uint32_t ranks,
                                      const ReduceShape& shape) try {
  std::uint64_t unit = core::unit_of_reduction(shape.op, shape.accumulator, shape.order);
  // Slices that begin with large nodes have few of them.
  if (unit > 1 && ranks > 0) {
    unit *= std::bit_floor(std::max<std::uint64_t>(n / unit / ranks / 32, 1));
  }
  return core::even_offsets(n, ranks, unit);
} catch (...) {
  detail::rethrow();
}

std::vector<std::uint64_t> even_split(std::uint64_t n, std::uint32_t ranks,
                                      const ScanShape& shape) try {
  return core::even_offsets(n, ranks, core::unit_of_scan(shape.op, shape.accumulator, shape.order));
} catch (...) {
  detail::rethrow();
}

Value transform_reduce(Group& group, const std::vector<Slice>& slices, Type result,
                       const Operator& op, const std::optional<Value>& init, const Map& map,
                       const DistributedOptions& options) try {
  core::prepared_over(group, [&] { refuse_accumulate(options); });
  return reduce_all(group, slices,
                    {.result = result, .op = op, .init = init, .map = map, .order = options.order});
} catch (...) {
  detail::rethrow();
}

Value reduce(Group& group, const std::vector<Slice>& slices, const Operator& op, const Value& init,
             const DistributedOptions& options) {
  return transform_reduce(group, slices, init.type(), op, init, {}, options);
}

Value argmin(Group& group, const std::vector<Slice>& slices,
             const DistributedOptions& options) try {
  return reduce_all(group, slices, core::prepared_over(group, [&] {
                      refuse_accumulate(options);
                      const Type element = element_of(slices);
                      return first_of(element, argmin_operator(element), options.order);
                    }));
} catch (...) {
  detail::rethrow();
}

Value argmax(Group& group, const std::vector<Slice>& slices,
             const DistributedOptions& options) try {
  return reduce_all(group, slices, core::prepared_over(group, [&] {
                      refuse_accumulate(options);
                      const Type element = element_of(slices);
                      return first_of(element, argmax_operator(element), options.order);
                    }));
} catch (...) {
  detail::rethrow();
}

Value minmax(Group& group, const std::vector<Slice>& slices,
             const DistributedOptions& options) try {
  return reduce_all(group, slices, core::prepared_over(group, [&] {
                      refuse_accumulate(options);
                      const Type element = element_of(slices);
                      return core::GroupReduction{.result = core::minmax_type(element),
                                                  .op = minmax_operator(element),
                                                  .map = core::minmax_map(element),
                                                  .order = options.order};
                    }));
} catch (...) {
  detail::rethrow();
}

std::uint64_t count_if(Group& group, const std::vector<Slice>& slices, const Map& predicate,
                       const DistributedOptions& options) try {
  const Operator op = plus;
  const Map map = core::prepared_over(group, [&] {
    refuse_accumulate(options);
    return core::counting_map(predicate);
  });
  return core::naming({{op, Type::u64, predicate}}, element_of(slices), [&] {
    return reduce_all(group, slices,
                      {.result = Type::u64, .op = op, .map = map, .order = options.order})
        .as<std::uint64_t>();
  });
} catch (...) {
  detail::rethrow();
}

std::vector<Value> reduce_many(Group& group, const std::vector<Slice>& slices,
                               const std::vector<Reduction>& reductions,
                               const DistributedOptions& options) try {
  const auto joined = core::prepared_over(group, [&] {
    refuse_accumulate(options);
    refuse_second(slices);
    const Type type = core::joined_type(reductions);
    return std::pair(type, core::join(element_of(slices), type, reductions));
  });
  const Type type = joined.first;
  const core::Joined& all = joined.second;
  const Value result = core::naming(reductions, element_of(slices), [&] {
    return reduce_all(group, slices,
                      {.result = type,
                       .op = all.op,
                       .init = all.beginning.init,
                       .map = all.map,
                       .order = options.order,
                       .of_nothing = all.beginning.of_nothing});
  });
  std::vector<Value> values;
  for (const StructField& field : type.structure()->fields) {
    values.push_back(Value::from_bytes(field.type, result.data() + field.offset));
  }
  return values;
} catch (...) {
  detail::rethrow();
}

void transform_scan(Group& group, ScanKind kind, const std::vector<ScanSlice>& slices,
                    const Operator& op, const std::optional<Value>& init, const Map& map,
                    const DistributedOptions& options) try {
  if (!is_alone(group, slices.size())) {
    return core::scan_over(group, slices, {kind, op, init, map, options});
  }
  ScanOptions alone;
  alone.order = options.order;
  alone.accumulate = options.accumulate;
  alone.total = slices.front().total;
  Queue queue = slices.front().queue;
  transform_scan(queue, kind, slices.front().input, slices.front().output, op, init, map, alone);
} catch (...) {
  detail::rethrow();
}

void scan(Group& group, ScanKind kind, const std::vector<ScanSlice>& slices, const Operator& op,
          const std::optional<Value>& init, const DistributedOptions& options) {
  transform_scan(group, kind, slices, op, init, {}, options);
}

}  // namespace bifold
