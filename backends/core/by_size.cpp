#include "core/by_size.hpp"

#include <algorithm>
#include <utility>

namespace bifold::core {

namespace {

using detail::Plan;

class BySize final : public detail::Plan {
 public:
  BySize(const Device& device, const gallery::Variant& variant, const PlanShape& shape,
         std::uint64_t at_least, std::shared_ptr<const Plan> small,
         std::shared_ptr<const Plan> large)
      : Plan(device, variant, shape),
        at_least_(at_least),
        small_(std::move(small)),
        large_(std::move(large)) {}

  // Monotone, though the larger input may take less.
  [[nodiscard]] ScratchSize scratch_size(std::uint64_t n) const noexcept override {
    const ScratchSize small = small_->scratch_size(std::min(n, at_least_));
    if (n < at_least_) return small;
    const ScratchSize large = large_->scratch_size(n);
    return {std::max(small.tagged_bytes, large.tagged_bytes),
            std::max(small.raw_bytes, large.raw_bytes)};
  }

  [[nodiscard]] const gallery::Variant& variant_for(std::uint64_t n) const noexcept override {
    return of(n).variant_for(n);
  }

  void enqueue(const Call& call) const override { of(call.count.n).enqueue(call); }

 private:
  [[nodiscard]] const Plan& of(std::uint64_t n) const noexcept {
    return n < at_least_ ? *small_ : *large_;
  }

  std::uint64_t at_least_;
  std::shared_ptr<const Plan> small_;
  std::shared_ptr<const Plan> large_;
};

}  // namespace

std::shared_ptr<const Plan> by_size(const Device& device, const gallery::Variant& variant,
                                    const PlanShape& shape, std::uint64_t at_least,
                                    std::shared_ptr<const Plan> small,
                                    std::shared_ptr<const Plan> large) {
  return std::make_shared<BySize>(device, variant, shape, at_least, std::move(small),
                                  std::move(large));
}

}  // namespace bifold::core
