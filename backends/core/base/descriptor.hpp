// File descriptors with an owner, and what is done to files by them.
#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace bifold::core {

/// Closed at its end.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) noexcept : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { close(); }

  explicit operator bool() const noexcept { return number_ >= 0; }
  [[nodiscard]] int number() const noexcept { return number_; }

  /// Gives the number away.
  int release() noexcept { return std::exchange(number_, -1); }
  /// False, and errno, where the system could not write what it had taken.
  bool close() noexcept;

 private:
  int number_ = -1;
};

/// Writes the whole text. False, and errno, where that fails.
bool write_all(const Descriptor& to, std::string_view text);

/// 32 hexadecimal digits that nobody can foretell; empty, and errno, where the system has none.
std::string random_digits();

/// What a value of errno means, in words.
std::string words_of(int error);

}  // namespace bifold::core
