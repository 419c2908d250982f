// What a device can do with the variants of the gallery.
#pragma once

#include <bifold/bifold.hpp>
#include <string>
#include <vector>

namespace bench {

/// What a device cannot do with a variant, and why.
struct Refusal {
  std::string what;  ///< "everything", or the types and operators: "f64", "f32 with plus".
  std::string reason;
};

struct VariantSupport {
  const bifold::gallery::Variant* variant;
  bool supported;                 ///< At least one type and operator.
  std::vector<Refusal> refusals;  ///< One per distinct reason.
};

/// What `device` can do with a variant, over every type and built-in operator.
VariantSupport support_of(const bifold::Device& device, const bifold::gallery::Variant& variant);

}  // namespace bench
