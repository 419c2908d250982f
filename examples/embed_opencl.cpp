// bifold inside an application that has its own OpenCL: context, out-of-order queue, kernels and
// buffers. Every frame moves particles, flags those inside the view, turns the flags into places by
// an exclusive scan, and moves the flagged ones there: stream compaction. bifold does the scan, on
// the application's queue, between two of its kernels; events are all that connects them.
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

namespace {

namespace interop = bifold::interop::opencl;

constexpr cl_uint particle_count = 200'000;
constexpr int frame_count = 5;

constexpr const char* kernel_text = R"(
kernel void move(global float4* particles, float seconds) {
  const size_t i = get_global_id(0);
  particles[i].xy += seconds * particles[i].zw;
}
kernel void flag_visible(global const float4* particles, global uint* visible) {
  const size_t i = get_global_id(0);
  visible[i] = fabs(particles[i].x) < 1.0f && fabs(particles[i].y) < 1.0f;
}
kernel void compact(global const float4* particles, global const uint* visible,
                    global const uint* places, global float4* kept, global uint* kept_count) {
  const size_t i = get_global_id(0);
  if (visible[i]) kept[places[i]] = particles[i];
  if (i + 1 == get_global_size(0)) *kept_count = places[i] + visible[i];
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

std::vector<cl_float4> random_particles() {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> place(-2.0f, 2.0f);
  std::uniform_real_distribution<float> speed(-1.0f, 1.0f);
  std::vector<cl_float4> particles(particle_count);
  for (cl_float4& p : particles) {
    p = {{place(random), place(random), speed(random), speed(random)}};
  }
  return particles;
}

class Simulation {
 public:
  explicit Simulation(const cl::Device& device)
      : context_(device),
        queue_(context_, device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE),
        particles_(context_, CL_MEM_READ_WRITE, particle_count * sizeof(cl_float4)),
        visible_(context_, CL_MEM_READ_WRITE, particle_count * sizeof(cl_uint)),
        places_(context_, CL_MEM_READ_WRITE, particle_count * sizeof(cl_uint)),
        kept_(context_, CL_MEM_READ_WRITE, particle_count * sizeof(cl_float4)),
        kept_count_(context_, CL_MEM_READ_WRITE, sizeof(cl_uint)),
        // Adopted once and kept: the handles own compiled kernels and scratch memory.
        scan_device_(interop::device(context_(), device())),
        scan_queue_(interop::queue(queue_(), scan_device_)),
        flags_view_(interop::view<const cl_uint>(visible_(), particle_count)),
        places_view_(interop::view<cl_uint>(places_(), particle_count)) {
    cl::Program program(context_, kernel_text);
    program.build(device);
    move_ = cl::Kernel(program, "move");
    flag_ = cl::Kernel(program, "flag_visible");
    compact_ = cl::Kernel(program, "compact");
    // What the first scan would compile is compiled before the first frame.
    bifold::warm(scan_device_, bifold::ScanShape{.input = bifold::Type::u32,
                                                 .output = bifold::Type::u32,
                                                 .accumulator = bifold::Type::u32,
                                                 .kind = bifold::ScanKind::exclusive});

    const std::vector<cl_float4> particles = random_particles();
    queue_.enqueueWriteBuffer(particles_, CL_TRUE, 0, particles.size() * sizeof(cl_float4),
                              particles.data());
  }

  // Moves the particles on, and leaves the visible ones on the host.
  void frame(float seconds, std::vector<cl_float4>& all, std::vector<cl_float4>& kept) {
    const cl::NDRange everything(particle_count);
    move_.setArg(0, particles_);
    move_.setArg(1, seconds);
    cl::Event moved;
    queue_.enqueueNDRangeKernel(move_, cl::NullRange, everything, cl::NullRange, nullptr, &moved);

    flag_.setArg(0, particles_);
    flag_.setArg(1, visible_);
    const std::vector<cl::Event> after_move{moved};
    cl::Event flagged;
    queue_.enqueueNDRangeKernel(flag_, cl::NullRange, everything, cl::NullRange, &after_move,
                                &flagged);

    // The application's event goes in, and bifold's comes out. Nothing waits here.
    bifold::Event scan_done;
    bifold::exclusive_scan(scan_queue_, flags_view_, places_view_, bifold::plus,
                           {.wait = {interop::event(flagged())}, .done = &scan_done});
    const std::vector<cl::Event> after_scan{cl::Event(interop::native_event(scan_done))};

    compact_.setArg(0, particles_);
    compact_.setArg(1, visible_);
    compact_.setArg(2, places_);
    compact_.setArg(3, kept_);
    compact_.setArg(4, kept_count_);
    cl::Event compacted;
    queue_.enqueueNDRangeKernel(compact_, cl::NullRange, everything, cl::NullRange, &after_scan,
                                &compacted);

    const std::vector<cl::Event> after_compact{compacted};
    cl_uint count = 0;
    queue_.enqueueReadBuffer(kept_count_, CL_TRUE, 0, sizeof count, &count, &after_compact);
    kept.resize(count);
    all.resize(particle_count);
    if (count > 0) {
      queue_.enqueueReadBuffer(kept_, CL_TRUE, 0, count * sizeof(cl_float4), kept.data(),
                               &after_compact);
    }
    queue_.enqueueReadBuffer(particles_, CL_TRUE, 0, particle_count * sizeof(cl_float4), all.data(),
                             &after_move);
  }

 private:
  cl::Context context_;
  cl::CommandQueue queue_;
  cl::Kernel move_;
  cl::Kernel flag_;
  cl::Kernel compact_;
  cl::Buffer particles_;
  cl::Buffer visible_;
  cl::Buffer places_;
  cl::Buffer kept_;
  cl::Buffer kept_count_;
  bifold::Device scan_device_;
  bifold::Queue scan_queue_;
  bifold::View<const cl_uint> flags_view_;
  bifold::View<cl_uint> places_view_;
};

// Whether `kept` holds the visible ones of `all`, in their order.
bool is_right(const std::vector<cl_float4>& all, const std::vector<cl_float4>& kept) {
  std::vector<cl_float4> expected;
  std::copy_if(all.begin(), all.end(), std::back_inserter(expected), [](const cl_float4& p) {
    return std::fabs(p.s[0]) < 1.0f && std::fabs(p.s[1]) < 1.0f;
  });
  return std::equal(expected.begin(), expected.end(), kept.begin(), kept.end(),
                    [](const cl_float4& a, const cl_float4& b) {
                      return std::equal(std::begin(a.s), std::end(a.s), std::begin(b.s));
                    });
}

}  // namespace

int main() try {
  const cl::Device device = first_device();
  std::cout << "on " << device.getInfo<CL_DEVICE_NAME>() << '\n';
  Simulation simulation(device);
  std::vector<cl_float4> all;
  std::vector<cl_float4> kept;
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
