// How the library's files depend on each other: in the order of folders that docs/design.md lists,
// by includes and by what their objects ask of each other when they are linked.
#include <cxxabi.h>
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "support/source_tree.hpp"

namespace bifold {

using test::source_files;
using test::SourceFile;

namespace {

using Strings = std::vector<std::string>;

std::string design() {
  const auto documents = source_files("docs", {"design.md"});
  REQUIRE(documents.size() == 1);
  return documents[0].text;
}

Strings words_of(const std::string& line) {
  Strings words;
  const std::regex word(R"(\S+)");
  for (std::sregex_iterator at(line.begin(), line.end(), word), end; at != end; ++at) {
    words.push_back(at->str());
  }
  return words;
}

// Folders in the order of their dependencies, by the folder around them: "backends/core".
const std::map<std::string, Strings>& folder_orders() {
  static const auto orders = [] {
    std::map<std::string, Strings> all;
    const std::string text = design();
    const std::regex line(R"((?:^|\n)(backends/\w+): ([\w ]+))");
    for (std::sregex_iterator at(text.begin(), text.end(), line), end; at != end; ++at) {
      all[(*at)[1].str()] = words_of((*at)[2].str());
    }
    return all;
  }();
  return orders;
}

struct Place {
  std::string around;  // "backends/core"
  std::size_t index;   // Of its folder in the order.
};

// Where a file below backends/ stands; nothing for one that is in no ordered folder.
std::unique_ptr<Place> place_of(const std::string& path) {
  for (const auto& [around, order] : folder_orders()) {
    if (!path.starts_with(around + '/')) continue;
    const std::string rest = path.substr(around.size() + 1);
    const auto found = std::find(order.begin(), order.end(), rest.substr(0, rest.find('/')));
    if (found == order.end()) return {};
    return std::make_unique<Place>(Place{around, static_cast<std::size_t>(found - order.begin())});
  }
  return {};
}

// Whether the file at `from` may depend on the one at `to`, by the order of their folders.
bool may_depend(const std::string& from, const std::string& to) {
  const auto left = place_of(from);
  const auto right = place_of(to);
  return !left || !right || left->around != right->around || left->index >= right->index;
}

std::vector<SourceFile> sources() { return source_files("backends", {".hpp", ".cpp"}); }

// What an object defines for others, and what it asks of them.
struct Object {
  std::set<std::string> defines;
  std::set<std::string> asks;
};

// The objects of the library by their source: "backends/core/plan/plan.cpp".
const std::map<std::string, Object>& objects() {
  static const auto all = [] {
    std::map<std::string, Object> found;
    const std::string command = std::string(BIFOLD_NM) + " -A @" + BIFOLD_OBJECT_LIST;
    const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
    REQUIRE(pipe != nullptr);
    std::array<char, 65536> buffer{};
    while (std::fgets(buffer.data(), buffer.size(), pipe.get()) != nullptr) {
      const Strings words = words_of(buffer.data());
      if (words.size() < 3) continue;
      std::string path = words[0].substr(0, words[0].find(".o:"));
      const std::size_t begin = path.find("backends/");
      if (begin == std::string::npos) continue;
      Object& object = found[path.substr(begin)];
      const std::string& kind = words[words.size() - 2];
      if (kind == "U") object.asks.insert(words.back());
      if (std::string_view("TDBR").find(kind) != std::string_view::npos) {
        object.defines.insert(words.back());
      }
    }
    return found;
  }();
  return all;
}

// Which objects an object needs, each with a symbol that shows it.
using Links = std::map<std::string, std::map<std::string, std::string>>;

Links links() {
  std::map<std::string, std::string> owner;
  for (const auto& [path, object] : objects()) {
    for (const std::string& symbol : object.defines) owner[symbol] = path;
  }
  Links all;
  for (const auto& [path, object] : objects()) {
    for (const std::string& symbol : object.asks) {
      const auto found = owner.find(symbol);
      if (found != owner.end() && found->second != path) all[path][found->second] = symbol;
    }
  }
  return all;
}

std::string readable(const std::string& symbol) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> name(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), std::free);
  return status == 0 ? name.get() : symbol;
}

