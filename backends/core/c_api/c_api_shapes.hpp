// Shapes of the C interface.
#pragma once

#include "core/c_api/c_api_calls.hpp"

namespace bifold::c_api {

/// What a caller gave. They refer to its name of a variant.
ReduceShape reduce_shape_from(const bifold_reduce_shape* shape);
ScanShape scan_shape_from(const bifold_scan_shape* shape);
SelectShape select_shape_from(const bifold_select_shape* shape);

}  // namespace bifold::c_api
