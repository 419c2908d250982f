// A locale in which the small letter of I is not i, and numbers have commas.
#pragma once

#include <clocale>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

namespace bifold::test {

/// The process has a Turkish locale while it lives, where there is one or `localedef` makes one.
class Turkish {
 public:
  Turkish() {
    for (const char* const name : {"tr_TR.ISO-8859-9", "tr_TR.iso88599", "tr_TR", "tr_TR.UTF-8"}) {
      if (set(name)) return;
    }
    std::string folder = (std::filesystem::temp_directory_path() / "bifold-XXXXXX").string();
    if (mkdtemp(folder.data()) == nullptr) return;
    const std::string command =
        "localedef -i tr_TR -f ISO-8859-9 '" + folder + "/tr_TR.ISO-8859-9' 2>/dev/null";
    // NOLINTBEGIN(concurrency-mt-unsafe): the tests of a suite run one after another.
    if (std::system(command.c_str()) == 0) {
      setenv("LOCPATH", folder.c_str(), 1);
      static_cast<void>(set("tr_TR.ISO-8859-9"));
      unsetenv("LOCPATH");
    }
    // NOLINTEND(concurrency-mt-unsafe)
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
  }
  ~Turkish() { std::setlocale(LC_ALL, "C"); }  // NOLINT(concurrency-mt-unsafe)
  Turkish(const Turkish&) = delete;
  Turkish& operator=(const Turkish&) = delete;

  [[nodiscard]] bool is_set() const noexcept { return set_; }

 private:
  [[nodiscard]] bool set(const char* name) {
    set_ = std::setlocale(LC_ALL, name) != nullptr;  // NOLINT(concurrency-mt-unsafe)
    return set_;
  }

  bool set_ = false;
};

}  // namespace bifold::test
