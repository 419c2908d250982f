// Documents of runs: whatever a file holds, it is read and compared, or an error says what is wrong
// with it.
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/usage_error.hpp"
#include "comparison/comparison.hpp"
#include "comparison/html.hpp"
#include "comparison/tables.hpp"
#include "document/run_file.hpp"

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    std::vector<bench::RunFile> files{bench::read_run_document(text, "document")};
    files.push_back(files.front());
    const bench::Comparison comparison = bench::compare(std::move(files));
    for (const std::string& shown :
         {bench::comparison_as_text(comparison, true), bench::comparison_as_markdown(comparison),
          bench::comparison_as_csv(comparison), bench::comparison_as_html(comparison)}) {
      if (shown.empty() || shown.find('\0') != std::string::npos) __builtin_trap();
    }
  } catch (const bench::UsageError& error) {
    if (!std::string_view(error.what()).starts_with("document: ") &&
        !std::string_view(error.what()).starts_with("compare: ")) {
      __builtin_trap();
    }
  }
  return 0;
}
