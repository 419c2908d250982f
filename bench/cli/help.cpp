#include "cli/help.hpp"

#include <array>
#include <stdexcept>

#include "base/format.hpp"
#include "base/grid.hpp"
#include "commands/kernel/kernel_command.hpp"

namespace bench {
namespace {

struct Help {
  std::string_view subcommand;
  std::array<std::string_view, 2> examples;
  std::string_view statuses;  ///< But for that of a bad command line.
};

constexpr std::string_view of_a_run =
    "0; 1 when a result was wrong, something failed or there is no device; 130 after an interrupt, "
    "with what was measured until then";

constexpr Help helps[]{
    {"list",
     {"list", "list --full --json here.json"},
     "0, also without a device; 1 when a file "
     "could not be written"},
    {"run",
     {"run --device opencl:cpu --type f64 --size 2^10..2^26:2 --json result.json",
      "run --suite standard --json here.json --html here.html"},
     of_a_run},
    {"compare",
     {"compare here.json there.json --html both.html", "compare --backends"},
     "0 when all bits that can be compared agree; 1 when some differ or a result was wrong; 3 when "
     "no bits can be compared; 130 after an interrupt"},
    {"gallery",
     {"gallery --list", "gallery --paper harris --device cuda:0 --markdown harris.md"},
     "0; 1 when a result was wrong, something failed or there is no device"},
    {"check",
     {"check", "check --device cuda:0 --variant all --no-store --json check.json"},
     "0; 1 when a variant failed or could not be checked, the result could not be stored, or there "
     "is no device; 130 after an interrupt, with what was checked until then"},
    {"tune",
     {"tune --device cuda:0 --install", "tune --type i32 --seconds 60 --output tuning.txt"},
     of_a_run},
    {"accuracy",
     {"accuracy --max-size 2^16", "accuracy --device opencl:cpu --markdown errors.md"},
     "0; 1 when a device gave other bits than the host"},
    {"startup",
     {"startup", "startup --device cuda:0 --type f64 --size 2^24"},
     "0; 1 when a result was wrong, something failed or there is no device"},
    {"stream",
     {"stream", "stream --device cuda:0 --type f32,f64 --size 2^28"},
     "0; 1 when a result was wrong, something failed or there is no device"},
    {"report",
     {"report", "report --device cuda:0"},
     "0, also without a device; 1 when the report could not be written"},
};

}  // namespace

std::string HelpFormatter::make_option(const CLI::Option* option, bool positional) const {
  const std::size_t column = get_column_width();
  const std::string name = "  " + make_option_name(option, positional) + make_option_opts(option);
  std::string meaning = wrapped(make_option_desc(option), column);
  if (name.size() + 2 > column) return name + '\n' + meaning;
  meaning.replace(0, column, formatted("{:<{}}", name, column));
  return meaning;
}

std::string help_footer(std::string_view subcommand) {
  if (subcommand == "kernel") return kernel_help();
  for (const Help& help : helps) {
    if (help.subcommand != subcommand) continue;
    std::string text = "Examples:\n";
    for (const std::string_view example : help.examples) {
      text += formatted("  bifold-bench {}\n", example);
    }
    text += wrapped(formatted("Exit status: {}; 2 for a bad command line.", help.statuses), 0);
    text.pop_back();
    return text;
  }
  throw std::logic_error(formatted("no help for {}", subcommand));
}

}  // namespace bench
