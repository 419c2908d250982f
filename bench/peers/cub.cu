// CUB's DeviceReduce and DeviceScan. Accumulators are of the elements' type: with its operators for
// any type, CUB would add bytes as int, in scratch of four times the size; those of 16-bit floating
// elements are float. It counts in 32 bits, which is the quickest of its forms; cub64 counts in 64.
#include "peers/cub_call.hpp"
#include "peers/visit.hpp"

#ifndef BIFOLD_CUB_NAME
#define BIFOLD_CUB_NAME "CUB"
#endif

namespace {

using bench::PeerTask;

struct Ops {
  template <class T>
  using Plus = cuda::std::plus<T>;
  template <class T>
  using Minimum = cuda::minimum<T>;
  template <class T>
  using Maximum = cuda::maximum<T>;
};

template <class T, class Op>
using Call = bench::CubCall<T, Op, std::int32_t>;

class Cub final : public bench::Peer {
 public:
  [[nodiscard]] std::string_view name() const override { return BIFOLD_CUB_NAME; }
  [[nodiscard]] std::string version() const override {
    return bench::cuda_version_text(CCCL_VERSION);
  }
  [[nodiscard]] bench::PeerSide side() const override { return bench::PeerSide::cuda; }
  [[nodiscard]] std::string obstacle(const PeerTask& task) const override {
    if (task.n > 0x7fffffff) return "it is compiled to count in 32 bits";
    if (!bifold::is_storage(task.type)) return bench::obstacle_of_peer_with_structs(task);
    const bool sum = task.op == bifold::OperatorKind::plus;
    return sum ? "" : "of 16-bit floating types, only sums are compared";
  }
  [[nodiscard]] std::unique_ptr<bench::PeerCall> prepare(const PeerTask& task) const override {
    using bench::SumInFloat;
    if (task.type == bifold::Type::f16) return std::make_unique<Call<__half, SumInFloat>>(task);
    if (task.type == bifold::Type::bf16) {
      return std::make_unique<Call<__nv_bfloat16, SumInFloat>>(task);
    }
    return bench::make_call_with_structs<Call, Ops>(task);
  }
};

}  // namespace

BIFOLD_BENCH_PEER_MODULE(Cub)
