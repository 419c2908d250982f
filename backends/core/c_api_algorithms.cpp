// The C interface: reduce, scan, plans.
#include <cstddef>

#include "core/c_api.hpp"

namespace bifold::c_api {

namespace {

static_assert(static_cast<int>(ScanKind::inclusive) == BIFOLD_INCLUSIVE &&
              static_cast<int>(ScanKind::exclusive) == BIFOLD_EXCLUSIVE);

const char* variant_or_default(const char* variant) {
  return variant == nullptr ? "production" : variant;
}

DeviceValues values_from(bifold_device_values values) {
  constexpr bifold_device_values counts = BIFOLD_COUNT_U32 | BIFOLD_COUNT_U64;
  constexpr bifold_device_values all = counts | BIFOLD_INIT | BIFOLD_TOTAL;
  if ((values & ~all) != 0 || (values & counts) == counts) {
    refuse("on_device: no such values: " + std::to_string(values));
  }
  DeviceValues known{{}, (values & BIFOLD_INIT) != 0, (values & BIFOLD_TOTAL) != 0};
  if ((values & counts) != 0) {
    known.count = (values & BIFOLD_COUNT_U32) != 0 ? Type::u32 : Type::u64;
  }
  return known;
}

// The options of a call. The handle of its completion is made before anything is enqueued, so that
// nothing can fail behind the enqueueing; put_done() gives it to the caller.
class CallOptions {
 public:
  explicit CallOptions(const bifold_options* options)
      : given_(read_struct(options, BIFOLD_C_SIZE_TO(bifold_options, accumulate), "options")),
        wait_(events_from(given_.wait, given_.wait_count)) {
    if (given_.done != nullptr) done_ = std::make_unique<bifold_event>();
  }

  [[nodiscard]] ReduceOptions reduce() const {
    if (given_.accumulate != nullptr) refuse("accumulate is for scans: reduce has its own type");
    ReduceOptions options = reduce_plan();
    options.variant = variant_or_default(given_.variant);
    return options;
  }
  [[nodiscard]] ScanOptions scan() const {
    ScanOptions options = scan_plan();
    options.variant = variant_or_default(given_.variant);
    if (given_.accumulate != nullptr) options.accumulate = type_from(*given_.accumulate);
    return options;
  }
  // A plan has its variant and types, so that it looks at none here.
  [[nodiscard]] ReduceOptions reduce_plan() const {
    if (given_.total != nullptr) refuse("total is for scans: a reduction is its own");
    return {.wait = wait_,
            .done = done(),
            .workspace = workspace(),
            .count_from = value(given_.count_from, "count_from"),
            .init_from = value(given_.init_from, "init_from")};
  }
  [[nodiscard]] ScanOptions scan_plan() const {
    return {.wait = wait_,
            .done = done(),
            .workspace = workspace(),
            .count_from = value(given_.count_from, "count_from"),
            .init_from = value(given_.init_from, "init_from"),
            .total = value(given_.total, "total")};
  }

  void put_done() noexcept {
    if (done_) *given_.done = done_.release();
  }

 private:
  [[nodiscard]] Event* done() const { return done_ ? &done_->value : nullptr; }
  [[nodiscard]] const Workspace* workspace() const {
    return given_.workspace == nullptr ? nullptr : &given_.workspace->value;
  }
  static std::optional<ErasedView> value(const bifold_view* view, const char* what) {
    if (view == nullptr) return {};
    return view_from(*view, what);
  }

  bifold_options given_;
  std::vector<Event> wait_;
  std::unique_ptr<bifold_event> done_;
};

const Map no_map;

bifold_status reduce_value(bifold_queue* queue, const bifold_view& input, const bifold_operator* op,
                           const Map* map, bifold_type type, const void* init, void* result,
                           const bifold_options* options) {
  return guard([&] {
    Queue& on = need(queue, "queue").value;
    const Operator& with = need(op, "op").value;
    auto& out = need(static_cast<unsigned char*>(result), "result");
    CallOptions call(options);
    const Value value = bifold::transform_reduce(on, view_from(input, "the input's buffer"), with,
                                                 value_or_identity(with, type_from(type), init),
                                                 need(map, "map"), call.reduce());
    std::memcpy(&out, value.data(), value.size());
    call.put_done();
  });
}

bifold_status reduce_range(bifold_queue* queue, const bifold_view& input, const bifold_view& result,
                           const bifold_operator* op, const Map* map, const void* init,
                           const bifold_options* options) {
  return guard([&] {
    Queue& on = need(queue, "queue").value;
    const Operator& with = need(op, "op").value;
    CallOptions call(options);
    const ErasedView to = view_from(result, "the result's buffer");
    bifold::transform_reduce_into(on, view_from(input, "the input's buffer"), to, with,
                                  value_or_identity(with, to.type, init), need(map, "map"),
                                  call.reduce());
    call.put_done();
  });
}

bifold_status scan_range(bifold_queue* queue, ScanKind kind, const bifold_view& input,
                         const bifold_view& output, const bifold_operator* op, const void* init,
                         const bifold_options* options) {
  return guard([&] {
    Queue& on = need(queue, "queue").value;
    const Operator& with = need(op, "op").value;
    CallOptions call(options);
    const ErasedView to = view_from(output, "the output's buffer");
    std::optional<Value> carry;
    if (init != nullptr) carry = Value::from_bytes(to.type, init);
    bifold::scan(on, kind, view_from(input, "the input's buffer"), to, with, carry, call.scan());
    call.put_done();
  });
}

const Map* value_of(const bifold_map* map) { return map == nullptr ? nullptr : &map->value; }

}  // namespace

}  // namespace bifold::c_api

