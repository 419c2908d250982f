#include "core/c_api/c_api_calls.hpp"

namespace bifold::c_api {

Order order_from(bifold_order order) {
  if (order != BIFOLD_ORDER_V1 && order != BIFOLD_ORDER_ANY) {
    refuse("no such order: " + std::to_string(order));
  }
  return static_cast<Order>(order);
}

}  // namespace bifold::c_api
