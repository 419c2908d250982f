#include <bifold/error.hpp>
#include <bifold/segments/segments.hpp>

namespace bifold {

Segments Segments::of_offsets(const ErasedView& offsets) try {
  if (offsets.count == 0) {
    throw Error(ErrorCategory::invalid_argument,
                "segments between offsets, which have one at least");
  }
  Segments segments{offsets, offsets};
  segments.begins.count = segments.ends.count = offsets.count - 1;
  segments.ends.byte_offset += size_of(offsets.type);
  return segments;
} catch (...) {
  detail::rethrow();
}

}  // namespace bifold
