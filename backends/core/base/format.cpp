#include "core/base/format.hpp"

namespace bifold::core {

std::string format_arguments(fmt::string_view text, fmt::format_args arguments) {
  return fmt::vformat(text, arguments);
}

}  // namespace bifold::core
