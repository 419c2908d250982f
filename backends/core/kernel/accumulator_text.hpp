// How accumulators are written in a kernel's text.
#pragma once

#include <bifold/op.hpp>
#include <string>
#include <string_view>

#include "core/kernel/kernel_source.hpp"

namespace bifold::core {

/// ACC, and what makes one of a value: the value itself, or with the neutral element that is
/// adjoined where the operator has none.
void append_accumulator(std::string& text, const KernelSpec& spec);

/// An attribute of functions of users' texts: a loop that is to become vectors has to have them in
/// it, even long ones.
std::string_view inline_hint(const KernelSpec& spec);

/// Vectors of values, and COMBINE_VECTORS. Integers' sums and products are those of unsigned
/// values, which wrap.
void append_vectors(std::string& text, const KernelSpec& spec);

/// The fields of a struct, and COMBINE_FIELDS.
void append_fields(std::string& text, const KernelSpec& spec, OperatorKind kind);

/// fields_of and put_fields: an accumulator that is a struct, read and written field by field.
void append_field_access(std::string& text, const KernelSpec& spec);

}  // namespace bifold::core
