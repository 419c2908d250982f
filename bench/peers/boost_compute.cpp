// Boost.Compute's reduce and scans on bifold's OpenCL queue. It compiles its kernels itself, when
// the call is prepared, and allocates scratch memory in every call.
#include <boost/compute/algorithm/exclusive_scan.hpp>
#include <boost/compute/algorithm/inclusive_scan.hpp>
#include <boost/compute/algorithm/reduce.hpp>
#include <boost/compute/buffer.hpp>
#include <boost/compute/command_queue.hpp>
#include <boost/compute/functional/common.hpp>
#include <boost/compute/functional/operator.hpp>
#include <boost/compute/iterator/buffer_iterator.hpp>
#include <boost/version.hpp>

#include "peers/visit.hpp"

namespace {

namespace compute = boost::compute;
using bench::PeerTask;

struct Ops {
  template <class T>
  using Plus = compute::plus<T>;
  template <class T>
  using Minimum = compute::min<T>;
  template <class T>
  using Maximum = compute::max<T>;
};

cl_mem memory(std::uintptr_t handle) {
  return reinterpret_cast<cl_mem>(handle);  // NOLINT(performance-no-int-to-ptr)
}

template <class T, class Op>
class Call final : public bench::PeerCall {
 public:
  explicit Call(const PeerTask& task)
      : task_(task),
        input_(memory(task.input)),
        output_(memory(task.output)),
        queue_(static_cast<cl_command_queue>(task.queue)) {
    enqueue();
    queue_.finish();
  }

  void block(void* value) override {
    if (task_.algorithm == bifold::Algorithm::reduce) {
      compute::reduce(begin(), end(), static_cast<T*>(value), Op{}, queue_);
    } else {
      enqueue();
    }
    queue_.finish();
  }

  void enqueue() override {
    const auto output = compute::make_buffer_iterator<T>(output_, 0);
    if (task_.algorithm == bifold::Algorithm::reduce) {
      compute::reduce(begin(), end(), output, Op{}, queue_);
    } else if (task_.kind == bifold::ScanKind::exclusive) {
      compute::exclusive_scan(begin(), end(), output, task_.identity.as<T>(), Op{}, queue_);
    } else {
      compute::inclusive_scan(begin(), end(), output, Op{}, queue_);
    }
  }

 private:
  [[nodiscard]] auto begin() const { return compute::make_buffer_iterator<T>(input_, 0); }
  [[nodiscard]] auto end() const { return compute::make_buffer_iterator<T>(input_, task_.n); }

  PeerTask task_;
  compute::buffer input_;
  compute::buffer output_;
  compute::command_queue queue_;
};

class BoostCompute final : public bench::Peer {
 public:
  [[nodiscard]] std::string_view name() const override { return "Boost.Compute"; }
  [[nodiscard]] std::string version() const override {
    return "Boost " + std::to_string(BOOST_VERSION / 100000) + "." +
           std::to_string(BOOST_VERSION / 100 % 1000);
  }
  [[nodiscard]] bench::PeerSide side() const override { return bench::PeerSide::opencl; }
  [[nodiscard]] std::string obstacle(const PeerTask& task) const override {
    return bench::obstacle_of_plain_peer(task);
  }
  [[nodiscard]] std::unique_ptr<bench::PeerCall> prepare(const PeerTask& task) const override {
    return bench::make_plain_call<Call, Ops>(task);
  }
};

}  // namespace

BIFOLD_BENCH_PEER_MODULE(BoostCompute)
