// Shared libraries opened at run time. They stay open for the rest of the process: a driver's
// threads and exit handlers must never find their code unmapped.
#pragma once

#include <string>

namespace bifold::backend::cuda {

/// An opened library, or the loader's words for why it did not open.
struct DynamicLibrary {
  void* handle = nullptr;
  std::string error;  ///< Empty when opened.
};

/// Opens by file name (the loader's search path) or by full path. Thread-safe.
DynamicLibrary open_library(const std::string& name);

/// The address of an exported function, or null.
void* find_symbol(const DynamicLibrary& library, const char* symbol) noexcept;

/// Sets `function` to the exported function of that name; false when there is none.
template <class Function>
bool bind(const DynamicLibrary& library, const char* symbol, Function*& function) noexcept {
  function = reinterpret_cast<Function*>(find_symbol(library, symbol));
  return function != nullptr;
}

}  // namespace bifold::backend::cuda
