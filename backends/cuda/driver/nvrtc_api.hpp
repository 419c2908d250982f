// NVRTC, the run-time compiler: libnvrtc.so.<major>, opened at run time and never linked.
#pragma once

#include <nvrtc.h>

#include <string>
#include <vector>

namespace bifold::backend::cuda {

#define BIFOLD_NVRTC_FUNCTIONS(X) \
  X(nvrtcVersion)                 \
  X(nvrtcGetErrorString)          \
  X(nvrtcGetNumSupportedArchs)    \
  X(nvrtcGetSupportedArchs)       \
  X(nvrtcCreateProgram)           \
  X(nvrtcDestroyProgram)          \
  X(nvrtcCompileProgram)          \
  X(nvrtcGetProgramLogSize)       \
  X(nvrtcGetProgramLog)           \
  X(nvrtcGetCUBINSize)            \
  X(nvrtcGetCUBIN)                \
  X(nvrtcGetPTXSize)              \
  X(nvrtcGetPTX)

/// NVRTC's functions, under the names that nvrtc.h gives them, and what was asked of it once.
struct NvrtcApi {
// NOLINTNEXTLINE(bugprone-macro-parentheses): a declarator takes none.
#define BIFOLD_DECLARE(function) decltype(::function)* function = nullptr;
  BIFOLD_NVRTC_FUNCTIONS(BIFOLD_DECLARE)
#undef BIFOLD_DECLARE
  int major = 0;
  int minor = 0;
  std::vector<int> architectures;  ///< Ascending: 75, 80, ... as in sm_75, sm_80, ...
};

/// The newest NVRTC whose major version does not exceed the driver's, as the driver could not load
/// what a newer one compiles. Looks where the loader looks, then in $CUDA_HOME and /usr/local/cuda.
/// Throws unavailable, with the reason, while there is none; a later call looks again. Thread-safe.
const NvrtcApi& nvrtc();

/// The search itself, for a driver of that version (13000 for CUDA 13.0).
NvrtcApi find_nvrtc(int driver_version);

/// "13.0"
std::string version_text(const NvrtcApi& api);

/// The --gpu-architecture value for a device of compute capability `architecture` (90 for 9.0): its
/// own machine code "sm_90" where this NVRTC knows it, else the nearest older "compute_80", which
/// the driver translates; empty when NVRTC knows only newer ones.
std::string target_for(const NvrtcApi& api, int architecture);

}  // namespace bifold::backend::cuda
