// What stands behind the handles of the C interface, and the edge that every call of it crosses.
#pragma once

#include <bifold/bifold.h>

#include <algorithm>
#include <bifold/bifold.hpp>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
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

namespace bifold::c_api {

/// Keeps the exception being handled as this thread's last failure, and gives its code.
bifold_status keep_failure() noexcept;

/// Runs the body of a call: the one place where exceptions become codes.
template <class Body>
bifold_status guard(Body&& body) noexcept {
  try {
    std::forward<Body>(body)();
    return BIFOLD_OK;
  } catch (...) {
    return keep_failure();
  }
}

[[noreturn]] void refuse(const std::string& why);

/// What a pointer argument points to; `what` names it in the refusal of NULL.
template <class T>
T& need(T* pointer, const char* what) {
  if (pointer == nullptr) refuse(std::string(what) + " is NULL");
  return *pointer;
}

inline const char* need_text(const char* text, const char* what) { return &need(text, what); }

/// Makes a handle. It is put out last, so that a failure leaves the caller's pointer as it was.
template <class Handle, class... Members>
void put_handle(Handle** out, Members&&... members) {
  *out = new Handle{std::forward<Members>(members)...};
}

/// Refuses a versioned struct that is smaller than in the version that introduced it (`first`), or
/// larger than the `known` bytes and not zero there. A size that was never set may be any number:
/// nothing is looked at beyond what structs grow to, and nothing is written beyond what is known.
inline void check_size(const void* given, std::size_t size, std::size_t first, std::size_t known,
                       const char* what) {
  constexpr std::size_t limit = 4096;
  const auto* bytes = static_cast<const unsigned char*>(given);
  const bool known_bytes =
      size <= known || (size <= limit && std::all_of(bytes + known, bytes + size,
                                                     [](unsigned char byte) { return byte == 0; }));
  if (size >= first && known_bytes) return;
  refuse(std::string(what) + ": struct_size is " + std::to_string(size) +
         (size < first ? "" : ", and sets what this library does not know"));
}

/// A versioned struct as this library knows it. NULL gives one of zeros. `first` is its size in the
/// version that introduced it; of a larger one than known here, the rest must be zero.
/// What is added begins behind the padding that the struct ended with, which callers need not zero.
template <class Struct>
Struct read_struct(const Struct* given, std::size_t first, const char* what) {
  Struct known{};
  known.struct_size = sizeof known;
  if (given == nullptr) return known;
  const std::size_t size = given->struct_size;
  check_size(given, size, first, sizeof known, what);
  std::memcpy(&known, given, std::min(size, sizeof known));
  return known;
}

/// Puts out as much of a versioned struct as the caller has room for; what this library does not
/// know is zero by then.
template <class Struct>
void write_struct(Struct* out, Struct value, std::size_t first, const char* what) {
  const std::size_t size = need(out, what).struct_size;
  check_size(out, size, first, sizeof value, what);
  value.struct_size = size;
  std::memcpy(out, &value, std::min(size, sizeof value));
}

/// The type of that number; refuses one that is none.
Type type_from(bifold_type type);

DeviceOptions options_from(const bifold_device_options* options);
QueueOptions options_from(const bifold_queue_options* options);

ErasedView view_from(const bifold_view& view, const char* what);

TimeLimit limit_from(std::uint64_t nanoseconds);

std::vector<Event> events_from(bifold_event* const* events, std::size_t count);

}  // namespace bifold::c_api

/// The size of a versioned struct that ends with `member`.
#define BIFOLD_C_SIZE_TO(Struct, member) (offsetof(Struct, member) + sizeof(Struct::member))
