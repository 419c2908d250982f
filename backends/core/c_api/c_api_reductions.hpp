// Several reductions of the C interface.
#pragma once

#include <bifold/bifold.h>

#include <bifold/reductions.hpp>
#include <cstddef>
#include <vector>

namespace bifold::c_api {

/// What a caller gave, but for where results go.
std::vector<Reduction> reductions_from(const bifold_reduction* given, std::size_t count);

}  // namespace bifold::c_api
