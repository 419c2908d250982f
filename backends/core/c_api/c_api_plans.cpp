// The C interface: plans.
#include "core/c_api/c_api_calls.hpp"
#include "core/c_api/c_api_shapes.hpp"

namespace bifold::c_api {

namespace {

// Runs the plan; `second` is null where it is given one array.
bifold_status run(const bifold_plan* plan, bifold_queue* queue, const bifold_view& input,
                  const bifold_view* second, const bifold_view& output, const void* init,
                  const bifold_options* options) {
  return guard([&] {
    const bifold_plan& made = need(plan, "plan");
    Queue& on = need(queue, "queue").value;
    CallOptions call(options);
    const ErasedView from = view_from(input, "the input's buffer");
    const ErasedView to = view_from(output, "the output's buffer");
    const std::optional<Value> carry = init_from(made.accumulator, init);
    const Zipped all = call.inputs(from, second);
    if (const auto* reduce = std::get_if<ReducePlan>(&made.value)) {
      reduce->run(on, all, to, carry, call.reduce_plan());
    } else {
      std::get<ScanPlan>(made.value).run(on, all, to, carry, call.scan_plan());
    }
    call.put_done();
  });
}

}  // namespace

}  // namespace bifold::c_api

using namespace bifold::c_api;

bifold_status bifold_reduce_plan_create(const bifold_device* device,
                                        const bifold_reduce_shape* shape, bifold_plan** plan) {
  return guard([&] {
    static_cast<void>(need(plan, "plan"));
    const bifold::ReduceShape known = reduce_shape_from(shape);
    bifold::ReducePlan made(need(device, "device").value, known);
    std::string variant(made.variant().name);
    put_handle(plan, std::move(made), known.accumulator, std::move(variant));
  });
}

bifold_status bifold_scan_plan_create(const bifold_device* device, const bifold_scan_shape* shape,
                                      bifold_plan** plan) {
  return guard([&] {
    static_cast<void>(need(plan, "plan"));
    const bifold::ScanShape known = scan_shape_from(shape);
    bifold::ScanPlan made(need(device, "device").value, known);
    std::string variant(made.variant().name);
    put_handle(plan, std::move(made), known.accumulator, std::move(variant));
  });
}

const char* bifold_plan_variant(const bifold_plan* plan) {
  return plan == nullptr ? "" : plan->variant.c_str();
}

bifold_status bifold_plan_workspace_bytes(const bifold_plan* plan, uint64_t n, uint64_t* bytes) {
  return guard([&] {
    need(bytes, "bytes") = std::visit([n](const auto& value) { return value.workspace_bytes(n); },
                                      need(plan, "plan").value);
  });
}

bifold_status bifold_plan_workspace_bytes_of_lines(const bifold_plan* plan,
                                                   const bifold_lines* lines, uint64_t* bytes) {
  return guard([&] {
    const auto of = *lines_from(&need(lines, "lines"));
    need(bytes, "bytes") = std::visit(
        [&of](const auto& value) { return value.workspace_bytes(of); }, need(plan, "plan").value);
  });
}

bifold_status bifold_plan_run(const bifold_plan* plan, bifold_queue* queue, bifold_view input,
                              bifold_view output, const void* init, const bifold_options* options) {
  return run(plan, queue, input, nullptr, output, init, options);
}

bifold_status bifold_plan_run_pairs(const bifold_plan* plan, bifold_queue* queue, bifold_view input,
                                    bifold_view second, bifold_view output, const void* init,
                                    const bifold_options* options) {
  return run(plan, queue, input, &second, output, init, options);
}

void bifold_plan_destroy(bifold_plan* plan) { delete plan; }
