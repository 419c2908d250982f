// Programs include our headers behind others that define these macros, <windows.h> for one.
#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>
#include <version>

// NOLINTBEGIN(cppcoreguidelines-macro-usage)
#define min(a, b) (((a) < (b)) ? (a) : (b))
#define max(a, b) (((a) > (b)) ? (a) : (b))
// NOLINTEND(cppcoreguidelines-macro-usage)

#include "every_header.inc"

#if !defined(min) || !defined(max)
#error "a header has taken the macros away, so that nothing was checked"
#endif
