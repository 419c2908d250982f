// Types of the C interface.
#pragma once

#include <bifold/bifold.h>

#include <bifold/type.hpp>

namespace bifold::c_api {

/// The type of that number; refuses one that is none.
Type type_from(bifold_type type);

}  // namespace bifold::c_api
