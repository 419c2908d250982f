// A stand-in for NVRTC whose machine code is the host's: kernels compiled by the C++ compiler, for
// the stand-in driver to run.
// Its functions, declared there, are what this library exports.
#pragma GCC visibility push(default)
#include <nvrtc.h>
#pragma GCC visibility pop

#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

struct _nvrtcProgram {
  std::string text;
  std::string log;
  std::string library;
};

namespace {

namespace fs = std::filesystem;

bool is_name(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

/// The position behind the bracket that closes the one at `open`; strings are passed over.
std::size_t behind_closing(const std::string& text, std::size_t open) {
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = open; i < text.size(); ++i) {
    if (quoted) {
      if (text[i] == '\\')
        ++i;
      else if (text[i] == '"')
        quoted = false;
    } else if (text[i] == '"')
      quoted = true;
    else if (text[i] == '(' || text[i] == '[')
      ++depth;
    else if ((text[i] == ')' || text[i] == ']') && --depth == 0)
      return i + 1;
  }
  return text.size();
}

/// The instruction that an asm statement begins with, as a name.
std::string instruction(const std::string& statement) {
  std::size_t at = statement.find_first_not_of(" \n");
  if (statement[at++] != '"') return {};  // Macros put it together.
  // A block that declares registers has its instruction behind them.
  if (statement.compare(at, 1, "{") == 0) at = statement.find("mbarrier", at);
  std::string name;
  for (; is_name(statement[at]) || statement[at] == '.'; ++at) {
    name += statement[at] == '.' ? '_' : statement[at];
  }
  return name;
}

/// `asm volatile("..." : "=r"(a) : "r"(b) : "memory")` as a call; the constraints say nothing here.
std::string as_call(const std::string& inside) {
  std::string call = "ASM_" + instruction(inside) + "(";
  std::size_t at = 0;
  int colons = 0;
  bool quoted = false;
  // The text, up to the first colon that is not in a string.
  for (; at < inside.size() && (quoted || inside[at] != ':'); ++at) {
    if (inside[at] == '\\')
      ++at;
    else if (inside[at] == '"')
      quoted = !quoted;
  }
  call += inside.substr(0, at);
  while (at < inside.size() && colons < 3) {
    if (inside[at] == ':') {
      ++colons;
      ++at;
    } else if (inside[at] == '"') {
      at = inside.find('"', at + 1) + 1;
    } else if (inside[at] == '(' && colons < 3) {
      const std::size_t end = behind_closing(inside, at);
      call += ", " + inside.substr(at + 1, end - at - 2);
      at = end;
    } else {
      ++at;
    }
  }
  return call + ")";
}

std::string without_asm(const std::string& text) {
  std::string result;
  std::size_t done = 0;
  for (std::size_t at = text.find("asm"); at != std::string::npos; at = text.find("asm", at + 1)) {
    if ((at > 0 && is_name(text[at - 1])) || is_name(text[at + 3])) continue;
    std::size_t open = text.find_first_not_of(" \n", at + 3);
    if (text.compare(open, 8, "volatile") == 0) open = text.find_first_not_of(" \n", open + 8);
    if (open == std::string::npos || text[open] != '(') continue;
    const std::size_t end = behind_closing(text, open);
    result += text.substr(done, at - done) + as_call(text.substr(open + 1, end - open - 2));
    done = at = end;
  }
  return result + text.substr(done);
}

/// The names of the kernels in a text.
std::vector<std::string> kernels_of(const std::string& text) {
  std::vector<std::string> names;
  constexpr std::string_view mark = "extern \"C\" __global__ void";
  for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + 1)) {
    std::size_t open = text.find('(', at + mark.size());
    if (text.compare(at + mark.size(), 2, " _") == 0)
      open = text.find('(', behind_closing(text, open));
    std::size_t end = text.find_last_not_of(" \n", open - 1) + 1;
    std::size_t begin = end;
    while (is_name(text[begin - 1])) --begin;
    names.push_back(text.substr(begin, end - begin));
  }
  return names;
}

std::string host_text(const std::string& text, const std::string& architecture) {
  std::string all = "#include \"kernel.hpp\"\n#define __CUDA_ARCH__ " + architecture + "0\n";
  all += without_asm(text);
  all += "\nthread_local __attribute__((aligned(128))) uint4 stages[16384];\n";
  for (const std::string& name : kernels_of(text)) {
    all.append("extern \"C\" emulated::Work* pack_").append(name);
    all.append("(void** arguments) { return packed(&").append(name).append(", arguments); }\n");
  }
  return all;
}

/// As one word of a command.
std::string quoted(const std::string& path) { return "'" + path + "'"; }

std::string contents(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

extern "C" {

nvrtcResult nvrtcVersion(int* major, int* minor) {
  *major = 13;
  *minor = 0;
  return NVRTC_SUCCESS;
}

const char* nvrtcGetErrorString(nvrtcResult) { return "an error of the stand-in compiler"; }

nvrtcResult nvrtcGetNumSupportedArchs(int* count) {
  *count = 2;
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetSupportedArchs(int* all) {
  all[0] = 80;
  all[1] = 90;
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcCreateProgram(nvrtcProgram* program, const char* text, const char*, int,
                               const char* const*, const char* const*) {
  *program = new _nvrtcProgram{text, {}, {}};
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcDestroyProgram(nvrtcProgram* program) {
  delete *program;
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int count, const char* const* options) {
  std::string architecture = "90";
  for (int i = 0; i < count; ++i) {
    const std::string_view option = options[i];
    if (const auto at = option.find("sm_"); at != std::string_view::npos) {
      architecture = option.substr(at + 3);
    }
  }
  std::string folder = (fs::temp_directory_path() / "emulated-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) return NVRTC_ERROR_PROGRAM_CREATION_FAILURE;
  const std::string base = folder + "/kernel";
  std::ofstream(base + ".cpp") << host_text(program->text, architecture);
  std::string command = quoted(EMULATED_COMPILER) + " " EMULATED_FLAGS " -shared";
  for (const char* folder_of_headers : {EMULATED_INCLUDES}) {
    command += " -I" + quoted(folder_of_headers);
  }
  command += " -o " + quoted(base + ".so") + " " + quoted(base + ".cpp") + " " +
             quoted(EMULATED_DRIVER) + " > " + quoted(base + ".log") + " 2>&1";
  const int status = std::system(command.c_str());
  program->log = contents(base + ".log");
  if (status == 0) program->library = contents(base + ".so");
  if (std::getenv("EMULATED_KEEP") == nullptr) fs::remove_all(folder);
  return status == 0 ? NVRTC_SUCCESS : NVRTC_ERROR_COMPILATION;
}

nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram program, std::size_t* size) {
  *size = program->log.size() + 1;
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetProgramLog(nvrtcProgram program, char* log) {
  log[program->log.copy(log, program->log.size())] = '\0';
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetCUBINSize(nvrtcProgram program, std::size_t* size) {
  *size = program->library.size();
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetCUBIN(nvrtcProgram program, char* to) {
  program->library.copy(to, program->library.size());
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetPTXSize(nvrtcProgram, std::size_t* size) {
  *size = 0;
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetPTX(nvrtcProgram, char*) { return NVRTC_SUCCESS; }
}
