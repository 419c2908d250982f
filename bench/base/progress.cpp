#include "base/progress.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <string>

#include "base/format.hpp"

namespace bench {
namespace {

constexpr std::size_t bar_width = 24;

std::size_t terminal_width() {
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col < 20) return 80;
  return size.ws_col;
}

std::string clock_text(double seconds) {
  const auto whole = static_cast<unsigned long>(std::clamp(seconds, 0.0, 359999.0));
  return whole < 3600 ? formatted("{}:{:02}", whole / 60, whole % 60)
                      : formatted("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

}  // namespace

Progress::Progress(ProgressMode mode, double total)
    : visible_(mode == ProgressMode::automatic && isatty(STDERR_FILENO) == 1), total_(total) {}

Progress::~Progress() { hide(); }

void Progress::hide() {
  if (visible_) write_error("\r\033[K");
  drawn_ = {};
}

void Progress::show(std::string_view what) {
  const auto now = Clock::now();
  // Drawing more often would only cost time that the measurement may notice.
  if (!visible_ || now - drawn_ < std::chrono::milliseconds(100)) return;
  drawn_ = now;
  const double fraction = total_ > 0 ? std::min(done_ / total_, 1.0) : 1.0;
  const double spent = std::chrono::duration<double>(now - start_).count();
  const std::string left =
      fraction > 0.01 ? clock_text(spent * (1 - fraction) / fraction) + " left" : "estimating";
  const auto filled = static_cast<std::size_t>(fraction * bar_width);
  std::string line = formatted("[{}{}] {:3.0f} %  {}  {}", std::string(filled, '#'),
                               std::string(bar_width - filled, '.'), 100 * fraction, left, what);
  line.resize(std::min(line.size(), terminal_width() - 1));
  print_error("\r\033[K{}", line);
}

}  // namespace bench
