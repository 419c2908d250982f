// CUB's DeviceReduce and DeviceScan. Accumulators are of the elements' type: with its operators for
// any type, CUB would add bytes as int, in scratch of four times the size. It counts in 32 bits,
// which is the quickest of its forms; cub64 counts in 64.
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
    return bench::obstacle_of_peer_with_structs(task);
  }
  [[nodiscard]] std::unique_ptr<bench::PeerCall> prepare(const PeerTask& task) const override {
    return bench::make_call_with_structs<Call, Ops>(task);
  }
};

}  // namespace

BIFOLD_BENCH_PEER_MODULE(Cub)
