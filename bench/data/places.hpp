// The greatest element of each line and its index, which --op calls argmax.
#pragma once

#include <bifold/bifold.hpp>
#include <optional>

#include "data/host_data.hpp"
#include "data/matrix.hpp"

namespace bench {

/// What stands for it in lists of operators, on elements of any built-in type.
const bifold::Operator& argmax();
/// Whether it is that one.
bool is_argmax(const bifold::Operator& op);
/// What elements are compared or combined by: maximum for that one, else the operator.
bifold::Operator element_operator(const bifold::Operator& op);
/// bifold::Indexed of what such elements are compared as.
bifold::Type place_type(bifold::Type element);

/// Blocks. Compares the output of argmax_into() with the host; a mismatch tells indices.
std::optional<Mismatch> check_places(bifold::Queue& queue, const bifold::ErasedView& output,
                                     const HostData& data, const Matrix& matrix);

}  // namespace bench
