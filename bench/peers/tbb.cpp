// The standard library's parallel algorithms on the host's processors, which libstdc++ builds on
// TBB: std::reduce, std::inclusive_scan and std::exclusive_scan.
#include <tbb/version.h>

#include <algorithm>
#include <execution>
#include <functional>
#include <numeric>

#include "peers/visit.hpp"

namespace {

using bench::PeerTask;

struct Ops {
  template <class T>
  using Plus = std::plus<T>;
  template <class T>
  struct Minimum {
    T operator()(T a, T b) const { return std::min(a, b); }
  };
  template <class T>
  struct Maximum {
    T operator()(T a, T b) const { return std::max(a, b); }
  };
};

template <class T, class Op>
class Call final : public bench::PeerCall {
 public:
  explicit Call(const PeerTask& task)
      : task_(task),
        input_(reinterpret_cast<const T*>(task.input)),  // NOLINT(performance-no-int-to-ptr)
        output_(reinterpret_cast<T*>(task.output)),      // NOLINT(performance-no-int-to-ptr)
        identity_(task.identity.as<T>()) {}

  void block(void* value) override {
    const auto* const end = input_ + task_.n;
    const auto& policy = std::execution::par_unseq;
    if (task_.algorithm == bifold::Algorithm::reduce) {
      *static_cast<T*>(value) = std::reduce(policy, input_, end, identity_, Op{});
    } else if (task_.kind == bifold::ScanKind::exclusive) {
      std::exclusive_scan(policy, input_, end, output_, identity_, Op{});
    } else {
      std::inclusive_scan(policy, input_, end, output_, Op{}, identity_);
    }
  }

  void enqueue() override { block(output_); }

  [[nodiscard]] bool only_blocks() const override { return true; }

 private:
  PeerTask task_;
  const T* input_;
  T* output_;
  T identity_;
};

class Tbb final : public bench::Peer {
 public:
  [[nodiscard]] std::string_view name() const override { return "std, TBB"; }
  [[nodiscard]] std::string version() const override {
    return "libstdc++ " + std::to_string(__GLIBCXX__) + ", TBB " + TBB_runtime_version();
  }
  [[nodiscard]] bench::PeerSide side() const override { return bench::PeerSide::host; }
  [[nodiscard]] std::string obstacle(const PeerTask& task) const override {
    return bench::obstacle_of_peer_with_structs(task);
  }
  [[nodiscard]] std::unique_ptr<bench::PeerCall> prepare(const PeerTask& task) const override {
    return bench::make_call_with_structs<Call, Ops>(task);
  }
};

}  // namespace

BIFOLD_BENCH_PEER_MODULE(Tbb)
