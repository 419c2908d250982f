// A row of the gallery by its name, which has to be there.
#pragma once

#include <doctest/doctest.h>

#include <bifold/gallery.hpp>
#include <string_view>

namespace bifold::test {

inline const gallery::Variant& named_row(Algorithm algorithm, std::string_view name) {
  const gallery::Variant* found = gallery::find(algorithm, name);
  REQUIRE_MESSAGE(found != nullptr, name);
  return *found;
}

}  // namespace bifold::test
