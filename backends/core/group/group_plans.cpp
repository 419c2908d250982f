#include <algorithm>
#include <bifold/error.hpp>
#include <bifold/group/group_plans.hpp>
#include <bifold/reductions.hpp>
#include <mutex>
#include <string>
#include <utility>

#include "core/base/process.hpp"
#include "core/call/map_errors.hpp"
#include "core/call/reduce_many.hpp"
#include "core/call/reductions.hpp"
#include "core/device/ranges.hpp"
#include "core/device/state.hpp"
#include "core/group/group_call.hpp"
#include "core/group/group_reduce.hpp"
#include "core/group/group_scan.hpp"
#include "core/group/stream_reduction.hpp"
#include "core/group/stream_scan.hpp"
#include "core/operators/map.hpp"
#include "core/shape/check_shape.hpp"

namespace bifold {

namespace {

// But for a scan's total.
void refuse_extras(std::string_view variant, DeviceValues on_device, bool scans, bool others) {
  if (scans) on_device.total = false;
  if (variant == "production" && !on_device.any() && !others) return;
  throw Error(
      ErrorCategory::unsupported,
      "over a group there are no lines, segments, keys, reverse scans, variants, result maps, "
      "several outputs, more inputs and values in device memory");
}

// The struct that several reductions leave: the one that is asked for, or one of their own.
Type fields_of(const std::vector<Reduction>& reductions, const std::optional<Type>& asked) {
  if (!asked) return core::joined_type(reductions);
  core::check_fields(*asked, reductions);
  return *asked;
}

// What a shape of either kind has that calls over a group have not.
template <class Shape>
bool has_others(const Shape& shape) {
  if constexpr (requires { shape.segments; }) {
    if (shape.segments || shape.keys) return true;
  }
  if (shape.lines || !shape.result_map.is_identity()) return true;
  return !shape.more_outputs.empty() || !shape.more_inputs.empty();
}

ErasedView without_memory(std::uint64_t count, Type type) { return {{}, 0, count, type, true}; }

// Waits for the work of a plan over a StreamTransport; a failure ends the group. What a failed run
// has left on the queues is waited for, too.
void finish(const Group& group, const std::vector<Queue>& queues) {
  StreamTransport* const transport = group.state().streams;
  if (transport == nullptr) {
    for (Queue queue : queues) queue.finish(group.state().deadline);
    return;
  }
  core::GroupCall call(group, queues.size(), core::Numbered::no, core::OutOfUse::allowed);
  for (const Queue& queue : queues) {
    const std::lock_guard lock(queue.state().mutex);
    core::refuse_in_graph(queue.state(), "waiting for a plan over a group");
  }
  try {
    transport->finish(queues, call.deadline());
  } catch (...) {
    call.refuse_out_of_use();
    call.end_group();
  }
  call.refuse_out_of_use();
}

std::vector<Queue> queues_of(const std::vector<Share>& shares) {
  std::vector<Queue> queues;
  queues.reserve(shares.size());
  for (const Share& share : shares) queues.push_back(share.queue);
  return queues;
}

}  // namespace

struct detail::GroupReduction {
  Group group;
  Operator op;
  Map map;
  core::GroupReduction asked;
  std::vector<Queue> queues;
  core::PlannedReduction planned;
  std::vector<core::DeviceArray> results;  // For those that go to the host.

  // Of what the shape does not tell.
  struct Besides {
    std::optional<std::size_t> index_at{};
    std::optional<Value> of_nothing{};
  };

