#pragma once
// The functions of the library that warm calls and handlers of JAX go through. Extensions link to
// no library: the package loads one and hands over the addresses.

#include <bifold/bifold.h>
#include <nanobind/nanobind.h>

#include <cstdint>

namespace bifold::python {

namespace nb = nanobind;

struct Api {
  decltype(&bifold_queue_record) queue_record = nullptr;
  decltype(&bifold_event_complete) event_complete = nullptr;
  decltype(&bifold_event_destroy) event_destroy = nullptr;
  decltype(&bifold_buffer_create) buffer_create = nullptr;
  decltype(&bifold_upload) upload = nullptr;
  decltype(&bifold_download) download = nullptr;
  decltype(&bifold_buffer_destroy) buffer_destroy = nullptr;
  decltype(&bifold_cuda_adopt_buffer) cuda_adopt_buffer = nullptr;
  decltype(&bifold_cuda_adopt_known_buffer) cuda_adopt_known_buffer = nullptr;
  decltype(&bifold_cuda_adopt_event) cuda_adopt_event = nullptr;
  decltype(&bifold_cuda_device_index) cuda_device_index = nullptr;
  decltype(&bifold_opencl_adopt_buffer) opencl_adopt_buffer = nullptr;
  decltype(&bifold_opencl_adopt_event) opencl_adopt_event = nullptr;
  decltype(&bifold_opencl_native_event) opencl_native_event = nullptr;
  decltype(&bifold_last_error) last_error = nullptr;
  decltype(&bifold_builtin_operator) builtin_operator = nullptr;
  decltype(&bifold_device_open) device_open = nullptr;
  decltype(&bifold_device_destroy) device_destroy = nullptr;
  decltype(&bifold_queue_create) queue_create = nullptr;
  decltype(&bifold_queue_destroy) queue_destroy = nullptr;
  decltype(&bifold_cuda_adopt_queue) cuda_adopt_queue = nullptr;
  decltype(&bifold_reduce) reduce = nullptr;
  decltype(&bifold_reduce_into) reduce_into = nullptr;
  decltype(&bifold_inclusive_scan) inclusive_scan = nullptr;
};

/// The functions of the loaded library.
const Api& api();

/// Takes the functions from a dict of addresses, and what raises the error of a status.
void bind(const nb::dict& addresses, nb::object raise);

/// The address of a function by its name.
std::uintptr_t address_of(nb::handle addresses, const char* name);

/// What is at an address that Python knows as a number.
template <class T>
T at_address(std::uintptr_t address) {
  return reinterpret_cast<T>(address);  // NOLINT(performance-no-int-to-ptr)
}

/// Raises what a status of the library stands for, as a nb::python_error.
[[noreturn]] void raise(bifold_status status, const char* name);

}  // namespace bifold::python
