#include <bifold/error.hpp>
#include <bifold/segments/segmented_reduce.hpp>

namespace bifold {

void segmented_transform_reduce(Queue& queue, const ErasedView& input, const Segments& segments,
                                const ErasedView& result, const Operator& op,
                                const std::optional<Value>& init, const Map& map,
                                const ReduceOptions& options) try {
  ReduceOptions made = options;
  made.segments = segments;
  transform_reduce_into(queue, input, result, op, init, map, made);
} catch (...) {
  detail::rethrow();
}

void segmented_reduce(Queue& queue, const ErasedView& input, const Segments& segments,
                      const ErasedView& result, const Operator& op,
                      const std::optional<Value>& init, const ReduceOptions& options) {
  segmented_transform_reduce(queue, input, segments, result, op, init, {}, options);
}

}  // namespace bifold
