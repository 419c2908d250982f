// The help of the tool: lines that a terminal holds, examples, and exit statuses.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>

namespace bench {

/// Breaks what options mean into lines of at most 100 columns.
class HelpFormatter : public CLI::Formatter {
 public:
  [[nodiscard]] std::string make_option(const CLI::Option* option, bool positional) const override;
};

/// Examples of a subcommand, and its exit statuses.
std::string help_footer(std::string_view subcommand);

}  // namespace bench
