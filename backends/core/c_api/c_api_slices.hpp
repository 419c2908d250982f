// What the C interface's calls of groups and their plans share.
#pragma once

#include <bifold/group/distributed.hpp>
#include <cstddef>
#include <vector>

#include "core/c_api/c_api_handles.hpp"

struct bifold_group {
  bifold::Group value;
};

namespace bifold::c_api {

/// What the caller gave of the process's ranks.
std::vector<Slice> slices_from(const bifold_slice* slices, std::size_t count);
std::vector<ScanSlice> scan_slices_from(const bifold_scan_slice* slices, std::size_t count);

}  // namespace bifold::c_api
