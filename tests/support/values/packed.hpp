// A kernel on a struct that no compiler lays out as its definition says. A Type of it cannot be
// made by the public ways: it stands for a compiler that lays out a right one otherwise.
#pragma once

#include <array>
#include <bifold/device.hpp>
#include <bifold/op.hpp>
#include <bifold/type.hpp>

#include "core/plan/part_choices.hpp"
#include "core/plan/planning.hpp"

namespace bifold::test {

inline constexpr std::array packed_fields{StructField{"flag", Type::i8, 0},
                                          StructField{"sum", Type::i32, 1}};
inline constexpr StructType packed{"Packed", 8, packed_fields};

inline void build_packed(const Device& device) {
  core::KernelSpec spec;
  spec.family = "compare";
  spec.entry = "count_differences";
  spec.input = Type::of_kept(packed);
  spec.accumulator = spec.output = Type::u64;
  spec.op = plus;
  spec.group_size = 1;
  core::add_parts(device, spec);
  static_cast<void>(core::build_kernel(device, spec));
}

}  // namespace bifold::test
