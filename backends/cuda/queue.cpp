#include "cuda/queue.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#include "cuda/event.hpp"
#include "cuda/program.hpp"
#include "cuda/wait.hpp"

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

Queue::Queue(std::shared_ptr<const Context> context, Timing timing)
    : stream_(std::make_shared<const Stream>(std::move(context))), timing_(timing) {}

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
  const CurrentContext current(stream_->context());
  check(driver().cuLaunchKernel(own->get(), static_cast<unsigned>(groups), 1, 1, group_size, 1, 1,
                                0, stream_->get(), pointers.data(), nullptr),
        "cuLaunchKernel");
}

void Queue::copy(const Memory& to, std::uint64_t to_offset, const Memory& from,
                 std::uint64_t from_offset, std::uint64_t bytes) {
  if (bytes == 0) return;
  const CurrentContext current(stream_->context());
  check(driver().cuMemcpyDtoDAsync(to.handle + to_offset, from.handle + from_offset, bytes,
                                   stream_->get()),
        "cuMemcpyDtoDAsync");
}

void Queue::fill(const Memory& to, std::uint64_t offset, std::uint64_t bytes,
                 std::span<const std::byte> pattern) {
  if (bytes == 0) return;
  const CUdeviceptr start = to.handle + offset;
  const CUstream stream = stream_->get();
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
    case 8: return fill_words(start, bytes / 8, read_pattern<std::uint64_t>(pattern));
    default:
      raise_invalid_argument("a fill pattern has 1, 2, 4 or 8 bytes, not " +
                             std::to_string(pattern.size()));
  }
}

void Queue::fill_words(CUdeviceptr start, std::uint64_t count, std::uint64_t word) {
  const CUstream stream = stream_->get();
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
  check(driver().cuMemcpyHtoDAsync(to.handle + offset, host, bytes, stream_->get()),
        "cuMemcpyHtoDAsync");
  check(driver().cuStreamSynchronize(stream_->get()), "cuStreamSynchronize");
}

void Queue::download(void* host, const Memory& from, std::uint64_t offset, std::uint64_t bytes) {
  if (bytes == 0) return;
  const CurrentContext current(stream_->context());
  check(driver().cuMemcpyDtoHAsync(host, from.handle + offset, bytes, stream_->get()),
        "cuMemcpyDtoHAsync");
  check(driver().cuStreamSynchronize(stream_->get()), "cuStreamSynchronize");
}

std::unique_ptr<backend::Event> Queue::record() {
  return std::make_unique<Event>(stream_, timing_);
}

void Queue::wait(std::span<const backend::Event* const> events) {
  // All are looked at before any is waited for, so that a refused call enqueues nothing.
  for (const backend::Event* event : events) {
    if (dynamic_cast<const Event*>(event) == nullptr) {
      raise_invalid_argument("a CUDA queue cannot wait for an event of another backend");
    }
  }
  const CurrentContext current(stream_->context());
  for (const backend::Event* event : events) {
    check(driver().cuStreamWaitEvent(stream_->get(), static_cast<const Event*>(event)->get(),
                                     CU_EVENT_WAIT_DEFAULT),
          "cuStreamWaitEvent");
  }
}

void Queue::finish(TimeLimit limit) {
  const CurrentContext current(stream_->context());
  if (limit) {
    wait_within(*limit, "cuStreamQuery", [this] { return driver().cuStreamQuery(stream_->get()); });
  } else {
    check(driver().cuStreamSynchronize(stream_->get()), "cuStreamSynchronize");
  }
}

}  // namespace bifold::backend::cuda
