#include "opencl_layer.hpp"

#include <CL/cl.h>
#include <CL/cl_icd.h>
#include <CL/cl_layer.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "delays.hpp"
#include "device_name.hpp"
#include "nvidia.hpp"
#include "program_text.hpp"
#include "svm.hpp"

namespace {

enum Kind : std::size_t { context, queue, buffer, program, kernel, event, svm, kind_count };
constexpr std::array<std::string_view, kind_count> kind_names{
    "context", "queue", "buffer", "program", "kernel", "event", "svm"};

/// How a successful call changes the number of references.
enum class Effect { none, adds, removes, adds_event };

/// A name as a template argument.
template <std::size_t Size>
struct Name {
  std::array<char, Size> text{};
  constexpr Name(const char (&literal)[Size]) {  // NOLINT: a literal is what it is made from.
    std::copy_n(literal, Size, text.begin());
  }
  [[nodiscard]] constexpr std::string_view view() const { return {text.data(), Size - 1}; }
};

std::array<std::atomic<long>, kind_count> live{};
cl_icd_dispatch target{};
cl_icd_dispatch layer{};

/// Which call of a series must fail, and how.
struct Fault {
  std::atomic<int> fail_in{0};  ///< Calls until the failing one, 0 for never, -1 for all.
  std::atomic<int> code{CL_SUCCESS};

  /// The code that this call must fail with.
  cl_int meet() {
    int left = fail_in.load();
    while (left > 0 && !fail_in.compare_exchange_weak(left, left - 1)) {
    }
    return left == 1 || left == -1 ? code.load() : CL_SUCCESS;
  }
};

/// The series of all calls, whatever their entry point.
Fault any_call;
std::atomic<const char*> any_failed{""};
thread_local int depth = 0;  ///< Functions of the driver that this thread is in.

/// State of one covered entry point.
struct Control {
  std::atomic<long> calls{0};
  Fault fault;

  /// The code that this call must fail with.
  cl_int meet(const char* name) {
    ++calls;
    const cl_int own = fault.meet();
    if (own != CL_SUCCESS) return own;
    const cl_int any = any_call.meet();
    if (any != CL_SUCCESS) any_failed = name;
    return any;
  }
};

/// While a function of the driver runs.
struct Within {
  Within() { ++depth; }
  ~Within() { --depth; }
  Within(const Within&) = delete;
  Within& operator=(const Within&) = delete;
};

template <Name Entry, auto Member, Effect Change, Kind What, class Function>
struct Wrapper;

template <Name Entry, auto Member, Effect Change, Kind What, class Result, class... Arguments>
struct Wrapper<Entry, Member, Change, What, Result(CL_API_CALL*)(Arguments...)> {
  static inline Control control;

  static Result CL_API_CALL call(Arguments... arguments) {
    const Within within;
    const std::tuple<Arguments...> all(arguments...);
    const auto last = std::get<sizeof...(Arguments) - 1>(all);
    if constexpr (std::is_void_v<Result>) {  // It cannot fail.
      ++control.calls;
      (target.*Member)(arguments...);
      return count(last);
    } else if constexpr (std::is_pointer_v<Result>) {
      const cl_int fault = control.meet(Entry.text.data());
      if (fault != CL_SUCCESS) {
        if constexpr (std::is_pointer_v<decltype(last)>) {
          if (last != nullptr) *last = fault;
        }
        return nullptr;
      }
      const Result made = (target.*Member)(arguments...);
      if (made != nullptr) ++live[What];
      return made;
    } else {
      const cl_int fault = control.meet(Entry.text.data());
      if (fault != CL_SUCCESS) return fault;
      const Result code = (target.*Member)(arguments...);
      if (code == CL_SUCCESS) count(last);
      return code;
    }
  }

  template <class Last>
  static void count([[maybe_unused]] Last last) {
    if constexpr (Change == Effect::adds) ++live[What];
    if constexpr (Change == Effect::removes) --live[What];
    if constexpr (Change == Effect::adds_event) {
      if (last != nullptr) ++live[event];
    }
  }

