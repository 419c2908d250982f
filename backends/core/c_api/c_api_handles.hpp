// What stands behind the handles of the C interface.
#pragma once

#include <bifold/bifold.h>

#include <bifold/bifold.hpp>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

struct bifold_operator {
  bifold::Operator value;
};
struct bifold_map {
  bifold::Map value;
};
struct bifold_backend_list {
  std::vector<bifold::BackendInfo> all;
};
struct bifold_device_list {
  std::vector<bifold::DeviceInfo> all;
};
struct bifold_device {
  bifold::Device value;
};
struct bifold_queue {
  bifold::Queue value;
};
struct bifold_event {
  bifold::Event value;
};
struct bifold_buffer {
  // Null for 0 bytes and for an application's memory. A workspace shares it, so that memory
  // outlives what uses it.
  std::shared_ptr<bifold::detail::AllocationState> allocation;
  bifold::detail::Memory memory;
};
struct bifold_workspace {
  std::shared_ptr<bifold::detail::AllocationState> allocation;
  bifold::Workspace value;
};
struct bifold_plan {
  std::variant<bifold::ReducePlan, bifold::ScanPlan> value;
  bifold::Type accumulator;
  std::string variant;
};

struct bifold_select_plan {
  bifold::SelectPlan value;
  std::string variant;
};

namespace bifold::c_api {

/// Makes a handle. It is put out last, so that a failure leaves the caller's pointer as it was.
template <class Handle, class... Members>
void put_handle(Handle** out, Members&&... members) {
  *out = new Handle{std::forward<Members>(members)...};
}

}  // namespace bifold::c_api
