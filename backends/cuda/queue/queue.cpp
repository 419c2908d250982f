#include "cuda/queue/queue.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#include "cuda/program/program.hpp"
#include "cuda/queue/event.hpp"
#include "cuda/queue/wait.hpp"

namespace bifold::backend::cuda {
namespace {

constexpr std::uint64_t most_groups = (std::uint64_t{1} << 31) - 1;
constexpr std::size_t most_arguments = 32;

template <class Word>
Word read_pattern(std::span<const std::byte> pattern) {
  Word word;
  std::memcpy(&word, pattern.data(), sizeof word);
  return word;
}

}  // namespace

CUstream Queue::usable_stream() const {
  const CUstream stream = stream_->get();
  // Work in the legacy default stream would depend on what a blocking stream captures, and
  // invalidate it. Other streams tell by themselves.
  if (stream == nullptr || stream == CU_STREAM_LEGACY) static_cast<void>(records_graph({}));
  return stream;
}

void Queue::launch(const backend::Kernel& kernel, std::uint64_t groups, std::uint32_t group_size,
                   std::span<const Argument> arguments) {
  const auto* own = dynamic_cast<const Kernel*>(&kernel);
  if (own == nullptr) raise_invalid_argument("the kernel is not one of the CUDA backend");
  if (groups == 0 || groups > most_groups) {
    raise_invalid_argument(std::to_string(groups) + " groups: a launch takes 1 to 2^31 - 1");
  }
  if (group_size == 0 || group_size > own->max_group_size()) {
    raise_invalid_argument(std::to_string(group_size) +
                           " work-items in a group: this kernel takes " + "1 to " +
                           std::to_string(own->max_group_size()));
  }
  if (arguments.size() > most_arguments) {
    raise_invalid_argument(std::to_string(arguments.size()) + " kernel arguments: at most " +
                           std::to_string(most_arguments) + " can be passed");
  }
  std::array<void*, most_arguments> pointers;  // NOLINT(cppcoreguidelines-pro-type-member-init)
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    // The driver only reads through these, whatever its signature says.
    pointers[i] = const_cast<void*>(arguments[i].data);
  }
  const CUstream stream = usable_stream();
  const CurrentContext current(stream_->context());
  if (own->traits().overlaps && driver().cuLaunchKernelEx != nullptr) {
    // Programmatic dependent launch: groups start where the kernel in front leaves room, or has
    // ended, and wait in the kernel until all that it wrote can be seen.
    CUlaunchAttribute overlap{};
    overlap.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
    overlap.value.programmaticStreamSerializationAllowed = 1;
    CUlaunchConfig config{};
    config.gridDimX = static_cast<unsigned>(groups);
    config.gridDimY = config.gridDimZ = 1;
    config.blockDimX = group_size;
    config.blockDimY = config.blockDimZ = 1;
    config.sharedMemBytes = own->traits().local_bytes;
    config.hStream = stream;
    config.attrs = &overlap;
    config.numAttrs = 1;
    return check(driver().cuLaunchKernelEx(&config, own->get(), pointers.data(), nullptr),
                 "cuLaunchKernelEx");
  }
  check(driver().cuLaunchKernel(own->get(), static_cast<unsigned>(groups), 1, 1, group_size, 1, 1,
                                own->traits().local_bytes, stream, pointers.data(), nullptr),
        "cuLaunchKernel");
}

void Queue::copy(const Memory& to, std::uint64_t to_offset, const Memory& from,
                 std::uint64_t from_offset, std::uint64_t bytes) {
  if (bytes == 0) return;
  const CUstream stream = usable_stream();
  const CurrentContext current(stream_->context());
  check(driver().cuMemcpyDtoDAsync(to.handle + to_offset, from.handle + from_offset, bytes, stream),
        "cuMemcpyDtoDAsync");
}