  static void install() { layer.*Member = &call; }
  static constexpr std::string_view name() { return Entry.view(); }
};

template <auto Member>
struct MemberType;
template <class Type, Type cl_icd_dispatch::*Member>
struct MemberType<Member> {
  using type = Type;
};

template <Name Entry, auto Member, Effect Change = Effect::none, Kind What = kind_count>
using Wrap = Wrapper<Entry, Member, Change, What, typename MemberType<Member>::type>;

template <class... Wrappers>
struct Table {
  static void install() { (Wrappers::install(), ...); }

  static Control* find(std::string_view name) {
    Control* found = nullptr;
    ((Wrappers::name() == name ? static_cast<void>(found = &Wrappers::control) : void()), ...);
    return found;
  }

  static void clear() { (Wrappers::control.fault.fail_in.store(0), ...); }
  static long calls() { return (Wrappers::control.calls.load() + ...); }
};

#define COVER(entry, ...) Wrap<#entry, &cl_icd_dispatch::entry __VA_OPT__(, ) __VA_ARGS__>

using Covered = Table<
    COVER(clGetPlatformIDs), COVER(clGetPlatformInfo), COVER(clGetDeviceIDs),
    COVER(clGetDeviceInfo), COVER(clCreateContext, Effect::adds, context),
    COVER(clRetainContext, Effect::adds, context),
    COVER(clReleaseContext, Effect::removes, context),
    COVER(clCreateCommandQueue, Effect::adds, queue),
    COVER(clCreateCommandQueueWithProperties, Effect::adds, queue),
    COVER(clRetainCommandQueue, Effect::adds, queue),
    COVER(clReleaseCommandQueue, Effect::removes, queue),
    COVER(clCreateBuffer, Effect::adds, buffer), COVER(clCreateSubBuffer, Effect::adds, buffer),
    COVER(clRetainMemObject, Effect::adds, buffer),
    COVER(clReleaseMemObject, Effect::removes, buffer),
    COVER(clCreateProgramWithSource, Effect::adds, program),
    COVER(clCreateProgramWithBinary, Effect::adds, program),
    COVER(clRetainProgram, Effect::adds, program),
    COVER(clReleaseProgram, Effect::removes, program), COVER(clBuildProgram),
    COVER(clGetProgramInfo), COVER(clGetProgramBuildInfo),
    COVER(clCreateKernel, Effect::adds, kernel), COVER(clRetainKernel, Effect::adds, kernel),
    COVER(clReleaseKernel, Effect::removes, kernel), COVER(clSetKernelArg),
    COVER(clGetKernelWorkGroupInfo), COVER(clGetKernelArgInfo),
    COVER(clEnqueueNDRangeKernel, Effect::adds_event), COVER(clSetKernelArgSVMPointer),
    COVER(clGetKernelInfo), COVER(clSVMAlloc, Effect::adds, svm),
    COVER(clSVMFree, Effect::removes, svm), COVER(clSetUserEventStatus), COVER(clRetainDevice),
    COVER(clReleaseDevice), COVER(clEnqueueSVMMemFill, Effect::adds_event),
    COVER(clEnqueueSVMMemcpy, Effect::adds_event), COVER(clGetContextInfo),
    COVER(clGetCommandQueueInfo), COVER(clGetMemObjectInfo),
    COVER(clEnqueueFillBuffer, Effect::adds_event), COVER(clEnqueueCopyBuffer, Effect::adds_event),
    COVER(clEnqueueReadBuffer, Effect::adds_event), COVER(clEnqueueWriteBuffer, Effect::adds_event),
    COVER(clEnqueueMarkerWithWaitList, Effect::adds_event),
    COVER(clEnqueueBarrierWithWaitList, Effect::adds_event),
    COVER(clCreateUserEvent, Effect::adds, event), COVER(clRetainEvent, Effect::adds, event),
    COVER(clReleaseEvent, Effect::removes, event), COVER(clWaitForEvents), COVER(clGetEventInfo),
    COVER(clGetEventProfilingInfo), COVER(clFlush), COVER(clFinish)>;

#undef COVER

// A compiler that gets something wrong: with $BIFOLD_LAYER_MISCOMPILE="FROM=>TO", every program is
// built with the first FROM in its source replaced by TO.
std::string_view mistake() {
  const char* const text = std::getenv("BIFOLD_LAYER_MISCOMPILE");  // NOLINT(concurrency-mt-unsafe)
  return text == nullptr ? "" : text;
}

cl_api_clCreateProgramWithSource create_program = nullptr;

cl_program CL_API_CALL miscompile(cl_context owner, cl_uint count, const char** strings,
                                  const size_t* lengths, cl_int* code) {
  constexpr std::string_view arrow = "=>";
  const std::string_view change = mistake();
  const std::size_t split = change.find(arrow);
  std::string source = bifold::test::joined(count, strings, lengths);
  const std::string_view from = change.substr(0, split);
  const std::size_t at = source.find(from);
  if (split != std::string_view::npos && at != std::string::npos) {
    source.replace(at, from.size(), change.substr(split + arrow.size()));
  }
  return bifold::test::create_program(create_program, owner, source, code);
}

}  // namespace

