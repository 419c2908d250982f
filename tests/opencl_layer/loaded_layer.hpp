// The fault layer as a test sees it.
#pragma once

#include <dlfcn.h>

#include <cstdlib>
#include <stdexcept>
#include <string>

namespace bifold::test {

/// Steers the layer that the ICD loader has loaded from $OPENCL_LAYERS. The loader reads that
/// variable at the first OpenCL call of the process, so it has to be set from outside.
class LoadedLayer {
 public:
  /// Throws when the variable is not set or names something else.
  LoadedLayer() {
    const char* const path = std::getenv("OPENCL_LAYERS");  // NOLINT(concurrency-mt-unsafe)
    if (path == nullptr) {
      throw std::runtime_error("these tests need OPENCL_LAYERS=<path of opencl_layer>");
    }
    handle_ = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
    if (handle_ == nullptr) {
      throw std::runtime_error(std::string("the ICD loader has not loaded the layer ") + path);
    }
    find(fail_, "bifold_layer_fail");
    find(clear_, "bifold_layer_clear");
    find(calls_, "bifold_layer_calls");
    find(live_, "bifold_layer_live");
    find(fail_any_, "bifold_layer_fail_any");
    find(failed_, "bifold_layer_failed");
    find(within_, "bifold_layer_within");
    find(hide_svm_, "bifold_layer_hide_svm");
    find(keep_freed_svm_, "bifold_layer_keep_freed_svm");
    find(svm_written_late_, "bifold_layer_svm_written_late");
  }
  LoadedLayer(const LoadedLayer&) = delete;
  LoadedLayer& operator=(const LoadedLayer&) = delete;
  ~LoadedLayer() {
    clear_();
    dlclose(handle_);
  }

  /// The `nth` call of `entry` from now on fails with `code`, all of them where it is -1.
  void fail(const char* entry, int code, int nth = 1) const {
    if (fail_(entry, nth, code) == 0) {
      throw std::runtime_error(std::string("the layer does not cover ") + entry);
    }
  }
  /// The same for the `nth` of all calls.
  void fail_any(int nth, int code) const { fail_any_(nth, code); }
  /// The entry point that failed for it; "" as long as none has.
  [[nodiscard]] const char* failed() const { return failed_(); }
  /// Tells whether this thread is in a function of the driver.
  [[nodiscard]] bool (*within() const)() { return within_; }
  void hide_svm(bool hidden) const { hide_svm_(hidden ? 1 : 0); }
  void keep_freed_svm() const { keep_freed_svm_(1); }
  /// Of blocks that were freed since then.
  [[nodiscard]] long svm_written_late() const { return svm_written_late_(); }
  void clear() const { clear_(); }
  [[nodiscard]] long calls(const char* entry) const { return calls_(entry); }
  [[nodiscard]] long live(const char* kind) const { return live_(kind); }

 private:
  template <class Function>
  void find(Function*& function, const char* name) const {
    function = reinterpret_cast<Function*>(dlsym(handle_, name));
    if (function == nullptr) {
      throw std::runtime_error(std::string("the layer has no ") + name);
    }
  }

  void* handle_ = nullptr;
  int (*fail_)(const char*, int, int) = nullptr;
  void (*clear_)() = nullptr;
  long (*calls_)(const char*) = nullptr;
  long (*live_)(const char*) = nullptr;
  void (*fail_any_)(int, int) = nullptr;
  const char* (*failed_)() = nullptr;
  bool (*within_)() = nullptr;
  void (*hide_svm_)(int) = nullptr;
  void (*keep_freed_svm_)(int) = nullptr;
  long (*svm_written_late_)() = nullptr;
};

}  // namespace bifold::test
