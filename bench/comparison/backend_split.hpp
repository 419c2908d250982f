// Why one backend is slower than another on the same device.
#pragma once

#include <string>
#include <vector>

#include "comparison/comparison.hpp"

namespace bench {

/// The configurations that both backends of one device measured in all regimes, of one run each.
std::vector<BackendSplit> splits_of(const Comparison& comparison);

/// What costs `b` more time than `a`, or less.
Cause cause_of(const Result& a, const Result& b);
/// The same in words; `name` is what b is called.
std::string answer_of(const Result& a, const Result& b, const std::string& name);
/// How many calls differ for which cause, in a sentence for each pair of devices; or nothing.
std::string split_summary(const Comparison& comparison);

}  // namespace bench
