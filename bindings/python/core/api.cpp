#include "api.hpp"

namespace bifold::python {

namespace {

Api functions;
PyObject* raiser = nullptr;  // As long as the process: nothing is called after the interpreter.

template <class Function>
void take(Function& function, nb::handle addresses, const char* name) {
  function = at_address<Function>(address_of(addresses, name));
}

}  // namespace

const Api& api() { return functions; }

std::uintptr_t address_of(nb::handle addresses, const char* name) {
  return nb::cast<std::uintptr_t>(nb::object(addresses[name]));
}

void bind(const nb::dict& addresses, nb::object raise) {
  take(functions.queue_record, addresses, "bifold_queue_record");
  take(functions.event_complete, addresses, "bifold_event_complete");
  take(functions.event_destroy, addresses, "bifold_event_destroy");
  take(functions.buffer_create, addresses, "bifold_buffer_create");
  take(functions.upload, addresses, "bifold_upload");
  take(functions.download, addresses, "bifold_download");
  take(functions.buffer_destroy, addresses, "bifold_buffer_destroy");
  take(functions.cuda_adopt_buffer, addresses, "bifold_cuda_adopt_buffer");
  take(functions.cuda_adopt_known_buffer, addresses, "bifold_cuda_adopt_known_buffer");
  take(functions.cuda_adopt_event, addresses, "bifold_cuda_adopt_event");
  take(functions.cuda_device_index, addresses, "bifold_cuda_device_index");
  take(functions.opencl_adopt_buffer, addresses, "bifold_opencl_adopt_buffer");
  take(functions.opencl_adopt_event, addresses, "bifold_opencl_adopt_event");
  take(functions.opencl_native_event, addresses, "bifold_opencl_native_event");
  take(functions.last_error, addresses, "bifold_last_error");
  take(functions.builtin_operator, addresses, "bifold_builtin_operator");
  take(functions.device_open, addresses, "bifold_device_open");
  take(functions.device_destroy, addresses, "bifold_device_destroy");
  take(functions.queue_create, addresses, "bifold_queue_create");
  take(functions.queue_destroy, addresses, "bifold_queue_destroy");
  take(functions.cuda_adopt_queue, addresses, "bifold_cuda_adopt_queue");
  take(functions.reduce, addresses, "bifold_reduce");
  take(functions.reduce_into, addresses, "bifold_reduce_into");
  take(functions.inclusive_scan, addresses, "bifold_inclusive_scan");
  Py_XDECREF(raiser);
  raiser = raise.release().ptr();
}

void raise(bifold_status status, const char* name) {
  nb::borrow(raiser)(name, status);
  throw nb::type_error("the library's failure was not raised");
}

}  // namespace bifold::python
