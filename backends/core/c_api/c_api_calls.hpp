// What the calls of the C interface share: their options and initial values.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "core/c_api/c_api_error.hpp"
#include "core/c_api/c_api_handles.hpp"
#include "core/c_api/c_api_queue.hpp"
#include "core/c_api/c_api_structs.hpp"
#include "core/c_api/c_api_types.hpp"
#include "core/call/accumulator.hpp"

namespace bifold::c_api {

inline const char* variant_or_default(const char* variant) {
  return variant == nullptr ? "production" : variant;
}

/// Refuses a number that is no order.
Order order_from(bifold_order order);

/// The value of `type` at `bytes`; none for NULL.
inline std::optional<Value> init_from(Type type, const void* bytes) {
  if (bytes == nullptr) return {};
  return Value::from_bytes(type, bytes);
}

/// The lines that a caller gave; none for NULL.
inline std::optional<Lines> lines_from(const bifold_lines* lines) {
  if (lines == nullptr) return {};
  return Lines{lines->outer,        lines->length, lines->inner,
               lines->outer_stride, lines->stride, lines->inner_stride};
}

/// Puts out an Indexed that was found among elements of that type.
void put_indexed(const Value& found, Type element, void* value, std::uint64_t* index);

/// The map behind a handle; the identity for NULL.
inline const Map& map_or_identity(const bifold_map* map) {
  static const Map identity;
  return map == nullptr ? identity : map->value;
}

/// That of a text and its scalars; the identity for NULL.
ResultMap result_map_from(const char* expression, const bifold_scalar_type* scalars,
                          std::size_t count);

/// Values of scalars that a caller gave.
std::vector<Scalar> scalars_from(const bifold_scalar* scalars, std::size_t count);

/// The outputs beside a call's.
std::vector<Output> outputs_from(const bifold_output* outputs, std::size_t count);

/// The options of a call. The handle of its completion is made before anything is enqueued, so that
/// nothing can fail behind the enqueueing; put_done() gives it to the caller.
class CallOptions {
 public:
  explicit CallOptions(const bifold_options* options)
      : given_(read_struct(options, BIFOLD_C_SIZE_TO(bifold_options, accumulate), "options")),
        wait_(events_from(given_.wait, given_.wait_count)),
        result_map_(result_map_from(given_.result_map, given_.result_map_scalars,
                                    given_.result_map_scalar_count)),
        more_outputs_(outputs_from(given_.more_outputs, given_.more_output_count)) {
    if (given_.done != nullptr) done_ = std::make_unique<bifold_event>();
  }

