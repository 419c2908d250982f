// A command line that cannot be carried out.
#pragma once

#include <stdexcept>
#include <string>

namespace bench {

/// Its message is one line for standard error; the program then exits with status 2.
class UsageError : public std::runtime_error {
 public:
  explicit UsageError(const std::string& message) : std::runtime_error(message) {}
};

}  // namespace bench
