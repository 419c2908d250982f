// CUB as it has to be called for inputs of 2^31 elements and more: it counts in 64 bits. What that
// costs shows in sums of a type of 4 bytes and of one of 8, which is all that is compiled.
#include "peers/cub_call.hpp"

namespace {

using bench::PeerTask;

template <class T>
std::unique_ptr<bench::PeerCall> sum(const PeerTask& task) {
  return std::make_unique<bench::CubCall<T, cuda::std::plus<T>, std::int64_t>>(task);
}

class Cub64 final : public bench::Peer {
 public:
  [[nodiscard]] std::string_view name() const override { return "CUB, 64-bit counts"; }
  [[nodiscard]] std::string version() const override {
    return bench::cuda_version_text(CCCL_VERSION);
  }
  [[nodiscard]] bench::PeerSide side() const override { return bench::PeerSide::cuda; }
  [[nodiscard]] std::string obstacle(const PeerTask& task) const override {
    const bool compiled = task.type == bifold::Type::i32 || task.type == bifold::Type::f64;
    if (compiled && task.op == bifold::OperatorKind::plus) return {};
    return "compiled for sums of i32 and f64 alone";
  }
  [[nodiscard]] std::unique_ptr<bench::PeerCall> prepare(const PeerTask& task) const override {
    return task.type == bifold::Type::i32 ? sum<std::int32_t>(task) : sum<double>(task);
  }
};

}  // namespace

BIFOLD_BENCH_PEER_MODULE(Cub64)