  /// All arrays that a map takes; `second` is null where that is none of its own.
  [[nodiscard]] Zipped inputs(const ErasedView& first, const bifold_view* second) {
    takes_inputs_ = true;
    Zipped all{first};
    if (second != nullptr) all.more.push_back(view_from(*second, "the second array's buffer"));
    if (given_.more_input_count > 0) need(given_.more_inputs, "more_inputs");
    if (all.more.size() + given_.more_input_count >= max_inputs) {
      refuse("more_inputs: a map takes at most 4 arrays");
    }
    for (std::size_t i = 0; i < given_.more_input_count; ++i) {
      all.more.push_back(view_from(given_.more_inputs[i], "more_inputs"));
    }
    takes_one_ = all.more.empty();
    return all;
  }
  [[nodiscard]] ReduceOptions reduce() const {
    if (given_.reverse != 0) refuse("reverse is for scans");
    ReduceOptions options = reduce_plan();
    options.variant = variant_or_default(given_.variant);
    options.order = order_from(given_.order);
    options.accumulate = accumulate();
    options.result_map = result_map_;
    return options;
  }
  [[nodiscard]] ScanOptions scan() const {
    ScanOptions options = scan_plan();
    options.variant = variant_or_default(given_.variant);
    options.order = order_from(given_.order);
    options.reverse = given_.reverse != 0;
    options.accumulate = accumulate();
    options.result_map = result_map_;
    return options;
  }
  /// The initial value of a call with that output: of its type, or of the accumulator's where a
  /// result map makes it.
  [[nodiscard]] std::optional<Value> init(Type output, const Operator& op,
                                          const void* bytes) const {
    const Type type = result_map_.is_identity()
                          ? output
                          : core::accumulator_for(output, op, accumulate(), result_map_);
    return init_from(type, bytes);
  }
  // A plan has its variant, order, types, maps and direction, so that it looks at none here.
  [[nodiscard]] ReduceOptions reduce_plan() const {
    if (given_.total != nullptr) refuse("total is for scans: a reduction is its own");
    check_inputs();
    return {.wait = wait_,
            .done = done(),
            .workspace = workspace(),
            .count_from = value(given_.count_from, "count_from"),
            .init_from = value(given_.init_from, "init_from"),
            .lines = lines_from(given_.lines),
            .result_lines = lines_from(given_.output_lines),
            .second_lines = lines_from(given_.second_lines),
            .lines_from = value(given_.lines_from, "lines_from"),
            .scalars = scalars_from(given_.scalars, given_.scalar_count),
            .more_outputs = more_outputs_,
            .segments = segments(),
            .keys = keys()};
  }
  [[nodiscard]] ScanOptions scan_plan() const {
    check_inputs();
    if (given_.segments != nullptr) refuse("segments are for reductions");
    if (given_.keys != nullptr) refuse("keys are for reductions");
    if (takes_one_ && given_.second_lines != nullptr) refuse("second_lines: there is one array");
    return {.wait = wait_,
            .done = done(),
            .workspace = workspace(),
            .count_from = value(given_.count_from, "count_from"),
            .init_from = value(given_.init_from, "init_from"),
            .total = value(given_.total, "total"),
            .lines = lines_from(given_.lines),
            .output_lines = lines_from(given_.output_lines),
            .lines_from = value(given_.lines_from, "lines_from"),
            .scalars = scalars_from(given_.scalars, given_.scalar_count),
            .more_outputs = more_outputs_,
            .second_lines = lines_from(given_.second_lines)};
  }

  [[nodiscard]] SelectOptions select() const {
    SelectOptions options = select_plan();
    options.variant = variant_or_default(given_.variant);
    return options;
  }
  [[nodiscard]] SelectOptions select_plan() const {
    const bool others = given_.accumulate != nullptr || given_.init_from != nullptr ||
                        given_.total != nullptr || given_.order != BIFOLD_ORDER_V1 ||
                        given_.lines != nullptr || given_.output_lines != nullptr ||
                        given_.second_lines != nullptr || given_.lines_from != nullptr ||
                        given_.reverse != 0 || !result_map_.is_identity() ||
                        !more_outputs_.empty() || given_.more_input_count > 0 ||
                        given_.segments != nullptr || given_.keys != nullptr;
    if (others) {
      refuse("a selection takes wait, done, workspace, variant, count_from and scalars alone");
    }
    return {.wait = wait_,
            .done = done(),
            .workspace = workspace(),
            .count_from = value(given_.count_from, "count_from"),
            .scalars = scalars_from(given_.scalars, given_.scalar_count)};
  }

  void put_done() noexcept {
    if (done_) *given_.done = done_.release();
  }

 private:
  [[nodiscard]] std::optional<Type> accumulate() const {
    if (given_.accumulate == nullptr) return {};
    return type_from(*given_.accumulate);
  }
  [[nodiscard]] std::optional<Segments> segments() const {
    if (given_.segments == nullptr) return {};
    return Segments{view_from(given_.segments->begins, "begins of segments"),
                    view_from(given_.segments->ends, "ends of segments"),
                    value(given_.segments->faults, "faults")};
  }
  [[nodiscard]] std::optional<Keys> keys() const {
    if (given_.keys == nullptr) return {};
    return Keys{view_from(given_.keys->keys, "keys"), view_from(given_.keys->unique, "unique keys"),
                view_from(given_.keys->runs, "runs"), map_or_identity(given_.keys->equality)};
  }
  void check_inputs() const {
    if (given_.more_input_count > 0 && !takes_inputs_) refuse("more_inputs: it takes no others");
  }
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
  ResultMap result_map_;
  std::vector<Output> more_outputs_;
  bool takes_inputs_ = false;
  bool takes_one_ = true;
  std::unique_ptr<bifold_event> done_;
};

}  // namespace bifold::c_api
