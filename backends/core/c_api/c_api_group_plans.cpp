// The C interface: plans over groups of ranks.
#include <bifold/group/group_plans.hpp>
#include <cstring>
#include <optional>
#include <tuple>
#include <utility>
#include <variant>

#include "core/c_api/c_api_calls.hpp"
#include "core/c_api/c_api_reductions.hpp"
#include "core/c_api/c_api_shapes.hpp"
#include "core/c_api/c_api_slices.hpp"
#include "core/group/group_call.hpp"

struct bifold_group_plan {
  std::variant<bifold::GroupReducePlan, bifold::GroupScanPlan> value;
};

namespace bifold::c_api {

namespace {

std::vector<Share> shares_from(const bifold_share* shares, std::size_t count) {
  std::vector<Share> all;
  if (count > 0) need(shares, "shares");
  all.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    all.push_back({need(shares[i].queue, "queue").value, shares[i].count});
  }
  return all;
}

Type element_from(const Group& over, bifold_type element) {
  return core::prepared_over(over, [&] { return type_from(element); });
}

// A plan of a kind that finds or counts something.
template <class Make>
bifold_status make_result_plan(bifold_group* group, const bifold_share* shares, std::size_t count,
                               bifold_group_plan** plan, const Make& make) {
  return guard([&] {
    Group& over = need(group, "group").value;
    const std::vector<Share> all = core::prepared_over(over, [&] {
      need(plan, "plan");
      return shares_from(shares, count);
    });
    put_handle(plan, make(over, all));
  });
}

// Plans by what `shape_from` reads.
template <class Plan, class Shape>
bifold_status make_plan(bifold_group* group, const Shape& shape_from, const bifold_share* shares,
                        std::size_t count, const void* init, bifold_group_plan** plan) {
  return guard([&] {
    Group& over = need(group, "group").value;
    const auto [shape, all, first] = core::prepared_over(over, [&] {
      need(plan, "plan");
      const auto known = shape_from();
      return std::tuple(known, shares_from(shares, count), init_from(known.accumulator, init));
    });
    put_handle(plan, Plan(over, shape, all, first));
  });
}

// A run of a plan of that kind, with what `prepare` reads. Where that fails, the other ranks are
// told.
template <class Plan, class Prepare, class Run>
bifold_status run_plan(bifold_group_plan* plan, const Prepare& prepare, const Run& run) {
  return guard([&] {
    auto* const known = std::get_if<Plan>(&need(plan, "plan").value);
    if (known == nullptr) refuse("the plan is of the other kind");
    decltype(prepare()) slices;
    try {
      slices = prepare();
    } catch (...) {
      const Error failure = core::error_of_exception();
      try {
        run(*known, {});
      } catch (const Error&) {
        throw Error(failure);  // Not that there are no slices.
      }
    }
    run(*known, slices);
  });
}

}  // namespace

}  // namespace bifold::c_api

using namespace bifold::c_api;

bifold_status bifold_group_reduce_plan_create(bifold_group* group, const bifold_reduce_shape* shape,
                                              const bifold_share* shares, size_t share_count,
                                              const void* init, bifold_group_plan** plan) {
  return make_plan<bifold::GroupReducePlan>(
      group, [shape] { return reduce_shape_from(shape); }, shares, share_count, init, plan);
}

bifold_status bifold_group_scan_plan_create(bifold_group* group, const bifold_scan_shape* shape,
                                            const bifold_share* shares, size_t share_count,
                                            const void* init, bifold_group_plan** plan) {
  return make_plan<bifold::GroupScanPlan>(
      group, [shape] { return scan_shape_from(shape); }, shares, share_count, init, plan);
}

bifold_status bifold_group_argmin_plan_create(bifold_group* group, bifold_type element,
                                              const bifold_share* shares, size_t share_count,
                                              bifold_group_plan** plan) {
  return make_result_plan(group, shares, share_count, plan, [&](auto& over, const auto& all) {
    return bifold::GroupReducePlan::argmin(over, element_from(over, element), all);
  });
}

