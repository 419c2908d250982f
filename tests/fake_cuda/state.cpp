#include "state.hpp"

#include <cstdlib>
#include <cstring>
#include <sstream>
#include <utility>

#include "fake_cuda.hpp"

namespace fake {
namespace {

void read_failures(State& state) {
  const char* text = std::getenv("FAKE_CUDA_FAIL");
  std::istringstream list(text != nullptr ? text : "");
  for (std::string item; std::getline(list, item, ',');) {
    std::istringstream fields(item);
    std::string name;
    std::string after;
    std::string code;
    std::getline(std::getline(std::getline(fields, name, ':'), after, ':'), code);
    state.failures[name] = {std::atoi(after.c_str()),
                            static_cast<CUresult>(std::atoi(code.c_str()))};
  }
}

CUresult take_failure(const char* function) {
  const auto found = state().failures.find(function);
  if (found == state().failures.end() || found->second.after_calls-- > 0) return CUDA_SUCCESS;
  found->second.after_calls = 0;
  return found->second.code;
}

}  // namespace

State& state() {
  static State& only = *[] {
    static State made;
    read_failures(made);
    made.contexts.resize(static_cast<std::size_t>(device_count()));
    return &made;
  }();
  return only;
}

std::vector<CUcontext>& context_stack() {
  thread_local std::vector<CUcontext> stack;
  return stack;
}

long setting(const char* name, long otherwise) {
  const char* text = std::getenv(name);
  return text != nullptr ? std::atol(text) : otherwise;
}

int device_count() { return static_cast<int>(setting("FAKE_CUDA_DEVICES", 1)); }

Call::Call(const char* function) : guard_(state().lock), injected_(take_failure(function)) {
  // Only these work before cuInit.
  if (injected_ == CUDA_SUCCESS && !state().initialised && std::strcmp(function, "cuInit") != 0 &&
      std::strcmp(function, "cuDriverGetVersion") != 0) {
    injected_ = misuse(CUDA_ERROR_NOT_INITIALIZED);
  }
}

CUresult misuse(CUresult code) {
  ++state().misuses;
  return code;
}

CUcontext current() { return context_stack().empty() ? nullptr : context_stack().back(); }

bool in_bounds(CUdeviceptr address, std::size_t bytes) {
  auto next = state().blocks.upper_bound(address);
  if (next == state().blocks.begin()) return false;
  const auto& [start, block] = *std::prev(next);
  const std::size_t offset = address - start;
  return block.context == current() && offset <= block.bytes && bytes <= block.bytes - offset;
}

bool alive(CUstream stream) { return state().streams.contains(stream); }
bool alive(CUevent event) { return state().events.contains(event); }

void drain(CUstream stream) {
  for (const auto& work : std::exchange(stream->pending, {})) work();
}

void drain_all() {
  for (CUstream stream : state().streams) drain(stream);
}

CUresult enqueue(CUstream stream, std::function<void()> work) {
  if (!alive(stream) || stream->context != current()) return misuse(CUDA_ERROR_INVALID_HANDLE);
  stream->pending.push_back(std::move(work));
  return CUDA_SUCCESS;
}

}  // namespace fake

void fake_cuda_fail(const char* function, int after_calls, int code) {
  const std::lock_guard guard(fake::state().lock);
  fake::state().failures[function] = {after_calls, static_cast<CUresult>(code)};
}

void fake_cuda_reset() {
  const std::lock_guard guard(fake::state().lock);
  fake::state().failures.clear();
}

std::int64_t fake_cuda_count(const char* what) {
  const std::lock_guard guard(fake::state().lock);
  const fake::State& state = fake::state();
  const std::string name = what;
  if (name == "contexts") {
    std::int64_t retained = 0;
    for (const auto& context : state.contexts) retained += context ? context->retained : 0;
    return retained;
  }
  if (name == "streams") return static_cast<std::int64_t>(state.streams.size());
  if (name == "events") return static_cast<std::int64_t>(state.events.size());
  if (name == "allocations") return static_cast<std::int64_t>(state.blocks.size());
  if (name == "modules") return static_cast<std::int64_t>(state.modules.size());
  if (name == "launches") return state.launches;
  if (name == "misuses") return state.misuses;
  return -1;
}
