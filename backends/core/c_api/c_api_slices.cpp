#include "core/c_api/c_api_slices.hpp"

#include <utility>

#include "core/c_api/c_api_calls.hpp"

namespace bifold::c_api {

std::vector<Slice> slices_from(const bifold_slice* slices, std::size_t count) {
  std::vector<Slice> all;
  if (count > 0) need(slices, "slices");
  all.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    Slice slice{need(slices[i].queue, "queue").value,
                view_from(slices[i].input, "the input's buffer")};
    if (slices[i].second != nullptr) {
      slice.second = view_from(*slices[i].second, "the second array's buffer");
    }
    all.push_back(std::move(slice));
  }
  return all;
}

std::vector<ScanSlice> scan_slices_from(const bifold_scan_slice* slices, std::size_t count) {
  std::vector<ScanSlice> all;
  if (count > 0) need(slices, "slices");
  all.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    ScanSlice slice{need(slices[i].queue, "queue").value,
                    view_from(slices[i].input, "the input's buffer"),
                    view_from(slices[i].output, "the output's buffer")};
    if (slices[i].total != nullptr) slice.total = view_from(*slices[i].total, "total");
    all.push_back(std::move(slice));
  }
  return all;
}

}  // namespace bifold::c_api