extern "C" {

int bifold_layer_fail(const char* entry, int nth, int code) {
  Control* const control = Covered::find(entry);
  if (control == nullptr) return 0;
  control->fault.code = code;
  control->fault.fail_in = nth;
  return 1;
}

void bifold_layer_fail_any(int nth, int code) {
  any_failed = "";
  any_call.code = code;
  any_call.fail_in = nth;
}

const char* bifold_layer_failed() { return any_failed; }

bool bifold_layer_within() { return depth > 0; }

void bifold_layer_hide_svm(int hidden) { bifold::test::hide_svm(hidden != 0); }

void bifold_layer_keep_freed_svm(int kept) { bifold::test::keep_freed_svm(kept != 0); }

long bifold_layer_svm_written_late() { return bifold::test::svm_written_late(); }

void bifold_layer_clear() {
  Covered::clear();
  any_call.fail_in = 0;
}

long bifold_layer_calls(const char* entry) {
  if (*entry == '\0') return Covered::calls();
  const Control* const control = Covered::find(entry);
  return control == nullptr ? -1 : control->calls.load();
}

long bifold_layer_live(const char* kind) {
  const auto* const found = std::find(kind_names.begin(), kind_names.end(), kind);
  if (found == kind_names.end()) return -1;
  return live[static_cast<std::size_t>(found - kind_names.begin())].load();
}

cl_int clGetLayerInfo(cl_layer_info param_name, size_t param_value_size, void* param_value,
                      size_t* param_value_size_ret) {
  if (param_name != CL_LAYER_API_VERSION) return CL_INVALID_VALUE;
  if (param_value != nullptr) {
    if (param_value_size < sizeof(cl_layer_api_version)) return CL_INVALID_VALUE;
    *static_cast<cl_layer_api_version*>(param_value) = CL_LAYER_API_VERSION_100;
  }
  if (param_value_size_ret != nullptr) *param_value_size_ret = sizeof(cl_layer_api_version);
  return CL_SUCCESS;
}

cl_int clInitLayer(cl_uint num_entries, const cl_icd_dispatch* target_dispatch,
                   cl_uint* num_entries_ret, const cl_icd_dispatch** layer_dispatch_ret) {
  if (target_dispatch == nullptr || num_entries_ret == nullptr || layer_dispatch_ret == nullptr ||
      num_entries < sizeof(cl_icd_dispatch) / sizeof(void*)) {
    return CL_INVALID_VALUE;
  }
  target = *target_dispatch;
  bifold::test::claim_nvidia(target);
  bifold::test::delay_groups(target);
  bifold::test::watch_svm(target);
  bifold::test::name_devices(target);
  if (!mistake().empty()) {
    create_program = target.clCreateProgramWithSource;
    target.clCreateProgramWithSource = &miscompile;
  }
  layer = target;
  Covered::install();
  *num_entries_ret = sizeof(cl_icd_dispatch) / sizeof(void*);
  *layer_dispatch_ret = &layer;
  return CL_SUCCESS;
}

}  // extern "C"
