#pragma once
// Scalars of a call: their names and types are part of what is known, their values are not.

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "api.hpp"

namespace bifold::python {

inline constexpr std::size_t max_scalars = 8;

/// Values as they are given, borrowed.
struct GivenScalars {
  std::array<PyObject*, max_scalars> values;
  std::size_t count = 0;
};

/// Values as the library takes them.
struct PutScalars {
  std::array<bifold_scalar, max_scalars> table;
  alignas(16) std::array<std::array<std::byte, 64>, max_scalars> bytes;
};

/// Those of a known call.
class Scalars {
 public:
  /// Copies what the options name.
  explicit Scalars(const bifold_options& options);

  bool empty() const { return types_.empty(); }
  /// The scalars that the result map names, for options.
  void declare(bifold_options& options) const;
  /// Has the options bring the values. False: one does not fit its type as it is.
  bool put(const GivenScalars& given, PutScalars& place, bifold_options& options) const;

 private:
  std::vector<std::string> names_;
  std::vector<bifold_type> types_;
  std::vector<std::string> declared_names_;
  std::vector<bifold_scalar_type> declared_;
};

}  // namespace bifold::python
