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

void put_indexed(const Value& found, Type element, void* value, std::uint64_t* index) {
  const std::span<const StructField> fields = found.type().structure()->fields;
  const Value wide = Value::from_bytes(fields[0].type, found.data() + fields[0].offset);
  // Of 16 bits, it is one of the elements as a wider type holds them.
  const Value narrow = core::convert(wide, element);
  std::memcpy(value, narrow.data(), narrow.size());
  std::memcpy(index, found.data() + fields[1].offset, sizeof *index);
}

}  // namespace bifold::c_api
