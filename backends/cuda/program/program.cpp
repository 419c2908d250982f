#include "cuda/program/program.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace bifold::backend::cuda {
namespace {

/// PTX is a C string to the driver, which is told no length; a cubin knows its own.
std::vector<std::byte> terminated(std::vector<std::byte> image) {
  if (image.empty() || image.back() != std::byte{0}) image.push_back(std::byte{0});
  return image;
}

void* option_value(std::size_t value) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the driver takes numbers in pointers.
  return reinterpret_cast<void*>(value);
}

}  // namespace

Module::Module(std::shared_ptr<const Context> context, const std::vector<std::byte>& image)
    : context_(std::move(context)) {
  std::array<char, 16384> log{};
  std::array options{CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  std::array<void*, 2> values{log.data(), option_value(log.size() - 1)};
  const CurrentContext current(*context_);
  const OutsideCapture outside;
  const CUresult result = driver().cuModuleLoadDataEx(
      &module_, image.data(), static_cast<unsigned>(options.size()), options.data(), values.data());
  if (result == CUDA_SUCCESS) return;
  ErrorCategory category = category_of(result);
  if (category == ErrorCategory::backend_failure) category = ErrorCategory::build_failure;
  throw driver_error(driver(), category, result, "cuModuleLoadDataEx",
                     "the driver refused a program: " + explain(driver(), result), log.data());
}

Module::~Module() {
  const CurrentContext current(*context_, std::nothrow);
  if (!current.pushed()) return;
  const OutsideCapture outside;
  log_failure(driver().cuModuleUnload(module_), "cuModuleUnload");
}

Kernel::Kernel(std::shared_ptr<const Module> module, const std::string& entry,
               const LaunchTraits& traits)
    : module_(std::move(module)), traits_(traits) {
  const CurrentContext current(module_->context());
  const OutsideCapture outside;
  const CUresult result = driver().cuModuleGetFunction(&function_, module_->get(), entry.c_str());
  if (result == CUDA_ERROR_NOT_FOUND) {
    throw driver_error(driver(), ErrorCategory::backend_failure, result, "cuModuleGetFunction",
                       "the program has no entry point \"" + entry + '"');
  }
  check(result, "cuModuleGetFunction");
  int threads = 0;
  check(driver().cuFuncGetAttribute(&threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function_),
        "cuFuncGetAttribute");
  max_group_size_ = static_cast<std::uint32_t>(std::max(threads, 0));
  if (traits.local_bytes > 0) {
    check(driver().cuFuncSetAttribute(function_, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                      static_cast<int>(traits.local_bytes)),
          "cuFuncSetAttribute");
  }
}

Program::Program(std::shared_ptr<const Context> context, std::vector<std::byte> image)
    : image_(terminated(std::move(image))),
      module_(std::make_shared<const Module>(std::move(context), image_)) {}

std::shared_ptr<const backend::Kernel> Program::kernel(const std::string& entry,
                                                       const LaunchTraits& traits) const {
  return std::make_shared<const Kernel>(module_, entry, traits);
}

}  // namespace bifold::backend::cuda
