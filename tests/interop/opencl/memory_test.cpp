// The application's memory: buffers, sub-buffers, shared virtual memory, and what is no such thing.
#include <array>
#include <memory>

#include "interop/opencl/application.hpp"

namespace bifold::test::interop_opencl {

namespace {

constexpr auto invalid = ErrorCategory::invalid_argument;

cl_device_svm_capabilities svm_of(cl_device_id device) {
  cl_device_svm_capabilities svm = 0;
  const cl_int code =
      clGetDeviceInfo(device, CL_DEVICE_SVM_CAPABILITIES, sizeof svm, &svm, nullptr);
  return code == CL_SUCCESS ? svm : 0;
}

/// An application with its device and queue adopted.
struct Bench {
  explicit Bench(cl_command_queue_properties properties = 0) : app(properties) {}

  Application app;
  Device device = native::device(app.context, app.device);
  Queue queue = native::queue(app.queue, device);
};

/// Shared virtual memory that the host and the device both see at any time.
struct Shared {
  explicit Shared(const Application& app)
      : context(app.context),
        data(static_cast<std::uint32_t*>(
            clSVMAlloc(context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER, 4 * bytes, 0))) {
    REQUIRE(data != nullptr);
    std::fill_n(data, 4 * count, 1U);
  }
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;
  ~Shared() { clSVMFree(context, data); }

