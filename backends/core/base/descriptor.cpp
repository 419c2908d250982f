#include "core/base/descriptor.hpp"

#include <sys/random.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <system_error>

#include "core/base/format.hpp"

namespace bifold::core {

bool Descriptor::close() noexcept {
  const int number = release();
  // Interrupted or not, it is closed.
  return number < 0 || ::close(number) == 0 || errno == EINTR;
}

bool write_all(const Descriptor& to, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(to.number(), text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

std::string random_digits() {
  std::array<std::uint64_t, 2> bits{};
  // So few bytes come whole, or not at all before the system has gathered any.
  if (getrandom(bits.data(), sizeof bits, GRND_NONBLOCK) != ssize_t{sizeof bits}) return {};
  return formatted("{:016x}{:016x}", bits[0], bits[1]);
}

std::string words_of(int error) { return std::generic_category().message(error); }

}  // namespace bifold::core
