// The host side of the CUDA backend, against stand-ins for the driver (tests/fake_cuda): no GPU is
// needed, NVRTC is the real one. $BIFOLD_TEST_CUDA_DRIVER tells which stand-in this process has in
// its library path; without it every case is skipped.
#include <doctest/doctest.h>

#include <array>
#include <bifold/bifold.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "core/base/duration.hpp"
#include "fake_cuda/fixture.hpp"
#include "fake_cuda/samples.hpp"
#include "interface.hpp"
#include "support/patience.hpp"

namespace {

using namespace fake_cuda;
using bifold::ErrorCategory;
using bifold::Timing;
using bifold::detail::Memory;

/// Uses every driver function that the backend has.
void use_everything() {
  const auto devices = cuda().devices();
  REQUIRE(devices.size() == 2);
  const auto device = cuda().open(0);
  const auto queue = device->create_queue(Timing::enabled);
  const auto other = device->create_queue(Timing::disabled);
  const Block block(*device, 4096);
  const std::uint64_t word = 0x0123456789abcdef;
  std::uint64_t host = word;
  queue->upload(block, 0, &host, sizeof host);
  queue->copy(block, 8, block, 0, 8);
  for (const std::size_t width : {1U, 2U, 4U, 8U}) {
    queue->fill(block, 0, 4096, bytes_of(word).first(width));
  }
  const auto program = device->build(source_of(*device, sample_text));
  const auto kernel = device->load(program->binary(), device->compile_options())->kernel("sample");
  const Memory& memory = block;
  const std::uint64_t offset = 0;
  const std::array<backend::Argument, 2> arguments{
      {{&memory.handle, sizeof memory.handle, backend::ArgumentKind::memory},
       {&offset, sizeof offset}}};
  const auto first = queue->record();
  queue->launch(*kernel, 1, 32, arguments);
  const auto last = queue->record();
  const backend::Event* const awaited = last.get();
  other->wait({&awaited, 1});
  last->wait(bifold::test::patience);
  last->wait({});
  const bool complete = last->complete();
  CHECK(complete);
  const double seconds = last->seconds_since(*first);
  CHECK(seconds == doctest::Approx(1.5e-3));
  other->finish(bifold::test::patience);
  other->finish({});
  queue->download(&host, block, 0, sizeof host);
}

}  // namespace

