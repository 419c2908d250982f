// The two kernel folders mirror each other, so that either can be read with the other beside it.
#include <doctest/doctest.h>

#include <algorithm>
#include <bifold/gallery.hpp>
#include <map>
#include <regex>
#include <set>

#include "core/kernel/part_list.hpp"
#include "host/kernel_tokens.hpp"
#include "support/source_tree.hpp"

namespace bifold {

using test::source_files;
using test::SourceFile;

namespace {

using Names = std::vector<std::string>;

const std::set<std::string> kernel_folders{"types", "data",  "lanes",      "sync",
                                           "order", "ring",  "production", "papers",
                                           "cpu",   "probe", "selection",  "segments"};

/// What a kernel file promises to a reader of the other dialect's.
struct Outline {
  Names headings;                                      ///< Of its phases, in order.
  std::vector<std::pair<std::string, Names>> entries;  ///< Entry points and their parameters.
  std::map<std::string, Names> structs;                ///< Those that are parameters, and fields.
  std::map<std::string, std::string> parameters;       ///< Tuning defines and their defaults.
};

Names all_matches(const std::string& text, const std::regex& pattern) {
  Names found;
  for (std::sregex_iterator at(text.begin(), text.end(), pattern), end; at != end; ++at) {
    found.push_back((*at)[1].str());
  }
  return found;
}

/// The last word of each declaration of a parameter list.
Names parameter_names(const std::string& list) {
  static const std::regex last_word(R"((\w+)\s*(?:,|$))");
  return all_matches(list, last_word);
}

Outline outline_of(const SourceFile& file) {
  static const std::regex heading(R"(//\s*--- (.*?) ---)");
  static const std::regex entry(
      R"((?:__global__|__kernel|\bkernel)\s+(?:__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)\s*)*)"
      R"((?:void\s+)(?:__launch_bounds__\s*\([^()]*\)\s*)?)"
      R"((?:__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)\s*)*(\w+)\s*\(([^()]*)\))");
  static const std::regex parameter(
      R"(#ifndef (\w+)\s*\n#define \1\s+([^\n]*?)\s*(?://[^\n]*)?\n)");
  static const std::regex places(
      R"(struct (?:\w+ )?\{([^{}]*)\} )"
      R"((\w+Places|ColumnTiles|Line(?:Strides|Split|NodeShare|Rows|Tiles));)");
  static const std::regex field(R"((\w+ \w+);)");
  Outline outline;
  outline.headings = all_matches(file.text, heading);
  for (std::sregex_iterator at(file.text.begin(), file.text.end(), places), end; at != end; ++at) {
    outline.structs[(*at)[2].str()] = all_matches((*at)[1].str(), field);
  }
  for (std::sregex_iterator at(file.text.begin(), file.text.end(), entry), end; at != end; ++at) {
    outline.entries.emplace_back((*at)[1].str(), parameter_names((*at)[2].str()));
  }
  for (std::sregex_iterator at(file.text.begin(), file.text.end(), parameter), end; at != end;
       ++at) {
    outline.parameters[(*at)[1].str()] = (*at)[2].str();
  }
  return outline;
}

/// A file is one part or several, each of which begins with a line of its own.
std::vector<std::pair<std::string, SourceFile>> parts_of(const SourceFile& file) {
  constexpr std::string_view begin = "// Part ";
  std::vector<std::pair<std::string, SourceFile>> parts;
  for (std::size_t at = 0; at < file.text.size();) {
    const std::size_t next = file.text.find("\n" + std::string(begin), at);
    const std::size_t end = next == std::string::npos ? file.text.size() : next + 1;
    const std::string text = file.text.substr(at, end - at);
    CHECK_MESSAGE(text.starts_with(begin), file.path, " begins with no line \"// Part NAME:\"");
    const std::size_t colon = std::min(text.find(':'), text.size());
    const std::size_t name = std::min(begin.size(), colon);
    parts.emplace_back(text.substr(name, colon - name), SourceFile{file.path, text});
    at = end;
  }
  return parts;
}

/// By the names of the parts.
std::map<std::string, SourceFile> kernels(const std::string& folder, const std::string& suffix) {
  std::map<std::string, SourceFile> parts;
  for (const SourceFile& file : source_files(folder, {suffix})) {
    for (const auto& [name, part] : parts_of(file)) {
      const auto [at, added] = parts.emplace(name, part);
      CHECK_MESSAGE(added, file.path, " has a part ", name, " as has ", at->second.path);
    }
  }
  return parts;
}

/// What a dialect may have alone: interchangeable parts, of which each dialect has those that its
/// devices offer, and the contiguous chunks that only CPUs want.
bool may_be_alone(const std::string& name) {
  constexpr std::string_view paths[] = {
      "lanes_",        "lane_index_",   "warp_index_", "shuffle_",     "shuffles_",
      "lane_highest_", "lane_barrier_", "atomics_",    "word_loads_",  "device_fence_",
      "accumulator_",  "halves_",       "bf16_",       "comparisons_", "extrema_",
      "launch_",       "prefetch_l2_",  "lane_ranks_", "lane_counts_"};
  const auto begins = [&](std::string_view path) { return name.starts_with(path); };
  return std::any_of(std::begin(paths), std::end(paths), begins) || name.ends_with("_local") ||
         name.ends_with("chunks") || name == "chunk_tile" || name == "load_ahead";
}

/// Families whose gallery rows all name one backend.
std::set<std::string> families_of_one_backend() {
  std::set<std::string> one;
  for (const auto& row : gallery::variants()) {
    if (!row.requirements.backend.empty()) one.emplace(row.family);
  }
  for (const auto& row : gallery::variants()) {
    if (row.requirements.backend.empty()) one.erase(std::string(row.family));
  }
  return one;
}

/// Pairs whose words differ, and why.
const std::map<std::string, std::string> must_differ{
    {"bf16_ptx", "CUDA's one text asks for the architecture when it is compiled"},
    {"bulk_copies", "an address in local memory has another spelling"},
    {"accumulator_exchange", "OpenCL has one function for each width, behind an extension"},
    {"accumulator_native", "CUDA overloads its atomic functions, OpenCL does not"},
    {"accumulator_wide", "OpenCL has these operations as PTX alone"},
    {"columns_shuffle", "C has no struct without a member"},
    {"element_vectors_two", "CUDA loads vectors by templates, OpenCL by vector types"},
    {"counters", "functions have other names"},
    {"extrema_ptx", "CUDA's one text asks for the architecture when it is compiled"},
    {"functions_f32", "CUDA's names of f32 functions end in f"},
    {"functions_integers", "functions have other names"},
    {"halves_native", "OpenCL converts by built-in functions, CUDA's need a header"},
    {"image_check", "CUDA sizes local memory at the launch"},
    {"line_tile", "CUDA's compiler alone is told to unroll"},
    {"order_tile", "CUDA's compiler alone is told to unroll"},
    {"order_tile_again", "CUDA's compiler alone is told to unroll"},
    {"vectors_in", "CUDA loads vectors by templates, OpenCL by vector types"},
    {"vectors_out", "CUDA stores vectors by templates, OpenCL by vector types"},
    {"reduce_order_single", "CUDA's compiler alone is given bounds of registers"},
    {"ring_scan_again", "CUDA's compiler splits a store unless an intrinsic keeps it whole"},
    {"ring_scan_kept", "OpenCL's takes edges of rows later: f64 takes 1 % longer otherwise"},
    {"ring_scan_spans", "CUDA's compiler splits a store unless an intrinsic keeps it whole"},
    {"ring_warp_tiles_rows", "CUDA's compiler keeps arrays of chosen structs in memory"},
    {"select_ring", "CUDA sizes local memory at the launch"},
    {"scan_line_lookback", "CUDA's compiler alone is told to unroll"},
    {"scan_line_tiles", "CUDA's compiler alone is told to unroll"},
    {"scan_order", "CUDA's compiler alone is given bounds of registers"},
    {"scan_order_ahead", "NVIDIA's OpenCL keeps arrays of structs in memory unless by words"},
    {"scan_order_ring", "CUDA sizes local memory at the launch"},
    {"total_line_tiles", "CUDA's compiler alone is told to unroll"},
    {"types", "the dialects' own words for types and bits"},
    {"types_bf16", "OpenCL's vector types have the dialect's own names"},
    {"types_f16", "OpenCL's vector types have the dialect's own names"},
    {"types_f64", "the dialects' own words for types and bits"},
};

std::string joined(const Names& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

/// Names of the parts that both dialects must have.
std::set<std::string> mirrored() {
  const auto one = families_of_one_backend();
  std::set<std::string> names;
  for (const auto* folder : {"kernels_cu", "kernels_cl"}) {
    for (const auto& [name, file] : kernels(folder, std::string(".") + (folder + 8))) {
      if (!may_be_alone(name) && !one.contains(name)) names.insert(name);
    }
  }
  return names;
}

}  // namespace

TEST_SUITE_BEGIN("kernel_mirror");

TEST_CASE("the outline of a kernel is read from either dialect") {
  const Outline cuda = outline_of(
      {"x.cu",
       "#ifndef UNROLL\n#define UNROLL 8  // Why.\n#endif\n"
       "typedef struct {\n  u64 first;  // One.\n  u64 last;\n} SomePlaces;\n"
       "extern \"C\" __global__ void __launch_bounds__(UNROLL)\nf(const IN* input, u64 n) {\n"
       "  // --- First ---\n  // --- Second, then ---\n}\n"});
  const Outline opencl =
      outline_of({"x.cl",
                  "#ifndef UNROLL\n#define UNROLL 8\n#endif\n"
                  "typedef struct {\n  u64 first;\n  u64 last;\n} SomePlaces;\n"
                  "__kernel __attribute__((reqd_work_group_size(UNROLL, 1, 1)))\nvoid f(\n"
                  "    __global const IN* restrict input, const u64 n) {\n"
                  "  // --- First ---\n  // --- Second, then ---\n}\n"});
  CHECK(cuda.headings == Names{"First", "Second, then"});
  REQUIRE(cuda.entries.size() == 1);
  CHECK(cuda.entries[0].first == "f");
  CHECK(cuda.entries[0].second == Names{"input", "n"});
  CHECK(cuda.parameters.at("UNROLL") == "8");
  CHECK(cuda.structs.at("SomePlaces") == Names{"u64 first", "u64 last"});
  CHECK(cuda.headings == opencl.headings);
  CHECK(cuda.entries == opencl.entries);
  CHECK(cuda.structs == opencl.structs);
  CHECK(cuda.parameters == opencl.parameters);
}

TEST_CASE("both folders have the same kernels") {
  const auto cuda = kernels("kernels_cu", ".cu");
  const auto opencl = kernels("kernels_cl", ".cl");
  REQUIRE(mirrored().size() >= 5);
  for (const std::string& name : mirrored()) {
    CHECK_MESSAGE(cuda.count(name) == 1, "kernels_cu lacks ", name);
    CHECK_MESSAGE(opencl.count(name) == 1, "kernels_cl lacks ", name);
  }
}

TEST_CASE("a file lies in the same folder in both; no folder has more than 30 files") {
  std::map<std::string, std::string> folder_of;
  for (const std::string top : {"kernels_cu", "kernels_cl"}) {
    std::map<std::string, std::size_t> sizes;
    std::set<std::string> names;
    for (const SourceFile& file : source_files(top, {"." + top.substr(8)})) {
      const std::size_t begin = top.size() + 1;
      const std::size_t slash = file.path.rfind('/');
      INFO(file.path);
      REQUIRE(slash > begin);
      const std::string folder = file.path.substr(begin, slash - begin);
      const std::string name = file.path.substr(slash + 1, file.path.rfind('.') - slash - 1);
      CHECK(names.insert(name).second);
      CHECK(kernel_folders.contains(folder));
      CHECK((folder != "cpu" || top == "kernels_cl"));
      CHECK(folder_of.emplace(name, folder).first->second == folder);
      ++sizes[folder];
    }
    for (const auto& [folder, size] : sizes) CHECK_MESSAGE(size <= 30, top, "/", folder);
  }
}

TEST_CASE("a part lies in the same file in both") {
  const auto cuda = kernels("kernels_cu", ".cu");
  const auto opencl = kernels("kernels_cl", ".cl");
  const auto stem = [](const std::string& path) { return path.substr(11, path.size() - 14); };
  for (const auto& [name, part] : cuda) {
    if (opencl.contains(name)) CHECK(stem(part.path) == stem(opencl.at(name).path));
  }
}

TEST_CASE("every family of the gallery has its kernel file") {
  const auto cuda = kernels("kernels_cu", ".cu");
  const auto opencl = kernels("kernels_cl", ".cl");
  for (const auto& row : gallery::variants()) {
    const std::string family(row.family);
    INFO("row " << row.name << " of family " << family);
    if (family.empty()) continue;
    if (row.requirements.backend != "opencl") CHECK(cuda.count(family) == 1);
    if (row.requirements.backend != "cuda") CHECK(opencl.count(family) == 1);
  }
}

TEST_CASE("phases, entry points, arguments and tuning parameters read the same") {
  auto cuda = kernels("kernels_cu", ".cu");
  auto opencl = kernels("kernels_cl", ".cl");
  for (const std::string& name : mirrored()) {
    if (!cuda.contains(name) || !opencl.contains(name)) continue;  // Reported above.
    INFO("kernel file " << name);
    const Outline left = outline_of(cuda[name]);
    const Outline right = outline_of(opencl[name]);
    CHECK_MESSAGE(left.headings == right.headings, "headings: ", joined(left.headings), " | ",
                  joined(right.headings));
    CHECK_MESSAGE(left.parameters == right.parameters, "tuning parameters or defaults differ");
    CHECK_MESSAGE(left.structs == right.structs, "fields of parameters differ");
    REQUIRE(left.entries.size() == right.entries.size());
    for (std::size_t i = 0; i < left.entries.size(); ++i) {
      CHECK(left.entries[i].first == right.entries[i].first);
      CHECK_MESSAGE(left.entries[i].second == right.entries[i].second, left.entries[i].first, ": ",
                    joined(left.entries[i].second), " | ", joined(right.entries[i].second));
    }
  }
}

TEST_CASE("parts of one name do the same: their words are equal but where they must differ") {
  const auto cuda = kernels("kernels_cu", ".cu");
  const auto opencl = kernels("kernels_cl", ".cl");
  std::size_t equal = 0;
  for (const auto& [name, part] : cuda) {
    if (!opencl.contains(name)) continue;
    const Names left = test::common_tokens(part.text);
    const Names right = test::common_tokens(opencl.at(name).text);
    const auto [at, other] = std::mismatch(left.begin(), left.end(), right.begin(), right.end());
    const bool same = at == left.end() && other == right.end();
    equal += same ? 1 : 0;
    const auto around = [](const Names& words, Names::const_iterator place) {
      const auto before = std::min<std::ptrdiff_t>(place - words.begin(), 6);
      const auto behind = std::min<std::ptrdiff_t>(words.end() - place, 12);
      return joined({place - before, place + behind});
    };
    if (must_differ.contains(name)) {
      CHECK_MESSAGE(!same, name, " is equal by now, and listed as one that must differ");
    } else {
      CHECK_MESSAGE(same, name, ":\n  ", around(left, at), "\n  ", around(right, other));
    }
  }
  for (const auto& [name, why] : must_differ) {
    CHECK_MESSAGE((cuda.contains(name) && opencl.contains(name)), name, " is no pair");
  }
  CHECK(equal >= 90);
}

TEST_CASE("what the host passes as a struct has the fields of the kernels'") {
  static const std::regex defined(
      R"(struct (\w+Places|Line(?:Strides|Split|NodeShare|Rows|Tiles)|ColumnTiles) \{([^{}]*)\};)");
  static const std::regex field(R"((\w+);)");
  static const std::regex kernel_field(R"((?:u64|LineStrides) (\w+))");
  std::map<std::string, Names> kernel_structs;
  for (const auto& [name, file] : kernels("kernels_cl", ".cl")) {
    for (const auto& [type, fields] : outline_of(file).structs) {
      for (const std::string& text : fields) {
        for (const std::string& one : all_matches(text, kernel_field)) {
          kernel_structs[type].push_back(one);
        }
      }
    }
  }
  std::map<std::string, Names> host_structs;
  for (const SourceFile& file : source_files("backends/core", {".hpp"})) {
    for (std::sregex_iterator at(file.text.begin(), file.text.end(), defined), end; at != end;
         ++at) {
      host_structs[(*at)[1].str()] = all_matches((*at)[2].str(), field);
    }
  }
  CHECK(host_structs.size() == 11);
  CHECK(host_structs == kernel_structs);
}

TEST_CASE("a file with entry points names its phases; each part starts with a comment") {
  for (const auto* folder : {"kernels_cu", "kernels_cl"}) {
    for (const auto& [name, file] : kernels(folder, std::string(".") + (folder + 8))) {
      INFO(file.path);
      CHECK(file.text.starts_with("// "));
      const Outline outline = outline_of(file);
      CHECK(outline.headings.size() >= outline.entries.size());
    }
  }
}

// Such a kernel's groups may be running while the kernel in front of it still writes.
TEST_CASE("what is launched early waits before it touches memory") {
  static const std::regex memory(
      R"(= (COUNT|INPUT|INIT);|\bcontrol\b[^,_)]|add_word|draw_ticket|load_tiles)");
  std::size_t waiting = 0;
  const auto cuda = kernels("kernels_cu", ".cu");
  for (const auto& row : gallery::variants()) {
    const std::string family(row.family);
    if (!cuda.contains(family)) continue;
    const auto uses = core::part_head(cuda.at(family).text).uses;
    if (std::find(uses.begin(), uses.end(), "launch") == uses.end()) continue;
    for (const auto* folder : {"kernels_cu", "kernels_cl"}) {
      const std::string suffix = std::string(".") + (folder + 8);
      const SourceFile file = kernels(folder, suffix).at(family);
      INFO(file.path);
      CHECK(outline_of(file).entries.size() == 1);
      const std::size_t body = file.text.find(") {");
      const std::size_t wait = file.text.find("  pdl_wait();\n");
      REQUIRE(wait != std::string::npos);
      const std::string before = file.text.substr(body, wait - body);
      CHECK_FALSE(std::regex_search(before, memory));
      CHECK(std::regex_search(file.text.substr(wait), memory));
      ++waiting;
    }
  }
  CHECK(waiting == 16);
}

TEST_SUITE_END();

}  // namespace bifold
