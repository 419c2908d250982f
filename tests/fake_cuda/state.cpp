#include "state.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <tuple>
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

// Of those that the program calls, and those alone.
CUresult take_any_failure(const char* function) {
  State& all = state();
  if (depth() != 1 || all.any_fails_behind < 0 || all.any_fails_behind-- > 0) return CUDA_SUCCESS;
  all.any_failed = function;
  return all.any_code;
}

std::int64_t late_writes() {
  const auto& freed = state().freed_host_blocks;
  return std::count_if(freed.begin(), freed.end(), [](const auto& block) {
    const auto* bytes = reinterpret_cast<const unsigned char*>(block.first);
    return std::any_of(bytes, bytes + block.second,
                       [](unsigned char byte) { return byte != freed_pattern; });
  });
}

CUresult take_failure(const char* function) {
  const auto found = state().failures.find(function);
  if (found == state().failures.end() || found->second.after_calls-- > 0) return CUDA_SUCCESS;
  found->second.after_calls = 0;
  return found->second.code;
}

}  // namespace

State& state() {
  // Never destroyed: as long as the process lives, so does a driver, whoever closes a device last.
  static State& only = *[] {
    auto* made = new State;
    read_failures(*made);
    made->contexts.resize(static_cast<std::size_t>(device_count()));
    return made;
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

CUstreamCaptureMode& capture_mode() {
  thread_local CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
  return mode;
}

std::pair<int, int> architecture() {
  const char* text = std::getenv("FAKE_CUDA_ARCH");
  if (text == nullptr) return {9, 0};
  const char* point = std::strchr(text, '.');
  return {std::atoi(text), point != nullptr ? std::atoi(point + 1) : 0};
}

int device_count() { return static_cast<int>(setting("FAKE_CUDA_DEVICES", 1)); }

unsigned units() { return static_cast<unsigned>(setting("FAKE_CUDA_UNITS", 132)); }

int& depth() {
  thread_local int functions = 0;
  return functions;
}

Call::Call(const char* function) : guard_((++depth(), state().lock)), injected_{} {
  // What the driver's own functions call of each other is no call of the program's.
  if (depth() == 1) ++state().calls[function];
  injected_ = take_failure(function);
  if (injected_ == CUDA_SUCCESS) injected_ = take_any_failure(function);
  // Only these work before cuInit.
  if (injected_ == CUDA_SUCCESS && !state().initialised && std::strcmp(function, "cuInit") != 0 &&
      std::strcmp(function, "cuDriverGetVersion") != 0) {
    injected_ = misuse(CUDA_ERROR_NOT_INITIALIZED);
  }
}

Call::~Call() { --depth(); }

CUresult misuse(CUresult code) {
  ++state().misuses;
  return code;
}

CUcontext current() { return context_stack().empty() ? nullptr : context_stack().back(); }

const Block* block_of(CUdeviceptr address, CUdeviceptr* start) {
  auto next = state().blocks.upper_bound(address);
  if (next == state().blocks.begin()) return nullptr;
  const auto& [begin, block] = *std::prev(next);
  *start = begin;
  return address - begin < block.bytes ? &block : nullptr;
}

bool in_bounds(CUdeviceptr address, std::size_t bytes) {
  CUdeviceptr start = 0;
  const Block* block = block_of(address, &start);
  if (block == nullptr) return false;
  const bool reachable = block->kind != BlockKind::device || block->context == current();
  return reachable && bytes <= block->bytes - (address - start);
}

bool alive(CUcontext context) {
  const auto is = [context](const auto& one) { return one.get() == context; };
  const auto& [primary, created] = std::tie(state().contexts, state().created);
  const bool known = std::any_of(primary.begin(), primary.end(), is) ||
                     std::any_of(created.begin(), created.end(), is);
  return known && context != nullptr && context->retained > 0;
}

bool alive(CUstream stream) { return state().streams.contains(stream); }
bool alive(CUevent event) { return state().events.contains(event); }

CUstream stream_of(CUstream handle) {
  CUcontext context = current();
  if (handle == nullptr || handle == CU_STREAM_LEGACY) return &context->legacy;
  if (handle == CU_STREAM_PER_THREAD) {
    const auto [entry, added] = context->per_thread.try_emplace(std::this_thread::get_id());
    if (added) entry->second = {context, StreamKind::blocking};
    return &entry->second;
  }
  return alive(handle) ? handle : nullptr;
}

CUstream own_stream(CUstream handle) {
  CUstream stream = stream_of(handle);
  return stream != nullptr && stream->context == current() ? stream : nullptr;
}

void drain(CUstream stream) {
  if (std::exchange(stream->draining, true)) return;
  while (!stream->pending.empty()) {
    const auto work = std::move(stream->pending.front());
    stream->pending.pop_front();
    if (work()) continue;
    stream->pending.push_front(work);
    break;
  }
  stream->draining = false;
}

namespace {

void drain_context(CUcontext context, StreamKind kind) {
  for (CUstream stream : state().streams) {
    if (stream->context == context && stream->kind == kind) drain(stream);
  }
  if (kind == StreamKind::legacy) drain(&context->legacy);
  if (kind != StreamKind::blocking) return;
  for (auto& [thread, stream] : context->per_thread) drain(&stream);
}

}  // namespace

void drain_all() {
  for (CUstream stream : state().streams) drain(stream);
  for (auto* list : {&state().contexts, &state().created}) {
    for (const auto& context : *list) {
      if (!context || context->retained == 0) continue;
      drain_context(context.get(), StreamKind::blocking);
      drain(&context->legacy);
    }
  }
}

CUresult enqueue(CUstream handle, std::function<void()> work) {
  return enqueue(handle, Command{std::move(work)});
}

CUresult enqueue(CUstream handle, Command command) {
  CUstream stream = own_stream(handle);
  if (stream == nullptr) return misuse(CUDA_ERROR_INVALID_HANDLE);
  if (stream->kind == StreamKind::legacy && legacy_is_blocked(stream->context)) {
    for (const auto& capture : state().captures) capture->invalid = true;
    return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
  }
  if (stream->capture) {
    if (stream->capture->invalid) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    if (stream != stream->capture->origin) stream->capture->loose.insert(stream);
    stream->capture->commands.push_back(std::move(command));
    return CUDA_SUCCESS;
  }
  put(stream, [work = std::move(command.work)] {
    work();
    return true;
  });
  return CUDA_SUCCESS;
}

void put(CUstream stream, std::function<bool()> work) {
  // The legacy stream and the blocking ones wait for each other; that some work ends early does not
  // matter.
  if (stream->kind == StreamKind::legacy) drain_context(stream->context, StreamKind::blocking);
  if (stream->kind == StreamKind::blocking) drain(&stream->context->legacy);
  stream->pending.push_back(std::move(work));
}

}  // namespace fake

void fake_cuda_fail(const char* function, int after_calls, int code) {
  const std::lock_guard guard(fake::state().lock);
  fake::state().failures[function] = {after_calls, static_cast<CUresult>(code)};
}

void fake_cuda_fail_any(int after_calls, int code) {
  const std::lock_guard guard(fake::state().lock);
  fake::state().any_fails_behind = after_calls;
  fake::state().any_code = static_cast<CUresult>(code);
  fake::state().any_failed = "";
}

const char* fake_cuda_failed() {
  const std::lock_guard guard(fake::state().lock);
  return fake::state().any_failed;
}

void fake_cuda_reset() {
  const std::lock_guard guard(fake::state().lock);
  fake::state().failures.clear();
  fake::read_failures(fake::state());
  fake::state().any_fails_behind = -1;
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
  if (name == "created_contexts") {
    return std::count_if(state.created.begin(), state.created.end(),
                         [](const auto& context) { return context->retained > 0; });
  }
  if (name == "graphs") return static_cast<std::int64_t>(state.graphs.size());
  if (name == "graph_execs") return static_cast<std::int64_t>(state.graph_execs.size());
  if (name == "captures") return static_cast<std::int64_t>(state.captures.size());
  if (name == "streams") return static_cast<std::int64_t>(state.streams.size());
  if (name == "events") return static_cast<std::int64_t>(state.events.size());
  if (name == "allocations") return static_cast<std::int64_t>(state.blocks.size());
  if (name == "modules") return static_cast<std::int64_t>(state.modules.size());
  if (name == "launches") return state.launches;
  if (name == "overlapped_launches") return state.overlapped_launches;
  if (name == "late_launches") return state.late_launches;
  if (name == "loaded_cubins") return state.loaded_cubins;
  if (name == "loaded_ptx") return state.loaded_ptx;
  if (name == "misuses") return state.misuses;
  if (name == "late_writes") return fake::late_writes();
  return -1;
}

std::int64_t fake_cuda_calls(const char* prefix) {
  const std::lock_guard guard(fake::state().lock);
  std::int64_t calls = 0;
  for (const auto& [name, times] : fake::state().calls) {
    if (name.starts_with(prefix)) calls += times;
  }
  return calls;
}

bool fake_cuda_within() { return fake::depth() > 0; }
