// Maps that only the library itself makes.
#pragma once

#include <bifold/map.hpp>
#include <string>

namespace bifold::core {

/// A map of a text that was made of users' by putting them in brackets, or is bifold's own: it may
/// be longer than theirs, and nothing in it is looked at before there are types.
Map composed_map(std::string expression);

}  // namespace bifold::core
