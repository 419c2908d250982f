#include "cuda/driver/dynamic_library.hpp"

#include <dlfcn.h>

namespace bifold::backend::cuda {

DynamicLibrary open_library(const std::string& name) {
  DynamicLibrary library;
  library.handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library.handle == nullptr) {
    // The loader keeps its words per thread.
    const char* words = dlerror();  // NOLINT(concurrency-mt-unsafe)
    library.error = words != nullptr ? words : name + ": cannot be opened";
  }
  return library;
}

void* find_symbol(const DynamicLibrary& library, const char* symbol) noexcept {
  return dlsym(library.handle, symbol);
}

}  // namespace bifold::backend::cuda
