// The C interface inside an OpenCL application.
// First, as it configures what the public header includes.
#include "opencl/driver/clhpp.hpp"
//
#include <bifold/interop/opencl.hpp>

#include "core/c_api/c_api_device.hpp"
#include "core/c_api/c_api_handles.hpp"
#include "core/c_api/c_api_queue.hpp"
#include "core/c_api/c_api_structs.hpp"

using namespace bifold::c_api;
namespace native = bifold::interop::opencl;

bifold_status bifold_opencl_adopt_device(void* context, void* device_id,
                                         const bifold_device_options* options,
                                         bifold_device** device) {
  return guard([&] {
    static_cast<void>(need(device, "device"));
    put_handle(device, native::device(static_cast<cl_context>(context),
                                      static_cast<cl_device_id>(device_id), options_from(options)));
  });
}

bifold_status bifold_opencl_adopt_queue(void* command_queue, const bifold_device* device,
                                        bifold_queue** queue) {
  return guard([&] {
    static_cast<void>(need(queue, "queue"));
    put_handle(queue, native::queue(static_cast<cl_command_queue>(command_queue),
                                    need(device, "device").value));
  });
}

bifold_status bifold_opencl_adopt_buffer(void* memory, bifold_buffer** buffer) {
  return guard([&] {
    static_cast<void>(need(buffer, "buffer"));
    put_handle(buffer, nullptr, native::detail::memory_of(static_cast<cl_mem>(memory)));
  });
}

bifold_status bifold_opencl_adopt_svm(const bifold_device* device, void* pointer, uint64_t bytes,
                                      bifold_buffer** buffer) {
  return guard([&] {
    static_cast<void>(need(buffer, "buffer"));
    put_handle(buffer, nullptr,
               native::detail::memory_of(need(device, "device").value, pointer, bytes));
  });
}

bifold_status bifold_opencl_adopt_event(void* event, bifold_event** adopted) {
  return guard([&] {
    static_cast<void>(need(adopted, "event"));
    put_handle(adopted, native::event(static_cast<cl_event>(event)));
  });
}

bifold_status bifold_opencl_native_event(const bifold_event* event, void** native_event) {
  return guard([&] {
    static_cast<void>(need(native_event, "cl_event"));
    *native_event = native::native_event(need(event, "event").value);
  });
}
