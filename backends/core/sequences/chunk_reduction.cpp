#include "core/sequences/chunk_reduction.hpp"

#include "core/plan/make_spec.hpp"

namespace bifold::core {

PlannedKernel build_chunk_reduction(const Request& request, const Tuning& tuning) {
  PlanShape reduction = request.shape;
  reduction.output = reduction.accumulator;
  reduction.result_map = {};
  reduction.more_outputs.clear();
  reduction.kind = ScanKind::inclusive;
  const Tuning values{.stripes = stripes_of(request.shape, tuning)};
  const KernelPart kernel{.algorithm = Algorithm::reduce, .family = "reduce_chunks"};
  KernelSpec spec = make_spec(request.with(std::move(reduction)), kernel, values, kernel.family);
  spec.defines.emplace_back("TILE", chunk_granule);
  return build_kernel(request.device, spec);
}

}  // namespace bifold::core
