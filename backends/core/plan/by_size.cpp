#include "core/plan/by_size.hpp"

#include <algorithm>
#include <utility>

namespace bifold::core {

namespace {

using detail::Plan;

// One of the two may be missing: that of sizes which it does not serve.
class BySize final : public detail::Plan {
 public:
  BySize(const Request& request, const gallery::Variant& variant, std::uint64_t at_least,
         std::shared_ptr<const Plan> small, std::shared_ptr<const Plan> large)
      : Plan(request, variant),
        at_least_(at_least),
        small_(std::move(small)),
        large_(std::move(large)) {}

  // Monotone, though the larger input may take less.
  [[nodiscard]] ScratchSize scratch_size(std::uint64_t n) const noexcept override {
    const ScratchSize small = small_ ? small_->scratch_size(std::min(n, at_least_)) : ScratchSize{};
    if (n < at_least_ || !large_) return small;
    const ScratchSize large = large_->scratch_size(n);
    return {std::max(small.tagged_bytes, large.tagged_bytes),
            std::max(small.raw_bytes, large.raw_bytes)};
  }

  [[nodiscard]] const gallery::Variant& variant_for(std::uint64_t n) const noexcept override {
    return of(n).variant_for(n);
  }

  [[nodiscard]] Sizes serves() const noexcept override {
    return {small_ ? small_->serves().first : std::max(at_least_, large_->serves().first),
            large_ ? large_->serves().last : std::min(at_least_ - 1, small_->serves().last)};
  }

  [[nodiscard]] std::uint64_t most_elements(std::uint64_t n) const noexcept override {
    return of(n).most_elements(n);
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

std::shared_ptr<const Plan> by_size(const Request& request, const gallery::Variant& variant,
                                    std::uint64_t at_least, const MakePlan& small,
                                    const MakePlan& large) {
  // The large one first: where it is not to be had, nothing has been compiled for the other.
  auto above = request.shape.sizes.last >= at_least ? large() : nullptr;
  auto below = request.shape.sizes.first < at_least ? small() : nullptr;
  return std::make_shared<BySize>(request, variant, at_least, std::move(below), std::move(above));
}

std::shared_ptr<const Plan> by_size(const Request& request, const gallery::Variant& variant,
                                    std::span<const PlanFrom> plans) {
  if (plans.size() == 1) return plans.front().make();
  return by_size(request, variant, plans[1].from, plans.front().make,
                 [&] { return by_size(request, variant, plans.subspan(1)); });
}

}  // namespace bifold::core
