// Modules and launches. Kernels that are the host's machine code are run; others compute nothing.
#include <dlfcn.h>
#include <elf.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "emulator.hpp"
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

Elf64_Ehdr header_of(const std::string& image) {
  Elf64_Ehdr header;
  std::memcpy(&header, image.data(), sizeof header);
  return header;
}

/// Whether the image is a library for this host, as the stand-in for NVRTC makes them.
bool is_emulated(const std::string& image) {
#ifdef __aarch64__
  constexpr unsigned host = EM_AARCH64;
#else
  constexpr unsigned host = EM_X86_64;
#endif
  return image.starts_with(ELFMAG) && header_of(image).e_machine == host;
}

/// The library in an image; null where it cannot be loaded. By a name of its own, as the loader
/// knows libraries by theirs.
std::shared_ptr<void> host_library(const std::string& image) {
  std::string path = (std::filesystem::temp_directory_path() / "kernel-XXXXXX").string();
  const int file = mkstemp(path.data());
  if (file < 0) return nullptr;
  void* library = nullptr;
  if (write(file, image.data(), image.size()) == static_cast<ssize_t>(image.size())) {
    library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  }
  close(file);
  unlink(path.c_str());
  if (library == nullptr) return nullptr;
  return {library, [](void* of) { dlclose(of); }};
}

using Pack = emulated::Work*(void** arguments);

Pack* pack_of(CUmodule module, const std::string& name) {
  return reinterpret_cast<Pack*>(dlsym(module->library.get(), ("pack_" + name).c_str()));
}

/// Machine code is for one architecture, which its header names.
CUresult take_machine_code(const std::string& image) {
  FAKE_CALL("cubin");
  const Elf64_Ehdr header = header_of(image);
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
  if (is_emulated(bytes)) {
    const std::shared_ptr<void> library = host_library(bytes);
    if (library == nullptr) return CUDA_ERROR_INVALID_IMAGE;
    *module = new CUmod_st{fake::current(), std::move(bytes), {}, library};
    fake::state().modules.insert(*module);
    return CUDA_SUCCESS;
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
  const bool there = module->library != nullptr ? pack_of(module, name) != nullptr
                                                : has_entry(module->image, name);
  if (!there) return CUDA_ERROR_NOT_FOUND;
  auto& slot = module->functions[name];
  if (!slot) slot = std::make_unique<CUfunc_st>(CUfunc_st{module, name});
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
  // No document says that cuModuleUnload waits for kernels.
  const auto begin = [module = std::weak_ptr(function->module->loaded)] {
    if (module.expired()) ++fake::state().late_launches;
    ++fake::state().launches;
  };
  if (function->module->library != nullptr && arguments != nullptr) {
    // A launch outlives its module in a stream or a graph: it keeps the code, and goes before it.
    struct Launch {
      std::shared_ptr<void> library;
      std::unique_ptr<const emulated::Work> work;
    };
    const std::shared_ptr<const Launch> launch(
        new Launch{function->module->library, std::unique_ptr<const emulated::Work>(pack_of(
                                                  function->module, function->name)(arguments))});
    return fake::enqueue(stream, [begin, launch, groups, threads] {
      begin();
      const auto seed = static_cast<std::uint64_t>(fake::setting("FAKE_CUDA_SEED", 1));
      if (!emulated::launch(*launch->work, groups, threads, fake::units(), seed)) std::abort();
    });
  }
  return fake::enqueue(stream, begin);
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
