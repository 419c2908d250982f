// bifold inside an application that has its own OpenCL: context, out-of-order queue, kernels and
// buffers. Every frame moves particles by a kernel of the application's, and bifold selects those
// inside the view, on the application's queue: stream compaction. How many these are stays in
// device memory; events are all that connects the two.
#define CL_HPP_ENABLE_EXCEPTIONS
#define CL_HPP_MINIMUM_OPENCL_VERSION 120
#define CL_HPP_TARGET_OPENCL_VERSION 120
#include <CL/opencl.hpp>
#include <algorithm>
#include <bifold/bifold.hpp>
#include <bifold/interop/opencl.hpp>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <iterator>
#include <random>
#include <vector>

// As the kernel's float4.
struct Particle {
  float x, y, speed_x, speed_y;
  friend bool operator==(const Particle&, const Particle&) = default;
};
BIFOLD_STRUCT(Particle, x, y, speed_x, speed_y);

namespace {

namespace interop = bifold::interop::opencl;

constexpr cl_uint particle_count = 200'000;
constexpr int frame_count = 5;
constexpr const char* is_visible = "fabs(x.x) < 1 && fabs(x.y) < 1";

constexpr const char* kernel_text = R"(
kernel void move(global float4* particles, float seconds) {
  const size_t i = get_global_id(0);
  particles[i].xy += seconds * particles[i].zw;
}
)";

cl::Device first_device() {
  std::vector<cl::Platform> platforms;
  cl::Platform::get(&platforms);
  for (const cl::Platform& platform : platforms) {
    std::vector<cl::Device> devices;
    try {
      platform.getDevices(CL_DEVICE_TYPE_ALL, &devices);
    } catch (const cl::Error& error) {
      if (error.err() != CL_DEVICE_NOT_FOUND) throw;
    }
    if (!devices.empty()) return devices.front();
  }
  throw cl::Error(CL_DEVICE_NOT_FOUND, "no platform has a device");
}

std::vector<Particle> random_particles() {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> place(-2.0f, 2.0f);
  std::uniform_real_distribution<float> speed(-1.0f, 1.0f);
  std::vector<Particle> particles(particle_count);
  for (Particle& p : particles) p = {place(random), place(random), speed(random), speed(random)};
  return particles;
}

class Simulation {
 public:
  explicit Simulation(const cl::Device& device)
      : context_(device),
        queue_(context_, device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE),
        particles_(context_, CL_MEM_READ_WRITE, particle_count * sizeof(Particle)),
        kept_(context_, CL_MEM_READ_WRITE, particle_count * sizeof(Particle)),
        kept_count_(context_, CL_MEM_READ_WRITE, sizeof(cl_uint)),
        // Adopted once and kept: the handles own compiled kernels and scratch memory.
        select_device_(interop::device(context_(), device())),
        select_queue_(interop::queue(queue_(), select_device_)),
        particles_view_(interop::view<const Particle>(particles_(), particle_count)),
        kept_view_(interop::view<Particle>(kept_(), particle_count)),
        count_view_(interop::view<cl_uint>(kept_count_(), 1)) {
    cl::Program program(context_, kernel_text);
    program.build(device);
    move_ = cl::Kernel(program, "move");
    // What the first selection would compile is compiled before the first frame.
    bifold::warm(select_device_, bifold::SelectShape{.input = bifold::type_of<Particle>(),
                                                     .output = bifold::type_of<Particle>(),
                                                     .kept = bifold::Type::u32,
                                                     .predicate = is_visible});

    const std::vector<Particle> particles = random_particles();
    queue_.enqueueWriteBuffer(particles_, CL_TRUE, 0, particles.size() * sizeof(Particle),
                              particles.data());
  }

  // Moves the particles on, and leaves the visible ones on the host.
  void frame(float seconds, std::vector<Particle>& all, std::vector<Particle>& kept) {
    const cl::NDRange everything(particle_count);
    move_.setArg(0, particles_);
    move_.setArg(1, seconds);
    cl::Event moved;
    queue_.enqueueNDRangeKernel(move_, cl::NullRange, everything, cl::NullRange, nullptr, &moved);

    // The application's event goes in, and bifold's comes out. Nothing waits here.
    bifold::Event selected;
    bifold::select(select_queue_, particles_view_, kept_view_, count_view_, is_visible,
                   {.wait = {interop::event(moved())}, .done = &selected});
    const std::vector<cl::Event> after_selection{cl::Event(interop::native_event(selected))};

    cl_uint count = 0;
    queue_.enqueueReadBuffer(kept_count_, CL_TRUE, 0, sizeof count, &count, &after_selection);
    kept.resize(count);
    all.resize(particle_count);
    if (count > 0) {
      queue_.enqueueReadBuffer(kept_, CL_TRUE, 0, count * sizeof(Particle), kept.data(),
                               &after_selection);
    }
    const std::vector<cl::Event> after_move{moved};
    queue_.enqueueReadBuffer(particles_, CL_TRUE, 0, particle_count * sizeof(Particle), all.data(),
                             &after_move);
  }

 private:
  cl::Context context_;
  cl::CommandQueue queue_;
  cl::Kernel move_;
  cl::Buffer particles_;
  cl::Buffer kept_;
  cl::Buffer kept_count_;
  bifold::Device select_device_;
  bifold::Queue select_queue_;
  bifold::View<const Particle> particles_view_;
  bifold::View<Particle> kept_view_;
  bifold::View<cl_uint> count_view_;
};

// Whether `kept` holds the visible ones of `all`, in their order.
bool is_right(const std::vector<Particle>& all, const std::vector<Particle>& kept) {
  std::vector<Particle> expected;
  std::copy_if(all.begin(), all.end(), std::back_inserter(expected),
               [](const Particle& p) { return std::fabs(p.x) < 1.0f && std::fabs(p.y) < 1.0f; });
  return kept == expected;
}

}  // namespace

int main() try {
  const cl::Device device = first_device();
  std::cout << "on " << device.getInfo<CL_DEVICE_NAME>() << '\n';
  Simulation simulation(device);
  std::vector<Particle> all;
  std::vector<Particle> kept;
  bool right = true;
  for (int frame = 0; frame < frame_count; ++frame) {
    simulation.frame(0.1f, all, kept);
    const bool good = is_right(all, kept);
    std::cout << "frame " << frame << ": " << kept.size() << " of " << all.size()
              << " particles are visible" << (good ? "" : ", WRONG") << '\n';
    right = right && good;
  }
  return right ? 0 : 1;
} catch (const cl::Error& error) {
  std::cerr << error.what() << " failed with " << error.err() << '\n';
  constexpr int no_platform = -1001;  // The loader's own code.
  return error.err() == no_platform || error.err() == CL_DEVICE_NOT_FOUND ? 77 : 1;  // 77: skipped
} catch (const bifold::Error& error) {
  std::cerr << error.what() << '\n' << error.log();
  return 1;
}
