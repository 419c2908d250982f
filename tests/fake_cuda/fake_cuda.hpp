// Control of the fake CUDA driver. A test that runs with it in the library path finds these
// functions with dlsym in libcuda.so.1.
//
// Environment, read when a value is first needed:
//   FAKE_CUDA_ARCH=9.0        compute capability of every device
//   FAKE_CUDA_DEVICES=1       how many there are
//   FAKE_CUDA_NAME=TEXT       what each is called
//   FAKE_CUDA_MEMORY=268435456  bytes of each
//   FAKE_CUDA_UNITS=132       multiprocessors of each, and groups at once where kernels run
//   FAKE_CUDA_SEED=1          of what is drawn where kernels run, as they do with the stand-in for
//                             NVRTC (emulated_cuda)
//   FAKE_CUDA_VERSION=13000   cuDriverGetVersion
//   FAKE_CUDA_FAIL=NAME:AFTER:CODE[,...]   as fake_cuda_fail
#pragma once

#include <cstdint>

#pragma GCC visibility push(default)
extern "C" {

/// Every call of the driver function `function` (its exported name, "cuMemAlloc_v2") behind the
/// next `after_calls` calls answers `code`, until fake_cuda_reset(). It then does nothing else.
/// "PTX" is the loading of a module that is no cubin, "cubin" that of one that is.
void fake_cuda_fail(const char* function, int after_calls, int code);

/// The same for one call of all that the program makes, the one behind the next `after_calls`.
void fake_cuda_fail_any(int after_calls, int code);

/// The function that answered for fake_cuda_fail_any(); "" as long as none has.
const char* fake_cuda_failed();

/// Takes back every fake_cuda_fail and fake_cuda_fail_any; what FAKE_CUDA_FAIL says begins again.
void fake_cuda_reset();

/// A count: "contexts" (retained primary ones), "created_contexts", "streams", "events",
/// "allocations", "modules", "graphs", "graph_execs", "captures" that are alive; "launches" so far,
/// those of graphs included; "overlapped_launches": those that asked for programmatic dependence;
/// "late_launches": those whose module was unloaded before they ran, as at a device's end;
/// "loaded_cubins" and "loaded_ptx": modules so far;
/// "misuses": calls with a dead handle, of the wrong context or out of bounds; "late_writes":
/// blocks of page-locked memory that were written to after they were freed. What a capture forbids
/// is refused as the driver does, and is no misuse. -1 for any other name.
std::int64_t fake_cuda_count(const char* what);

/// Calls so far of the driver functions whose exported names begin with `prefix`.
std::int64_t fake_cuda_calls(const char* prefix);

/// Whether this thread is in a function of the driver.
bool fake_cuda_within();
}
#pragma GCC visibility pop
