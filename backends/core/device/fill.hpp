// Setting device memory to a value of any element type.
#pragma once

#include <bifold/value.hpp>
#include <cstdint>

#include "interface.hpp"

namespace bifold::core {

/// Enqueues setting `count` elements from `byte_offset` on to `value`. One fill where the element's
/// size is one that backends fill with; else the first element piece by piece, and copies that
/// double it.
void fill_elements(backend::Queue& queue, const detail::Memory& memory, std::uint64_t byte_offset,
                   std::uint64_t count, const Value& value);

}  // namespace bifold::core
