// What the fake driver remembers. Guarded by one lock, taken by every driver function.
#pragma once

// The driver's functions, declared there, are all that this library exports, with those of
// fake_cuda.hpp.
#pragma GCC visibility push(default)
#include <cuda.h>
#pragma GCC visibility pop

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace fake {

enum class StreamKind : std::uint8_t { blocking, non_blocking, legacy };

/// A range of device memory that a command touches.
struct Range {
  CUdeviceptr address;
  std::size_t bytes;
};

/// What a stream does, at once or each time a graph runs.
struct Command {
  std::function<void()> work;
  std::vector<Range> touches{};
};

/// One capture, from its beginning to its end, in all streams that joined it.
struct Capture {
  CUstreamCaptureMode mode;
  std::thread::id thread;
  CUstream origin;
  std::set<CUstream> streams;  // The origin and those that joined.
  std::set<CUstream> loose;    // Joined, with work that nobody has waited for.
  std::vector<Command> commands;
  bool invalid = false;
};

}  // namespace fake

// Work waits in its stream until the host waits for or asks after it, as on a device that is slow:
// a copy that returns before its host memory is done with is found out.
struct CUstream_st {
  CUcontext context = nullptr;
  fake::StreamKind kind = fake::StreamKind::non_blocking;
  // Each tells whether it is done; else it waits for what goes on further up.
  std::deque<std::function<bool()>> pending{};
  bool draining = false;
  std::shared_ptr<fake::Capture> capture{};
};

// Primary ones exist while they are retained; created ones count as retained once.
struct CUctx_st {
  int device = 0;
  int retained = 0;
  CUstream_st legacy{this, fake::StreamKind::legacy};
  std::map<std::thread::id, CUstream_st> per_thread{};
};

struct CUevent_st {
  // What was recorded last. Waits keep to it, whatever becomes of the event.
  struct Record {
    CUstream stream = nullptr;
    bool done = false;
  };
  CUcontext context = nullptr;
  CUstream stream = nullptr;
  bool timed = false;
  bool done = true;
  std::shared_ptr<Record> record{};
  std::weak_ptr<fake::Capture> capture{};  // Where it was recorded last,
  bool captured = false;                   // if that was in a capture.
};

// In the order of capture, which is one of those that the dependencies allow.
struct CUgraph_st {
  CUcontext context = nullptr;
  std::vector<fake::Command> commands;
};

struct CUgraphExec_st {
  CUcontext context = nullptr;
  std::vector<fake::Command> commands;
};

struct CUmod_st {
  CUcontext context = nullptr;
  std::string image;
  std::map<std::string, std::unique_ptr<CUfunc_st>> functions;
  std::shared_ptr<void> library{};  // Of kernels that are the host's machine code.
  std::shared_ptr<const bool> loaded = std::make_shared<const bool>(true);  // Ends with the module.
};

struct CUfunc_st {
  CUmodule module = nullptr;
  std::string name{};
};

namespace fake {

enum class BlockKind : std::uint8_t { device, pool, managed, host };

struct Block {
  CUcontext context;
  std::size_t bytes;
  BlockKind kind = BlockKind::device;
};

struct Failure {
  int after_calls;
  CUresult code;
};

struct State {
  std::recursive_mutex lock;
  bool initialised = false;
  std::vector<std::unique_ptr<CUctx_st>> contexts;  // One per device, made when first retained.
  std::vector<std::unique_ptr<CUctx_st>> created;   // The application's, destroyed ones included.
  std::set<CUstream> streams;
  std::set<CUevent> events;
  std::set<CUmodule> modules;
  std::set<CUfunction> functions;
  std::set<CUgraph> graphs;
  std::set<CUgraphExec> graph_execs;
  std::set<std::shared_ptr<Capture>> captures;
  std::map<CUdeviceptr, Block> blocks;
  std::map<std::string, Failure> failures;
  std::int64_t any_fails_behind = -1;  // Calls until that one; -1 for none.
  CUresult any_code = CUDA_SUCCESS;
  const char* any_failed = "";
  std::vector<std::pair<CUdeviceptr, std::size_t>> freed_host_blocks;  // They stay, with a pattern.
  std::map<std::string, std::int64_t> calls;                           // Of each function.
  std::int64_t launches = 0;
  std::int64_t overlapped_launches = 0;
  std::int64_t late_launches = 0;
  std::int64_t loaded_cubins = 0;
  std::int64_t loaded_ptx = 0;
  std::int64_t misuses = 0;
};

State& state();
std::vector<CUcontext>& context_stack();  // This thread's.
CUstreamCaptureMode& capture_mode();      // This thread's.
int& depth();                             // Functions of the driver that this thread is in.
long setting(const char* name, long otherwise);
/// 9 and 0 of FAKE_CUDA_ARCH=9.0.
std::pair<int, int> architecture();
int device_count();
unsigned units();  // Multiprocessors of each, and groups that run at once.
bool exists(CUdevice device);

/// Holds the lock and knows the injected result of one call.
class Call {
 public:
  explicit Call(const char* function);
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  [[nodiscard]] CUresult injected() const { return injected_; }

 private:
  std::lock_guard<std::recursive_mutex> guard_;
  CUresult injected_ = CUDA_SUCCESS;
};

/// What page-locked memory is filled with when it is freed.
constexpr unsigned char freed_pattern = 0xdd;

/// Counts a misuse and gives `code` back.
CUresult misuse(CUresult code);
CUcontext current();
/// Whether `bytes` bytes from `address` lie in one live block that the current context reaches.
bool in_bounds(CUdeviceptr address, std::size_t bytes);
/// The live block that the address is in; null where there is none.
const Block* block_of(CUdeviceptr address, CUdeviceptr* start);
bool alive(CUcontext context);
bool alive(CUstream stream);
bool alive(CUevent event);
/// The stream that a handle means in the current context: null, CU_STREAM_LEGACY and
/// CU_STREAM_PER_THREAD mean its default streams. Null for one that is dead.
CUstream stream_of(CUstream handle);
/// The same for one that commands can go to: null for one of another context, too.
CUstream own_stream(CUstream handle);
/// Does the pending work, up to a wait for a stream whose own work waits for this one.
void drain(CUstream stream);
/// Behind what is pending; see there.
void put(CUstream stream, std::function<bool()> work);
void drain_all();
/// Adds work to a live stream of the current context, or to the graph it is captured into; the
/// result of the call that adds it.
CUresult enqueue(CUstream handle, Command command);
CUresult enqueue(CUstream handle, std::function<void()> work);

/// For a call that no graph can hold: unsuccessful, with the captures invalidated, where this
/// thread's mode and the captures in progress forbid it.
CUresult outside_capture();
/// The same for one that waits for a stream or asks after it.
CUresult outside_capture(CUstream stream);
/// Whether the legacy stream cannot be used: a blocking stream of the context is captured.
bool legacy_is_blocked(CUcontext context);

}  // namespace fake

// The first line of every function that needs no context, and of every one that does.
#define FAKE_CALL(function)             \
  const fake::Call fake_call(function); \
  if (fake_call.injected() != CUDA_SUCCESS) return fake_call.injected()
#define FAKE_CALL_OUTSIDE_CAPTURE(function)                                          \
  FAKE_CALL_IN_CONTEXT(function);                                                    \
  if (const CUresult forbidden = fake::outside_capture(); forbidden != CUDA_SUCCESS) \
  return forbidden
#define FAKE_CALL_IN_CONTEXT(function) \
  FAKE_CALL(function);                 \
  if (fake::current() == nullptr) return fake::misuse(CUDA_ERROR_INVALID_CONTEXT)