  GroupReduction(Group& over, const ReduceShape& shape, const std::vector<Share>& shares,
                 const std::optional<Value>& init, const Besides& besides)
      : group(over),
        op(core::prepared_over(over, [&] { return shape.op; })),
        map(core::prepared_over(over, [&] { return shape.map; })),
        asked{.result = shape.result.value_or(shape.accumulator),
              .op = op,
              .init = init,
              .map = map,
              .order = shape.order,
              .of_nothing = besides.of_nothing,
              .index_at = besides.index_at,
              .accumulator = shape.accumulator},
        queues(queues_of(shares)) {
    core::prepared_over(over, [&] {
      refuse_extras(shape.variant, shape.on_device, false, has_others(shape));
      core::check_shape({.input = shape.input,
                         .accumulator = shape.accumulator,
                         .output = asked.result,
                         .op = op,
                         .map = map,
                         .order = shape.order,
                         .second = shape.second});
      for (const Share& share : shares) {
        results.emplace_back(share.queue.device(), 1, asked.result);
      }
      return true;
    });
    std::vector<Slice> slices;
    for (const Share& share : shares) {
      Slice slice{share.queue, without_memory(share.count, shape.input)};
      if (shape.second) slice.second = without_memory(share.count, *shape.second);
      slices.push_back(std::move(slice));
    }
    core::plan_over(group, slices, asked, planned);
  }

  void run(const std::vector<Slice>& slices, const std::vector<ErasedView>& into) {
    if (group.state().streams != nullptr) {
      core::enqueue_over(group, slices, asked, planned, into);
    } else {
      static_cast<void>(core::run_over(group, slices, asked, planned, &into));
    }
  }

  Value run(const std::vector<Slice>& slices) {
    if (group.state().streams == nullptr) {
      return core::run_over(group, slices, asked, planned, nullptr);
    }
    std::vector<ErasedView> into;
    into.reserve(results.size());
    for (const core::DeviceArray& result : results) into.push_back(result.view());
    core::enqueue_over(group, slices, asked, planned, into);
    bifold::finish(group, queues);
    const std::vector<std::byte> bytes = core::download(queues.front(), into.front());
    return Value::from_bytes(asked.result, bytes.data());
  }
};

struct detail::GroupScan {
  Group group;
  Operator op;
  Map map;
  std::optional<Value> init;
  DistributedOptions options;
  core::GroupScan asked;
  std::vector<Queue> queues;
  core::PlannedScan planned;

  GroupScan(Group& over, const ScanShape& shape, const std::vector<Share>& shares,
            const std::optional<Value>& first)
      : group(over),
        op(core::prepared_over(over, [&] { return shape.op; })),
        map(core::prepared_over(over, [&] { return shape.map; })),
        init(first),
        options{.order = shape.order, .accumulate = shape.accumulator},
        asked{shape.kind, op, init, map, options},
        queues(queues_of(shares)) {
    core::prepared_over(over, [&] {
      refuse_extras(shape.variant, shape.on_device, true, shape.reverse || has_others(shape));
      return true;
    });
    std::vector<ScanSlice> slices;
    for (const Share& share : shares) {
      ScanSlice slice{share.queue, without_memory(share.count, shape.input),
                      without_memory(share.count, shape.output)};
      if (shape.on_device.total) slice.total = without_memory(1, shape.accumulator);
      slices.push_back(std::move(slice));
    }
    core::plan_over(group, slices, asked, planned);
  }

