// Compiles what a build embeds and writes it as a C++ file: PTX for all GPUs, and machine code for
// those of the architectures that are named (90 for sm_90):
//   bifold-embed OUTPUT CACHE_FOLDER [ARCHITECTURE...]
// Or writes the machine code of every one of these kernels to a file of its own, for
// compare_machine_code.py:
//   bifold-embed --images FOLDER CACHE_FOLDER ARCHITECTURE
#include <cuda.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bifold/error.hpp>
#include <bifold/log.hpp>
#include <bit>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

#include "core/base/format.hpp"
#include "core/base/hash.hpp"
#include "core/device/state.hpp"
#include "core/kernel/image_check.hpp"
#include "embed/offline_compiler.hpp"
#include "embed/shapes.hpp"
#if BIFOLD_EMBED_TWINS
#include "embed/offline_opencl.hpp"
#include "embed/twins.hpp"
#endif

namespace {

using bifold::Device;
using bifold::Order;
using bifold::core::EmbeddedForm;
using bifold::core::EmbeddedId;
using bifold::core::EmbeddedKey;
using bifold::embed::CompilingCudaDevice;
using bifold::embed::OfflineCompiler;
using bifold::embed::OfflineImage;
using bifold::embed::planning_on;

#if BIFOLD_EMBED_TWINS
using bifold::embed::Twins;
#else
struct Twins {
  static std::map<int, bifold::core::EmbeddedTwin> rows() { return {}; }
};
#endif

/// Everything that is compiled for one architecture.
class Compilation {
 public:
  Compilation(OfflineCompiler& compiler, int architecture, bool machine_code, Twins& twins)
      : compiler_(compiler),
        architecture_(architecture),
        machine_code_(machine_code),
        twins_(twins) {}

  /// What `plan` plans on a CUDA device, and its twins, which it plans on an OpenCL device.
  template <class Plan>
  void operator()(const Plan& plan) const {
    const auto device = planned_on_cuda(plan);
#if BIFOLD_EMBED_TWINS
    const auto twin = std::make_shared<bifold::embed::OfflineOpenclDevice>(
        bifold::embed::offline_opencl_capabilities(architecture_));
    plan(planning_on(twin, "opencl"));
    twins_.add(twin->planned(), device->planned(), architecture_);
#endif
  }

  /// Without twins.
  template <class Plan>
  [[nodiscard]] std::shared_ptr<CompilingCudaDevice> planned_on_cuda(const Plan& plan) const {
    auto device = std::make_shared<CompilingCudaDevice>(compiler_, architecture_, machine_code_);
    plan(planning_on(device, "cuda"));
    return device;
  }

  /// Without twins.
  void warm_benchmark() const {
    bifold::embed::warm_benchmark(planning_on(
        std::make_shared<CompilingCudaDevice>(compiler_, architecture_, machine_code_), "cuda"));
  }

 private:
  OfflineCompiler& compiler_;
  int architecture_;
  bool machine_code_;
  [[maybe_unused]] Twins& twins_;
};

/// Runs the jobs on all cores; throws what the first of them to fail threw.
void run_all(const std::vector<std::function<void()>>& jobs) {
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  std::exception_ptr failure;
  const auto work = [&] {
    for (std::size_t i = next++; i < jobs.size(); i = next++) {
      try {
        jobs[i]();
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!failure) failure = std::current_exception();
        next = jobs.size();
      }
    }
  };
  {
    const std::size_t cores = std::max(std::thread::hardware_concurrency(), 1U);
    std::vector<std::jthread> threads;
    threads.reserve(cores);
    while (threads.size() < cores) threads.emplace_back(work);
  }
  if (failure) std::rethrow_exception(failure);
}

void check_of_images(const Device& device) {
  auto& state = *device.state();
  static_cast<void>(state.kernels.get(bifold::core::image_check_spec(device.capabilities())));
}

void compile_everything(OfflineCompiler& compiler, const std::set<int>& with_machine_code,
                        Twins& twins) {
  std::set<int> architectures = with_machine_code;
  architectures.insert(bifold::embed::embedded_architectures.begin(),
                       bifold::embed::embedded_architectures.end());
  // The oldest first: what a text's PTX is for is the first that has it.
  for (const int architecture : architectures) {
    const std::vector<int>& known = compiler.api().architectures;
    if (std::find(known.begin(), known.end(), architecture) == known.end()) {
      std::cout << "left out, as this NVRTC does not know it: sm_" << architecture << '\n';
      continue;
    }
    const auto shapes = bifold::embed::embedded_shapes();
    const Compilation compile(compiler, architecture, with_machine_code.contains(architecture),
                              twins);
    std::vector<std::function<void()>> jobs;
    jobs.reserve(shapes.scans.size() + shapes.reductions.size() + 2);
    for (const auto& shape : shapes.scans) {
      jobs.emplace_back([&] { compile([&](const Device& device) { warm(device, shape); }); });
    }
    for (const auto& shape : shapes.reductions) {
      jobs.emplace_back([&] { compile([&](const Device& device) { warm(device, shape); }); });
    }
    jobs.emplace_back([&] { compile(check_of_images); });
    jobs.emplace_back([&] { compile.warm_benchmark(); });
    run_all(jobs);
  }
}

