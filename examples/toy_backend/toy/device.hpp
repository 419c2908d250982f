// An open device of the toy backend: another backend's, which does the work.
#pragma once

#include <utility>

#include "interface.hpp"
#include "toy/counters.hpp"

namespace bifold::backend::toy {

class Device final : public backend::Device {
 public:
  explicit Device(std::shared_ptr<backend::Device> driver) : driver_(std::move(driver)) {}

  [[nodiscard]] const Capabilities& capabilities() const noexcept override {
    return driver_->capabilities();
  }
  [[nodiscard]] const void* context() const noexcept override { return driver_->context(); }
  [[nodiscard]] const void* identity() const noexcept override { return driver_->identity(); }
  [[nodiscard]] bool handles_are_addresses() const noexcept override {
    return driver_->handles_are_addresses();
  }

  [[nodiscard]] Memory allocate(std::uint64_t bytes) override { return driver_->allocate(bytes); }
  void free(const Memory& memory) noexcept override { driver_->free(memory); }
  [[nodiscard]] HostVisible allocate_host_visible(std::uint64_t bytes) override {
    return driver_->allocate_host_visible(bytes);
  }
  void free_host_visible(const HostVisible& cell) noexcept override {
    driver_->free_host_visible(cell);
  }

  [[nodiscard]] std::unique_ptr<backend::Queue> create_queue(Timing timing) override;

  [[nodiscard]] std::string_view kernel_file(std::string_view name) const override;
  [[nodiscard]] std::string_view kernel_suffix() const noexcept override { return ".cl"; }
  [[nodiscard]] const std::string& compile_options() const noexcept override {
    return driver_->compile_options();
  }
  [[nodiscard]] std::string options_to_hold(std::uint32_t groups,
                                            std::uint32_t group_size) const override {
    return driver_->options_to_hold(groups, group_size);
  }
  [[nodiscard]] const std::string& binary_key() const noexcept override {
    return driver_->binary_key();
  }
  [[nodiscard]] std::shared_ptr<const Program> build(const Source& source) override;
  [[nodiscard]] std::shared_ptr<const Program> load(std::span<const std::byte> binary,
                                                    const std::string& options) override;

  [[nodiscard]] const Counters& counters() const noexcept { return *counters_; }

 private:
  std::shared_ptr<backend::Device> driver_;
  std::shared_ptr<Counters> counters_ = std::make_shared<Counters>();
};

}  // namespace bifold::backend::toy