// The function's own name: "choose_row" of "bifold::core::choose_row[abi:cxx11](...)".
std::string last_name(std::string name) {
  name = name.substr(0, name.find('('));
  name = name.substr(0, name.find('['));
  name = name.substr(0, name.find('<'));
  const std::size_t colons = name.rfind("::");
  if (colons != std::string::npos) name.erase(0, colons + 2);
  return name;
}

bool has_word(const std::string& text, const std::string& word) {
  const auto part_of_word = [](char c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  };
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !part_of_word(text[at - 1])) &&
        (end == text.size() || !part_of_word(text[end])))
      return true;
  }
  return false;
}

// Files that have no header of their own implement a public one: of their own name, or this one.
const std::map<std::string, std::string> implemented{
    {"opening/open_device", "device.hpp"},
    {"group/group", "group/group.hpp"},
    {"group/distributed", "group/distributed.hpp"},
    {"c_api/c_api_algorithms", "c_calls.h"},
    {"c_api/c_api_groups", "group/c_group.h"},
    {"c_api/c_api_group_plans", "group/c_group_plans.h"},
    {"c_api/c_api_accumulations", "accumulation/c_accumulation.h"},
    {"c_api/c_api_plans", "c_calls.h"},
    {"c_api/c_api_statistics", "statistics/c_statistics.h"},
    {"c_api/c_api_selections", "selection/c_selection.h"},
    {"accumulation/accumulation", "accumulation/accumulation.hpp"},
    {"group/group_plans", "group/group_plans.hpp"},
    {"call/find_if", "reductions.hpp"},
    {"call/segments", "segments/segments.hpp"},
    {"call/keys", "keys/reduce_by_key.hpp"},
    {"call/segmented_reduce", "segments/segmented_reduce.hpp"},
    {"call/linear_recurrence", "recurrence/linear_recurrence.hpp"},
    {"statistics/logsumexp", "statistics/logsumexp.hpp"},
    {"statistics/moments", "statistics/moments.hpp"},
    {"statistics/norm", "statistics/norm.hpp"},
};
// Files that have both.
const std::map<std::string, std::string> implemented_besides{
    {"element/struct_types", "type.hpp"},    {"gallery/choose_row", "gallery.hpp"},
    {"call/select", "selection/select.hpp"}, {"c_api/c_api_reductions", "c_reductions.h"},
    {"c_api/c_api_error", "c_base.h"},       {"c_api/c_api_types", "c_base.h"},
    {"c_api/c_api_device", "c_device.h"},    {"c_api/c_api_queue", "c_device.h"},
};

