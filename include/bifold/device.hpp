/// @file
/// Backends and devices: what is here, what it can do, and how to open it.
#pragma once

#include <bifold/export.hpp>
#include <bifold/type.hpp>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace bifold {

/// @addtogroup devices
/// @{

namespace detail {
struct DeviceState;
}

/// A backend compiled into this library or left out of it.
struct BIFOLD_API_CLASS BackendInfo {
  std::string name;     ///< "cuda", "opencl".
  bool available{};     ///< Whether it has at least one device.
  std::string reason;   ///< Why it has none; empty when available.
  std::string version;  ///< Driver and compiler versions, as far as they are known.
};

/// Every backend this library knows, in order of preference. Never throws for a missing driver, nor
/// in a process that was forked (see Device): that is a value.
BIFOLD_API std::vector<BackendInfo> backends();

/// What a device is.
enum class DeviceKind : std::uint8_t {
  gpu,          ///< A graphics processor.
  cpu,          ///< The host's own processor.
  accelerator,  ///< Anything else that a driver offers.
};

/// "gpu", "cpu" or "accelerator".
BIFOLD_API std::string_view name_of(DeviceKind kind) noexcept;

/// The index of a device that the application opened, as it has none.
inline constexpr std::uint32_t adopted_index = ~std::uint32_t{0};

/// Identity of a device. `selector` opens exactly this one, unless it was adopted.
struct BIFOLD_API_CLASS DeviceInfo {
  std::string selector;   ///< "cuda:0"; "opencl:adopted" where the application opened it.
  std::string backend;    ///< "cuda" or "opencl".
  std::uint32_t index{};  ///< Over all platforms of the backend; adopted_index where there is none.
  DeviceKind kind{};      ///< What it is.
  std::string name;       ///< As the driver calls it.
  std::string vendor;     ///< As the driver calls it.
  std::string platform;   ///< Platform name and version (OpenCL), or the runtime's.
  std::string driver;     ///< Driver version.
};

/// Every device of every available backend. Opens none of them.
BIFOLD_API std::vector<DeviceInfo> devices();

/// How far an atomic operation on global memory is promised to reach.
enum class AtomicScope : std::uint8_t {
  work_group,  ///< Among the work-items of one group.
  device,      ///< Among all work-items of the device.
};

/// Whether work-groups that have started are promised to run on while others wait.
enum class ForwardProgress : std::uint8_t {
  unknown,         ///< Nothing is promised.
  started_groups,  ///< Groups that have started run on.
};

/// What a device can do, read once when it is opened; every choice is made from it.
struct Capabilities {
  std::uint64_t global_bytes{};          ///< Device memory, in bytes.
  std::uint64_t max_allocation_bytes{};  ///< Largest single buffer, in bytes.
  std::uint64_t local_bytes{};           ///< Local (shared) memory per work-group, in bytes.
  std::uint64_t cache_bytes{};           ///< Last-level cache, in bytes; 0 when unknown.
  std::uint64_t ring_bytes{};      ///< Local memory that bulk copies fill, in bytes; 0: none do.
  bool overlapped_launches{};      ///< A kernel may start while the one in front of it ends.
  std::uint32_t compute_units{};   ///< Multiprocessors, or cores.
  std::uint32_t max_group_size{};  ///< Work-items of a work-group, at most.
  std::uint32_t subgroup_width{};  ///< Work-items that exchange registers; 0 where no path exists.
  bool f64{};                      ///< Computes in 64-bit floating point.
  bool f16{};                      ///< Computes in 16-bit floating point.
  bool atomics64{};                ///< 64-bit integer atomics on global memory.
  AtomicScope atomic_scope{};      ///< Promised scope of relaxed atomics across work-groups.
  bool acquire_release{};          ///< Device-scope acquire and release fences.
  bool denormals_f32{};            ///< f32 keeps denormals, rounds to nearest, has Inf and NaN.
  bool denormals_f64{};            ///< The same for f64; false where there is no f64.
  bool rounds_division_f32{};      ///< f32 division and square root round correctly.
  bool unified_memory{};           ///< Device memory is the host's.
  ForwardProgress progress{};      ///< What waiting groups may count on.
  std::string architecture;        ///< "sm_90", "gfx90a", "intel", or empty.
  std::string lanes;    ///< Prelude path of lane exchange: "shuffle", "ptx", "local", ...
  std::string atomics;  ///< Prelude path of published words: "ptx", "c11", "legacy", ...
  /// Turns that all loops of a work-item were seen to make together, on platforms that bifold is
  /// not tested on: kernels need no more there. 0: loops are as long as they are written.
  std::uint64_t loop_turns{};
  /// Struct types, and operators without identity, are tried on such a platform before they are
  /// used; those that its compiler gets wrong are refused.
  bool tries_types{};
};

