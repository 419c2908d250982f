// Times in messages.
#pragma once

#include <chrono>
#include <string>

namespace bifold::core {

/// "120 s", "20 ms", "1.5 us", "1 ns": in the largest unit of which there is one.
std::string duration_text(std::chrono::nanoseconds time);

}  // namespace bifold::core