std::string read(const std::string& path) {
  std::ifstream file(std::string(BIFOLD_SOURCE_DIR) + "/" + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_SUITE_BEGIN("structure");

TEST_CASE("docs/design.md lists the folders of the library") {
  std::map<std::string, std::set<std::string>> there;
  for (const SourceFile& file : sources()) {
    for (const auto& [around, order] : folder_orders()) {
      if (!file.path.starts_with(around + '/')) continue;
      const std::string rest = file.path.substr(around.size() + 1);
      CHECK_MESSAGE(rest.find('/') != std::string::npos, file.path, " lies beside the folders");
      there[around].insert(rest.substr(0, rest.find('/')));
    }
  }
  CHECK(there.size() == 3);
  for (const auto& [around, order] : folder_orders()) {
    INFO(around);
    CHECK(std::set<std::string>(order.begin(), order.end()) == there[around]);
  }
  const auto& orders = folder_orders();
  CHECK(orders.at("backends/cuda") == orders.at("backends/opencl"));
}

TEST_CASE("a file includes its own folder and those to the left of it") {
  const std::regex include(R"re((?:^|\n)#include "((?:core|cuda|opencl)/[^"]+)")re");
  std::size_t seen = 0;
  for (const SourceFile& file : sources()) {
    for (std::sregex_iterator at(file.text.begin(), file.text.end(), include), end; at != end;
         ++at) {
      ++seen;
      CHECK_MESSAGE(may_depend(file.path, "backends/" + (*at)[1].str()), file.path, " includes ",
                    (*at)[1].str());
    }
  }
  CHECK(seen > 300);
}

TEST_CASE("an object links to its own folder and those to the left of it") {
  CHECK(objects().size() > 80);
  for (const auto& [path, needs] : links()) {
    for (const auto& [other, symbol] : needs) {
      CHECK_MESSAGE(may_depend(path, other), path, " needs ", other, " for ", readable(symbol));
    }
  }
}

TEST_CASE("no objects need each other") {
  const Links all = links();
  enum class State { open, done };
  std::map<std::string, State> states;
  Strings way;
  const std::function<void(const std::string&)> visit = [&](const std::string& path) {
    states[path] = State::open;
    way.push_back(path);
    if (const auto found = all.find(path); found != all.end()) {
      for (const auto& [other, symbol] : found->second) {
        const auto known = states.find(other);
        if (known == states.end()) {
          visit(other);
        } else if (known->second == State::open) {
          std::string cycle;
          for (auto at = std::find(way.begin(), way.end(), other); at != way.end(); ++at) {
            cycle += *at + " -> ";
          }
          FAIL_CHECK(cycle, other, " for ", readable(symbol));
        }
      }
    }
    states[path] = State::done;
    way.pop_back();
  };
  for (const auto& [path, object] : objects()) {
    if (!states.contains(path)) visit(path);
  }
}

TEST_CASE("no folder has more than 30 files of its own") {
  std::map<std::string, int> counts;
  for (const std::string around :
       {"backends", "include", "kernels_cu", "kernels_cl", "bench", "tests"}) {
    for (const SourceFile& file :
         source_files(around, {".hpp", ".cpp", ".h", ".cu", ".cl", ".md", ".txt"})) {
      ++counts[file.path.substr(0, file.path.rfind('/'))];
    }
  }
  for (const auto& [folder, count] : counts) {
    CHECK_MESSAGE(count <= 30, folder, " has ", count);
  }
}

TEST_CASE("a file of the core has one header, which declares what it defines for others") {
  std::size_t files = 0;
  for (const SourceFile& file : source_files("backends/core", {".cpp"})) {
    INFO(file.path);
    ++files;
    const std::string stem = file.path.substr(0, file.path.rfind('.'));
    const std::string name = stem.substr(std::string_view("backends/core/").size());
    const std::string own = read(stem + ".hpp");
    std::string declared = own;
    const auto listed = implemented.find(name);
    const auto besides = implemented_besides.find(name);
    if (listed != implemented.end()) {
      CHECK(own.empty());
      declared = read("include/bifold/" + listed->second);
    } else if (besides != implemented_besides.end()) {
      CHECK_FALSE(own.empty());
      declared += read("include/bifold/" + besides->second);
    } else {
      declared += read("include/bifold/" + name.substr(name.rfind('/') + 1) + ".hpp");
    }
    CHECK_FALSE(declared.empty());
    if (!own.empty()) {
      const std::string first = file.text.substr(file.text.find("#include"));
      CHECK(first.starts_with("#include \"core/" + name + ".hpp\"\n"));
    }
    const auto object = objects().find(file.path);
    REQUIRE(object != objects().end());
    for (const std::string& symbol : object->second.defines) {
      const std::string whole = readable(symbol);
      if (whole.starts_with("vtable") || whole.starts_with("typeinfo")) continue;
      CHECK_MESSAGE(has_word(declared, last_name(whole)), whole);
    }
  }
  CHECK(files > 60);
}

TEST_SUITE_END();

}  // namespace bifold
