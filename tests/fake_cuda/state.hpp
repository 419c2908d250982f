// What the fake driver remembers. Guarded by one lock, taken by every driver function.
#pragma once

// The driver's functions, declared there, are all that this library exports.
#pragma GCC visibility push(default)
#include <cuda.h>
#pragma GCC visibility pop

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

struct CUctx_st {
  int device = 0;
  int retained = 0;
};

// Work waits in its stream until the host waits for or asks after it, as on a device that is slow:
// a copy that returns before its host memory is done with is found out.
struct CUstream_st {
  CUcontext context = nullptr;
  std::vector<std::function<void()>> pending;
};

struct CUevent_st {
  CUcontext context = nullptr;
  CUstream stream = nullptr;
  bool timed = false;
  bool done = true;
};

struct CUmod_st {
  CUcontext context = nullptr;
  std::string image;
  std::map<std::string, std::unique_ptr<CUfunc_st>> functions;
};

struct CUfunc_st {
  CUmodule module = nullptr;
};

namespace fake {

struct Block {
  CUcontext context;
  std::size_t bytes;
};

struct Failure {
  int after_calls;
  CUresult code;
};

struct State {
  std::recursive_mutex lock;
  bool initialised = false;
  std::vector<std::unique_ptr<CUctx_st>> contexts;  // One per device, made when first retained.
  std::set<CUstream> streams;
  std::set<CUevent> events;
  std::set<CUmodule> modules;
  std::set<CUfunction> functions;
  std::map<CUdeviceptr, Block> blocks;
  std::map<std::string, Failure> failures;
  std::int64_t launches = 0;
  std::int64_t misuses = 0;
};

State& state();
std::vector<CUcontext>& context_stack();  // This thread's.
long setting(const char* name, long otherwise);
int device_count();

/// Holds the lock and knows the injected result of one call.
class Call {
 public:
  explicit Call(const char* function);
  [[nodiscard]] CUresult injected() const { return injected_; }

 private:
  std::lock_guard<std::recursive_mutex> guard_;
  CUresult injected_;
};

/// Counts a misuse and gives `code` back.
CUresult misuse(CUresult code);
CUcontext current();
/// Whether `bytes` bytes from `address` lie in one live block of the current context.
bool in_bounds(CUdeviceptr address, std::size_t bytes);
bool alive(CUstream stream);
bool alive(CUevent event);
/// Does the pending work.
void drain(CUstream stream);
void drain_all();
/// Adds work to a live stream of the current context; the result of the call that adds it.
CUresult enqueue(CUstream stream, std::function<void()> work);

}  // namespace fake

// The first line of every function that needs no context, and of every one that does.
#define FAKE_CALL(function)             \
  const fake::Call fake_call(function); \
  if (fake_call.injected() != CUDA_SUCCESS) return fake_call.injected()
#define FAKE_CALL_IN_CONTEXT(function) \
  FAKE_CALL(function);                 \
  if (fake::current() == nullptr) return fake::misuse(CUDA_ERROR_INVALID_CONTEXT)
