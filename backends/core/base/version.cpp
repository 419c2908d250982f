#include <bifold/version.hpp>

namespace bifold {

std::string_view version() noexcept { return BIFOLD_VERSION; }

}  // namespace bifold
