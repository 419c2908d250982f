// Which files of the library a call goes through, from its first instruction to its launch, as
// docs/design.md lists them: a process is run instruction by instruction.
#include <doctest/doctest.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bifold/reduce.hpp>
#include <bifold/scan.hpp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>
#include <regex>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "core/opening/open_state.hpp"
#include "interface.hpp"
#include "support/source_tree.hpp"

#if defined(__x86_64__)

namespace bifold {

namespace {

constexpr const char* variable = "BIFOLD_TRACED_CALL";
bool stops_at_launch = false;

// A device whose kernels are never built and whose launches are the end of a trace.
class TracedKernel final : public backend::Kernel {
 public:
  [[nodiscard]] std::uint32_t max_group_size() const override { return 256; }
};

class TracedProgram final : public backend::Program {
 public:
  [[nodiscard]] std::shared_ptr<const backend::Kernel> kernel(
      const std::string& /*entry*/, const backend::LaunchTraits& /*traits*/) const override {
    return std::make_shared<TracedKernel>();
  }
  [[nodiscard]] std::vector<std::byte> binary() const override { return {}; }
};

class TracedQueue final : public backend::Queue {
 public:
  void launch(const backend::Kernel& /*kernel*/, std::uint64_t /*groups*/,
              std::uint32_t /*group_size*/,
              std::span<const backend::Argument> /*arguments*/) override {
    if (stops_at_launch) static_cast<void>(std::raise(SIGSTOP));
  }
  void copy(const backend::Memory& /*to*/, std::uint64_t /*to_offset*/,
            const backend::Memory& /*from*/, std::uint64_t /*from_offset*/,
            std::uint64_t /*bytes*/) override {}
  void fill(const backend::Memory& /*to*/, std::uint64_t /*offset*/, std::uint64_t /*bytes*/,
            std::span<const std::byte> /*pattern*/) override {}
  void upload(const backend::Memory& /*to*/, std::uint64_t /*offset*/, const void* /*host*/,
              std::uint64_t /*bytes*/) override {}
  void download(void* /*host*/, const backend::Memory& /*from*/, std::uint64_t /*offset*/,
                std::uint64_t /*bytes*/) override {}
  [[nodiscard]] std::unique_ptr<backend::Event> record() override { return nullptr; }
  void wait(std::span<const backend::Event* const> /*events*/) override {}
  void finish(TimeLimit /*limit*/) override {}
};

class TracedDevice final : public backend::Device {
 public:
  TracedDevice() {
    capabilities_.max_group_size = 256;
    capabilities_.local_bytes = 65536;
    capabilities_.compute_units = 4;
    capabilities_.atomics64 = capabilities_.acquire_release = true;
    capabilities_.denormals_f32 = capabilities_.rounds_division_f32 = true;
    capabilities_.atomic_scope = AtomicScope::device;
    capabilities_.progress = ForwardProgress::started_groups;
    capabilities_.lanes = "local";
    capabilities_.atomics = "c11";
  }
  [[nodiscard]] const Capabilities& capabilities() const noexcept override { return capabilities_; }
  [[nodiscard]] const void* context() const noexcept override { return this; }
  [[nodiscard]] bool handles_are_addresses() const noexcept override { return false; }
  [[nodiscard]] backend::Memory allocate(std::uint64_t bytes) override {
    return {++handles_, bytes, this};
  }
  void free(const backend::Memory& /*memory*/) noexcept override {}
  [[nodiscard]] std::unique_ptr<backend::Queue> create_queue(Timing /*timing*/) override {
    return std::make_unique<TracedQueue>();
  }
  [[nodiscard]] std::string_view kernel_file(std::string_view /*name*/) const override {
    return "// Nothing is compiled.\n";
  }
  [[nodiscard]] std::string_view kernel_suffix() const noexcept override { return ".cl"; }
  [[nodiscard]] const std::string& compile_options() const noexcept override { return nothing_; }
  [[nodiscard]] const std::string& binary_key() const noexcept override { return nothing_; }
  [[nodiscard]] std::shared_ptr<const backend::Program> build(
      const backend::Source& /*source*/) override {
    return std::make_shared<TracedProgram>();
  }
  [[nodiscard]] std::shared_ptr<const backend::Program> load(
      std::span<const std::byte> /*binary*/, const std::string& /*options*/) override {
    return std::make_shared<TracedProgram>();
  }

