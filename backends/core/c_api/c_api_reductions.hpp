// Reductions of the C interface: what several of its files use.
#pragma once

#include <bifold/bifold.h>

#include <bifold/reductions.hpp>
#include <cstddef>
#include <vector>

#include "core/c_api/c_api_calls.hpp"

namespace bifold::c_api {

/// What a caller gave, but for where results go.
std::vector<Reduction> reductions_from(const bifold_reduction* given, std::size_t count);

/// What enqueues a reduction into memory of the device.
using FindInto = void(Queue&, const ErasedView&, const ErasedView&, const ReduceOptions&);

/// A function of the interface around it, or around a lambda of its type.
template <class Find>
bifold_status find_into(const Find& find, bifold_queue* queue, const bifold_view& input,
                        const bifold_view& result, const bifold_options* options) {
  return guard([&] {
    Queue& on = need(queue, "queue").value;
    CallOptions call(options);
    find(on, view_from(input, "the input's buffer"), view_from(result, "the result's buffer"),
         call.reduce());
    call.put_done();
  });
}

}  // namespace bifold::c_api
