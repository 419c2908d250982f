#include <bifold/error.hpp>
#include <bifold/keys/reduce_by_key.hpp>

namespace bifold {

namespace {

void reduce_runs(Queue& queue, const Keys& keys, const ErasedView& input, const ErasedView& result,
                 const Operator& op, const std::optional<Value>& init, const Map& map,
                 const ReduceOptions& options) try {
  ReduceOptions made = options;
  made.keys = keys;
  transform_reduce_into(queue, input, result, op, init, map, made);
} catch (...) {
  detail::rethrow();
}

}  // namespace

void transform_reduce_by_key(Queue& queue, const Keys& keys, const ErasedView& input,
                             const ErasedView& result, const Operator& op,
                             const std::optional<Value>& init, const Map& map,
                             const ReduceOptions& options) {
  reduce_runs(queue, keys, input, result, op, init, map, options);
}

void reduce_by_key(Queue& queue, const Keys& keys, const ErasedView& input,
                   const ErasedView& result, const Operator& op, const std::optional<Value>& init,
                   const ReduceOptions& options) {
  reduce_runs(queue, keys, input, result, op, init, {}, options);
}

void run_length_encode(Queue& queue, const Keys& keys, const ErasedView& result,
                       const ReduceOptions& options) {
  static const Map one = "1";
  reduce_runs(queue, keys, keys.keys, result, plus, {}, one, options);
}

}  // namespace bifold
