#include "embed/twins.hpp"

#include <algorithm>
#include <bifold/error.hpp>
#include <utility>

#include "core/base/ascii.hpp"
#include "embed/offline_cuda.hpp"

namespace bifold::embed {
namespace {

[[noreturn]] void fail(const std::string& what) { throw Error(ErrorCategory::build_failure, what); }

std::string_view stem(std::string_view file) { return file.substr(0, file.find('.')); }

/// What `#define NAME` stands for in the text, its continued lines joined.
std::string definition(std::string_view text, std::string_view name) {
  const std::string directive = "#define " + std::string(name) + ' ';
  std::size_t at = text.starts_with(directive) ? 0 : text.find('\n' + directive);
  if (at == std::string_view::npos) return {};
  at = text.find(directive, at) + directive.size();
  std::string body;
  for (; at < text.size() && text[at] != '\n'; ++at) {
    if (text[at] == '\\' && at + 1 < text.size() && text[at + 1] == '\n') {
      ++at;
    } else {
      body += text[at];
    }
  }
  return body;
}

/// What planning decided, in the words that either dialect gets: types, sizes, tuning values.
std::string_view decided(std::string_view text) {
  constexpr std::string_view begin = "#line 1 \"generated\"\n";
  const std::size_t at = text.find(begin);
  if (at == std::string_view::npos) return {};
  text.remove_prefix(at + begin.size());
  return text.substr(0, text.find("#line "));
}

/// The list with what our kernels call ..._PARAMETERS instead of those words.
std::string expanded(std::string_view text, std::string_view list) {
  constexpr std::string_view suffix = "_PARAMETERS";
  std::string result;
  for (std::size_t at = 0; at < list.size();) {
    std::size_t end = at;
    while (end < list.size() && core::is_word(list[end])) ++end;
    const std::string_view word = list.substr(at, end - at);
    if (word.size() > suffix.size() && word.ends_with(suffix)) {
      result += expanded(text, definition(text, word));
    } else {
      result += word.empty() ? list.substr(at, 1) : word;
    }
    at = std::max(end, at + 1);
  }
  return result;
}

}  // namespace

// As the backend finds them: what its probe finds of a ring is without what the driver keeps.
Capabilities offline_opencl_capabilities(int architecture) {
  Capabilities has = offline_capabilities(architecture);
  has.lanes = "ptx";
  if (has.ring_bytes > 0) has.ring_bytes -= 128;
  has.overlapped_launches = false;
  has.f16 = false;
  return has;
}

std::uint32_t pointer_parameters(std::string_view text, std::string_view entry) {
  const std::size_t name = text.find("void " + std::string(entry) + '(');
  if (name == std::string_view::npos) fail("no kernel " + std::string(entry) + " in the text");
  const std::size_t begin = text.find('(', name) + 1;
  std::string list = expanded(text, text.substr(begin, text.find(')', begin) - begin));
  std::uint32_t pointers = 0;
  std::uint32_t index = 0;
  for (const char c : list) {
    if (c == ',') ++index;
    if (index >= 32) fail(std::string(entry) + " has more parameters than bits");
    if (c == '*') pointers |= 1U << index;
  }
  return pointers;
}

void Twins::add(const PlannedTexts& opencl, const PlannedTexts& cuda, int architecture) {
  if (opencl.size() != cuda.size()) {
    fail("OpenCL plans " + std::to_string(opencl.size()) + " texts where CUDA plans " +
         std::to_string(cuda.size()) + " for sm_" + std::to_string(architecture));
  }
  const std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i < opencl.size(); ++i) {
    const Planned& own = *opencl[i];
    const Planned& twin = *cuda[i];
    if (stem(own.source.name) != stem(twin.source.name) || own.entry != twin.entry ||
        own.launch.local_bytes != twin.launch.local_bytes ||
        decided(own.source.text) != decided(twin.source.text)) {
      fail("OpenCL plans " + own.source.name + " where CUDA plans " + twin.source.name +
           ", or otherwise");
    }
    const core::EmbeddedTwin row{
        core::embedded_key(own.source),
        architecture,
        core::embedded_key(twin.source),
        !core::asks_for_architecture(twin.source),
        {pointer_parameters(own.source.text, own.entry), twin.launch.local_bytes}};
    const auto [known, added] = rows_.try_emplace({row.text, architecture}, row);
    if (!added && known->second != row) fail(own.source.name + " has two twins");
  }
}

}  // namespace bifold::embed
