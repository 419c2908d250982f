/// @file
/// The library's version.
#pragma once

#include <bifold/export.hpp>
#include <string_view>

namespace bifold {

/// @addtogroup errors
/// @{

/// "MAJOR.MINOR.PATCH" of the library that runs, which may differ from the headers compiled with.
BIFOLD_API std::string_view version() noexcept;

/// @}

}  // namespace bifold