using namespace bifold::c_api;

bifold_status bifold_reduce(bifold_queue* queue, bifold_view input, const bifold_operator* op,
                            bifold_type type, const void* init, void* result,
                            const bifold_options* options) {
  return reduce_value(queue, input, op, &no_map, type, init, result, options);
}

bifold_status bifold_transform_reduce(bifold_queue* queue, bifold_view input,
                                      const bifold_operator* op, const bifold_map* map,
                                      bifold_type type, const void* init, void* result,
                                      const bifold_options* options) {
  return reduce_value(queue, input, op, value_of(map), type, init, result, options);
}

bifold_status bifold_reduce_into(bifold_queue* queue, bifold_view input, bifold_view result,
                                 const bifold_operator* op, const void* init,
                                 const bifold_options* options) {
  return reduce_range(queue, input, result, op, &no_map, init, options);
}

bifold_status bifold_transform_reduce_into(bifold_queue* queue, bifold_view input,
                                           bifold_view result, const bifold_operator* op,
                                           const bifold_map* map, const void* init,
                                           const bifold_options* options) {
  return reduce_range(queue, input, result, op, value_of(map), init, options);
}

bifold_status bifold_inclusive_scan(bifold_queue* queue, bifold_view input, bifold_view output,
                                    const bifold_operator* op, const void* init,
                                    const bifold_options* options) {
  return scan_range(queue, bifold::ScanKind::inclusive, input, output, op, init, options);
}

bifold_status bifold_exclusive_scan(bifold_queue* queue, bifold_view input, bifold_view output,
                                    const bifold_operator* op, const void* init,
                                    const bifold_options* options) {
  return scan_range(queue, bifold::ScanKind::exclusive, input, output, op, init, options);
}

bifold_status bifold_reduce_plan_create(const bifold_device* device,
                                        const bifold_reduce_shape* shape, bifold_plan** plan) {
  return guard([&] {
    static_cast<void>(need(plan, "plan"));
    const auto given = read_struct(
        &need(shape, "shape"), BIFOLD_C_SIZE_TO(bifold_reduce_shape, accumulator), "reduce shape");
    const bifold::Operator& op = need(given.op, "op").value;
    const bifold::Type accumulator = type_from(given.accumulator);
    bifold::ReducePlan made(
        need(device, "device").value,
        {type_from(given.input), accumulator, op, variant_or_default(given.variant),
         given.map == nullptr ? no_map : given.map->value, values_from(given.on_device)});
    std::string variant(made.variant().name);
    put_handle(plan, std::move(made), op, accumulator, std::move(variant));
  });
}

bifold_status bifold_scan_plan_create(const bifold_device* device, const bifold_scan_shape* shape,
                                      bifold_plan** plan) {
  return guard([&] {
    static_cast<void>(need(plan, "plan"));
    const auto given =
        read_struct(&need(shape, "shape"), BIFOLD_C_SIZE_TO(bifold_scan_shape, kind), "scan shape");
    if (given.kind != BIFOLD_INCLUSIVE && given.kind != BIFOLD_EXCLUSIVE) {
      refuse("no such kind of scan");
    }
    const bifold::Operator& op = need(given.op, "op").value;
    const bifold::Type accumulator = type_from(given.accumulator);
    bifold::ScanPlan made(need(device, "device").value,
                          {type_from(given.input), type_from(given.output), accumulator,
                           static_cast<bifold::ScanKind>(given.kind), op,
                           variant_or_default(given.variant), values_from(given.on_device)});
    std::string variant(made.variant().name);
    put_handle(plan, std::move(made), op, accumulator, std::move(variant));
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

bifold_status bifold_plan_run(const bifold_plan* plan, bifold_queue* queue, bifold_view input,
                              bifold_view output, const void* init, const bifold_options* options) {
  return guard([&] {
    const bifold_plan& made = need(plan, "plan");
    bifold::Queue& on = need(queue, "queue").value;
    CallOptions call(options);
    const bifold::ErasedView from = view_from(input, "the input's buffer");
    const bifold::ErasedView to = view_from(output, "the output's buffer");
    const bifold::Value carry = value_or_identity(made.op, made.accumulator, init);
    if (const auto* reduce = std::get_if<bifold::ReducePlan>(&made.value)) {
      reduce->run(on, from, to, carry, call.reduce_plan());
    } else {
      std::get<bifold::ScanPlan>(made.value).run(on, from, to, carry, call.scan_plan());
    }
    call.put_done();
  });
}

void bifold_plan_destroy(bifold_plan* plan) { delete plan; }
