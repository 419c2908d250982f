// The toy backend: every device of the OpenCL backend, with counters in front.
#pragma once

#include "interface.hpp"

namespace bifold::backend::toy {

class Backend final : public backend::Backend {
 public:
  [[nodiscard]] std::string_view name() const noexcept override { return "toy"; }
  [[nodiscard]] BackendInfo probe() const override;
  [[nodiscard]] std::vector<DeviceInfo> devices() const override;
  [[nodiscard]] std::shared_ptr<backend::Device> open(std::uint32_t index) const override;
};

}  // namespace bifold::backend::toy

namespace bifold::backend {

// The name that the list of backends makes of the folder's.
const Backend& toy_backend();

}  // namespace bifold::backend
