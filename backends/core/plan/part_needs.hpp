// What the parts of a kernel want of its spec besides being in it.
#pragma once

#include <bifold/op.hpp>
#include <optional>
#include <string_view>

#include "core/kernel/part_list.hpp"
#include "core/plan/part_choices.hpp"

namespace bifold::core {

/// The part that combines integers in a word.
std::string_view word_part(const PartQuestion& of);

/// The operator that combines all fields of a struct, where arrays of these are taken for arrays of
/// fields. Where a compiler is not known, they are not: one was seen to lose them.
std::optional<OperatorKind> operator_of_fields(const PartQuestion& of);

/// Adds what the parts of the list, which are the spec's, want to be defined.
void add_needs(const PartQuestion& of, const PartList& list, KernelSpec& spec);

}  // namespace bifold::core
