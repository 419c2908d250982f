#include <bifold/order.hpp>

namespace bifold {

std::string_view name_of(Order order) noexcept { return order == Order::v1 ? "v1" : "any"; }

}  // namespace bifold
