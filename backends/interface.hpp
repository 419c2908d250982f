// What a backend implements. Everything above these classes is written once; everything below
// them is one folder per backend. To add a backend: a folder that implements them, a folder of
// kernels, and a line in CMakeLists.txt.
//
// Contract of every class here:
// - A failure is thrown as bifold::Error with backend, call, native code and its name filled in.
//   Nothing is retried, printed or swallowed; destructors log what they cannot throw.
// - Sizes and offsets are in bytes and 64-bit. A size of zero is a valid no-op.
// - A call leaves the thread's current CUDA context, and any other driver state it meets, as found.
#pragma once

#include <bifold/buffer.hpp>
#include <bifold/device.hpp>
#include <bifold/event.hpp>
#include <bifold/queue.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bifold::backend {

using detail::Memory;

/// A point in a queue's work. Thread-safe.
class Event {
 public:
  virtual ~Event() = default;
  /// Blocks until reached; throws timeout past the limit, and the failure of the work if it failed.
  virtual void wait(TimeLimit limit) const = 0;
  /// Does not block; throws the failure of the work if it failed.
  [[nodiscard]] virtual bool complete() const = 0;
  /// Device seconds from `earlier`, an event of the same backend, to this one. Both are complete.
  /// Throws invalid_argument when their queue was made without timing or they are of two queues.
  [[nodiscard]] virtual double seconds_since(const Event& earlier) const = 0;
};

/// One entry point of a program. Immutable and thread-safe; keeps its program alive.
class Kernel {
 public:
  virtual ~Kernel() = default;
  /// The most work-items a group of this kernel may have on its device.
  [[nodiscard]] virtual std::uint32_t max_group_size() const = 0;
};

/// How a kernel is launched, beside its arguments.
struct LaunchTraits {
  /// Local memory beside what its text declares, in bytes, where the dialect knows such.
  std::uint32_t local_bytes = 0;
  /// It waits by itself for the commands in front of it, and may be started before they have ended.
  bool overlaps = false;
};

/// A built program. Immutable and thread-safe.
class Program {
 public:
  virtual ~Program() = default;
  /// The entry point, to be launched in that way. Throws backend_failure when there is no such
  /// entry point.
  [[nodiscard]] virtual std::shared_ptr<const Kernel> kernel(const std::string& entry,
                                                             const LaunchTraits& traits) const = 0;
  [[nodiscard]] std::shared_ptr<const Kernel> kernel(const std::string& entry) const {
    return kernel(entry, {});
  }
  /// What Device::load takes back; empty when the driver gives none.
  [[nodiscard]] virtual std::vector<std::byte> binary() const = 0;
};

/// What an argument's bytes are.
enum class ArgumentKind : std::uint8_t {
  value,    ///< A plain value.
  memory,   ///< A native handle of device memory.
  pointer,  ///< An address in shared virtual memory.
};

/// One kernel argument: `size` bytes at `data`, copied by the launch. Memory is passed as the bytes
/// of its handle, which is what both drivers want, with its element offset in another argument: an
/// OpenCL object has no pointer arithmetic.
struct Argument {
  const void* data;
  std::size_t size;
  ArgumentKind kind = ArgumentKind::value;
  std::uint64_t identity = 0;  ///< As detail::Memory's; 0 for what is no memory.
};

/// How the commands of one call stand to those enqueued before it, on a queue that leaves order to
/// its user. A queue that keeps the order itself does so for every call.
enum class Ordering : std::uint8_t {
  queue,   ///< Behind everything that was enqueued here before.
  events,  ///< Behind the events that are waited for, and nothing else.
};

/// What is known of a queue's work.
enum class WorkEnd : std::uint8_t {
  reached,  ///< All of it has ended.
  ahead,    ///< Some of it goes on.
  unknown,  ///< The driver does not tell.
};

/// Work that is done in the order it is enqueued in. Not thread-safe: the owner serialises calls.
class Queue {
 public:
  virtual ~Queue() = default;

  /// Opens a call; its commands, up to end_call(), are done one after another. A command outside
  /// of calls is a call of its own, of Ordering::queue.
  virtual void begin_call(Ordering /*ordering*/) {}
  virtual void end_call() noexcept {}
  /// Calls of either ordering that follow start after everything enqueued here so far.
  virtual void fence() {}
  /// Whether work has been dropped since the last time of asking, because an event that it waited
  /// for had failed.
  [[nodiscard]] virtual bool lost_work() { return false; }
  /// How often a wait has thrown that work was dropped, which no later one throws again.
  [[nodiscard]] virtual std::uint64_t losses_told() const noexcept { return 0; }

  /// Enqueues `groups` (at least 1) work-groups of `group_size` work-items, one-dimensional.
  virtual void launch(const Kernel& kernel, std::uint64_t groups, std::uint32_t group_size,
                      std::span<const Argument> arguments) = 0;

  /// Enqueues a copy; the ranges do not overlap.
  virtual void copy(const Memory& to, std::uint64_t to_offset, const Memory& from,
                    std::uint64_t from_offset, std::uint64_t bytes) = 0;
  /// Enqueues setting `bytes` bytes to a repeated pattern of 1, 2, 4 or 8 bytes; offset and bytes
  /// are multiples of it.
  virtual void fill(const Memory& to, std::uint64_t offset, std::uint64_t bytes,
                    std::span<const std::byte> pattern) = 0;
  /// Returns once `host` may be reused. When it throws, that is so too, or transfer_pending().
  virtual void upload(const Memory& to, std::uint64_t offset, const void* host,
                      std::uint64_t bytes) = 0;
  /// Returns once `host` holds the data. When it throws, `host` as of upload().
  virtual void download(void* host, const Memory& from, std::uint64_t offset,
                        std::uint64_t bytes) = 0;

