// CLBlast's sum on bifold's OpenCL queue. It has sums of f32 and f64 and no scan, compiles its
// kernels when the call is prepared, and allocates scratch memory in every call.
#include <clblast.h>

#include "peers/visit.hpp"

namespace {

using bench::PeerTask;

void check(clblast::StatusCode status, const char* what) {
  if (status == clblast::StatusCode::kSuccess) return;
  throw std::runtime_error(std::string(what) + " answers " +
                           std::to_string(static_cast<int>(status)));
}

template <class T>
class Call final : public bench::PeerCall {
 public:
  explicit Call(const PeerTask& task)
      : n_(task.n),
        input_(reinterpret_cast<cl_mem>(task.input)),    // NOLINT(performance-no-int-to-ptr)
        output_(reinterpret_cast<cl_mem>(task.output)),  // NOLINT(performance-no-int-to-ptr)
        queue_(static_cast<cl_command_queue>(task.queue)) {
    T ignored{};
    block(&ignored);
  }

  void block(void* value) override {
    enqueue();
    const cl_int code =
        clEnqueueReadBuffer(queue_, output_, CL_TRUE, 0, sizeof(T), value, 0, nullptr, nullptr);
    if (code != CL_SUCCESS) {
      throw std::runtime_error("clEnqueueReadBuffer answers " + std::to_string(code));
    }
  }

  void enqueue() override {
    check(clblast::Sum<T>(n_, output_, 0, input_, 0, 1, &queue_), "clblast::Sum");
  }

 private:
  std::size_t n_;
  cl_mem input_;
  cl_mem output_;
  cl_command_queue queue_;
};

class ClBlast final : public bench::Peer {
 public:
  [[nodiscard]] std::string_view name() const override { return "CLBlast"; }
  [[nodiscard]] std::string version() const override { return BIFOLD_CLBLAST_VERSION; }
  [[nodiscard]] bench::PeerSide side() const override { return bench::PeerSide::opencl; }
  [[nodiscard]] std::string obstacle(const PeerTask& task) const override {
    if (task.algorithm != bifold::Algorithm::reduce) return "it has no scan";
    if (task.op != bifold::OperatorKind::plus) return "it has sums only";
    if (task.type != bifold::Type::f32 && task.type != bifold::Type::f64) {
      return "it has sums of f32 and f64 only";
    }
    // Its kernels count in int.
    if (task.n > 0x7fffffff) return "it counts in 32 bits";
    return {};
  }
  [[nodiscard]] std::unique_ptr<bench::PeerCall> prepare(const PeerTask& task) const override {
    if (task.type == bifold::Type::f32) return std::make_unique<Call<float>>(task);
    return std::make_unique<Call<double>>(task);
  }
};

}  // namespace

BIFOLD_BENCH_PEER_MODULE(ClBlast)
