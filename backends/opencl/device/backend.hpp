// The OpenCL backend: every device of every platform that the ICD loader knows.
#pragma once

#include "interface.hpp"

namespace bifold::backend::opencl {

class Backend final : public backend::Backend {
 public:
  [[nodiscard]] std::string_view name() const noexcept override { return "opencl"; }
  [[nodiscard]] BackendInfo probe() const override;
  [[nodiscard]] std::vector<DeviceInfo> devices() const override;
  [[nodiscard]] std::shared_ptr<backend::Device> open(std::uint32_t index) const override;
};

}  // namespace bifold::backend::opencl

namespace bifold::backend {

const Backend& opencl_backend();

}  // namespace bifold::backend
