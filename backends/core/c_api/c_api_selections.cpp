// The C interface: selections and their plans.
#include "core/c_api/c_api_calls.hpp"
#include "core/c_api/c_api_shapes.hpp"

namespace bifold::c_api {

namespace {

// Runs the body with what every call of a selection has.
template <class Body>
bifold_status selected(bifold_queue* queue, const bifold_view& input, const bifold_view& output,
                       const bifold_view& kept, const bifold_options* options, const Body& body) {
  return guard([&] {
    Queue& on = need(queue, "queue").value;
    CallOptions call(options);
    body(on, view_from(input, "the input's buffer"), view_from(output, "the output's buffer"),
         view_from(kept, "kept's buffer"), call);
    call.put_done();
  });
}

using ByText = void(Queue&, const ErasedView&, const ErasedView&, const ErasedView&, const Map&,
                    const SelectOptions&);

bifold_status by_text(ByText function, bifold_queue* queue, const bifold_view& input,
                      const bifold_view& output, const bifold_view& kept, const bifold_map* text,
                      const bifold_options* options) {
  return selected(queue, input, output, kept, options,
                  [&](Queue& on, const ErasedView& from, const ErasedView& to,
                      const ErasedView& count, const CallOptions& call) {
                    function(on, from, to, count, map_or_identity(text), call.select());
                  });
}

}  // namespace

}  // namespace bifold::c_api

using namespace bifold::c_api;
using bifold::ErasedView;
using bifold::Queue;

bifold_status bifold_select(bifold_queue* queue, bifold_view input, bifold_view output,
                            bifold_view kept, const bifold_map* predicate,
                            const bifold_options* options) {
  return by_text(bifold::select, queue, input, output, kept, predicate, options);
}

bifold_status bifold_select_flagged(bifold_queue* queue, bifold_view input, bifold_view flags,
                                    bifold_view output, bifold_view kept,
                                    const bifold_options* options) {
  return selected(queue, input, output, kept, options,
                  [&](Queue& on, const ErasedView& from, const ErasedView& to,
                      const ErasedView& count, const CallOptions& call) {
                    bifold::select_flagged(on, from, view_from(flags, "the flags' buffer"), to,
                                           count, call.select());
                  });
}

bifold_status bifold_select_index(bifold_queue* queue, bifold_view input, bifold_view output,
                                  bifold_view kept, const bifold_map* predicate,
                                  const bifold_options* options) {
  return by_text(bifold::select_index, queue, input, output, kept, predicate, options);
}

bifold_status bifold_partition(bifold_queue* queue, bifold_view input, bifold_view output,
                               bifold_view kept, const bifold_map* predicate,
                               const bifold_options* options) {
  return by_text(bifold::partition, queue, input, output, kept, predicate, options);
}

bifold_status bifold_partition_reversed(bifold_queue* queue, bifold_view input, bifold_view output,
                                        bifold_view kept, const bifold_map* predicate,
                                        const bifold_options* options) {
  return by_text(bifold::partition_reversed, queue, input, output, kept, predicate, options);
}

bifold_status bifold_unique(bifold_queue* queue, bifold_view input, bifold_view output,
                            bifold_view kept, const bifold_map* equality,
                            const bifold_options* options) {
  return by_text(bifold::unique, queue, input, output, kept, equality, options);
}

bifold_status bifold_unique_by_key(bifold_queue* queue, bifold_view keys, bifold_view values,
                                   bifold_view unique, bifold_view stored_values, bifold_view kept,
                                   const bifold_map* equality, const bifold_options* options) {
  return selected(queue, keys, unique, kept, options,
                  [&](Queue& on, const ErasedView& from, const ErasedView& to,
                      const ErasedView& count, const CallOptions& call) {
                    bifold::unique_by_key(on, from, view_from(values, "the values' buffer"), to,
                                          view_from(stored_values, "the stored values' buffer"),
                                          count, map_or_identity(equality), call.select());
                  });
}

bifold_status bifold_select_plan_create(const bifold_device* device,
                                        const bifold_select_shape* shape,
                                        bifold_select_plan** plan) {
  return guard([&] {
    static_cast<void>(need(plan, "plan"));
    bifold::SelectPlan made(need(device, "device").value, select_shape_from(shape));
    std::string variant(made.variant().name);
    put_handle(plan, std::move(made), std::move(variant));
  });
}

const char* bifold_select_plan_variant(const bifold_select_plan* plan) {
  return plan == nullptr ? "" : plan->variant.c_str();
}

bifold_status bifold_select_plan_workspace_bytes(const bifold_select_plan* plan, uint64_t n,
                                                 uint64_t* bytes) {
  return guard([&] { need(bytes, "bytes") = need(plan, "plan").value.workspace_bytes(n); });
}

bifold_status bifold_select_plan_run(const bifold_select_plan* plan, bifold_queue* queue,
                                     bifold_view input, const bifold_view* flags,
                                     bifold_view output, bifold_view kept,
                                     const bifold_options* options) {
  return selected(queue, input, output, kept, options,
                  [&](Queue& on, const ErasedView& from, const ErasedView& to,
                      const ErasedView& count, const CallOptions& call) {
                    const bifold::SelectPlan& made = need(plan, "plan").value;
                    if (flags == nullptr) {
                      made.run(on, from, to, count, call.select_plan());
                    } else {
                      made.run_flagged(on, from, view_from(*flags, "the flags' buffer"), to, count,
                                       call.select_plan());
                    }
                  });
}

bifold_status bifold_select_plan_run_by_key(const bifold_select_plan* plan, bifold_queue* queue,
                                            bifold_view keys, bifold_view values,
                                            bifold_view unique, bifold_view stored_values,
                                            bifold_view kept, const bifold_options* options) {
  return selected(queue, keys, unique, kept, options,
                  [&](Queue& on, const ErasedView& from, const ErasedView& to,
                      const ErasedView& count, const CallOptions& call) {
                    need(plan, "plan")
                        .value.run_by_key(on, from, view_from(values, "the values' buffer"), to,
                                          view_from(stored_values, "the stored values' buffer"),
                                          count, call.select_plan());
                  });
}

void bifold_select_plan_destroy(bifold_select_plan* plan) { delete plan; }
