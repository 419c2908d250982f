// The CUDA backend.
#pragma once

#include "interface.hpp"

namespace bifold::backend {

namespace cuda {

class Backend final : public backend::Backend {
 public:
  [[nodiscard]] std::string_view name() const noexcept override { return "cuda"; }
  [[nodiscard]] BackendInfo probe() const override;
  [[nodiscard]] std::vector<DeviceInfo> devices() const override;
  [[nodiscard]] std::shared_ptr<backend::Device> open(std::uint32_t index) const override;
};

}  // namespace cuda

/// The one instance.
const Backend& cuda_backend();

}  // namespace bifold::backend
