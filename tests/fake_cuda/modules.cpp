// Modules and launches. Nothing is computed.
#include <elf.h>

#include <algorithm>
#include <cstring>

#include "state.hpp"

namespace {

/// The bytes of a cubin (an ELF file, which knows its length) or PTX (a string); empty for others.
std::string image_bytes(const void* image) {
  const char* bytes = static_cast<const char*>(image);
  if (std::memcmp(bytes, ELFMAG, SELFMAG) != 0) {
    const std::string text = bytes;
    return text.find(".version") != std::string::npos ? text : std::string();
  }
  Elf64_Ehdr header;
  std::memcpy(&header, image, sizeof header);
  const std::size_t sections = header.e_shoff + std::size_t{header.e_shnum} * header.e_shentsize;
  const std::size_t segments = header.e_phoff + std::size_t{header.e_phnum} * header.e_phentsize;
  return {bytes, std::max(sections, segments)};
}

/// Whether the image names such a kernel: in the string table of a cubin, or as an entry of PTX.
bool has_entry(const std::string& image, const std::string& name) {
  if (name.empty()) return false;
  if (image.starts_with(ELFMAG)) return image.find(".text." + name + '\0') != std::string::npos;
  return image.find(".entry " + name + '(') != std::string::npos;
}

/// What a driver does with PTX: nothing here, unless that is to fail.
CUresult translate() {
  FAKE_CALL("PTX");
  return CUDA_SUCCESS;
}

/// Machine code is for one architecture, which its header names.
CUresult take_machine_code(const std::string& image) {
  FAKE_CALL("cubin");
  Elf64_Ehdr header;
  std::memcpy(&header, image.data(), sizeof header);
  constexpr unsigned first_to_shift = 8;
  const unsigned abi = header.e_ident[EI_ABIVERSION];
  const unsigned made_for = header.e_flags >> (abi < first_to_shift ? 0 : 8) & 0xFF;
  const auto [major, minor] = fake::architecture();
  return made_for == static_cast<unsigned>(major * 10 + minor) ? CUDA_SUCCESS
                                                               : CUDA_ERROR_NO_BINARY_FOR_GPU;
}

}  // namespace

extern "C" {

CUresult cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned count,
                            CUjit_option* options, void** values) {
  FAKE_CALL_OUTSIDE_CAPTURE("cuModuleLoadDataEx");
  std::string bytes = image_bytes(image);
  if (bytes.empty()) {
    for (unsigned i = 0; i < count; ++i) {
      if (options[i] == CU_JIT_ERROR_LOG_BUFFER) {
        constexpr char log[] = "fake: neither a cubin nor PTX";
        std::memcpy(values[i], log, sizeof log);
      }
    }
    return CUDA_ERROR_INVALID_IMAGE;
  }
  const bool machine_code = bytes.starts_with(ELFMAG);
  const CUresult refused = machine_code ? take_machine_code(bytes) : translate();
  if (refused != CUDA_SUCCESS) return refused;
  ++(machine_code ? fake::state().loaded_cubins : fake::state().loaded_ptx);
  *module = new CUmod_st{fake::current(), std::move(bytes), {}};
  fake::state().modules.insert(*module);
  return CUDA_SUCCESS;
}

CUresult cuModuleLoadData(CUmodule* module, const void* image) {
  FAKE_CALL_OUTSIDE_CAPTURE("cuModuleLoadData");
  return cuModuleLoadDataEx(module, image, 0, nullptr, nullptr);
}

CUresult cuModuleUnload(CUmodule module) {
  FAKE_CALL_OUTSIDE_CAPTURE("cuModuleUnload");
  if (!fake::state().modules.contains(module) || module->context != fake::current()) {
    return fake::misuse(CUDA_ERROR_INVALID_HANDLE);
  }
  for (const auto& [name, function] : module->functions) {
    fake::state().functions.erase(function.get());
  }
  fake::state().modules.erase(module);
  delete module;
  return CUDA_SUCCESS;
}

CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
  FAKE_CALL_IN_CONTEXT("cuModuleGetFunction");
  if (!fake::state().modules.contains(module)) return fake::misuse(CUDA_ERROR_INVALID_HANDLE);
  if (!has_entry(module->image, name)) return CUDA_ERROR_NOT_FOUND;
  auto& slot = module->functions[name];
  if (!slot) slot = std::make_unique<CUfunc_st>(CUfunc_st{module});
  fake::state().functions.insert(slot.get());
  *function = slot.get();
  return CUDA_SUCCESS;
}

CUresult cuFuncGetAttribute(int* value, CUfunction_attribute attribute, CUfunction function) {
  FAKE_CALL_IN_CONTEXT("cuFuncGetAttribute");
  if (!fake::state().functions.contains(function) ||
      attribute != CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK) {
    return fake::misuse(CUDA_ERROR_INVALID_HANDLE);
  }
  *value = 1024;
  return CUDA_SUCCESS;
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value) {
  FAKE_CALL_IN_CONTEXT("cuFuncSetAttribute");
  if (!fake::state().functions.contains(function) ||
      attribute != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES) {
    return fake::misuse(CUDA_ERROR_INVALID_HANDLE);
  }
  return value > 0 && value <= 227 << 10 ? CUDA_SUCCESS : fake::misuse(CUDA_ERROR_INVALID_VALUE);
}

CUresult cuLaunchKernel(CUfunction function, unsigned groups, unsigned groups_y, unsigned groups_z,
                        unsigned threads, unsigned threads_y, unsigned threads_z, unsigned,
                        CUstream stream, void** arguments, void** extra) {
  FAKE_CALL_IN_CONTEXT("cuLaunchKernel");
  if (!fake::state().functions.contains(function) || function->module->context != fake::current()) {
    return fake::misuse(CUDA_ERROR_INVALID_HANDLE);
  }
  const bool grid = groups >= 1 && groups <= 0x7fffffffU && groups_y == 1 && groups_z == 1;
  const bool block = threads >= 1 && threads <= 1024 && threads_y == 1 && threads_z == 1;
  if (!grid || !block || (arguments != nullptr && extra != nullptr)) {
    return fake::misuse(CUDA_ERROR_INVALID_VALUE);
  }
  return fake::enqueue(stream, [] { ++fake::state().launches; });
}

CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction function, void** arguments,
                          void** extra) {
  FAKE_CALL_IN_CONTEXT("cuLaunchKernelEx");
  const bool overlaps =
      config->numAttrs == 1 &&
      config->attrs[0].id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION &&
      config->attrs[0].value.programmaticStreamSerializationAllowed == 1;
  if (!overlaps) return fake::misuse(CUDA_ERROR_INVALID_VALUE);
  const CUresult result =
      cuLaunchKernel(function, config->gridDimX, config->gridDimY, config->gridDimZ,
                     config->blockDimX, config->blockDimY, config->blockDimZ,
                     config->sharedMemBytes, config->hStream, arguments, extra);
  if (result == CUDA_SUCCESS) ++fake::state().overlapped_launches;
  return result;
}
}
