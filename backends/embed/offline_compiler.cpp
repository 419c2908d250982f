#include "embed/offline_compiler.hpp"

#include <algorithm>
#include <bifold/error.hpp>
#include <string_view>
#include <utility>
#include <vector>

#include "cuda/driver/error.hpp"
#include "embed/shapes.hpp"

namespace bifold::embed {

namespace {

std::string_view as_text(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string entry_of(std::string_view ptx) {
  constexpr std::string_view entry = ".entry ";
  std::size_t begin = ptx.find(entry);
  if (begin == std::string_view::npos) {
    throw backend::cuda::plain_error(ErrorCategory::build_failure, "PTX without an entry point");
  }
  begin += entry.size();
  return std::string(ptx.substr(begin, ptx.find('(', begin) - begin));
}

}  // namespace

std::string plain_ptx(std::string_view ptx, int architecture) {
  constexpr std::string_view directive = ".version ";
  const std::string_view version = architecture < 90 ? ".version 7.0" : ".version 8.0";
  std::string text;
  while (!ptx.empty()) {
    const std::size_t end = std::min(ptx.find('\n'), ptx.size());
    std::string_view line = ptx.substr(0, end);
    ptx.remove_prefix(std::min(end + 1, ptx.size()));
    line = line.substr(0, line.find("//"));
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    while (!line.empty() && (line.back() == ' ' || line.back() == '\0')) line.remove_suffix(1);
    if (line.empty()) continue;
    text.append(line.starts_with(directive) ? version : line) += '\n';
  }
  return text;
}

OfflineCompiler::OfflineCompiler(backend::cuda::NvrtcApi api, const std::filesystem::path& folder)
    : api_(std::move(api)), kept_({.directory = folder}) {}

backend::cuda::Compiled OfflineCompiler::compiled(const backend::Source& source,
                                                  bool machine_code) const {
  const std::string key =
      "NVRTC " + backend::cuda::version_text(api_) + '\n' + source.options + '\n' + source.text;
  const std::string key_of_code = "machine code, " + key;
  backend::cuda::Compiled both;
  both.ptx = kept_.load(key).binary;
  if (machine_code) both.machine_code = kept_.load(key_of_code).binary;
  if (!both.ptx.empty() && both.machine_code.empty() != machine_code) return both;
  both = backend::cuda::compile(api_, source);
  kept_.store(key, both.ptx);
  if (machine_code) kept_.store(key_of_code, both.machine_code);
  return both;
}

void OfflineCompiler::compile(const backend::Source& source, int architecture, bool machine_code) {
  const EmbeddedKey key = core::embedded_key(source);
  const bool listed = std::find(embedded_architectures.begin(), embedded_architectures.end(),
                                architecture) != embedded_architectures.end();
  const EmbeddedId code_id{key, EmbeddedForm::machine_code, architecture};
  const EmbeddedId ptx_id{key, EmbeddedForm::ptx, architecture};
  bool add_code = machine_code;
  bool add_ptx = listed;
  {
    const std::lock_guard lock(mutex_);
    add_code = add_code && !programs_.contains(code_id);
    const auto oldest = programs_.lower_bound({key, EmbeddedForm::ptx, 0});
    const bool known = oldest != programs_.end() && oldest->first.key == key;
    add_ptx = add_ptx && !known;
  }
  if (!add_code && !add_ptx) return;
  const backend::cuda::Compiled both = compiled(source, machine_code);
  std::string text = plain_ptx(as_text(both.ptx), architecture);
  const std::string entry = entry_of(text);
  const std::lock_guard lock(mutex_);
  if (add_code) {
    programs_.try_emplace(code_id, OfflineImage{entry, std::string(as_text(both.machine_code))});
  }
  if (add_ptx) programs_.try_emplace(ptx_id, OfflineImage{entry, std::move(text)});
}

std::string OfflineCompiler::image(const EmbeddedId& id) {
  const std::lock_guard lock(mutex_);
  return programs_.at(id).bytes;
}

CompilingCudaDevice::CompilingCudaDevice(OfflineCompiler& compiler, int architecture,
                                         bool machine_code)
    : OfflineCudaDevice(offline_capabilities(architecture),
                        std::string(core::target_option)
                            .append(machine_code ? "sm_" : "compute_")
                            .append(std::to_string(architecture))),
      compiler_(compiler),
      architecture_(architecture),
      machine_code_(machine_code) {}

std::shared_ptr<const backend::Program> CompilingCudaDevice::build(const backend::Source& source) {
  compiler_.compile(source, architecture_, machine_code_);
  return OfflineDevice::build(source);
}

}  // namespace bifold::embed