void Queue::fill(const Memory& to, std::uint64_t offset, std::uint64_t bytes,
                 std::span<const std::byte> pattern) {
  if (bytes == 0) return;
  const CUdeviceptr start = to.handle + offset;
  const CUstream stream = usable_stream();
  const CurrentContext current(stream_->context());
  switch (pattern.size()) {
    case 1:
      return check(
          driver().cuMemsetD8Async(start, read_pattern<std::uint8_t>(pattern), bytes, stream),
          "cuMemsetD8Async");
    case 2:
      return check(
          driver().cuMemsetD16Async(start, read_pattern<std::uint16_t>(pattern), bytes / 2, stream),
          "cuMemsetD16Async");
    case 4:
      return check(
          driver().cuMemsetD32Async(start, read_pattern<std::uint32_t>(pattern), bytes / 4, stream),
          "cuMemsetD32Async");
    case 8: return fill_words(stream, start, bytes / 8, read_pattern<std::uint64_t>(pattern));
    default:
      raise_invalid_argument("a fill pattern has 1, 2, 4 or 8 bytes, not " +
                             std::to_string(pattern.size()));
  }
}

void Queue::fill_words(CUstream stream, CUdeviceptr start, std::uint64_t count,
                       std::uint64_t word) {
  const auto low = static_cast<std::uint32_t>(word);
  const auto high = static_cast<std::uint32_t>(word >> 32);
  if (low == high) {
    return check(driver().cuMemsetD32Async(start, low, count * 2, stream), "cuMemsetD32Async");
  }
  // The driver has no 64-bit fill. A column of 32-bit words, 8 bytes apart, sets one half of each
  // word; a column has no documented limit of rows, so it stays below 2^16, where a grid dimension
  // ends. The rest are copies of what is there, each twice as long as the one before.
  constexpr std::uint64_t most_rows = 65535;
  std::uint64_t done = std::min(count, most_rows);
  check(driver().cuMemsetD2D32Async(start, 8, low, 1, done, stream), "cuMemsetD2D32Async");
  check(driver().cuMemsetD2D32Async(start + 4, 8, high, 1, done, stream), "cuMemsetD2D32Async");
  while (done < count) {
    const std::uint64_t step = std::min(done, count - done);
    check(driver().cuMemcpyDtoDAsync(start + done * 8, start, step * 8, stream),
          "cuMemcpyDtoDAsync");
    done += step;
  }
}

// The driver returns early from an asynchronous copy where the host memory is page-locked and
// late where it is not; which of the two it is, only the driver knows. Waiting is right for both.

void Queue::upload(const Memory& to, std::uint64_t offset, const void* host, std::uint64_t bytes) {
  if (bytes == 0) return;
  const CurrentContext current(stream_->context());
  const OutsideCapture outside;
  end_transfer(driver().cuMemcpyHtoDAsync(to.handle + offset, host, bytes, stream_->get()),
               "cuMemcpyHtoDAsync");
}

void Queue::download(void* host, const Memory& from, std::uint64_t offset, std::uint64_t bytes) {
  if (bytes == 0) return;
  const CurrentContext current(stream_->context());
  const OutsideCapture outside;
  end_transfer(driver().cuMemcpyDtoHAsync(host, from.handle + offset, bytes, stream_->get()),
               "cuMemcpyDtoHAsync");
}

void Queue::end_transfer(CUresult enqueued, const char* call) {
  CUresult result = enqueued;
  if (result == CUDA_SUCCESS) {
    call = "cuStreamSynchronize";
    result = driver().cuStreamSynchronize(stream_->get());
  }
  if (result == CUDA_SUCCESS) {
    transfer_pending_ = false;
    return;
  }
  // What a call answers may be the failure of earlier work, whatever became of this one.
  if (settle(core::settle_limit) != WorkEnd::reached) transfer_pending_ = true;
  raise(result, call);
}

std::unique_ptr<backend::Event> Queue::record() {
  return std::make_unique<Event>(stream_, timing_,
                                 records_graph({}) ? Recorded::in_graph : Recorded::in_stream);
}