bifold_status bifold_group_argmax_plan_create(bifold_group* group, bifold_type element,
                                              const bifold_share* shares, size_t share_count,
                                              bifold_group_plan** plan) {
  return make_result_plan(group, shares, share_count, plan, [&](auto& over, const auto& all) {
    return bifold::GroupReducePlan::argmax(over, element_from(over, element), all);
  });
}

bifold_status bifold_group_minmax_plan_create(bifold_group* group, bifold_type element,
                                              const bifold_share* shares, size_t share_count,
                                              bifold_group_plan** plan) {
  return make_result_plan(group, shares, share_count, plan, [&](auto& over, const auto& all) {
    return bifold::GroupReducePlan::minmax(over, element_from(over, element), all);
  });
}

bifold_status bifold_group_count_if_plan_create(bifold_group* group, bifold_type element,
                                                const bifold_map* predicate,
                                                const bifold_share* shares, size_t share_count,
                                                bifold_group_plan** plan) {
  return make_result_plan(group, shares, share_count, plan, [&](auto& over, const auto& all) {
    const bifold::Map map =
        bifold::core::prepared_over(over, [&] { return need(predicate, "predicate").value; });
    return bifold::GroupReducePlan::count_if(over, element_from(over, element), map, all);
  });
}

bifold_status bifold_group_reduce_many_plan_create(bifold_group* group, bifold_type element,
                                                   const bifold_reduction* reductions,
                                                   size_t reduction_count, bifold_type result,
                                                   const bifold_share* shares, size_t share_count,
                                                   bifold_group_plan** plan) {
  return make_result_plan(group, shares, share_count, plan, [&](auto& over, const auto& all) {
    const auto [given, type] = bifold::core::prepared_over(over, [&] {
      return std::pair(reductions_from(reductions, reduction_count), type_from(result));
    });
    return bifold::GroupReducePlan::reduce_many(over, element_from(over, element), given, all,
                                                type);
  });
}

bifold_status bifold_group_plan_reduce(bifold_group_plan* plan, const bifold_slice* slices,
                                       size_t slice_count, void* result) {
  return run_plan<bifold::GroupReducePlan>(
      plan,
      [&] {
        need(static_cast<unsigned char*>(result), "result");
        return slices_from(slices, slice_count);
      },
      [&](bifold::GroupReducePlan& known, const std::vector<bifold::Slice>& all) {
        const bifold::Value value = known.run(all);
        std::memcpy(result, value.data(), value.size());
      });
}

bifold_status bifold_group_plan_reduce_into(bifold_group_plan* plan, const bifold_slice* slices,
                                            size_t slice_count, const bifold_view* results) {
  std::vector<bifold::ErasedView> views;
  return run_plan<bifold::GroupReducePlan>(
      plan,
      [&] {
        if (slice_count > 0) need(results, "results");
        for (size_t i = 0; i < slice_count; ++i) {
          views.push_back(view_from(results[i], "a result's buffer"));
        }
        return slices_from(slices, slice_count);
      },
      [&](bifold::GroupReducePlan& known, const std::vector<bifold::Slice>& all) {
        known.run(all, views);
      });
}

bifold_status bifold_group_plan_scan(bifold_group_plan* plan, const bifold_scan_slice* slices,
                                     size_t slice_count) {
  return run_plan<bifold::GroupScanPlan>(
      plan, [&] { return scan_slices_from(slices, slice_count); },
      [](bifold::GroupScanPlan& known, const std::vector<bifold::ScanSlice>& all) {
        known.run(all);
      });
}

bifold_status bifold_group_plan_finish(bifold_group_plan* plan) {
  return guard([&] { std::visit([](auto& known) { known.finish(); }, need(plan, "plan").value); });
}

void bifold_group_plan_destroy(bifold_group_plan* plan) { delete plan; }
