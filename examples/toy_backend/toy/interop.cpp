#include <bifold/error.hpp>
#include <bifold/interop/toy.hpp>

#include "core/device/state.hpp"
#include "toy/device.hpp"

namespace bifold::interop::toy {

Counts counts(const Device& device) try {
  const auto* const own = dynamic_cast<const backend::toy::Device*>(device.state()->backend.get());
  if (own == nullptr) throw Error(ErrorCategory::invalid_argument, "toy: not one of its devices");
  const backend::toy::Counters& of = own->counters();
  return {of.programs, of.launches, of.uploaded, of.downloaded};
} catch (...) {
  bifold::detail::rethrow();
}

}  // namespace bifold::interop::toy
