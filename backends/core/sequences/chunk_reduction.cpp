#include "core/sequences/chunk_reduction.hpp"

#include "core/plan/preludes.hpp"

namespace bifold::core {

PlannedKernel build_chunk_reduction(const Request& request, const Tuning& tuning) {
  PlanShape reduction = request.shape;
  reduction.output = reduction.accumulator;
  reduction.kind = ScanKind::inclusive;
  const Tuning values{{"STRIPES", stripes_of(request.shape, tuning)}, {"TILE", chunk_granule}};
  const KernelFile file{Algorithm::reduce, "reduce_chunks", {"count", "chunks", "blocks"}};
  return build_kernel(request.device,
                      make_spec(request.with(std::move(reduction)), file, values, file.family));
}

}  // namespace bifold::core
