// Contexts, and which one is current.
#include <algorithm>
#include <memory>

#include "state.hpp"

extern "C" {

CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
  FAKE_CALL("cuDevicePrimaryCtxRetain");
  if (!fake::exists(device)) return fake::misuse(CUDA_ERROR_INVALID_DEVICE);
  auto& slot = fake::state().contexts[static_cast<std::size_t>(device)];
  if (!slot) slot = std::make_unique<CUctx_st>();
  slot->device = device;
  ++slot->retained;
  *context = slot.get();
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  FAKE_CALL("cuDevicePrimaryCtxRelease_v2");
  CUctx_st* context = fake::exists(device)
                          ? fake::state().contexts[static_cast<std::size_t>(device)].get()
                          : nullptr;
  if (context == nullptr || context->retained == 0) {
    return fake::misuse(CUDA_ERROR_INVALID_CONTEXT);
  }
  --context->retained;
  return CUDA_SUCCESS;
}

CUresult cuCtxPushCurrent_v2(CUcontext context) {
  FAKE_CALL("cuCtxPushCurrent_v2");
  if (context == nullptr) return fake::misuse(CUDA_ERROR_INVALID_VALUE);
  if (!fake::alive(context)) return fake::misuse(CUDA_ERROR_INVALID_CONTEXT);
  fake::context_stack().push_back(context);
  return CUDA_SUCCESS;
}

CUresult cuCtxPopCurrent_v2(CUcontext* context) {
  FAKE_CALL("cuCtxPopCurrent_v2");
  if (fake::context_stack().empty()) return fake::misuse(CUDA_ERROR_INVALID_CONTEXT);
  *context = fake::context_stack().back();
  fake::context_stack().pop_back();
  return CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext* context) {
  FAKE_CALL("cuCtxGetCurrent");
  *context = fake::current();
  return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext context) {
  FAKE_CALL("cuCtxSetCurrent");
  if (context != nullptr && !fake::alive(context)) return fake::misuse(CUDA_ERROR_INVALID_CONTEXT);
  if (!fake::context_stack().empty()) fake::context_stack().pop_back();
  if (context != nullptr) fake::context_stack().push_back(context);
  return CUDA_SUCCESS;
}

CUresult cuCtxGetDevice(CUdevice* device) {
  FAKE_CALL_IN_CONTEXT("cuCtxGetDevice");
  *device = fake::current()->device;
  return CUDA_SUCCESS;
}

CUresult cuCtxSynchronize() {
  FAKE_CALL_OUTSIDE_CAPTURE("cuCtxSynchronize");
  for (const auto& capture : fake::state().captures) {
    if (capture->origin->context == fake::current()) return fake::outside_capture(capture->origin);
  }
  fake::drain_all();
  return CUDA_SUCCESS;
}

// The version that drivers of every age export; cuda.h may declare a younger one.
__attribute__((visibility("default"))) CUresult cuCtxCreate_v2(CUcontext* context, unsigned flags,
                                                               CUdevice device);
CUresult cuCtxCreate_v2(CUcontext* context, unsigned, CUdevice device) {
  FAKE_CALL("cuCtxCreate_v2");
  if (!fake::exists(device)) return fake::misuse(CUDA_ERROR_INVALID_DEVICE);
  auto& created = fake::state().created;
  created.push_back(std::make_unique<CUctx_st>());
  created.back()->device = device;
  created.back()->retained = 1;
  *context = created.back().get();
  fake::context_stack().push_back(*context);
  return CUDA_SUCCESS;
}

// A driver releases what is left in the context; here it is a misuse, as it is a leak.
CUresult cuCtxDestroy_v2(CUcontext context) {
  FAKE_CALL("cuCtxDestroy_v2");
  if (!fake::alive(context)) return fake::misuse(CUDA_ERROR_INVALID_CONTEXT);
  const auto lives_here = [context](const auto* one) { return one->context == context; };
  const fake::State& state = fake::state();
  bool leaks = std::any_of(state.streams.begin(), state.streams.end(), lives_here) ||
               std::any_of(state.events.begin(), state.events.end(), lives_here) ||
               std::any_of(state.modules.begin(), state.modules.end(), lives_here);
  for (const auto& [start, block] : state.blocks) leaks = leaks || block.context == context;
  context->retained = 0;
  if (fake::current() == context) fake::context_stack().pop_back();
  return leaks ? fake::misuse(CUDA_SUCCESS) : CUDA_SUCCESS;
}
}
