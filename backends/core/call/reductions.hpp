// What reductions of everyday use are made of.
#pragma once

#include <bifold/map.hpp>
#include <bifold/reductions.hpp>
#include <bifold/type.hpp>

namespace bifold::core {

/// What argmin() and its kin find in elements of a type: an Indexed of its accumulator, a MinMax.
Type indexed_type(Type element);
Type minmax_type(Type element);

/// From elements to these.
const Map& indexed_map(Type element);
const Map& minmax_map(Type element);

}  // namespace bifold::core
