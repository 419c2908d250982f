#include "core/c_api/c_api_device.hpp"

#include <cstddef>

#include "core/c_api/c_api_handles.hpp"
#include "core/c_api/c_api_structs.hpp"

namespace bifold::c_api {

namespace {

static_assert(static_cast<int>(DeviceKind::gpu) == BIFOLD_GPU &&
              static_cast<int>(DeviceKind::accelerator) == BIFOLD_ACCELERATOR);

void put_info(const DeviceInfo& from, bifold_device_info* to) {
  bifold_device_info info{};
  info.selector = from.selector.c_str();
  info.backend = from.backend.c_str();
  info.name = from.name.c_str();
  info.vendor = from.vendor.c_str();
  info.platform = from.platform.c_str();
  info.driver = from.driver.c_str();
  info.index = from.index;
  info.kind = static_cast<bifold_device_kind>(from.kind);
  write_struct(to, info, BIFOLD_C_SIZE_TO(bifold_device_info, kind), "info");
}

template <class T>
const T& item_of(const std::vector<T>& all, size_t index) {
  if (index >= all.size()) {
    refuse("the list has " + std::to_string(all.size()) + " entries, none of index " +
           std::to_string(index));
  }
  return all[index];
}

}  // namespace

DeviceOptions options_from(const bifold_device_options* options) {
  const auto given = read_struct(options, BIFOLD_C_SIZE_TO(bifold_device_options, no_disk_cache),
                                 "device options");
  DeviceOptions chosen;
  chosen.cache.disk = !given.no_disk_cache;
  if (given.cache_directory != nullptr) chosen.cache.directory = given.cache_directory;
  if (given.cache_limit_bytes != 0) chosen.cache.limit_bytes = given.cache_limit_bytes;
  if (given.cache_programs != 0) chosen.cache.programs = given.cache_programs;
  if (given.tuning_file != nullptr) chosen.tuning_file = given.tuning_file;
  return chosen;
}

}  // namespace bifold::c_api

using namespace bifold::c_api;

bifold_status bifold_backend_list_create(bifold_backend_list** list) {
  return guard([&] {
    static_cast<void>(need(list, "list"));
    put_handle(list, bifold::backends());
  });
}

size_t bifold_backend_list_size(const bifold_backend_list* list) {
  return list == nullptr ? 0 : list->all.size();
}

bifold_status bifold_backend_list_get(const bifold_backend_list* list, size_t index,
                                      bifold_backend_info* info) {
  return guard([&] {
    const bifold::BackendInfo& from = item_of(need(list, "list").all, index);
    bifold_backend_info to{};
    to.name = from.name.c_str();
    to.reason = from.reason.c_str();
    to.version = from.version.c_str();
    to.available = from.available;
    write_struct(info, to, BIFOLD_C_SIZE_TO(bifold_backend_info, available), "info");
  });
}

void bifold_backend_list_destroy(bifold_backend_list* list) { delete list; }

bifold_status bifold_device_list_create(bifold_device_list** list) {
  return guard([&] {
    static_cast<void>(need(list, "list"));
    put_handle(list, bifold::devices());
  });
}

size_t bifold_device_list_size(const bifold_device_list* list) {
  return list == nullptr ? 0 : list->all.size();
}

bifold_status bifold_device_list_get(const bifold_device_list* list, size_t index,
                                     bifold_device_info* info) {
  return guard([&] { put_info(item_of(need(list, "list").all, index), info); });
}

void bifold_device_list_destroy(bifold_device_list* list) { delete list; }

bifold_status bifold_device_open(const char* selector, const bifold_device_options* options,
                                 bifold_device** device) {
  return guard([&] {
    static_cast<void>(need(device, "device"));
    put_handle(device,
               bifold::open_device(selector == nullptr ? "" : selector, options_from(options)));
  });
}

bifold_status bifold_device_get_info(const bifold_device* device, bifold_device_info* info) {
  return guard([&] { put_info(need(device, "device").value.info(), info); });
}

bifold_status bifold_device_get_capabilities(const bifold_device* device,
                                             bifold_capabilities* capabilities) {
  return guard([&] {
    const bifold::Capabilities& from = need(device, "device").value.capabilities();
    bifold_capabilities to{};
    to.global_bytes = from.global_bytes;
    to.max_allocation_bytes = from.max_allocation_bytes;
    to.local_bytes = from.local_bytes;
    to.cache_bytes = from.cache_bytes;
    to.compute_units = from.compute_units;
    to.max_group_size = from.max_group_size;
    to.subgroup_width = from.subgroup_width;
    to.f64 = from.f64;
    to.f16 = from.f16;
    to.atomics64 = from.atomics64;
    to.unified_memory = from.unified_memory;
    to.architecture = from.architecture.c_str();
    write_struct(capabilities, to, BIFOLD_C_SIZE_TO(bifold_capabilities, architecture),
                 "capabilities");
  });
}

void bifold_device_destroy(bifold_device* device) { delete device; }
