// The table of a build that embeds nothing, and of the program that makes that of another.
#include "core/kernel/embedded.hpp"

namespace bifold::core {

const EmbeddedTable& embedded_table() {
  static const EmbeddedTable nothing{};
  return nothing;
}

}  // namespace bifold::core
