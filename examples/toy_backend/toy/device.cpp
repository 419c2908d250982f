#include "toy/device.hpp"

#include <bifold/error.hpp>

#include "toy/queue.hpp"

namespace bifold::backend {
// Generated from the kernel folder.
std::span<const std::pair<std::string_view, std::string_view>> toy_kernel_files();
}  // namespace bifold::backend

namespace bifold::backend::toy {

std::unique_ptr<backend::Queue> Device::create_queue(Timing timing) {
  return std::make_unique<Queue>(driver_->create_queue(timing), counters_);
}

std::string_view Device::kernel_file(std::string_view name) const {
  for (const auto& [file, text] : toy_kernel_files()) {
    if (file == name) return text;
  }
  throw Error(ErrorCategory::invalid_argument,
              "toy: there is no kernel file " + std::string(name) + ".cl");
}

std::shared_ptr<const Program> Device::build(const Source& source) {
  ++counters_->programs;
  return driver_->build(source);
}

std::shared_ptr<const Program> Device::load(std::span<const std::byte> binary,
                                            const std::string& options) {
  ++counters_->programs;
  return driver_->load(binary, options);
}

}  // namespace bifold::backend::toy