 private:
  Capabilities capabilities_{};
  std::string nothing_;
  std::uintptr_t handles_ = 0;
};

// In the process that is traced: a call twice, the second one between two stops.
[[noreturn]] void run_traced(std::string_view call) {
  static_cast<void>(ptrace(PTRACE_TRACEME, 0, nullptr, nullptr));
  DeviceInfo info{};
  info.selector = "traced";
  info.backend = "opencl";
  DeviceOptions options;
  options.cache.disk = false;
  const Device device(core::open_state(info, std::make_shared<TracedDevice>(), options));
  Queue queue(device);
  const Buffer<float> input(device, 1000);
  Buffer<float> output(device, call == "scan" ? 1000 : 1);
  const ErasedView from = erase(input.view());
  const ErasedView to = erase(output.view());
  const Operator op = plus;
  const auto run = [&] {
    if (call == "scan") {
      scan(queue, ScanKind::inclusive, from, to, op);
    } else {
      reduce_into(queue, from, to, op, std::optional<Value>{});
    }
  };
  run();
  stops_at_launch = true;
  static_cast<void>(std::raise(SIGSTOP));
  run();
  _exit(0);
}

std::vector<std::string> lines_of(const std::string& command) {
  std::vector<std::string> lines;
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  if (pipe == nullptr) return lines;
  std::string line;
  for (int c = std::fgetc(pipe.get()); c != EOF; c = std::fgetc(pipe.get())) {
    if (c != '\n') {
      line += static_cast<char>(c);
    } else {
      lines.push_back(std::move(line));
      line.clear();
    }
  }
  return lines;
}

// The files that define each function, by its symbol; of one that several have, none is known.
std::map<std::string, std::string> files_of_symbols() {
  std::map<std::string, std::string> files;
  for (const std::string& line : lines_of(std::string(BIFOLD_NM) + " -A @" + BIFOLD_OBJECT_LIST)) {
    const std::size_t space = line.rfind(' ');
    const std::size_t begin = line.find("backends/");
    if (space == std::string::npos || begin == std::string::npos || space == 0) continue;
    if (line[space - 1] != 'T' && line[space - 1] != 't') continue;
    const std::string file = line.substr(begin, line.find(".o:") - begin);
    const auto [known, fresh] = files.try_emplace(line.substr(space + 1), file);
    if (!fresh && known->second != file) known->second.clear();
  }
  return files;
}

struct Function {
  std::uint64_t end;
  std::string file;
};

// The functions of this program that are the library's, by address.
std::map<std::uint64_t, Function> functions(const std::string& program) {
  const auto files = files_of_symbols();
  std::map<std::uint64_t, Function> all;
  for (const std::string& line : lines_of(std::string(BIFOLD_NM) + " -S " + program)) {
    std::istringstream words(line);
    std::uint64_t address = 0;
    std::uint64_t size = 0;
    std::string kind;
    std::string symbol;
    if (!(words >> std::hex >> address >> size >> kind >> symbol)) continue;
    const auto found = files.find(symbol);
    if (found == files.end() || found->second.empty()) continue;
    all[address] = {address + size, found->second};
  }
  return all;
}

std::string own_path() {
  std::array<char, 4096> path{};
  const ssize_t length = readlink("/proc/self/exe", path.data(), path.size());
  return {path.data(), static_cast<std::size_t>(std::max<ssize_t>(length, 0))};
}

// Where the program lies in that process.
std::uint64_t base_of(pid_t process, const std::string& program) {
  std::ifstream maps("/proc/" + std::to_string(process) + "/maps");
  for (std::string line; std::getline(maps, line);) {
    if (line.ends_with(program)) return std::stoull(line, nullptr, 16);
  }
  return 0;
}

// The files in the order in which the call enters them; empty where processes cannot be traced.
std::vector<std::string> traced_files(const char* call) {
  const std::string program = own_path();
  const auto known = functions(program);
  std::fflush(stdout);
  const pid_t process = fork();
  if (process == 0) {
    setenv(variable, call, 1);  // NOLINT(concurrency-mt-unsafe): no other thread is there.
    if (std::freopen("/dev/null", "w", stdout) == nullptr) _exit(1);
    execl(program.c_str(), program.c_str(), "--test-case=a call that is traced", nullptr);
    _exit(1);
  }
  std::vector<std::string> files;
  int status = 0;
  waitpid(process, &status, WUNTRACED);
  if (!WIFSTOPPED(status)) return files;
  const std::uint64_t base = base_of(process, program);
  for (;;) {
    if (ptrace(PTRACE_SINGLESTEP, process, nullptr, nullptr) != 0) break;
    waitpid(process, &status, 0);
    if (!WIFSTOPPED(status) || WSTOPSIG(status) == SIGSTOP) break;
    user_regs_struct registers{};
    if (ptrace(PTRACE_GETREGS, process, nullptr, &registers) != 0) break;
    const std::uint64_t address = registers.rip - base;
    auto at = known.upper_bound(address);
    if (at == known.begin()) continue;
    --at;
    if (address >= at->second.end) continue;
    if (std::find(files.begin(), files.end(), at->second.file) == files.end()) {
      files.push_back(at->second.file);
    }
  }
  kill(process, SIGKILL);
  waitpid(process, &status, 0);
  return files;
}

// The files that docs/design.md lists for the call: lines "1. `core/...cpp`: ..." below a heading.
std::vector<std::string> listed_files(const std::string& heading) {
  const std::string text = test::source_files("docs", {"design.md"}).at(0).text;
  const std::size_t begin = text.find("### " + heading + "\n");
  if (begin == std::string::npos) return {};
  const std::string part = text.substr(begin, text.find("\n#", begin + 1) - begin);
  std::vector<std::string> files;
  const std::regex line(R"(\n\d+\. `([^`]+)`)");
  for (std::sregex_iterator at(part.begin(), part.end(), line), end; at != end; ++at) {
    files.push_back("backends/" + (*at)[1].str());
  }
  return files;
}

void check_call(const char* call, const std::string& heading) {
  const std::vector<std::string> files = traced_files(call);
  if (files.empty()) {
    MESSAGE("processes cannot be traced here");
    return;
  }
  const std::vector<std::string> listed = listed_files(heading);
  CHECK(files.size() <= 12);
  std::string found;
  for (const std::string& file : files) found += file + '\n';
  INFO("the call goes through\n", found);
  CHECK(std::set<std::string>(files.begin(), files.end()) ==
        std::set<std::string>(listed.begin(), listed.end()));
}

}  // namespace

TEST_SUITE_BEGIN("call_trace");

TEST_CASE("a call that is traced") {
  const char* const call = std::getenv(variable);  // NOLINT(concurrency-mt-unsafe)
  if (call != nullptr) run_traced(call);
}

TEST_CASE("a scan goes through the files that docs/design.md lists") {
  if (std::getenv(variable) != nullptr) return;  // NOLINT(concurrency-mt-unsafe)
  check_call("scan", "A scan, from its call to its launch");
}

TEST_CASE("a reduction goes through the files that docs/design.md lists") {
  if (std::getenv(variable) != nullptr) return;  // NOLINT(concurrency-mt-unsafe)
  check_call("reduce", "A reduction, from its call to its launch");
}

TEST_SUITE_END();

}  // namespace bifold

#endif
