#include "cuda/program/compiler.hpp"

#include <locale.h>  // NOLINT(modernize-deprecated-headers): uselocale is POSIX, not C++.

#include <algorithm>
#include <bifold/error.hpp>
#include <charconv>
#include <iterator>
#include <optional>
#include <span>
#include <utility>

#include "core/base/format.hpp"
#include "core/base/log.hpp"
#include "cuda/driver/error.hpp"

namespace bifold::backend {

// Generated from the kernel files.
std::span<const std::pair<std::string_view, std::string_view>> cuda_kernel_files();

}  // namespace bifold::backend

namespace bifold::backend::cuda {
namespace {

/// Older NVRTC leaves another locale set on the thread that compiles.
class LocaleGuard {
 public:
  LocaleGuard() noexcept : before_(uselocale(locale_t{})) {}
  ~LocaleGuard() { uselocale(before_); }
  LocaleGuard(const LocaleGuard&) = delete;
  LocaleGuard& operator=(const LocaleGuard&) = delete;

 private:
  locale_t before_;
};

/// A program of NVRTC's, destroyed with this object.
class Compilation {
 public:
  Compilation(const NvrtcApi& api, const Source& source) : api_(api), source_(source) {
    check(api.nvrtcCreateProgram(&program_, source.text.c_str(), source.name.c_str(), 0, nullptr,
                                 nullptr),
          "nvrtcCreateProgram");
  }
  ~Compilation() {
    if (api_.nvrtcDestroyProgram(&program_) != NVRTC_SUCCESS) {
      core::log().error("cuda: nvrtcDestroyProgram failed for {}", source_.name);
    }
  }
  Compilation(const Compilation&) = delete;
  Compilation& operator=(const Compilation&) = delete;

  void run(const std::vector<const char*>& options) {
    check(api_.nvrtcCompileProgram(program_, static_cast<int>(options.size()), options.data()),
          "nvrtcCompileProgram");
    if (const std::string text = log(); !text.empty()) {
      core::log().debug("cuda: {} compiled with remarks:\n{}", source_.name, text);
    }
  }

  [[nodiscard]] Compiled result() const {
    Compiled compiled;
    std::size_t size = 0;
    check(api_.nvrtcGetCUBINSize(program_, &size), "nvrtcGetCUBINSize");
    compiled.machine_code.resize(size);
    if (size > 0) {
      check(api_.nvrtcGetCUBIN(program_, reinterpret_cast<char*>(compiled.machine_code.data())),
            "nvrtcGetCUBIN");
    }
    check(api_.nvrtcGetPTXSize(program_, &size), "nvrtcGetPTXSize");
    compiled.ptx.resize(size);
    check(api_.nvrtcGetPTX(program_, reinterpret_cast<char*>(compiled.ptx.data())), "nvrtcGetPTX");
    return compiled;
  }

 private:
  [[nodiscard]] std::string log() const {
    std::size_t size = 0;  // The terminating zero is counted.
    if (program_ == nullptr || api_.nvrtcGetProgramLogSize(program_, &size) != NVRTC_SUCCESS ||
        size <= 1) {
      return {};
    }
    std::string text(size, '\0');
    if (api_.nvrtcGetProgramLog(program_, text.data()) != NVRTC_SUCCESS) return {};
    text.resize(size - 1);
    return text;
  }

  void check(nvrtcResult result, const char* call) const {
    if (result == NVRTC_SUCCESS) return;
    Error::Details details;
    details.backend = "cuda";
    details.call = call;
    details.native_code = result;
    details.native_name = api_.nvrtcGetErrorString(result);
    details.log = log();
    details.source = number_lines(source_.text);
    throw Error(result == NVRTC_ERROR_OUT_OF_MEMORY ? ErrorCategory::out_of_memory
                                                    : ErrorCategory::build_failure,
                source_.name + " was not compiled", std::move(details));
  }

  const NvrtcApi& api_;
  const Source& source_;
  nvrtcProgram program_ = nullptr;
};

std::vector<std::string> split(std::string_view options) {
  std::vector<std::string> words;
  while (!options.empty()) {
    const std::size_t end = std::min(options.find(' '), options.size());
    if (end > 0) words.emplace_back(options.substr(0, end));
    options.remove_prefix(std::min(end + 1, options.size()));
  }
  return words;
}

/// The N of a line that reads `#line N ...`.
std::optional<int> line_directive(std::string_view line) {
  constexpr std::string_view directive = "#line ";
  if (!line.starts_with(directive)) return std::nullopt;
  line.remove_prefix(directive.size());
  int number = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), number);
  return error == std::errc{} ? std::optional(number) : std::nullopt;
}

}  // namespace

std::string_view kernel_text(std::string_view name) {
  for (const auto& [base, text] : cuda_kernel_files()) {
    if (base == name) return text;
  }
  raise_invalid_argument("there is no kernel part \"" + std::string(name) + "\" in CUDA C++");
}

Compiled compile(const NvrtcApi& api, const Source& source) {
  const LocaleGuard guard;
  const std::vector<std::string> words = split(source.options);
  std::vector<const char*> options;
  options.reserve(words.size());
  for (const std::string& word : words) options.push_back(word.c_str());
  Compilation compilation(api, source);
  compilation.run(options);
  return compilation.result();
}

std::string number_lines(std::string_view text) {
  std::string numbered;
  int number = 1;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    numbered += core::formatted("{:5} | {}\n", number, line);
    number = line_directive(line).value_or(number + 1);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return numbered;
}

}  // namespace bifold::backend::cuda