  cl_context context;
  std::uint32_t* data;
};

}  // namespace

TEST_SUITE_BEGIN("interop");

TEST_CASE("a view knows its object's size, and reaches any element of it") {
  const Bench bench;
  const auto& memory = bench.app.input;
  CHECK(native::view<std::uint32_t>(memory, count).size() == count);
  CHECK(native::view<std::uint64_t>(memory, count / 2).size() == count / 2);
  CHECK(native::view<std::uint32_t>(memory, count, 0).empty());
  refused(invalid, "beyond", [&] { (void)native::view<std::uint32_t>(memory, count + 1); });
  refused(invalid, "beyond", [&] { (void)native::view<std::uint32_t>(memory, 1, count); });
  refused(invalid, "beyond",
          [&] { (void)native::view<std::uint32_t>(memory, ~std::uint64_t{0} / 4, 2); });
  refused(invalid, "any address space",
          [&] { (void)native::view<std::uint32_t>(memory, ~std::uint64_t{0}, 1); });
  CHECK(references(memory) == 1);

  Queue queue = bench.queue;
  const auto all = native::view<std::uint32_t>(memory, count);
  exclusive_scan(queue, all, all, plus);
  CHECK(reduce(queue, native::view<const std::uint32_t>(memory, 1000, 3), plus) == 3003);
  refused(invalid, "the output has", [&] {
    exclusive_scan(queue, all, native::view<std::uint32_t>(bench.app.output, count - 1), plus);
  });
}

TEST_CASE("images are no buffers") {
  const Application app;
  const cl_image_format format{CL_RGBA, CL_UNORM_INT8};
  cl_image_desc shape{};
  shape.image_type = CL_MEM_OBJECT_IMAGE2D;
  shape.image_width = shape.image_height = 16;
  cl_int code = CL_SUCCESS;
  const OwnedMemory image(
      clCreateImage(app.context, CL_MEM_READ_WRITE, &format, &shape, nullptr, &code));
  if (code != CL_SUCCESS) {
    MESSAGE("no images here: not tested");
    return;
  }
  refused(invalid, "not an image",
          [&] { (void)native::view<std::uint32_t>(static_cast<cl_mem>(image), 1); });
}

TEST_CASE("kernels write no read-only objects, and read no write-only ones") {
  Bench bench;
  const OwnedMemory read_only = make_buffer(bench.app.context, bytes, CL_MEM_READ_ONLY);
  const OwnedMemory write_only = make_buffer(bench.app.context, bytes, CL_MEM_WRITE_ONLY);
  bench.app.write(read_only, ones());
  const auto source = native::view<std::uint32_t>(read_only, count);
  const auto target = native::view<std::uint32_t>(write_only, count);
  exclusive_scan(bench.queue, source, target, plus);
  bench.queue.finish();
  CHECK(bench.app.read(write_only) == ramp());

  refused(invalid, "may not write",
          [&] { exclusive_scan(bench.queue, bench.app.in(), source, plus); });
  refused(invalid, "may not write", [&] { exclusive_scan(bench.queue, source, source, plus); });
  refused(invalid, "may not read",
          [&] { exclusive_scan(bench.queue, target, bench.app.out(), plus); });
  refused(invalid, "may not read", [&] { (void)reduce(bench.queue, target, plus); });
  for (const auto& view : {source, target}) {
    Workspace workspace(view.as<std::uint8_t>());
    refused(invalid, "workspace", [&] {
      exclusive_scan(bench.queue, bench.app.in(), bench.app.out(), plus, {.workspace = &workspace});
    });
    refused(invalid, "workspace", [&] { workspace.prepare(bench.queue); });
  }
  CHECK(bench.app.read(bench.app.output) == std::vector<std::uint32_t>(count, 77));
  // A sub-buffer may do what its parent may. Copies, fills and transfers are no kernels.
  const OwnedMemory part = make_sub_buffer(read_only, 0, bytes / 2);
  const auto part_view = native::view<std::uint32_t>(part, count / 2);
  refused(invalid, "may not write", [&] {
    exclusive_scan(bench.queue, bench.app.in().subview(0, count / 2), part_view, plus);
  });
  bench.queue.fill(part_view, 5);
  bench.queue.copy(part_view, target.subview(0, count / 2));
  CHECK(bench.queue.download(target).front() == 5);
  const std::vector<std::uint32_t> host = ramp();
  bench.queue.upload(host, source);
  CHECK(reduce(bench.queue, source, maximum) == count - 1);
}

TEST_CASE("sub-buffers of one parent overlap where their bytes do") {
  Bench bench;
  const std::size_t quarter = 4096 * sizeof(std::uint32_t);
  const OwnedMemory parent = make_buffer(bench.app.context, 4 * quarter);
  const OwnedMemory left = make_sub_buffer(parent, 0, 2 * quarter);
  const OwnedMemory middle = make_sub_buffer(parent, quarter, 2 * quarter);
  const OwnedMemory right = make_sub_buffer(parent, 2 * quarter, 2 * quarter);
  const auto view = [](cl_mem memory) { return native::view<std::uint32_t>(memory, 8192); };
  const auto whole = native::view<std::uint32_t>(parent, std::uint64_t{4} * 4096);
  const auto overlaps = [&](const View<std::uint32_t>& from, const View<std::uint32_t>& to) {
    refused(invalid, "overlap", [&] { exclusive_scan(bench.queue, from, to, plus); });
    refused(invalid, "overlap", [&] { bench.queue.copy(from, to); });
  };
  overlaps(view(left), view(middle));
  overlaps(view(middle), view(right));
  overlaps(view(right), whole.subview(4096 * 2 - 1, 8192));
  overlaps(whole.subview(1, 8192), view(left));
  Workspace workspace(native::view<std::uint8_t>(middle, 2 * quarter));
  refused(invalid, "overlaps the data", [&] {
    exclusive_scan(bench.queue, view(left), bench.app.out().subview(0, 8192), plus,
                   {.workspace = &workspace});
  });

  // Neighbours do not overlap, and the same bytes by two names are in place.
  bench.queue.fill(whole, 1);
  exclusive_scan(bench.queue, view(left), view(right), plus);
  exclusive_scan(bench.queue, view(middle).subview(0, 4096), whole.subview(4096, 4096), plus);
  const std::vector<std::uint32_t> host = bench.queue.download(whole);
  CHECK(host[4095] == 1);
  CHECK(host[4096] == 0);
  CHECK(host[8191] == 4095);
  CHECK(host[8192] == 0);
  CHECK(host[4 * 4096 - 1] == 8191);
}

TEST_CASE("buffers over the same memory of the host overlap") {
  Bench bench;
  const std::unique_ptr<void, decltype(&std::free)> host(std::aligned_alloc(4096, 16384),
                                                         &std::free);
  auto* const start = static_cast<std::byte*>(host.get());
  const OwnedMemory low = make_buffer(bench.app.context, 8192, CL_MEM_USE_HOST_PTR, start);
  const OwnedMemory high = make_buffer(bench.app.context, 8192, CL_MEM_USE_HOST_PTR, start + 8192);
  const OwnedMemory part = make_sub_buffer(low, 4096, 4096);
  const auto all = native::view<std::uint32_t>(low, 2048);
  refused(invalid, "overlap", [&] {
    bench.queue.copy(all.subview(1023, 1024), native::view<std::uint32_t>(part, 1024));
  });
  bench.queue.fill(all, 1);
  exclusive_scan(bench.queue, all, native::view<std::uint32_t>(high, 2048), plus);
  CHECK(bench.queue.download(native::view<std::uint32_t>(high, 2048)).back() == 2047);

  // Memory that is aligned for its elements, but not for the words of a workspace.
  const OwnedMemory odd = make_buffer(bench.app.context, 8192, CL_MEM_USE_HOST_PTR, start + 4);
  Workspace workspace(native::view<std::uint8_t>(odd, 8192));
  refused(invalid, "multiple of 8", [&] { workspace.prepare(bench.queue); });
  refused(invalid, "misaligned", [&] { bench.queue.fill(native::view<std::uint64_t>(odd, 8), 1); });
}

TEST_CASE("memory of the application serves as a workspace, sub-buffers included") {
  for (const cl_command_queue_properties properties :
       {cl_command_queue_properties{0}, out_of_order}) {
    Bench bench(properties);
    const ScanPlan plan(bench.device, {.input = Type::u32,
                                       .output = Type::u32,
                                       .accumulator = Type::u32,
                                       .kind = ScanKind::exclusive});
    const std::uint64_t needed = plan.workspace_bytes(count);
    const OwnedMemory parent = make_buffer(bench.app.context, 4096 + needed);
    const OwnedMemory part = make_sub_buffer(parent, 4096, needed);
    Workspace workspace(native::view<std::uint8_t>(part, needed));
    for (const bool prepare : {false, true}) {
      if (prepare) workspace.prepare(bench.queue);
      bench.app.write(bench.app.output, ones());
      Event done;
      plan.run(bench.queue, bench.app.in(), bench.app.out(), 0U,
               {.done = &done, .workspace = &workspace});
      done.wait();
      CHECK(bench.app.read(bench.app.output) == ramp());
    }
    const Workspace small(native::view<std::uint8_t>(part, needed - 1));
    refused(invalid, "this call needs", [&] {
      plan.run(bench.queue, bench.app.in(), bench.app.out(), 0U, {.workspace = &small});
    });
  }
}

TEST_CASE("slices of a group's ranks lie in shared virtual memory") {
  Bench bench;
  if ((svm_of(bench.app.device) & CL_DEVICE_SVM_FINE_GRAIN_BUFFER) == 0) {
    MESSAGE("no fine-grained shared virtual memory: not tested");
    return;
  }
  const Shared shared(bench.app);
  auto* const numbers = reinterpret_cast<float*>(shared.data);
  for (std::uint32_t i = 0; i < count; ++i) numbers[i] = 0.1F * static_cast<float>(i % 77);
  const auto view = [&](std::size_t third) {
    return native::svm_view(bench.device, numbers + third * count, count);
  };
  const auto want = view(1);
  const auto got = view(2);
  inclusive_scan(bench.queue, view(0), want, plus);
  const auto slice = [&](std::uint64_t begin, std::uint64_t size) {
    return ScanSlice{bench.queue, erase(view(0).subview(begin, size)),
                     erase(got.subview(begin, size))};
  };
  inclusive_scan({slice(0, 100), slice(100, count - 100)}, plus);
  CHECK(bench.queue.download(got) == bench.queue.download(want));
}

TEST_CASE("shared virtual memory is read, written, filled, copied and scanned") {
  for (const cl_command_queue_properties properties :
       {cl_command_queue_properties{0}, out_of_order}) {
    Bench bench(properties);
    if ((svm_of(bench.app.device) & CL_DEVICE_SVM_FINE_GRAIN_BUFFER) == 0) {
      MESSAGE("no fine-grained shared virtual memory: not tested");
      return;
    }
    const std::vector<std::uint32_t> host = ones();
    const Shared shared(bench.app);
    Queue& queue = bench.queue;
    // Starts that are aligned for the elements and for nothing more.
    const auto from = native::svm_view<const std::uint32_t>(bench.device, shared.data + 1, count);
    const auto to = native::svm_view(bench.device, shared.data + count + 3, count);
    exclusive_scan(queue, from, to, plus);
    queue.finish();
    CHECK(std::vector(shared.data + count + 3, shared.data + std::size_t{2} * count + 3) == ramp());
    CHECK(shared.data[count + 2] == 1);
    CHECK(shared.data[2 * count + 3] == 1);
    CHECK(reduce(queue, to, maximum) == count - 1);
    exclusive_scan(queue, bench.app.in(), to, plus, 5U);
    CHECK(queue.download(to).back() == count + 4);
    exclusive_scan(queue, from, bench.app.out(), plus);
    queue.finish();
    CHECK(bench.app.read(bench.app.output) == ramp());
    queue.upload(host, to);
    inclusive_scan(queue, to, to, plus);
    const auto third = native::svm_view(bench.device, shared.data + std::size_t{3} * count, count);
    queue.fill(third, 9);
    queue.copy(to.subview(0, 10), third.subview(0, 10));
    queue.finish();
    CHECK(shared.data[3 * count + 9] == 10);
    CHECK(shared.data[3 * count + 10] == 9);

    const ScanPlan plan(bench.device,
                        {.input = Type::u32, .output = Type::u32, .accumulator = Type::u32});
    const std::uint64_t needed = plan.workspace_bytes(count);
    auto* const scratch =
        static_cast<std::uint8_t*>(clSVMAlloc(bench.app.context, CL_MEM_READ_WRITE, needed + 8, 0));
    REQUIRE(scratch != nullptr);
    const Workspace workspace(native::svm_view(bench.device, scratch + 3, needed));
    queue.fill(to, 1);
    Event done;
    const Event filled = queue.record();
    plan.run(queue, to, to, 0U, {.wait = {filled}, .done = &done, .workspace = &workspace});
    done.wait();
    CHECK(queue.download(to).back() == count);
    clSVMFree(bench.app.context, scratch);
  }
}

TEST_CASE("coarse-grained shared virtual memory works unmapped") {
  Bench bench(out_of_order);
  if ((svm_of(bench.app.device) & CL_DEVICE_SVM_COARSE_GRAIN_BUFFER) == 0) {
    MESSAGE("no coarse-grained shared virtual memory: not tested");
    return;
  }
  auto* const data =
      static_cast<std::uint32_t*>(clSVMAlloc(bench.app.context, CL_MEM_READ_WRITE, bytes, 0));
  REQUIRE(data != nullptr);
  succeed(
      clEnqueueSVMMap(bench.app.queue, CL_TRUE, CL_MAP_WRITE, data, bytes, 0, nullptr, nullptr));
  std::fill_n(data, count, 1U);
  cl_event event = nullptr;
  succeed(clEnqueueSVMUnmap(bench.app.queue, data, 0, nullptr, &event));
  const OwnedEvent unmapped(event);
  const auto view = native::svm_view(bench.device, data, count);
  Event done;
  exclusive_scan(bench.queue, view, view, plus, {.wait = {native::event(unmapped)}, .done = &done});
  const OwnedEvent scanned(native::native_event(done));
  cl_event list = scanned;
  succeed(clEnqueueSVMMap(bench.app.queue, CL_TRUE, CL_MAP_READ, data, bytes, 1, &list, nullptr));
  CHECK(std::vector(data, data + count) == ramp());
  succeed(clEnqueueSVMUnmap(bench.app.queue, data, 0, nullptr, nullptr));
  succeed(clFinish(bench.app.queue));
  clSVMFree(bench.app.context, data);
}

TEST_CASE("what shared virtual memory cannot do is refused") {
  Bench bench;
  if (svm_of(bench.app.device) == 0) {
    refused(ErrorCategory::unsupported, "shared virtual memory", [&] {
      int on_the_host = 0;
      (void)native::svm_view(bench.device, &on_the_host, 1);
    });
    return;
  }
  auto* const data =
      static_cast<std::uint32_t*>(clSVMAlloc(bench.app.context, CL_MEM_READ_WRITE, 2 * bytes, 0));
  REQUIRE(data != nullptr);
  const auto view = [&](std::size_t first) {
    return native::svm_view(bench.device, data + first, count);
  };
  refused(invalid, "null",
          [&] { (void)native::svm_view(bench.device, static_cast<std::uint32_t*>(nullptr), 1); });
  CHECK(native::svm_view(bench.device, static_cast<std::uint32_t*>(nullptr), 0).empty());
  refused(invalid, "any address space",
          [&] { (void)native::svm_view(bench.device, data, ~std::uint64_t{0}); });
  refused(invalid, "overlap", [&] { exclusive_scan(bench.queue, view(0), view(count - 1), plus); });
  refused(invalid, "overlap", [&] { bench.queue.copy(view(1), view(0)); });
  refused(invalid, "misaligned", [&] {
    auto* const odd = reinterpret_cast<std::uint32_t*>(reinterpret_cast<std::byte*>(data) + 2);
    bench.queue.fill(native::svm_view(bench.device, odd, 1), 1);
  });
  refused(ErrorCategory::unsupported, "left to the application",
          [&] { bench.queue.copy(view(0), bench.app.out()); });
  const Application other;
  const Device stranger = native::device(other.context, other.device);
  refused(invalid, "another device or context",
          [&] { bench.queue.fill(native::svm_view(stranger, data, count), 1); });
  // The same bytes, by a buffer object.
  const OwnedMemory buffer = make_buffer(bench.app.context, bytes, CL_MEM_USE_HOST_PTR, data);
  refused(invalid, "overlap", [&] {
    exclusive_scan(bench.queue, native::view<std::uint32_t>(buffer, count), view(1), plus);
  });
  clSVMFree(bench.app.context, data);
}

TEST_SUITE_END();

}  // namespace bifold::test::interop_opencl
