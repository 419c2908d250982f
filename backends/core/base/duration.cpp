#include "core/base/duration.hpp"

#include "core/base/format.hpp"

namespace bifold::core {

std::string duration_text(std::chrono::nanoseconds time) {
  const auto count = static_cast<double>(time.count());
  if (count >= 1e9) return formatted("{:g} s", count / 1e9);
  if (count >= 1e6) return formatted("{:g} ms", count / 1e6);
  if (count >= 1e3) return formatted("{:g} us", count / 1e3);
  return formatted("{:g} ns", count);
}

}  // namespace bifold::core
