// bifold inside an application that has its own CUDA: context, stream, kernels and memory. Every
// frame flags the particles inside the view, turns the flags into places by an exclusive scan, and
// moves the flagged ones there: stream compaction. bifold does the scan, between two of the
// application's kernels. The frame is captured into a graph once; each launch of the graph then
// works on the particles that are there.
#include <algorithm>
#include <bifold/bifold.hpp>
#include <bifold/interop/cuda.hpp>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <iterator>
#include <random>
#include <vector>

#include "embed_cuda_driver.hpp"

namespace {

namespace interop = bifold::interop::cuda;

constexpr std::uint32_t particle_count = 200'000;
constexpr int frame_count = 5;

struct Particle {
  float x;
  float y;
};

// As an application's build makes it of
//   visible[i] = fabs(particles[i].x) < 1 && fabs(particles[i].y) < 1;
// and
//   if (visible[i]) kept[places[i]] = particles[i];
//   if (i == n - 1) *kept_count = places[i] + visible[i];
constexpr const char* kernels = R"(
.version 6.0
.target sm_70
.address_size 64

.visible .entry flag_visible(.param .u64 particles, .param .u64 visible, .param .u32 n)
{
  .reg .pred %outside, %near_x, %near_y;
  .reg .f32 %x, %y;
  .reg .b32 %i, %n, %block, %width, %flag;
  .reg .b64 %from, %to, %offset;

  mov.u32 %width, %ntid.x;
  mov.u32 %block, %ctaid.x;
  mov.u32 %i, %tid.x;
  mad.lo.u32 %i, %block, %width, %i;
  ld.param.u32 %n, [n];
  setp.ge.u32 %outside, %i, %n;
  @%outside bra done;

  ld.param.u64 %from, [particles];
  cvta.to.global.u64 %from, %from;
  mul.wide.u32 %offset, %i, 8;
  add.u64 %from, %from, %offset;
  ld.global.v2.f32 {%x, %y}, [%from];
  abs.f32 %x, %x;
  abs.f32 %y, %y;
  setp.lt.f32 %near_x, %x, 0f3F800000;
  setp.lt.and.f32 %near_y, %y, 0f3F800000, %near_x;
  selp.u32 %flag, 1, 0, %near_y;

  ld.param.u64 %to, [visible];
  cvta.to.global.u64 %to, %to;
  mul.wide.u32 %offset, %i, 4;
  add.u64 %to, %to, %offset;
  st.global.u32 [%to], %flag;
done:
  ret;
}

.visible .entry compact(.param .u64 particles, .param .u64 visible, .param .u64 places,
                        .param .u64 kept, .param .u64 kept_count, .param .u32 n)
{
  .reg .pred %outside, %hidden, %inner;
  .reg .f32 %x, %y;
  .reg .b32 %i, %n, %block, %width, %flag, %place;
  .reg .b64 %address, %offset;

  mov.u32 %width, %ntid.x;
  mov.u32 %block, %ctaid.x;
  mov.u32 %i, %tid.x;
  mad.lo.u32 %i, %block, %width, %i;
  ld.param.u32 %n, [n];
  setp.ge.u32 %outside, %i, %n;
  @%outside bra done;

  mul.wide.u32 %offset, %i, 4;
  ld.param.u64 %address, [visible];
  cvta.to.global.u64 %address, %address;
  add.u64 %address, %address, %offset;
  ld.global.u32 %flag, [%address];
  ld.param.u64 %address, [places];
  cvta.to.global.u64 %address, %address;
  add.u64 %address, %address, %offset;
  ld.global.u32 %place, [%address];
  setp.eq.u32 %hidden, %flag, 0;
  @%hidden bra count;

  mul.wide.u32 %offset, %i, 8;
  ld.param.u64 %address, [particles];
  cvta.to.global.u64 %address, %address;
  add.u64 %address, %address, %offset;
  ld.global.v2.f32 {%x, %y}, [%address];
  mul.wide.u32 %offset, %place, 8;
  ld.param.u64 %address, [kept];
  cvta.to.global.u64 %address, %address;
  add.u64 %address, %address, %offset;
  st.global.v2.f32 [%address], {%x, %y};

count:
  add.u32 %i, %i, 1;
  setp.lt.u32 %inner, %i, %n;
  @%inner bra done;
  add.u32 %place, %place, %flag;
  ld.param.u64 %address, [kept_count];
  cvta.to.global.u64 %address, %address;
  st.global.u32 [%address], %place;
done:
  ret;
}
)";

