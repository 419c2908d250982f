#include "core/base/log.hpp"

#include <spdlog/logger.h>
#include <spdlog/sinks/base_sink.h>

#include <bifold/error.hpp>
#include <bifold/log.hpp>
#include <memory>
#include <mutex>
#include <utility>

#include "core/base/process.hpp"

namespace bifold {

namespace {

LogLevel level_of(spdlog::level::level_enum level) {
  switch (level) {
    case spdlog::level::trace:
    case spdlog::level::debug: return LogLevel::debug;
    case spdlog::level::info: return LogLevel::info;
    case spdlog::level::warn: return LogLevel::warning;
    default: return LogLevel::error;
  }
}

spdlog::level::level_enum level_of(LogLevel level) {
  switch (level) {
    case LogLevel::debug: return spdlog::level::debug;
    case LogLevel::info: return spdlog::level::info;
    case LogLevel::warning: return spdlog::level::warn;
    case LogLevel::error: return spdlog::level::err;
    case LogLevel::off: break;
  }
  return spdlog::level::off;
}

// Hands the bare text to the callback; patterns and time stamps are the program's affair.
class CallbackSink final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  void set(LogCallback callback) {
    const std::lock_guard lock(mutex_);
    callback_ = std::move(callback);
  }

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    if (!callback_) return;
    try {
      callback_(level_of(message.level), {message.payload.data(), message.payload.size()});
    } catch (...) {  // NOLINT(bugprone-empty-catch): a message is not worth failing a call for.
    }
  }
  void flush_() override {}

 private:
  LogCallback callback_;
};

struct Sinks {
  Sinks() {
    logger.set_level(spdlog::level::off);
    // By default spdlog prints its own failures; a library prints nothing.
    logger.set_error_handler([](const std::string&) {});
  }
  std::shared_ptr<CallbackSink> sink = std::make_shared<CallbackSink>();
  spdlog::logger logger{"bifold", sink};
};

// Never destroyed: destructors of static objects in a program may still log.
Sinks& instance() {
  static auto* const sinks = new Sinks;  // NOLINT(cppcoreguidelines-owning-memory)
  return *sinks;
}

}  // namespace

// A process that was forked says nothing: the sink's lock may be held for ever.
void set_log(LogLevel level, LogCallback callback) try {
  if (core::is_forked()) return;
  Sinks& sinks = instance();
  const bool silent = !callback || level == LogLevel::off;
  sinks.sink->set(std::move(callback));
  sinks.logger.set_level(silent ? spdlog::level::off : level_of(level));
} catch (...) {
  detail::rethrow();
}

namespace core {

bool Logger::listens(LogLevel level) noexcept {
  return !is_forked() && instance().logger.should_log(level_of(level));
}

void Logger::write(LogLevel level, const std::string& message) {
  instance().logger.log(level_of(level), message);
}

const Logger& log() noexcept {
  static const Logger logger;
  return logger;
}

}  // namespace core
}  // namespace bifold