std::string_view word_of(Order order) { return order == Order::v1 ? "v1" : "any"; }

std::string name_of_shape(const bifold::ScanShape& shape) {
  return bifold::core::formatted(
      "scan-{}-{}-{}-{}-{}-{}", name_of(shape.input), name_of(shape.accumulator),
      name_of(shape.output), shape.op.name(),
      shape.kind == bifold::ScanKind::inclusive ? "inclusive" : "exclusive", word_of(shape.order));
}

std::string name_of_shape(const bifold::ReduceShape& shape) {
  return bifold::core::formatted(
      "reduce-{}-{}-{}-{}-{}", name_of(shape.input), name_of(shape.accumulator),
      name_of(shape.result.value_or(shape.accumulator)), shape.op.name(), word_of(shape.order));
}

/// A file for every kernel that production has for the embedded shapes.
void write_images(OfflineCompiler& compiler, int architecture,
                  const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  Twins none;
  const Compilation compile(compiler, architecture, true, none);
  const auto shapes = bifold::embed::embedded_shapes();
  const auto write_all = [&](const auto& shape) {
    const auto device =
        compile.planned_on_cuda([&](const Device& on_paper) { warm(on_paper, shape); });
    std::size_t index = 0;
    for (const auto& planned : device->planned()) {
      const EmbeddedId id{bifold::core::embedded_key(planned->source), EmbeddedForm::machine_code,
                          architecture};
      const std::string name =
          bifold::core::formatted("{}.{}.{}.cubin", name_of_shape(shape), index++, planned->entry);
      std::ofstream file(folder / name, std::ios::binary);
      file << compiler.image(id);
      file.close();
      if (!file) throw std::runtime_error("cannot write " + (folder / name).string());
    }
  };
  std::vector<std::function<void()>> jobs;
  jobs.reserve(shapes.scans.size() + shapes.reductions.size());
  for (const auto& shape : shapes.scans) jobs.emplace_back([&] { write_all(shape); });
  for (const auto& shape : shapes.reductions) jobs.emplace_back([&] { write_all(shape); });
  run_all(jobs);
}

/// Programs that are compressed together: the more alike they are, the smaller they become.
struct Pack {
  std::string bytes;
  std::string compressed;
};

using Packs = std::map<std::string, Pack>;

/// By what they do, and on what.
Pack& pack_for(Packs& packs, const EmbeddedId& id, const OfflineImage& program) {
  const bool ptx = id.form == EmbeddedForm::ptx;
  return packs[program.entry + (ptx ? ", PTX" : ", sm_" + std::to_string(id.architecture))];
}

/// In a window of all that is compressed together: of a shorter one it would depend on the order of
/// programs how much of them has been seen before.
std::string compressed(const std::string& text) {
  constexpr int level = 19;
  const auto checked = [](std::size_t result) {
    if (ZSTD_isError(result) != 0) throw std::runtime_error(ZSTD_getErrorName(result));
    return result;
  };
  const std::unique_ptr<ZSTD_CCtx, std::size_t (*)(ZSTD_CCtx*)> context(ZSTD_createCCtx(),
                                                                        ZSTD_freeCCtx);
  if (context == nullptr) throw std::bad_alloc();
  const auto set = [&](ZSTD_cParameter parameter, int value) {
    checked(ZSTD_CCtx_setParameter(context.get(), parameter, value));
  };
  const int log = std::clamp(static_cast<int>(std::bit_width(text.size())), 10, 30);
  set(ZSTD_c_compressionLevel, level);
  set(ZSTD_c_windowLog, log);
  std::string bytes(ZSTD_compressBound(text.size()), '\0');
  bytes.resize(
      checked(ZSTD_compress2(context.get(), bytes.data(), bytes.size(), text.data(), text.size())));
  return bytes;
}

std::string words_of(const std::string& bytes) {
  std::string text;
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, std::min(sizeof word, bytes.size() - at));
    text += bifold::core::formatted("{:#x}U,{}", word, at / sizeof word % 5 == 4 ? '\n' : ' ');
  }
  return text;
}

std::string text_of(const EmbeddedKey& key) {
  return bifold::core::formatted("{{{{{{{:#x}U, {:#x}U}}}}, {}}}", key.digest[0], key.digest[1],
                                 key.bytes);
}

