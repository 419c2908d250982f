// Scalars of a kernel's texts: how they lie in its parameter, and how they reach its functions.
#pragma once

#include <bifold/type.hpp>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace bifold::core {

/// One that a kernel's texts name.
struct KernelScalar {
  std::string name;
  Type type;               ///< As declared.
  std::size_t index = 0;   ///< Among the call's.
  bool on_device = false;  ///< Kernels are given its place, not its value.
  std::size_t offset = 0;  ///< Of its value in the parameter, as accumulator_of() its type.
};

/// All of a kernel: one parameter with the values, then memory and offset of each on the device.
struct KernelScalars {
  std::vector<KernelScalar> all;
  std::size_t bytes = 0;  ///< Of the parameter.
  std::size_t alignment = 1;

  /// Puts one behind those that are there.
  void add(KernelScalar scalar);
  [[nodiscard]] bool any_on_device() const noexcept;
};

/// Appends the type of the parameter, behind the types of the scalars.
void append_scalars(std::string& text, const KernelScalars& scalars);

/// The text with the scalars as last parameter of its entries and of all functions whose texts name
/// them or that call such: kernels' own texts know nothing of them.
std::string with_scalars(std::string_view text, const KernelScalars& scalars);

}  // namespace bifold::core
