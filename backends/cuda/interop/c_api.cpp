// The C interface inside a CUDA application.
#include <bifold/interop/cuda.hpp>

#include "core/c_api/c_api_device.hpp"
#include "core/c_api/c_api_handles.hpp"
#include "core/c_api/c_api_queue.hpp"
#include "core/c_api/c_api_structs.hpp"

using namespace bifold::c_api;
namespace native = bifold::interop::cuda;

bifold_status bifold_cuda_adopt_device(void* context, const bifold_device_options* options,
                                       bifold_device** device) {
  return guard([&] {
    static_cast<void>(need(device, "device"));
    put_handle(device, native::device(static_cast<CUcontext>(context), options_from(options)));
  });
}

bifold_status bifold_cuda_adopt_current_device(const bifold_device_options* options,
                                               bifold_device** device) {
  return guard([&] {
    static_cast<void>(need(device, "device"));
    put_handle(device, native::current_device(options_from(options)));
  });
}

bifold_status bifold_cuda_adopt_queue(void* stream, const bifold_device* device,
                                      const bifold_queue_options* options, bifold_queue** queue) {
  return guard([&] {
    static_cast<void>(need(queue, "queue"));
    auto* const adopted = stream != nullptr ? static_cast<CUstream>(stream) : CU_STREAM_LEGACY;
    put_handle(queue,
               native::detail::adopt(adopted, need(device, "device").value, options_from(options)));
  });
}

bifold_status bifold_cuda_device_index(uint64_t address, uint32_t* index) {
  return guard([&] { need(index, "index") = native::device_index(address); });
}

bifold_status bifold_cuda_adopt_buffer(uint64_t address, uint64_t bytes, bifold_buffer** buffer) {
  return guard([&] {
    static_cast<void>(need(buffer, "buffer"));
    put_handle(buffer, nullptr, native::detail::describe(address, bytes));
  });
}

bifold_status bifold_cuda_adopt_known_buffer(uint64_t address, uint64_t bytes,
                                             bifold_buffer** buffer) {
  return guard([&] {
    static_cast<void>(need(buffer, "buffer"));
    const bool known = address != 0;
    put_handle(buffer, nullptr,
               known ? bifold::detail::Memory{static_cast<std::uintptr_t>(address), bytes, nullptr}
                     : native::detail::describe(address, bytes));
  });
}

bifold_status bifold_cuda_adopt_event(void* event, bifold_event** adopted) {
  return guard([&] {
    static_cast<void>(need(adopted, "event"));
    put_handle(adopted, native::event(static_cast<CUevent>(event)));
  });
}

bifold_status bifold_cuda_native_event(const bifold_event* event, void** native_event) {
  return guard([&] {
    static_cast<void>(need(native_event, "cu_event"));
    *native_event = native::native_event(need(event, "event").value);
  });
}

bifold_status bifold_cuda_record(bifold_queue* queue, void* event) {
  return guard([&] { native::record(need(queue, "queue").value, static_cast<CUevent>(event)); });
}
