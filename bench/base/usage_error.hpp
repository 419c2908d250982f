// A command line that cannot be carried out.
#pragma once

#include <stdexcept>

namespace bench {

/// Its message is one line for standard error; the program then exits with status 2.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace bench
