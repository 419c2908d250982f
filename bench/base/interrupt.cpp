#include "base/interrupt.hpp"

#include <atomic>
#include <csignal>

namespace bench {
namespace {

std::atomic<bool> noted{false};
static_assert(std::atomic<bool>::is_always_lock_free);

struct sigaction before {};

}  // namespace

Interrupts::Interrupts() {
  struct sigaction action {};
  action.sa_handler = [](int) { noted = true; };
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigaction(SIGINT, &action, &before);
}

Interrupts::~Interrupts() { sigaction(SIGINT, &before, nullptr); }

bool interrupted() noexcept { return noted; }

}  // namespace bench
