// The C interface: mean, variance, norm, logsumexp.
#include <bifold/bifold.h>

#include <bifold/statistics/logsumexp.hpp>
#include <bifold/statistics/moments.hpp>
#include <bifold/statistics/norm.hpp>
#include <cstring>

#include "core/c_api/c_api_calls.hpp"
#include "core/c_api/c_api_reductions.hpp"

namespace bifold::c_api {

namespace {

using Find = Value(Queue&, const ErasedView&, const ReduceOptions&);

// A call whose result goes to the host, by what finds it.
template <class Finder>
bifold_status find(const Finder& found, bifold_queue* queue, const bifold_view& input, void* result,
                   const bifold_options* options) {
  return guard([&] {
    Queue& on = need(queue, "queue").value;
    unsigned char& out = need(static_cast<unsigned char*>(result), "result");
    CallOptions call(options);
    const Value value = found(on, view_from(input, "the input's buffer"), call.reduce());
    std::memcpy(&out, value.data(), value.size());
    call.put_done();
  });
}

}  // namespace

}  // namespace bifold::c_api

using namespace bifold::c_api;

bifold_status bifold_mean(bifold_queue* queue, bifold_view input, void* result,
                          const bifold_options* options) {
  return find<Find>(bifold::mean, queue, input, result, options);
}

bifold_status bifold_variance(bifold_queue* queue, bifold_view input, double ddof, void* result,
                              const bifold_options* options) {
  const auto variance = [ddof](bifold::Queue& on, const bifold::ErasedView& x,
                               const bifold::ReduceOptions& how) {
    return bifold::variance(on, x, ddof, how);
  };
  return find(variance, queue, input, result, options);
}

bifold_status bifold_norm(bifold_queue* queue, bifold_view input, void* result,
                          const bifold_options* options) {
  return find<Find>(bifold::norm, queue, input, result, options);
}

bifold_status bifold_logsumexp(bifold_queue* queue, bifold_view input, void* result,
                               const bifold_options* options) {
  return find<Find>(bifold::logsumexp, queue, input, result, options);
}

bifold_status bifold_mean_into(bifold_queue* queue, bifold_view input, bifold_view result,
                               const bifold_options* options) {
  return find_into<FindInto>(bifold::mean_into, queue, input, result, options);
}

bifold_status bifold_variance_into(bifold_queue* queue, bifold_view input, bifold_view result,
                                   double ddof, const bifold_options* options) {
  const auto variance_into =
      [ddof](bifold::Queue& on, const bifold::ErasedView& x, const bifold::ErasedView& to,
             const bifold::ReduceOptions& how) { bifold::variance_into(on, x, to, ddof, how); };
  return find_into(variance_into, queue, input, result, options);
}

bifold_status bifold_variance_mean_into(bifold_queue* queue, bifold_view input,
                                        bifold_view variance, bifold_view mean, double ddof,
                                        const bifold_options* options) {
  const auto both_into = [&](bifold::Queue& on, const bifold::ErasedView& x,
                             const bifold::ErasedView& to, const bifold::ReduceOptions& how) {
    bifold::variance_mean_into(on, x, to, view_from(mean, "the mean's buffer"), ddof, how);
  };
  return find_into(both_into, queue, input, variance, options);
}

bifold_status bifold_norm_into(bifold_queue* queue, bifold_view input, bifold_view result,
                               const bifold_options* options) {
  return find_into<FindInto>(bifold::norm_into, queue, input, result, options);
}

bifold_status bifold_logsumexp_into(bifold_queue* queue, bifold_view input, bifold_view result,
                                    const bifold_options* options) {
  return find_into<FindInto>(bifold::logsumexp_into, queue, input, result, options);
}

bifold_status bifold_cumulative_logsumexp(bifold_queue* queue, bifold_view input,
                                          bifold_view output, const bifold_options* options) {
  return guard([&] {
    bifold::Queue& on = need(queue, "queue").value;
    CallOptions call(options);
    bifold::cumulative_logsumexp(on, view_from(input, "the input's buffer"),
                                 view_from(output, "the output's buffer"), call.scan());
    call.put_done();
  });
}
