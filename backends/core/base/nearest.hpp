// What somebody meant who mistyped a word.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace bifold::core {

/// The one of `words` that differs from `typed` in the fewest letters (missing, added, other or
/// exchanged with a neighbour, in any case), or that begins with it; empty where none is near.
std::string_view nearest(std::string_view typed, std::span<const std::string_view> words);

/// `; did you mean "run"?` for the nearest of `words`, or nothing.
std::string suggestion(std::string_view typed, std::span<const std::string_view> words);

}  // namespace bifold::core
