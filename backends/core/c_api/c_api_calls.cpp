#include "core/c_api/c_api_calls.hpp"

#include <cstring>
#include <span>

#include "core/operators/initial_value.hpp"

namespace bifold::c_api {

Order order_from(bifold_order order) {
  if (order != BIFOLD_ORDER_V1 && order != BIFOLD_ORDER_ANY) {
    refuse("no such order: " + std::to_string(order));
  }
  return static_cast<Order>(order);
}

ResultMap result_map_from(const char* expression, const bifold_scalar_type* scalars,
                          std::size_t count) {
  if (expression == nullptr && count == 0) return {};
  return {need_text(expression, "result_map"), scalar_types_from(scalars, count)};
}

std::vector<Scalar> scalars_from(const bifold_scalar* scalars, std::size_t count) {
  std::vector<Scalar> all;
  if (count > 0) static_cast<void>(need(scalars, "scalars"));
  for (std::size_t i = 0; i < count; ++i) {
    const bifold_scalar& one = scalars[i];
    const std::string name = need_text(one.name, "a scalar's name");
    if ((one.value == nullptr) == (one.from == nullptr)) {
      refuse("scalar \"" + name + "\": it has a value or comes from device memory");
    }
    const Type type = type_from(one.type);
    if (one.value != nullptr) {
      all.emplace_back(name, Value::from_bytes(type, one.value));
      continue;
    }
    const ErasedView from = view_from(*one.from, "a scalar's buffer");
    if (from.type != type) refuse("scalar \"" + name + "\": the view is of another type");
    all.emplace_back(name, from);
  }
  return all;
}

std::vector<Output> outputs_from(const bifold_output* outputs, std::size_t count) {
  if (count > 0) need(outputs, "more_outputs");
  if (count >= max_outputs) refuse("more_outputs: a call has at most 4 outputs");
  std::vector<Output> all;
  all.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const bifold_output& one = outputs[i];
    all.push_back({view_from(one.view, "more_outputs"),
                   result_map_from(one.result_map, one.scalars, one.scalar_count)});
  }
  return all;
}

void put_indexed(const Value& found, Type element, void* value, std::uint64_t* index) {
  const std::span<const StructField> fields = found.type().structure()->fields;
  const Value wide = Value::from_bytes(fields[0].type, found.data() + fields[0].offset);
  // Of 16 bits, it is one of the elements as a wider type holds them.
  const Value narrow = core::convert(wide, element);
  std::memcpy(value, narrow.data(), narrow.size());
  std::memcpy(index, found.data() + fields[1].offset, sizeof *index);
}

}  // namespace bifold::c_api
