// Types of the C interface.
#pragma once

#include <bifold/bifold.h>

#include <bifold/scalar.hpp>
#include <bifold/type.hpp>
#include <cstddef>
#include <vector>

namespace bifold::c_api {

/// The type of that number; refuses one that is none.
Type type_from(bifold_type type);

/// The scalars that a caller declares.
std::vector<ScalarType> scalar_types_from(const bifold_scalar_type* scalars, std::size_t count);

}  // namespace bifold::c_api
