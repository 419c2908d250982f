// Compiles what a build embeds and writes it as a C++ file: PTX for all GPUs, and machine code for
// those of the architectures that are named (90 for sm_90):
//   bifold-embed OUTPUT CACHE_FOLDER [ARCHITECTURE...]
#include <cuda.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bifold/error.hpp>
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
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

#include "core/format.hpp"
#include "core/state.hpp"
#include "cuda/embed/offline_device.hpp"
#include "cuda/embed/shapes.hpp"

namespace {

using bifold::Device;
using bifold::backend::cuda::EmbeddedForm;
using bifold::backend::cuda::EmbeddedId;
using bifold::backend::cuda::OfflineCompiler;
using bifold::backend::cuda::OfflineDevice;
using bifold::backend::cuda::OfflineImage;

Device offline_device(OfflineCompiler& compiler, int architecture, bool machine_code) {
  bifold::DeviceInfo info;
  info.selector = "offline";
  info.backend = "cuda";
  info.index = bifold::adopted_index;
  info.kind = bifold::DeviceKind::gpu;
  bifold::DeviceOptions options;
  options.cache.disk = false;
  return Device(std::make_shared<bifold::detail::DeviceState>(
      info, std::make_shared<OfflineDevice>(compiler, architecture, machine_code), options));
}

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

void compile_everything(OfflineCompiler& compiler, const std::set<int>& with_machine_code) {
  std::set<int> architectures = with_machine_code;
  architectures.insert(bifold::backend::cuda::embedded_architectures.begin(),
                       bifold::backend::cuda::embedded_architectures.end());
  // The oldest first: what a text's PTX is for is the first that has it.
  for (const int architecture : architectures) {
    const std::vector<int>& known = compiler.api().architectures;
    if (std::find(known.begin(), known.end(), architecture) == known.end()) {
      std::cout << "left out, as this NVRTC does not know it: sm_" << architecture << '\n';
      continue;
    }
    const auto shapes = bifold::backend::cuda::embedded_shapes();
    const Device device =
        offline_device(compiler, architecture, with_machine_code.contains(architecture));
    std::vector<std::function<void()>> jobs;
    jobs.reserve(shapes.scans.size() + shapes.reductions.size() + 1);
    for (const auto& shape : shapes.scans) {
      jobs.emplace_back([&] { warm(device, shape); });
    }
    for (const auto& shape : shapes.reductions) {
      jobs.emplace_back([&] { warm(device, shape); });
    }
    jobs.emplace_back([&] { bifold::backend::cuda::warm_benchmark(device); });
    run_all(jobs);
  }
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

std::string compressed(const std::string& text) {
  constexpr int level = 19;
  std::string bytes(ZSTD_compressBound(text.size()), '\0');
  const std::size_t size =
      ZSTD_compress(bytes.data(), bytes.size(), text.data(), text.size(), level);
  if (ZSTD_isError(size) != 0) throw std::runtime_error(ZSTD_getErrorName(size));
  bytes.resize(size);
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

/// The C++ file that defines embedded_table().
std::string table_of(const std::map<EmbeddedId, OfflineImage>& programs) {
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
    entries += bifold::core::formatted(
        "    {{{{{{{{{{{:#x}U, {:#x}U}}}}, {}}}, EmbeddedForm::{}, {}}}, {}, {}, {}}},\n",
        id.key.digest[0], id.key.digest[1], id.key.bytes, ptx ? "ptx" : "machine_code",
        id.architecture, indices.at(&pack_for(packs, id, program)), offsets.at(id),
        program.bytes.size());
  }
  return bifold::core::formatted(
      "// Generated by bifold-embed.\n"
      "#include \"cuda/embedded.hpp\"\n\n"
      "namespace bifold::backend::cuda {{\nnamespace {{\n\n{}\n"
      "constexpr EmbeddedPack packs[] = {{\n{}}};\n\n"
      "constexpr EmbeddedProgram programs[] = {{\n{}}};\n\n}}  // namespace\n\n"
      "const EmbeddedTable& embedded_table() {{\n"
      "  static const EmbeddedTable table{{programs, packs}};\n  return table;\n}}\n\n"
      "}}  // namespace bifold::backend::cuda\n",
      arrays, rows, entries);
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
  if (argc < 3) {
    std::cerr << "usage: bifold-embed OUTPUT CACHE_FOLDER [ARCHITECTURE...]\n";
    return 2;
  }
  unsetenv("BIFOLD_DISABLE");  // NOLINT(concurrency-mt-unsafe): no thread is there yet.
  constexpr int newest = CUDA_VERSION;
  OfflineCompiler compiler(bifold::backend::cuda::find_nvrtc(newest), argv[2]);
  std::set<int> with_machine_code;
  for (int i = 3; i < argc; ++i) with_machine_code.insert(architecture_of(argv[i]));
  compile_everything(compiler, with_machine_code);
  write(argv[1], table_of(compiler.programs()));
  return 0;
} catch (const bifold::Error& error) {
  std::cerr << "bifold-embed: " << error.what() << '\n'
            << error.log() << "\nWith BIFOLD_EMBED_PTX=OFF the library is built without.\n";
  return 1;
} catch (const std::exception& error) {
  std::cerr << "bifold-embed: " << error.what() << '\n';
  return 1;
}