TEST_SUITE("cuda driver") {
  TEST_CASE_FIXTURE(Working, "probe and devices" * unless("working")) {
    const bifold::BackendInfo info = cuda().probe();
    CHECK(info.available);
    CHECK(info.reason.empty());
    CHECK(contains(info.version, "NVRTC "));
    const auto devices = cuda().devices();
    REQUIRE(devices.size() == 2);
    CHECK(devices[1].selector == "cuda:1");
    CHECK(devices[1].index == 1);
    CHECK(devices[1].name == "Fake GPU 1");
    CHECK(error_of([] { static_cast<void>(cuda().open(2)); }).category() ==
          ErrorCategory::unavailable);
  }

  TEST_CASE_FIXTURE(Working, "capabilities" * unless("working")) {
    const auto device = cuda().open(0);
    const bifold::Capabilities& caps = device->capabilities();
    std::string arch = setting("FAKE_CUDA_ARCH", "9.0");
    arch.erase(arch.find('.'), 1);
    CHECK(caps.architecture == "sm_" + arch);
    CHECK(caps.global_bytes == 268435456);
    CHECK(caps.local_bytes == 48 << 10);
    CHECK(caps.cache_bytes == 50 << 20);
    CHECK(caps.compute_units == 132);
    CHECK(caps.max_group_size == 1024);
    CHECK(caps.subgroup_width == 32);
    CHECK(caps.f16);
    CHECK(caps.acquire_release);
    CHECK(caps.progress == bifold::ForwardProgress::started_groups);
    CHECK_FALSE(caps.unified_memory);
    CHECK((caps.ring_bytes > 0) == (std::stoi(arch) >= 90));
    CHECK(device->handles_are_addresses());
    CHECK(contains(device->binary_key(), "sm_" + arch));
  }

  TEST_CASE_FIXTURE(Working, "upload, copy and download block for the host" * unless("working")) {
    const auto device = cuda().open(0);
    const auto queue = device->create_queue(Timing::disabled);
    const Block from(*device, 1000);
    const Block to(*device, 1000);
    std::vector<std::uint8_t> host(900);
    for (std::size_t i = 0; i < host.size(); ++i) host[i] = static_cast<std::uint8_t>(i * 7);
    const auto expected = host;
    queue->upload(from, 50, host.data(), host.size());
    host.assign(host.size(), 0);  // The caller's again.
    queue->copy(to, 3, from, 50, 900);
    queue->download(host.data(), to, 3, host.size());
    CHECK(host == expected);
    CHECK(contents(*queue, to)[2] == 0xcd);
    CHECK(contents(*queue, to)[903] == 0xcd);
  }

  TEST_CASE_FIXTURE(Working, "fill writes the pattern and nothing else" * unless("working")) {
    const auto device = cuda().open(0);
    const auto queue = device->create_queue(Timing::disabled);
    constexpr std::uint64_t words = 200003;  // More than one column of 65535 words, and odd.
    const Block block(*device, words * 8 + 16);
    for (const std::uint64_t word : {0x0123456789abcdefULL, 0x7777777777777777ULL}) {
      for (const std::size_t width : {1U, 2U, 4U, 8U}) {
        CAPTURE(width);
        const std::uint64_t guard = 0;
        queue->fill(block, 0, words * 8 + 16, bytes_of(guard).first(1));
        const auto pattern = bytes_of(word).first(width);
        queue->fill(block, 8, words * 8, pattern);
        const auto host = contents(*queue, block);
        std::uint64_t wrong = 0;
        for (std::uint64_t i = 0; i < words * 8; ++i) {
          if (std::byte{host[i + 8]} != pattern[i % width]) ++wrong;
        }
        CHECK(wrong == 0);
        CHECK(host[7] == 0);
        CHECK(host[words * 8 + 8] == 0);
      }
    }
    CHECK(error_of([&] { queue->fill(block, 0, 3, bytes_of(words).first(3)); }).category() ==
          ErrorCategory::invalid_argument);
  }

  TEST_CASE_FIXTURE(Working, "zero bytes are no work" * unless("working")) {
    const auto device = cuda().open(0);
    const auto queue = device->create_queue(Timing::disabled);
    const Failing copy("cuMemcpyDtoDAsync_v2", 1);
    const Failing fill("cuMemsetD8Async", 1);
    const Failing upload("cuMemcpyHtoDAsync_v2", 1);
    const Failing download("cuMemcpyDtoHAsync_v2", 1);
    CHECK_NOTHROW(queue->copy({}, 0, {}, 0, 0));
    CHECK_NOTHROW(queue->fill({}, 0, 0, bytes_of(std::uint8_t{0})));
    CHECK_NOTHROW(queue->upload({}, 0, nullptr, 0));
    CHECK_NOTHROW(queue->download(nullptr, {}, 0, 0));
  }

  TEST_CASE_FIXTURE(Working, "out of memory is told and survived" * unless("working")) {
    const auto device = cuda().open(0);
    const Error error = error_of([&] { static_cast<void>(device->allocate(1ULL << 40)); });
    CHECK(error.category() == ErrorCategory::out_of_memory);
    CHECK(error.call() == "cuMemAlloc");
    CHECK(error.native_code() == 2);
    CHECK(error.native_name() == "CUDA_ERROR_OUT_OF_MEMORY");
    CHECK_NOTHROW(Block(*device, 1024));
  }

  TEST_CASE_FIXTURE(Working, "results of the driver become categories" * unless("working")) {
    const auto device = cuda().open(0);
    const auto queue = device->create_queue(Timing::disabled);
    const auto event = queue->record();
    struct Row {
      int code;
      ErrorCategory category;
    };
    for (const Row row :
         {Row{2, ErrorCategory::out_of_memory}, Row{46, ErrorCategory::device_lost},
          Row{214, ErrorCategory::device_lost}, Row{700, ErrorCategory::device_lost},
          Row{702, ErrorCategory::device_lost}, Row{709, ErrorCategory::device_lost},
          Row{719, ErrorCategory::device_lost}, Row{1, ErrorCategory::backend_failure},
          Row{701, ErrorCategory::backend_failure}, Row{999, ErrorCategory::backend_failure}}) {
      CAPTURE(row.code);
      const Failing stream("cuStreamSynchronize", row.code);
      const Failing wait("cuEventSynchronize", row.code);
      const Failing query("cuEventQuery", row.code);
      const Error error = error_of([&] { queue->finish({}); });
      CHECK(error.category() == row.category);
      CHECK(error.native_code() == row.code);
      CHECK(error.call() == "cuStreamSynchronize");
      CHECK_FALSE(error.native_name().empty());
      CHECK(error_of([&] { event->wait({}); }).category() == row.category);
      CHECK(error_of([&] { static_cast<void>(event->complete()); }).category() == row.category);
    }
    CHECK_NOTHROW(queue->finish({}));
  }

  TEST_CASE_FIXTURE(Working, "a build failure has log and numbered source" * unless("working")) {
    const auto device = cuda().open(0);
    const Error error = error_of([&] {
      static_cast<void>(device->build(source_of(*device,
                                                "// first\n"
                                                "#line 41 \"scan_sample.cu\"\n"
                                                "extern \"C\" __global__ void broken() {\n"
                                                "  no_such_name = 1;\n"
                                                "}\n")));
    });
    CHECK(error.category() == ErrorCategory::build_failure);
    CHECK(error.call() == "nvrtcCompileProgram");
    CHECK(error.native_name() == "NVRTC_ERROR_COMPILATION");
    CHECK(contains(error.log(), "scan_sample.cu(42)"));
    CHECK(contains(error.log(), "no_such_name"));
    CHECK(contains(error.source(), "    1 | // first\n"));
    CHECK(contains(error.source(), "   42 |   no_such_name = 1;\n"));
    CHECK(contains(error.what(), "sample.cu"));
    const backend::Source bad_option{"sample.cu", sample_text, "--no-such-option"};
    CHECK(error_of([&] { static_cast<void>(device->build(bad_option)); }).category() ==
          ErrorCategory::build_failure);
    CHECK_NOTHROW(static_cast<void>(device->build(source_of(*device, sample_text))));
  }

  TEST_CASE_FIXTURE(Working, "binaries load again, damaged ones do not" * unless("working")) {
    const auto device = cuda().open(0);
    const auto binary = device->build(source_of(*device, sample_text))->binary();
    REQUIRE(binary.size() > 100);
    const auto program = device->load(binary, device->compile_options());
    CHECK(program->binary() == binary);
    CHECK(program->kernel("sample")->max_group_size() == 1024);
    const Error missing = error_of([&] { static_cast<void>(program->kernel("samples")); });
    CHECK(missing.category() == ErrorCategory::backend_failure);
    CHECK(contains(missing.what(), "\"samples\""));
    const Error refused = error_of([&] {
      const std::string text = "neither of the two";
      static_cast<void>(device->load(std::as_bytes(std::span(text)), device->compile_options()));
    });
    CHECK(refused.category() == ErrorCategory::build_failure);
    CHECK(contains(refused.log(), "neither a cubin nor PTX"));
    const Failing load("cuModuleLoadDataEx", 2);
    CHECK(error_of([&] {
            static_cast<void>(device->load(binary, device->compile_options()));
          }).category() == ErrorCategory::out_of_memory);
  }

  TEST_CASE_FIXTURE(Working, "a kernel keeps its program and context" * unless("working")) {
    const std::int64_t contexts = count("contexts");
    std::shared_ptr<const backend::Kernel> kernel;
    {
      const auto device = cuda().open(0);
      kernel = device->build(source_of(*device, sample_text))->kernel("sample");
    }
    CHECK(count("modules") == 1);
    CHECK(count("contexts") == contexts + 1);
    kernel.reset();
    CHECK(count("modules") == 0);
    CHECK(count("contexts") == contexts);
  }

  TEST_CASE_FIXTURE(Working, "waits past their limit are timeouts" * unless("working")) {
    using namespace std::chrono_literals;
    const auto device = cuda().open(0);
    const auto queue = device->create_queue(Timing::disabled);
    const auto event = queue->record();
    {
      const Failing stream("cuStreamQuery", 600);
      const Failing query("cuEventQuery", 600);
      for (const std::chrono::nanoseconds limit : {0ns, 1000ns, 20000000ns}) {
        const auto start = std::chrono::steady_clock::now();
        const Error late = error_of([&] { queue->finish(limit); });
        CHECK(late.category() == ErrorCategory::timeout);
        CHECK(contains(late.what(), "within " + bifold::core::duration_text(limit)));
        CHECK(error_of([&] { event->wait(limit); }).category() == ErrorCategory::timeout);
        CHECK(std::chrono::steady_clock::now() - start >= 2 * limit);
      }
      CHECK_FALSE(event->complete());
      const Failing lost("cuStreamQuery", 700, 1);
      CHECK(error_of([&] { queue->finish(std::chrono::nanoseconds::max()); }).category() ==
            ErrorCategory::device_lost);
    }
    CHECK_NOTHROW(queue->finish(std::chrono::nanoseconds::max()));
    CHECK_NOTHROW(event->wait(bifold::test::patience));
    CHECK(event->complete());
  }

  TEST_CASE_FIXTURE(Working, "an event orders two queues" * unless("working")) {
    const auto device = cuda().open(0);
    const auto first = device->create_queue(Timing::disabled);
    const auto second = device->create_queue(Timing::disabled);
    const Block block(*device, 8);
    first->fill(block, 0, 8, bytes_of(std::uint8_t{5}));
    const auto filled = first->record();
    const backend::Event* const awaited = filled.get();
    second->wait({&awaited, 1});
    CHECK(contents(*second, block) == std::vector<std::uint8_t>(8, 5));
    CHECK(filled->complete());
  }

  TEST_CASE_FIXTURE(Working, "foreign events are refused" * unless("working")) {
    const auto device = cuda().open(0);
    const auto queue = device->create_queue(Timing::enabled);
    const auto own = queue->record();
    const ForeignEvent foreign;
    const std::array<const backend::Event*, 2> both{own.get(), &foreign};
    const Failing wait("cuStreamWaitEvent", 1);  // Not even the good one is waited for.
    CHECK(error_of([&] { queue->wait(both); }).category() == ErrorCategory::invalid_argument);
    CHECK(error_of([&] { static_cast<void>(own->seconds_since(foreign)); }).category() ==
          ErrorCategory::invalid_argument);
  }

  TEST_CASE_FIXTURE(Working, "elapsed time needs one timed queue" * unless("working")) {
    const auto device = cuda().open(0);
    const auto timed = device->create_queue(Timing::enabled);
    const auto other = device->create_queue(Timing::enabled);
    const auto untimed = device->create_queue(Timing::disabled);
    const auto start = timed->record();
    const auto end = timed->record();
    const auto elsewhere = other->record();
    const auto plain = untimed->record();
    const auto refused = [](const backend::Event& from, const backend::Event& to) {
      return error_of([&] { static_cast<void>(to.seconds_since(from)); }).category() ==
             ErrorCategory::invalid_argument;
    };
    CHECK(refused(*start, *end));  // Not complete yet.
    timed->finish({});
    other->finish({});
    untimed->finish({});
    CHECK(end->seconds_since(*start) == doctest::Approx(1.5e-3));
    CHECK(refused(*start, *elsewhere));
    CHECK(refused(*plain, *plain));
    CHECK(refused(*start, *plain));
  }

  TEST_CASE_FIXTURE(Working, "every driver call may fail" * unless("working")) {
    use_everything();
    for (const std::string function :
         {"cuDeviceGetCount",     "cuDeviceGet",          "cuDeviceGetName",
          "cuDeviceTotalMem_v2",  "cuDeviceGetAttribute", "cuDevicePrimaryCtxRetain",
          "cuCtxPushCurrent_v2",  "cuStreamCreate",       "cuStreamSynchronize",
          "cuStreamIsCapturing",  "cuStreamQuery",        "cuStreamWaitEvent",
          "cuEventCreate",        "cuEventRecord",        "cuEventQuery",
          "cuEventSynchronize",   "cuEventElapsedTime",   "cuMemAlloc_v2",
          "cuMemcpyHtoDAsync_v2", "cuMemcpyDtoHAsync_v2", "cuMemcpyDtoDAsync_v2",
          "cuMemsetD8Async",      "cuMemsetD16Async",     "cuMemsetD32Async",
          "cuMemsetD2D32Async",   "cuModuleLoadDataEx",   "cuModuleGetFunction",
          "cuFuncGetAttribute",   "cuLaunchKernel"}) {
      CAPTURE(function);
      const Failing failing(function.c_str(), 719);
      const Error error = error_of([] {
        if (!cuda().probe().available) {
          static_cast<void>(cuda().open(0));
        }
        use_everything();
      });
      CHECK(function.starts_with(error.call()));
      CHECK(error.native_code() == 719);
      CHECK(error.category() == ErrorCategory::device_lost);
      CHECK(current_context() == foreign());
    }
    use_everything();
  }

  TEST_CASE_FIXTURE(Working, "threads open, build and run side by side" * unless("working")) {
    std::vector<std::jthread> threads;
    threads.reserve(4);
    for (int i = 0; i < 4; ++i) threads.emplace_back(use_everything);
  }

  TEST_CASE_FIXTURE(Working, "what a destructor meets is logged" * unless("working")) {
    std::string heard;
    bifold::set_log(bifold::LogLevel::error,
                    [&](bifold::LogLevel, std::string_view message) { heard += message; });
    const auto device = cuda().open(0);
    const Memory memory = device->allocate(64);
    {
      const Failing free("cuMemFree_v2", 719);
      device->free(memory);
    }
    bifold::set_log(bifold::LogLevel::off, {});
    CHECK(contains(heard, "cuMemFree failed: CUDA_ERROR_LAUNCH_FAILED"));
    device->free(memory);
  }

  TEST_CASE_FIXTURE(Working, "public calls report the driver's failures" * unless("working")) {
    bifold::DeviceOptions options;
    options.cache.disk = false;
    const bifold::Device device = bifold::open_device("cuda:0", options);
    CHECK(device.info().name == "Fake GPU 0");
    bifold::Queue queue(device);
    const auto category = [](const std::function<void()>& call) {
      return error_of(call).category();
    };
    CHECK(category([&] { bifold::Buffer<float>(device, 1ULL << 27); }) ==
          ErrorCategory::out_of_memory);
    bifold::Buffer<float> values(device, 1000);
    queue.fill(values, 1.0F);
    {
      const Failing launch("cuLaunchKernel", 719);
      CHECK(category([&] {
              static_cast<void>(bifold::reduce(queue, values, bifold::plus, 0.0F));
            }) == ErrorCategory::device_lost);
    }
    {
      const Failing stream("cuStreamQuery", 600);
      const Failing event("cuEventQuery", 600);
      CHECK(category([&] { queue.finish(std::chrono::milliseconds(1)); }) ==
            ErrorCategory::timeout);
    }
    const std::int64_t before = count("launches");
    bifold::inclusive_scan(queue, values, values, bifold::plus);
    queue.finish();
    CHECK(count("launches") > before);
    CHECK(current_context() == foreign());
  }
}
