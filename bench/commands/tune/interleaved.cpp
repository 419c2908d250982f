#include "commands/tune/interleaved.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace bench {
namespace {

/// Parts of the turns in which the built-in values are compared with themselves.
constexpr std::size_t parts = 3;
constexpr double least_spread = 0.005;

std::vector<double> part_of(const std::vector<double>& turns, std::size_t part) {
  std::vector<double> values;
  for (std::size_t i = part; i < turns.size(); i += parts) values.push_back(turns[i]);
  return values;
}

std::vector<double> both(std::vector<double> left, const std::vector<double>& right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

/// What the built-in point gains when it is moved, at a place whose row then is another one; or
/// nothing where it stays the same.
double moved_gain(const Place& place, std::uint32_t from, std::uint32_t to) {
  const double gain = std::log1p(place.compared.gain);
  if (place.mib >= to && place.mib < from) return gain;
  return place.mib < to && place.mib >= from ? -gain : 0;
}

}  // namespace

double mean_gain(const std::vector<double>& speedups) {
  double sum = 0;
  for (const double each : speedups) sum += std::log(each);
  return std::exp(sum / static_cast<double>(speedups.size())) - 1;
}

double speedup(const std::vector<double>& from, const std::vector<double>& to) {
  return median_of(from) / median_of(to);
}

TuningComparison compared_in_turns(const std::vector<Samples>& sizes) {
  TuningComparison compared{0, least_spread, std::numeric_limits<double>::infinity()};
  std::vector<double> speedups;
  for (const Samples& at : sizes) {
    speedups.push_back(speedup(both(at[0], at[1]), at[2]));
    compared.worst = std::min(compared.worst, speedups.back() - 1);
  }
  compared.gain = mean_gain(speedups);
  for (std::size_t part = 0; part < parts; ++part) {
    std::vector<double> same;
    for (const Samples& at : sizes) {
      if (part < at[0].size()) same.push_back(speedup(part_of(at[0], part), part_of(at[1], part)));
    }
    if (same.empty()) break;
    compared.spread = std::max(compared.spread, std::expm1(std::abs(std::log1p(mean_gain(same)))));
  }
  return compared;
}

SwitchPoint switch_point_of(const std::vector<Place>& places, std::uint32_t built_in) {
  SwitchPoint best{built_in, {}};
  double most = 0;
  for (const Place& candidate : places) {
    double total = 0;
    for (const Place& place : places) total += moved_gain(place, built_in, candidate.mib);
    if (total > most) {
      most = total;
      best.mib = candidate.mib;
    }
  }
  if (best.mib == built_in) return best;
  double moved = 0;
  best.compared.worst = std::numeric_limits<double>::infinity();
  for (const Place& place : places) {
    const std::uint32_t low = std::min(best.mib, built_in);
    if (place.mib < low || place.mib >= std::max(best.mib, built_in)) continue;
    ++moved;
    best.compared.spread = std::max(best.compared.spread, place.compared.spread);
    best.compared.worst =
        std::min(best.compared.worst, std::expm1(moved_gain(place, built_in, best.mib)));
  }
  best.compared.gain = std::expm1(most / moved);
  return best;
}

}  // namespace bench
