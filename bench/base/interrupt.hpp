// The interrupt from the keyboard, by which a measurement ends early and keeps what it has.
#pragma once

namespace bench {

/// The exit status of a subcommand that was interrupted: 128 and the signal's number, as shells
/// have it.
inline constexpr int exit_interrupted = 130;

/// While one lives, the first interrupt is noted; a second one ends the process.
class Interrupts {
 public:
  Interrupts();
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;
};

/// Whether there was an interrupt.
bool interrupted() noexcept;

}  // namespace bench
