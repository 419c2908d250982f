#include "registry.hpp"

#include <array>

namespace bifold::backend {

// BIFOLD_BACKEND_LIST is a file that the build writes, a line for each bifold_add_backend():
// BACKEND(name), whose folder defines the factory, or LEFT_OUT(name).
#define BACKEND(name) const Backend& name##_backend();
#define LEFT_OUT(name)
#include BIFOLD_BACKEND_LIST
#undef BACKEND
#undef LEFT_OUT

std::span<const Registration> registered_backends() {
#define BACKEND(name) Registration{#name, &name##_backend()},
#define LEFT_OUT(name) Registration{#name, nullptr},
  static const std::array registrations{
#include BIFOLD_BACKEND_LIST
  };
#undef BACKEND
#undef LEFT_OUT
  return registrations;
}

}  // namespace bifold::backend
