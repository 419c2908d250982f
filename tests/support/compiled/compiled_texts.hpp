// Kernel texts that a compiler has compiled before. Tests that only compile spend their time on
// those that are new; `./run sweep` compiles all of them again, and `./run digests` writes the
// lists.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <string_view>

#include "interface.hpp"

namespace bifold::test {

/// What $BIFOLD_TEST_DIGESTS asks for.
enum class Digests : std::uint8_t {
  use,    ///< Listed texts are left out: where it is not set.
  all,    ///< "all": every text is compiled.
  write,  ///< "write": every text is compiled, and listed.
};
Digests wanted_digests();

/// One list: a line with the compiler, then a line with the digest of each text, sorted.
class CompiledTexts {
 public:
  /// Reads the list; a file that is not there is an empty one.
  CompiledTexts(std::filesystem::path file, std::string compiler);

  /// Whether the list is this compiler's, or empty.
  [[nodiscard]] bool of_this_compiler() const;
  /// Whether this compiler has compiled the text with these options, and what was `checked` of it.
  [[nodiscard]] bool has(const backend::Source& source, std::string_view checked = "") const;
  /// It was compiled and checked just now.
  void add(const backend::Source& source, std::string_view checked = "");
  [[nodiscard]] std::size_t left_out() const { return left_out_; }
  [[nodiscard]] std::size_t compiled() const { return compiled_.size(); }
  /// For has() and add() together: whether the test can leave this text out.
  [[nodiscard]] bool leave_out(const backend::Source& source, std::string_view checked = "");
  /// What was added takes the place of the list.
  void write() const;

 private:
  std::filesystem::path file_;
  std::string compiler_;
  std::string listed_by_;
  std::set<std::string> listed_;
  std::set<std::string> compiled_;
  std::size_t left_out_ = 0;
};

/// The list `name` of tests/data/compiled. One a process: it is written where that is asked for,
/// and only if every test of the process has passed.
CompiledTexts& compiled_texts(std::string_view name, const std::string& compiler);

/// At the end of a run that passed: says what was left out, and writes the list if asked to.
void finish_compiled_texts();

}  // namespace bifold::test