// What ends with the application, the context last.
struct Resources {
  explicit Resources(const Driver& with) : cuda(with) {
    cuda(cuda.create_context(&context, 0, 0));  // Current from here on, as is usual.
    cuda(cuda.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    cuda(cuda.cuModuleLoadData(&module, kernels));
  }
  ~Resources() {
    if (frame != nullptr) cuda.cuGraphExecDestroy(frame);
    for (const CUdeviceptr block : blocks) cuda.cuMemFree(block);
    if (module != nullptr) cuda.cuModuleUnload(module);
    if (stream != nullptr) cuda.cuStreamDestroy(stream);
    if (context != nullptr) cuda.cuCtxDestroy(context);
  }
  Resources(const Resources&) = delete;
  Resources& operator=(const Resources&) = delete;

  CUdeviceptr allocate(std::size_t bytes) {
    CUdeviceptr block = 0;
    cuda(cuda.cuMemAlloc(&block, bytes));
    blocks.push_back(block);
    return block;
  }
  [[nodiscard]] CUfunction kernel(const char* name) const {
    CUfunction function = nullptr;
    cuda(cuda.cuModuleGetFunction(&function, module, name));
    return function;
  }

  const Driver& cuda;
  CUcontext context = nullptr;
  CUstream stream = nullptr;
  CUmodule module = nullptr;
  CUgraphExec frame = nullptr;
  std::vector<CUdeviceptr> blocks;
};

class Simulation {
 public:
  explicit Simulation(const Driver& driver)
      : cuda_(driver),
        own_(driver),
        particles_(own_.allocate(particle_count * sizeof(Particle))),
        visible_(own_.allocate(particle_count * sizeof(std::uint32_t))),
        places_(own_.allocate(particle_count * sizeof(std::uint32_t))),
        kept_(own_.allocate(particle_count * sizeof(Particle))),
        kept_count_(own_.allocate(sizeof(std::uint32_t))),
        device_(interop::device(own_.context)),
        queue_(interop::queue(own_.stream, device_)),
        flags_view_(interop::view<const std::uint32_t>(visible_, particle_count)),
        places_view_(interop::view<std::uint32_t>(places_, particle_count)),
        // Compiled here: nothing can be compiled or allocated while a stream is captured.
        scan_(device_, {.input = bifold::Type::u32,
                        .output = bifold::Type::u32,
                        .accumulator = bifold::Type::u32,
                        .kind = bifold::ScanKind::exclusive}) {
    const std::uint64_t bytes = scan_.workspace_bytes(particle_count);
    workspace_ = bifold::Workspace(interop::view<std::uint8_t>(own_.allocate(bytes), bytes));
    workspace_.prepare(queue_);
    capture_frame();
  }

  // Leaves those of `all` that are visible on the host.
  void frame(const std::vector<Particle>& all, std::vector<Particle>& kept) {
    const CUstream stream = own_.stream;
    const std::size_t bytes = particle_count * sizeof(Particle);
    std::uint32_t count = 0;
    kept.resize(particle_count);
    cuda_(cuda_.cuMemcpyHtoDAsync(particles_, all.data(), bytes, stream));
    cuda_(cuda_.cuGraphLaunch(own_.frame, stream));
    cuda_(cuda_.cuMemcpyDtoHAsync(&count, kept_count_, sizeof count, stream));
    cuda_(cuda_.cuMemcpyDtoHAsync(kept.data(), kept_, bytes, stream));
    cuda_(cuda_.cuStreamSynchronize(stream));
    kept.resize(std::min(count, particle_count));
  }

 private:
  void capture_frame() {
    cuda_(cuda_.cuStreamBeginCapture(own_.stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    std::uint32_t n = particle_count;
    launch("flag_visible", {&particles_, &visible_, &n});
    scan_.run(queue_, flags_view_, places_view_, bifold::Value(std::uint32_t{0}),
              {.workspace = &workspace_});
    launch("compact", {&particles_, &visible_, &places_, &kept_, &kept_count_, &n});
    CUgraph graph = nullptr;
    cuda_(cuda_.cuStreamEndCapture(own_.stream, &graph));
    const CUresult result = cuda_.cuGraphInstantiateWithFlags(&own_.frame, graph, 0);
    cuda_.cuGraphDestroy(graph);
    cuda_(result);
  }

  void launch(const char* kernel, std::vector<void*> arguments) const {
    constexpr unsigned threads = 256;
    constexpr unsigned groups = (particle_count + threads - 1) / threads;
    cuda_(cuda_.cuLaunchKernel(own_.kernel(kernel), groups, 1, 1, threads, 1, 1, 0, own_.stream,
                               arguments.data(), nullptr));
  }

  const Driver& cuda_;
  Resources own_;  // Before what bifold has in its context, and so destroyed after it.
  CUdeviceptr particles_;
  CUdeviceptr visible_;
  CUdeviceptr places_;
  CUdeviceptr kept_;
  CUdeviceptr kept_count_;
  bifold::Device device_;
  bifold::Queue queue_;
  bifold::View<const std::uint32_t> flags_view_;
  bifold::View<std::uint32_t> places_view_;
  bifold::ScanPlan scan_;
  bifold::Workspace workspace_;
};

std::vector<Particle> random_particles(unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> place(-2.0f, 2.0f);
  std::vector<Particle> particles(particle_count);
  for (Particle& p : particles) p = {place(random), place(random)};
  return particles;
}

// Whether `kept` holds the visible ones of `all`, in their order.
bool is_right(const std::vector<Particle>& all, const std::vector<Particle>& kept) {
  std::vector<Particle> expected;
  std::copy_if(all.begin(), all.end(), std::back_inserter(expected),
               [](const Particle& p) { return std::fabs(p.x) < 1.0f && std::fabs(p.y) < 1.0f; });
  return std::equal(expected.begin(), expected.end(), kept.begin(), kept.end(),
                    [](const Particle& a, const Particle& b) { return a.x == b.x && a.y == b.y; });
}

}  // namespace

int main() try {
  const Driver driver;
  char name[256] = "";
  driver(driver.cuDeviceGetName(name, sizeof name, 0));
  std::cout << "on " << name << '\n';
  Simulation simulation(driver);
  std::vector<Particle> kept;
  bool right = true;
  for (int frame = 0; frame < frame_count; ++frame) {
    const std::vector<Particle> all = random_particles(static_cast<unsigned>(frame));
    simulation.frame(all, kept);
    const bool good = is_right(all, kept);
    std::cout << "frame " << frame << ": " << kept.size() << " of " << all.size()
              << " particles are visible" << (good ? "" : ", WRONG") << '\n';
    right = right && good;
  }
  return right ? 0 : 1;
} catch (const NoDevice& reason) {
  std::cerr << reason.what() << '\n';
  return 77;  // Skipped.
} catch (const bifold::Error& error) {
  std::cerr << error.what() << '\n' << error.log();
  return error.category() == bifold::ErrorCategory::unavailable ? 77 : 1;
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