void Queue::record(CUevent event) {
  const CUstream stream = usable_stream();
  const CurrentContext current(stream_->context());
  const CUresult result = driver().cuEventRecord(event, stream);
  if (result == CUDA_ERROR_INVALID_HANDLE) {
    throw driver_error(driver(), ErrorCategory::invalid_argument, result, "cuEventRecord",
                       "the event is none of the queue's context");
  }
  check(result, "cuEventRecord");
}

void Queue::check_wait(std::span<const backend::Event* const> events) const {
  if (events.empty()) return;
  const bool graph = records_graph(events);
  for (const backend::Event* event : events) {
    if (graph && static_cast<const Event*>(event)->recorded() == Recorded::in_stream) {
      throw plain_error(ErrorCategory::unsupported,
                        "work that is captured in a graph cannot wait for an event from outside: "
                        "wait for it before the capture begins");
    }
  }
}

void Queue::wait(std::span<const backend::Event* const> events) {
  // All are looked at before any is waited for, so that a refused call enqueues nothing.
  check_wait(events);
  const CUstream stream = stream_->get();
  const CurrentContext current(stream_->context());
  for (const backend::Event* event : events) {
    const auto* own = static_cast<const Event*>(event);
    own->check(driver().cuStreamWaitEvent(stream, own->get(), CU_EVENT_WAIT_DEFAULT),
               "cuStreamWaitEvent");
  }
}

bool Queue::records_graph(std::span<const backend::Event* const> events) const {
  bool joins = false;
  for (const backend::Event* event : events) {
    const auto* own = dynamic_cast<const Event*>(event);
    if (own == nullptr) {
      raise_invalid_argument("a CUDA queue cannot wait for an event of another backend");
    }
    joins = joins || own->recorded() == Recorded::in_graph;
  }
  const CUstream stream = stream_->get();
  const CurrentContext current(stream_->context());
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  const CUresult result = driver().cuStreamIsCapturing(stream, &status);
  if (result == CUDA_ERROR_STREAM_CAPTURE_IMPLICIT) {
    throw driver_error(driver(), ErrorCategory::unsupported, result, "cuStreamIsCapturing",
                       "the legacy default stream cannot be used while a blocking stream of its "
                       "context is captured in a graph");
  }
  check(result, "cuStreamIsCapturing");
  if (status == CU_STREAM_CAPTURE_STATUS_INVALIDATED) {
    throw plain_error(ErrorCategory::unsupported,
                      "the capture of the queue's stream was invalidated and has to be ended");
  }
  return joins || status == CU_STREAM_CAPTURE_STATUS_ACTIVE;
}

void Queue::finish(TimeLimit limit) {
  const CurrentContext current(stream_->context());
  const OutsideCapture outside;
  if (!limit && stream_->of_another_thread()) {
    // That stream has no name here, but it is part of the context.
    check(driver().cuCtxSynchronize(), "cuCtxSynchronize");
  } else if (const CUstream stream = stream_->get(); records_graph({})) {
    // Asking the driver would spoil the capture.
    throw plain_error(ErrorCategory::unsupported,
                      "waiting for a stream that is captured in a graph");
  } else if (limit) {
    wait_within(*limit, "cuStreamQuery", [stream] { return driver().cuStreamQuery(stream); });
  } else {
    check(driver().cuStreamSynchronize(stream), "cuStreamSynchronize");
  }
}

WorkEnd Queue::settle(std::chrono::nanoseconds limit) noexcept {
  try {
    const CurrentContext current(stream_->context());
    const OutsideCapture outside;
    const CUstream stream = stream_->get();  // Throws where it has no name on this thread.
    if (records_graph({})) return WorkEnd::unknown;
    CUresult result = CUDA_ERROR_NOT_READY;
    const bool told = core::done_within(limit, [&] {
      result = driver().cuStreamQuery(stream);
      return result != CUDA_ERROR_NOT_READY;
    });
    if (!told) return WorkEnd::ahead;
    return result == CUDA_SUCCESS ? WorkEnd::reached : WorkEnd::unknown;
  } catch (const std::exception&) {
    return WorkEnd::unknown;
  }
}

}  // namespace bifold::backend::cuda
