#include "compiled_texts.hpp"

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <optional>

#include "core/base/format.hpp"
#include "core/base/hash.hpp"

namespace bifold::test {

namespace fs = std::filesystem;

namespace {

std::string digest(const backend::Source& source, std::string_view checked) {
  const std::string all =
      core::formatted("{}\n{}\n{}", source.options, checked, std::string_view(source.text));
  // Two of 64 bits, the other from another start: one would do for thousands of texts.
  return core::formatted("{:016x}{:016x}", core::hash(all), core::hash(all, 0x9e3779b97f4a7c15U));
}

std::optional<CompiledTexts>& the_list() {
  static std::optional<CompiledTexts> list;
  return list;
}

}  // namespace

Digests wanted_digests() {
  const char* value = std::getenv("BIFOLD_TEST_DIGESTS");  // NOLINT(concurrency-mt-unsafe)
  const std::string_view word = value != nullptr ? value : "";
  if (word == "all") return Digests::all;
  return word == "write" ? Digests::write : Digests::use;
}

CompiledTexts::CompiledTexts(fs::path file, std::string compiler)
    : file_(std::move(file)), compiler_(std::move(compiler)) {
  std::ifstream stream(file_);
  std::getline(stream, listed_by_);
  for (std::string line; std::getline(stream, line);) listed_.insert(line);
}

bool CompiledTexts::of_this_compiler() const { return listed_.empty() || listed_by_ == compiler_; }

bool CompiledTexts::has(const backend::Source& source, std::string_view checked) const {
  return listed_by_ == compiler_ && listed_.contains(digest(source, checked));
}

void CompiledTexts::add(const backend::Source& source, std::string_view checked) {
  compiled_.insert(digest(source, checked));
}

bool CompiledTexts::leave_out(const backend::Source& source, std::string_view checked) {
  if (wanted_digests() != Digests::use || !has(source, checked)) return false;
  ++left_out_;
  return true;
}

void CompiledTexts::write() const {
  fs::create_directories(file_.parent_path());
  std::ofstream stream(file_);
  stream << compiler_ << '\n';
  for (const std::string& text : compiled_) stream << text << '\n';
}

CompiledTexts& compiled_texts(std::string_view name, const std::string& compiler) {
  std::optional<CompiledTexts>& list = the_list();
  if (!list) {
    const fs::path folder = fs::path(BIFOLD_SOURCE_DIR) / "tests/data/compiled";
    list.emplace(folder / (std::string(name) + ".txt"), compiler);
  }
  return *list;
}

void finish_compiled_texts() {
  const std::optional<CompiledTexts>& list = the_list();
  if (!list) return;
  std::cout << list->compiled() << " texts compiled, " << list->left_out()
            << " left out, as this compiler has compiled them before\n";
  if (wanted_digests() == Digests::write) list->write();
}

}  // namespace bifold::test