  void run(const std::vector<ScanSlice>& slices) {
    if (group.state().streams != nullptr) {
      core::enqueue_over(group, slices, asked, planned);
    } else {
      core::run_over(group, slices, asked, planned);
    }
  }
};

namespace {

ReduceShape shape_of_first(Type element, const Operator& op) {
  const Type found = core::indexed_type(element);
  return {.input = element, .accumulator = found, .op = op, .map = core::indexed_map(element)};
}

std::shared_ptr<detail::GroupReduction> plan_first(Group& group, Type element, bool greatest,
                                                   const std::vector<Share>& shares) {
  const ReduceShape shape = core::prepared_over(group, [&] {
    return shape_of_first(element, greatest ? argmax_operator(element) : argmin_operator(element));
  });
  return std::make_shared<detail::GroupReduction>(
      group, shape, shares, std::nullopt,
      detail::GroupReduction::Besides{shape.accumulator.structure()->fields[1].offset});
}

}  // namespace

GroupReducePlan::GroupReducePlan(Group& group, const ReduceShape& shape,
                                 const std::vector<Share>& shares,
                                 const std::optional<Value>& init) try
    : plan_(std::make_shared<detail::GroupReduction>(group, shape, shares, init,
                                                     detail::GroupReduction::Besides{})) {
} catch (...) {
  detail::rethrow();
}

GroupReducePlan::GroupReducePlan(std::shared_ptr<detail::GroupReduction> plan)
    : plan_(std::move(plan)) {}

GroupReducePlan GroupReducePlan::argmin(Group& group, Type element,
                                        const std::vector<Share>& shares) try {
  return GroupReducePlan(plan_first(group, element, false, shares));
} catch (...) {
  detail::rethrow();
}

GroupReducePlan GroupReducePlan::argmax(Group& group, Type element,
                                        const std::vector<Share>& shares) try {
  return GroupReducePlan(plan_first(group, element, true, shares));
} catch (...) {
  detail::rethrow();
}

GroupReducePlan GroupReducePlan::minmax(Group& group, Type element,
                                        const std::vector<Share>& shares) try {
  const ReduceShape shape = core::prepared_over(group, [&] {
    return ReduceShape{.input = element,
                       .accumulator = core::minmax_type(element),
                       .op = minmax_operator(element),
                       .map = core::minmax_map(element)};
  });
  return {group, shape, shares};
} catch (...) {
  detail::rethrow();
}

GroupReducePlan GroupReducePlan::count_if(Group& group, Type element, const Map& predicate,
                                          const std::vector<Share>& shares) try {
  const ReduceShape shape = core::prepared_over(group, [&] {
    return ReduceShape{
        .input = element, .accumulator = Type::u64, .map = core::counting_map(predicate)};
  });
  return core::naming({{plus, Type::u64, predicate}}, element,
                      [&] { return GroupReducePlan(group, shape, shares); });
} catch (...) {
  detail::rethrow();
}

GroupReducePlan GroupReducePlan::reduce_many(Group& group, Type element,
                                             const std::vector<Reduction>& reductions,
                                             const std::vector<Share>& shares,
                                             const std::optional<Type>& result) try {
  const auto prepared = core::prepared_over(group, [&] {
    const Type fields = fields_of(reductions, result);
    return std::pair(fields, core::join(element, fields, reductions));
  });
  const auto& all = prepared.second;
  const ReduceShape shape{
      .input = element, .accumulator = prepared.first, .op = all.op, .map = all.map};
  const detail::GroupReduction::Besides besides{{}, all.beginning.of_nothing};
  return core::naming(reductions, element, [&] {
    return GroupReducePlan(std::make_shared<detail::GroupReduction>(group, shape, shares,
                                                                    all.beginning.init, besides));
  });
} catch (...) {
  detail::rethrow();
}

detail::GroupReduction& GroupReducePlan::plan() const {
  if (!plan_) core::refuse_moved_from("GroupReducePlan");
  core::refuse_forked();
  return *plan_;
}

void GroupReducePlan::run(const std::vector<Slice>& slices,
                          const std::vector<ErasedView>& results) try {
  plan().run(slices, results);
} catch (...) {
  detail::rethrow();
}

Value GroupReducePlan::run(const std::vector<Slice>& slices) try {
  return plan().run(slices);
} catch (...) {
  detail::rethrow();
}

void GroupReducePlan::finish() try { bifold::finish(plan().group, plan().queues); } catch (...) {
  detail::rethrow();
}

GroupScanPlan::GroupScanPlan(Group& group, const ScanShape& shape, const std::vector<Share>& shares,
                             const std::optional<Value>& init) try
    : plan_(std::make_shared<detail::GroupScan>(group, shape, shares, init)) {
} catch (...) {
  detail::rethrow();
}

detail::GroupScan& GroupScanPlan::plan() const {
  if (!plan_) core::refuse_moved_from("GroupScanPlan");
  core::refuse_forked();
  return *plan_;
}

void GroupScanPlan::run(const std::vector<ScanSlice>& slices) try {
  plan().run(slices);
} catch (...) {
  detail::rethrow();
}

void GroupScanPlan::finish() try { bifold::finish(plan().group, plan().queues); } catch (...) {
  detail::rethrow();
}

}  // namespace bifold