/// Where compiled kernels are kept between runs. The cache never changes a result or an outcome:
/// what is absent, damaged, foreign or unwritable is compiled again. There lies, too, what
/// `bifold-bench check` found out about a device; it is read when the device is opened, and keeps
/// "production" off variants that were wrong; and what `bifold-bench tune` measured, see
/// DeviceOptions::tuning_file. BIFOLD_CACHE_DISABLE=1 in the environment keeps compiled kernels in
/// memory only, whatever the options say.
///
/// The directory is made where it is missing, with mode 0700. It has to be the effective user's
/// own, and nobody else may be able to write to it or to a file in it: what others could have
/// written is not read, and a warning in the log says so once.
struct CacheOptions {
  bool disk = true;                   ///< Keep them on disk, too; false: in memory only.
  std::filesystem::path directory{};  ///< Empty: $BIFOLD_CACHE_DIR, else $XDG_CACHE_HOME/bifold,
                                      ///< else ~/.cache/bifold.
  std::uint64_t limit_bytes = std::uint64_t{256} << 20;  ///< Oldest entries go beyond this.
  /// How many programs are kept in memory. Those that are made once half as many are there go when
  /// there are more, the least recently used first; but none that a plan of the application's or a
  /// CUDA graph runs.
  std::uint64_t programs = 1024;
};

/// Counts of what the kernel cache of a device did, since it was opened.
struct CacheStatistics {
  std::uint64_t compiled;   ///< Programs built from source, or from PTX in the library.
  std::uint64_t from_disk;  ///< Programs loaded from the disk cache.
  std::uint64_t rejected;   ///< Disk entries refused: damaged, foreign or stale.
  double compile_seconds;   ///< Spent in compilers.
  std::uint64_t programs;   ///< In memory now.
};

/// Where the queues of a device get their scratch memory: an application's own pool instead of
/// the driver. Both functions or neither; they are called with `user`, from whichever thread uses a
/// queue, under that queue's lock: they must be thread-safe and must not use that queue. One that
/// throws fails the call that needed the memory.
struct ScratchAllocator {
  /// At least `bytes` bytes of device memory in the device's context, as its native handle: a
  /// CUdeviceptr that is a multiple of 256, or a cl_mem. 0, or anything thrown that is no
  /// bifold::Error, fails the call with out_of_memory.
  std::uintptr_t (*allocate)(void* user, std::uint64_t bytes) = nullptr;

  /// Takes memory of allocate() back. The work that used it is done. Must not throw.
  void (*release)(void* user, std::uintptr_t handle, std::uint64_t bytes) = nullptr;

  void* user = nullptr;  ///< Handed to both functions.
};

/// Everything about opening or adopting a device that has a default.
struct DeviceOptions {
  CacheOptions cache{};        ///< Where compiled kernels are kept.
  ScratchAllocator scratch{};  ///< Where queues get their scratch memory; empty: from the driver.
  /// What `bifold-bench tune` measured: an optimisation, which changes no result in order v1 or of
  /// an exact operator. Empty: the file that it installed beside the kernel cache, if any. One that
  /// is missing, damaged or another device's is ignored with a warning in the log.
  std::filesystem::path tuning_file{};
};

/// An open device: a context, its capabilities and its compiled kernels. A value handle on shared
/// state; copies are the same device, and one that was moved from is refused with invalid_argument.
/// Thread-safe.
///
/// A process that was forked from one which had used drivers can only destroy what came along:
/// every call throws device_lost there, open_device() and devices() included. Start such a process
/// otherwise (exec, posix_spawn), or use devices after the fork alone.
class BIFOLD_API_CLASS Device {
 public:
  /// Which device this is.
  [[nodiscard]] const DeviceInfo& info() const&;
  /// The same, of a handle that ends with the statement.
  [[nodiscard]] DeviceInfo info() const&&;
  /// What it can do, as read when it was opened.
  [[nodiscard]] const Capabilities& capabilities() const&;
  /// The same, of a handle that ends with the statement.
  [[nodiscard]] Capabilities capabilities() const&&;
  /// What its kernel cache did so far.
  [[nodiscard]] CacheStatistics cache_statistics() const;

  /// Whether elements of `type` can be computed with; f64, alone or in a struct, needs a device
  /// that has it.
  [[nodiscard]] bool supports(Type type) const;

  /// @cond internal
  // The state behind the handle, which every call asks for: it refuses handles that were moved
  // from, and processes that were forked.
  explicit Device(std::shared_ptr<detail::DeviceState> state) : state_(std::move(state)) {}
  [[nodiscard]] const std::shared_ptr<detail::DeviceState>& state() const;
  /// @endcond

 private:
  std::shared_ptr<detail::DeviceState> state_;
};

/// Opens the device that `selector` names:
/// - "cuda", "opencl:1": a backend's first device, or the one of that index (digits only);
/// - "opencl:cpu", "gpu": the first of that kind, of one backend or of all, CUDA's before OpenCL's;
/// - "opencl:nvidia": the one whose vendor, name or platform contains the text; several matches are
///   an invalid_argument that lists them. ASCII letters count in either case, whatever the locale;
/// - "": $BIFOLD_DEVICE, else the first CUDA device, OpenCL GPU, OpenCL CPU, any other, in this
///   order.
///
/// Throws invalid_argument for a malformed or ambiguous selector and unavailable, with every
/// backend's reason, when nothing answers it.
BIFOLD_API Device open_device(std::string_view selector = {}, const DeviceOptions& options = {});

/// @}

}  // namespace bifold