  /// An event behind the commands of the open call; outside of calls, behind everything before it.
  [[nodiscard]] virtual std::unique_ptr<Event> record() = 0;
  /// Throws what wait() would for these events, and does nothing else.
  virtual void check_wait(std::span<const Event* const> /*events*/) const {}
  /// What is enqueued later, in the open call or, outside of calls, at all, starts after `events`,
  /// all of this backend. Throws invalid_argument for an event that this queue cannot wait for, and
  /// the failure of one that is known to have failed.
  virtual void wait(std::span<const Event* const> events) = 0;
  /// Blocks until everything is done; throws timeout past the limit.
  virtual void finish(TimeLimit limit) = 0;

  /// For memory that is not freed by the driver behind the work that uses it, when a wait for that
  /// work has failed: waits by other means, for `limit` at most.
  [[nodiscard]] virtual WorkEnd settle(std::chrono::nanoseconds /*limit*/) noexcept {
    return WorkEnd::unknown;
  }
  /// Whether a transfer has failed, and settle() could not tell that it had ended. Thread-safe.
  [[nodiscard]] virtual bool transfer_pending() const noexcept { return false; }

  /// Whether what is enqueued next, behind `events`, is recorded into a graph that runs later,
  /// instead of run. The caller then compiles, allocates and waits for nothing. Throws unsupported
  /// where nothing can be enqueued at present.
  [[nodiscard]] virtual bool records_graph(std::span<const Event* const> /*events*/) const {
    return false;
  }
};

/// What Device::build compiles.
struct Source {
  std::string name;     ///< Of the kernel file, for messages.
  std::string text;     ///< Complete: generated definitions, kernel parts, entry.
  std::string options;  ///< As compile_options() and options_to_hold() gave them.
};

/// Memory that kernels write and, once they are done, the host reads in place.
struct HostVisible {
  Memory memory;
  const std::byte* host = nullptr;  ///< Where it lies for the host; null where it does not.
};

/// An open device: a context and its memory. Thread-safe.
class Device {
 public:
  virtual ~Device() = default;

  [[nodiscard]] virtual const Capabilities& capabilities() const noexcept = 0;

  /// Identity of the context, as Memory::context carries it.
  [[nodiscard]] virtual const void* context() const noexcept = 0;

  /// Identity of the device within its context: kernels built for one do not run on another.
  [[nodiscard]] virtual const void* identity() const noexcept { return context(); }

  /// Whether native Memory handles of this device are addresses, so that two of them may overlap.
  [[nodiscard]] virtual bool handles_are_addresses() const noexcept = 0;

  /// `bytes` (at least 1) of device memory, freed with free(). Throws out_of_memory.
  [[nodiscard]] virtual Memory allocate(std::uint64_t bytes) = 0;
  /// Does not throw. Work that uses the memory is waited for, here or by the driver.
  virtual void free(const Memory& memory) noexcept = 0;

  /// A few bytes for results on their way to the host, freed with free_host_visible(). Without
  /// `host`, and without memory, where the device has no such memory. Throws out_of_memory.
  [[nodiscard]] virtual HostVisible allocate_host_visible(std::uint64_t /*bytes*/) { return {}; }
  /// Does not throw. The work that uses it has ended: no driver promises to wait for that.
  virtual void free_host_visible(const HostVisible& /*cell*/) noexcept {}

  [[nodiscard]] virtual std::unique_ptr<Queue> create_queue(Timing timing) = 0;

  /// The kernel files of this backend's dialect: base name without folder or suffix -> text.
  /// Throws invalid_argument for a name that does not exist.
  [[nodiscard]] virtual std::string_view kernel_file(std::string_view name) const = 0;
  /// Its suffix, ".cu" or ".cl", for `#line` and messages.
  [[nodiscard]] virtual std::string_view kernel_suffix() const noexcept = 0;

  /// Options every program of this device is compiled with.
  [[nodiscard]] virtual const std::string& compile_options() const noexcept = 0;
  /// What follows them for a kernel of which a compute unit is to hold so many groups at once;
  /// empty where nothing says so, or the kernel's text does.
  [[nodiscard]] virtual std::string options_to_hold(std::uint32_t /*groups*/,
                                                    std::uint32_t /*group_size*/) const {
    return {};
  }
  /// What a binary depends on beyond the source: device, driver and compiler versions.
  [[nodiscard]] virtual const std::string& binary_key() const noexcept = 0;

  /// Compiles. Throws build_failure with log and source, or unavailable without a compiler, where
  /// the library has not compiled it beforehand.
  [[nodiscard]] virtual std::shared_ptr<const Program> build(const Source& source) = 0;
  /// The program of a binary that Program::binary() gave under the same binary_key() and options.
  /// The caller has checked that the bytes are undamaged. Throws build_failure when the driver
  /// refuses it.
  [[nodiscard]] virtual std::shared_ptr<const Program> load(std::span<const std::byte> binary,
                                                            const std::string& options) = 0;
};

/// One driver family. Stateless apart from the loaded driver library. Thread-safe.
class Backend {
 public:
  virtual ~Backend() = default;
  [[nodiscard]] virtual std::string_view name() const noexcept = 0;
  /// Looks for the driver. Does not throw for what it does not find.
  [[nodiscard]] virtual BackendInfo probe() const = 0;
  /// Every device, in a stable order; empty where probe() says unavailable.
  [[nodiscard]] virtual std::vector<DeviceInfo> devices() const = 0;
  /// Opens the device of that index of devices().
  [[nodiscard]] virtual std::shared_ptr<Device> open(std::uint32_t index) const = 0;
};

}  // namespace bifold::backend
