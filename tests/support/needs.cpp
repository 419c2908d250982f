// What the program that this file is compiled into cannot do without.
#include "environment.hpp"

namespace bifold::test {

const Needs program_needs = BIFOLD_TEST_NEEDS;

}  // namespace bifold::test
