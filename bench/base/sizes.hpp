// Element counts as they are typed on the command line.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace bench {

/// The largest count that is accepted; its bytes still fit 64 bits for every element type.
inline constexpr std::uint64_t largest_size = std::uint64_t{1} << 56;

/// One count, as "1000", "2^20" or "64Ki". Throws UsageError, which starts with `option`, for
/// anything else.
std::uint64_t parse_size(std::string_view option, std::string_view text);

/// The counts that `text` names, ascending:
///   "1000", "2^20", "64Ki"    one count; the suffixes are Ki, Mi and Gi;
///   "2^10..2^30"              from the first to at most the last in steps of a factor of 4;
///   "2^10..2^30:2"            the same in steps of that factor.
/// Throws UsageError for anything else, for 0 and for more than `largest_size`.
std::vector<std::uint64_t> parse_sizes(std::string_view text);

}  // namespace bench
