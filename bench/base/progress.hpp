// A progress bar with the time left.
#pragma once

#include <chrono>
#include <string_view>

namespace bench {

enum class ProgressMode { automatic, off };

/// Draws on standard error, and only when that is a terminal. One line, gone when destroyed.
class Progress {
 public:
  /// `total` is the sum of the costs that advance() will be told.
  Progress(ProgressMode mode, double total);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Says what is being done now.
  void show(std::string_view what);
  /// Takes the line away until something is shown again: others write to the terminal now.
  void hide();
  /// A piece of work of that cost is done.
  void advance(double cost) { done_ += cost; }

 private:
  using Clock = std::chrono::steady_clock;

  bool visible_;
  double total_;
  double done_ = 0;
  Clock::time_point start_ = Clock::now();
  Clock::time_point drawn_{};
};

}  // namespace bench
