// Lines that are measured: the rows or the columns of a dense matrix, and what calls on them give.
#pragma once

#include <bifold/bifold.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "data/host_data.hpp"

namespace bench {

/// A dense matrix that lies row by row, and the axis that calls go along: 0 along columns, so that
/// each column is a line; 1 along rows.
struct Matrix {
  std::uint64_t rows = 1;
  std::uint64_t columns = 1;
  unsigned axis = 1;

  [[nodiscard]] std::uint64_t elements() const noexcept { return rows * columns; }
  [[nodiscard]] bifold::Lines lines() const noexcept {
    return axis == 0 ? bifold::Lines::columns(rows, columns) : bifold::Lines::rows(rows, columns);
  }
  friend bool operator==(const Matrix&, const Matrix&) = default;
};

/// "4,096 x 4,096, axis 1".
std::string text_of(const Matrix& matrix);

/// A call on a matrix of the first elements of some data.
struct MatrixCall {
  Matrix matrix;
  bifold::OperatorKind op = bifold::OperatorKind::plus;
  std::optional<bifold::ScanKind> scan{};  ///< None: a reduction.

  /// Elements that it writes.
  [[nodiscard]] std::uint64_t outputs() const noexcept {
    return scan ? matrix.elements() : matrix.lines().count();
  }
  friend bool operator==(const MatrixCall&, const MatrixCall&) = default;
};

/// What calls on lines have to give: each line alone, by the reference of order v1 where its sums
/// round. It keeps the last one, as peers are compared with the same.
class MatrixReference {
 public:
  /// The outputs, as they lie in memory; of an element type that is no struct.
  const std::vector<std::byte>& outputs(const HostData& data, DataKind kind,
                                        const MatrixCall& call);

 private:
  std::vector<std::byte> outputs_;
  MatrixCall call_;
  bifold::Type type_;
  DataKind kind_ = DataKind::exact;
};

}  // namespace bench
