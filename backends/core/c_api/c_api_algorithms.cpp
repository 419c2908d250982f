// The C interface: reduce, scan and linear recurrences.
#include <bifold/recurrence/linear_recurrence.hpp>

#include "core/c_api/c_api_calls.hpp"

namespace bifold::c_api {

static_assert(static_cast<int>(Order::v1) == BIFOLD_ORDER_V1 &&
              static_cast<int>(Order::any) == BIFOLD_ORDER_ANY);

namespace {

const bifold_map identity{};

// What is read: `second` is null where that is one array, `map` where the caller gave none.
struct Source {
  const bifold_view& input;
  const bifold_view* second;
  const bifold_map* map;

  [[nodiscard]] ErasedView first_view() const { return view_from(input, "the input's buffer"); }
};

bifold_status reduce_value(bifold_queue* queue, const Source& from, const bifold_operator* op,
                           bifold_type type, const void* init, void* result,
                           const bifold_options* options) {
  return guard([&] {
    Queue& on = need(queue, "queue").value;
    const Operator& with = need(op, "op").value;
    const Map& map = need(from.map, "map").value;
    auto& out = need(static_cast<unsigned char*>(result), "result");
    CallOptions call(options);
    const Type of = type_from(type);
    const std::optional<Value> start = call.init(of, with, init);
    const Zipped all = call.inputs(from.first_view(), from.second);
    const Value value = transform_reduce(on, all, of, with, start, map, call.reduce());
    std::memcpy(&out, value.data(), value.size());
    call.put_done();
  });
}

bifold_status reduce_range(bifold_queue* queue, const Source& from, const bifold_view& result,
                           const bifold_operator* op, const void* init,
                           const bifold_options* options) {
  return guard([&] {
    Queue& on = need(queue, "queue").value;
    const Operator& with = need(op, "op").value;
    const Map& map = need(from.map, "map").value;
    CallOptions call(options);
    const ErasedView to = view_from(result, "the result's buffer");
    const std::optional<Value> start = call.init(to.type, with, init);
    const Zipped all = call.inputs(from.first_view(), from.second);
    transform_reduce_into(on, all, to, with, start, map, call.reduce());
    call.put_done();
  });
}

bifold_status scan_range(bifold_queue* queue, ScanKind kind, const Source& from,
                         const bifold_view& output, const bifold_operator* op, const void* init,
                         const bifold_options* options) {
  return guard([&] {
    Queue& on = need(queue, "queue").value;
    const Operator& with = need(op, "op").value;
    const Map& map = need(from.map, "map").value;
    CallOptions call(options);
    const ErasedView to = view_from(output, "the output's buffer");
    const Zipped all = call.inputs(from.first_view(), from.second);
    transform_scan(on, kind, all, to, with, call.init(to.type, with, init), map, call.scan());
    call.put_done();
  });
}

}  // namespace

}  // namespace bifold::c_api

using namespace bifold::c_api;

bifold_status bifold_reduce(bifold_queue* queue, bifold_view input, const bifold_operator* op,
                            bifold_type type, const void* init, void* result,
                            const bifold_options* options) {
  return reduce_value(queue, {input, nullptr, &identity}, op, type, init, result, options);
}

bifold_status bifold_transform_reduce(bifold_queue* queue, bifold_view input,
                                      const bifold_operator* op, const bifold_map* map,
                                      bifold_type type, const void* init, void* result,
                                      const bifold_options* options) {
  return reduce_value(queue, {input, nullptr, map}, op, type, init, result, options);
}

bifold_status bifold_transform_reduce_pairs(bifold_queue* queue, bifold_view input,
                                            bifold_view second, const bifold_operator* op,
                                            const bifold_map* map, bifold_type type,
                                            const void* init, void* result,
                                            const bifold_options* options) {
  return reduce_value(queue, {input, &second, map}, op, type, init, result, options);
}

bifold_status bifold_reduce_into(bifold_queue* queue, bifold_view input, bifold_view result,
                                 const bifold_operator* op, const void* init,
                                 const bifold_options* options) {
  return reduce_range(queue, {input, nullptr, &identity}, result, op, init, options);
}

bifold_status bifold_transform_reduce_into(bifold_queue* queue, bifold_view input,
                                           bifold_view result, const bifold_operator* op,
                                           const bifold_map* map, const void* init,
                                           const bifold_options* options) {
  return reduce_range(queue, {input, nullptr, map}, result, op, init, options);
}

bifold_status bifold_transform_reduce_pairs_into(bifold_queue* queue, bifold_view input,
                                                 bifold_view second, bifold_view result,
                                                 const bifold_operator* op, const bifold_map* map,
                                                 const void* init, const bifold_options* options) {
  return reduce_range(queue, {input, &second, map}, result, op, init, options);
}

bifold_status bifold_inclusive_scan(bifold_queue* queue, bifold_view input, bifold_view output,
                                    const bifold_operator* op, const void* init,
                                    const bifold_options* options) {
  return scan_range(queue, bifold::ScanKind::inclusive, {input, nullptr, &identity}, output, op,
                    init, options);
}

bifold_status bifold_exclusive_scan(bifold_queue* queue, bifold_view input, bifold_view output,
                                    const bifold_operator* op, const void* init,
                                    const bifold_options* options) {
  return scan_range(queue, bifold::ScanKind::exclusive, {input, nullptr, &identity}, output, op,
                    init, options);
}

bifold_status bifold_transform_inclusive_scan(bifold_queue* queue, bifold_view input,
                                              bifold_view output, const bifold_operator* op,
                                              const bifold_map* map, const void* init,
                                              const bifold_options* options) {
  return scan_range(queue, bifold::ScanKind::inclusive, {input, nullptr, map}, output, op, init,
                    options);
}

bifold_status bifold_transform_exclusive_scan(bifold_queue* queue, bifold_view input,
                                              bifold_view output, const bifold_operator* op,
                                              const bifold_map* map, const void* init,
                                              const bifold_options* options) {
  return scan_range(queue, bifold::ScanKind::exclusive, {input, nullptr, map}, output, op, init,
                    options);
}

bifold_status bifold_linear_recurrence(bifold_queue* queue, bifold_view gates, bifold_view tokens,
                                       bifold_view h, const void* h0,
                                       const bifold_options* options) {
  return guard([&] {
    bifold::Queue& on = need(queue, "queue").value;
    CallOptions call(options);
    const bifold::Zipped steps = call.inputs(view_from(gates, "the gates' buffer"), &tokens);
    if (steps.more.size() != 1) {
      throw bifold::Error(bifold::ErrorCategory::invalid_argument,
                          "a linear recurrence has gates and tokens, and no more_inputs");
    }
    const bifold::ErasedView to = view_from(h, "the output's buffer");
    std::optional<bifold::Value> from;
    if (h0 != nullptr) from = bifold::Value::from_bytes(bifold::accumulator_of(to.type), h0);
    bifold::linear_recurrence(on, steps.x, steps.more[0], to, from, call.scan());
    call.put_done();
  });
}
