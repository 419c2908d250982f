// Links to the package, and says which backends answer on this machine.
#include <bifold/bifold.hpp>
#include <iostream>

int main() {
  std::cout << "bifold " << bifold::version() << '\n';
  for (const bifold::BackendInfo& backend : bifold::backends()) {
    std::cout << backend.name << ": " << (backend.available ? "available" : backend.reason) << '\n';
  }
}
