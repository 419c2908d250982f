// The table of a build that embeds nothing, and of the program that makes that of another.
#include "cuda/embedded.hpp"

namespace bifold::backend::cuda {

const EmbeddedTable& embedded_table() {
  static const EmbeddedTable nothing{};
  return nothing;
}

}  // namespace bifold::backend::cuda
