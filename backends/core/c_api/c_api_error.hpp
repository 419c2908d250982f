// The edge that every call of the C interface crosses.
#pragma once

#include <bifold/bifold.h>

#include <string>
#include <utility>

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

}  // namespace bifold::c_api
