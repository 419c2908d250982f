// Thrust's sums on bifold's stream, with the policy that waits only where it must. Its reduce
// returns a value and so always waits. Scratch memory is kept from call to call. Its kernels are
// CUB's, which are compared on more operators.
#include <thrust/execution_policy.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>

#include <algorithm>
#include <cuda/std/functional>
#include <cuda/version>
#include <memory>
#include <vector>

#include "peers/cuda_parts.hpp"
#include "peers/visit.hpp"

namespace {

using bench::PeerTask;

/// Gives Thrust the same blocks again from call to call.
class Allocator {
 public:
  using value_type = char;
  char* allocate(std::ptrdiff_t bytes) {
    const auto idle = std::find_if(blocks_.begin(), blocks_.end(),
                                   [](const auto& block) { return block->given == nullptr; });
    Block& block =
        idle != blocks_.end() ? **idle : *blocks_.emplace_back(std::make_unique<Block>());
    block.given = block.memory.at_least(static_cast<std::size_t>(bytes));
    return block.given;
  }
  void deallocate(char* memory, std::size_t /*bytes*/) {
    for (const auto& block : blocks_) {
      if (block->given == memory) block->given = nullptr;
    }
  }

 private:
  struct Block {
    bench::CudaScratch memory;
    char* given = nullptr;  // Null while nobody has it.
  };
  std::vector<std::unique_ptr<Block>> blocks_;
};

template <class T>
class Call final : public bench::PeerCall {
 public:
  explicit Call(const PeerTask& task)
      : task_(task),
        input_(reinterpret_cast<const T*>(task.input)),
        output_(reinterpret_cast<T*>(task.output)),
        identity_(task.identity.as<T>()),
        stream_(static_cast<cudaStream_t>(task.queue)) {
    bench::use_device_of(task);
    T ignored{};
    block(&ignored);
  }

  void block(void* value) override {
    if (only_blocks()) {
      *static_cast<T*>(value) = reduce();
      return;
    }
    enqueue();
    bench::check_cuda(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
  }

  void enqueue() override {
    const auto policy = thrust::cuda::par_nosync(allocator_).on(stream_);
    if (only_blocks()) {
      static_cast<void>(reduce());
    } else if (task_.kind == bifold::ScanKind::exclusive) {
      thrust::exclusive_scan(policy, input_, input_ + task_.n, output_, identity_, Plus{});
    } else {
      thrust::inclusive_scan(policy, input_, input_ + task_.n, output_, Plus{});
    }
  }

  [[nodiscard]] bool only_blocks() const override {
    return task_.algorithm == bifold::Algorithm::reduce;
  }

 private:
  T reduce() {
    const auto policy = thrust::cuda::par_nosync(allocator_).on(stream_);
    return thrust::reduce(policy, input_, input_ + task_.n, identity_, Plus{});
  }

  using Plus = cuda::std::plus<T>;

  PeerTask task_;
  const T* input_;
  T* output_;
  T identity_;
  cudaStream_t stream_;
  Allocator allocator_;
};

class Thrust final : public bench::Peer {
 public:
  [[nodiscard]] std::string_view name() const override { return "Thrust"; }
  [[nodiscard]] std::string version() const override {
    return bench::cuda_version_text(CCCL_VERSION);
  }
  [[nodiscard]] bench::PeerSide side() const override { return bench::PeerSide::cuda; }
  [[nodiscard]] std::string obstacle(const PeerTask& task) const override {
    if (task.op != bifold::OperatorKind::plus) {
      return "its kernels are CUB's: only sums are compared";
    }
    return bench::obstacle_of_peer_with_structs(task);
  }
  [[nodiscard]] std::unique_ptr<bench::PeerCall> prepare(const PeerTask& task) const override {
    const auto make = [&](auto zero) -> std::unique_ptr<bench::PeerCall> {
      return std::make_unique<Call<decltype(zero)>>(task);
    };
    if (task.type.is_struct()) return bench::visit_struct(task.type, make);
    return bench::visit_peer_type(task.type, make);
  }
};

}  // namespace

BIFOLD_BENCH_PEER_MODULE(Thrust)