/// The C++ file that defines embedded_table().
std::string table_of(const std::map<EmbeddedId, OfflineImage>& programs, const Twins& twins) {
  Packs packs;
  std::map<EmbeddedId, std::size_t> offsets;
  for (const auto& [id, program] : programs) {
    std::string& bytes = pack_for(packs, id, program).bytes;
    offsets[id] = bytes.size();
    bytes += program.bytes;
  }
  std::vector<std::function<void()>> jobs;
  jobs.reserve(packs.size());
  for (auto& [name, pack] : packs) {
    jobs.emplace_back([&pack = pack] { pack.compressed = compressed(pack.bytes); });
  }
  run_all(jobs);

  std::string arrays;
  std::string rows;
  std::map<const Pack*, std::size_t> indices;
  for (const auto& [name, pack] : packs) {
    const std::size_t index = indices.size();
    indices[&pack] = index;
    arrays += bifold::core::formatted("// {}\nconstexpr std::uint64_t pack_{}[] = {{\n{}}};\n",
                                      name, index, words_of(pack.compressed));
    rows += bifold::core::formatted("    {{pack_{}, {}, {}}},\n", index, pack.compressed.size(),
                                    pack.bytes.size());
    std::cout << bifold::core::formatted("{}: {} KiB in {} KiB\n", name, pack.bytes.size() / 1024,
                                         pack.compressed.size() / 1024);
  }
  std::string entries;
  for (const auto& [id, program] : programs) {
    const bool ptx = id.form == EmbeddedForm::ptx;
    entries += bifold::core::formatted("    {{{{{}, EmbeddedForm::{}, {}}}, {}, {}, {}}},\n",
                                       text_of(id.key), ptx ? "ptx" : "machine_code",
                                       id.architecture, indices.at(&pack_for(packs, id, program)),
                                       offsets.at(id), program.bytes.size());
  }
  std::string pairs;
  for (const auto& [id, twin] : twins.rows()) {
    pairs += bifold::core::formatted(
        "    {{{}, {}, {}, {}, {{{:#x}U, {}}}}},\n", text_of(twin.text), twin.architecture,
        text_of(twin.twin), twin.any_architecture, twin.traits.pointers, twin.traits.local_bytes);
  }
  if (!pairs.empty()) {
    pairs = "constexpr EmbeddedTwin twins[] = {\n" + pairs + "};\n";
  } else {
    pairs = "constexpr std::span<const EmbeddedTwin> twins;\n";
  }
  const std::uint64_t digest = bifold::core::hash(arrays + rows + entries + pairs);
  return bifold::core::formatted(
      "// Generated by bifold-embed.\n"
      "#include \"core/kernel/embedded.hpp\"\n\n"
      "namespace bifold::core {{\nnamespace {{\n\n{}\n"
      "constexpr EmbeddedPack packs[] = {{\n{}}};\n\n"
      "constexpr EmbeddedProgram programs[] = {{\n{}}};\n\n{}\n}}  // namespace\n\n"
      "const EmbeddedTable& embedded_table() {{\n"
      "  static const EmbeddedTable table{{programs, packs, twins, {:#x}U}};\n  return "
      "table;\n}}\n\n"
      "}}  // namespace bifold::core\n",
      arrays, rows, entries, pairs, digest);
}

int architecture_of(std::string_view text) {
  int architecture = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), architecture);
  if (error != std::errc{} || end != text.data() + text.size()) {
    throw std::runtime_error("not an architecture, as 90 is: " + std::string(text));
  }
  return architecture;
}

/// Writes the file unless it is as it should be: so what depends on it is not built anew.
void write(const std::filesystem::path& path, const std::string& text) {
  std::ifstream before(path, std::ios::binary);
  if (before && std::string(std::istreambuf_iterator<char>(before), {}) == text) return;
  before.close();
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) throw std::runtime_error("cannot write " + path.string());
}

}  // namespace

int main(int argc, char** argv) try {
  const bool images = argc > 1 && std::string_view(argv[1]) == "--images";
  if (images ? argc != 5 : argc < 3) {
    std::cerr << "usage: bifold-embed OUTPUT CACHE_FOLDER [ARCHITECTURE...]\n"
                 "       bifold-embed --images FOLDER CACHE_FOLDER ARCHITECTURE\n";
    return 2;
  }
  unsetenv("BIFOLD_DISABLE");  // NOLINT(concurrency-mt-unsafe): no thread is there yet.
  // As why the folder that keeps what was compiled is not used.
  bifold::set_log(bifold::LogLevel::warning, [](bifold::LogLevel, std::string_view message) {
    std::cerr << "bifold-embed: " << message << '\n';
  });
  constexpr int newest = CUDA_VERSION;
  OfflineCompiler compiler(bifold::backend::cuda::find_nvrtc(newest), argv[images ? 3 : 2]);
  if (images) {
    write_images(compiler, architecture_of(argv[4]), argv[2]);
    return 0;
  }
  std::set<int> with_machine_code;
  for (int i = 3; i < argc; ++i) with_machine_code.insert(architecture_of(argv[i]));
  Twins twins;
  compile_everything(compiler, with_machine_code, twins);
  write(argv[1], table_of(compiler.programs(), twins));
  return 0;
} catch (const bifold::Error& error) {
  std::cerr << "bifold-embed: " << error.what() << '\n'
            << error.log() << "\nWith BIFOLD_EMBED_PTX=OFF the library is built without.\n";
  return 1;
} catch (const std::exception& error) {
  std::cerr << "bifold-embed: " << error.what() << '\n';
  return 1;
}
