// Sweeps over everything that can fail in a program: one run for each, in which that fails.
#pragma once

#include <bifold/bifold.hpp>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace bifold::test {

/// A program that calls most of what there is and compares every result. It makes no memory of its
/// own, so whatever is asked for by operator new while it runs is the library's.
class Script {
 public:
  Script();
  /// Throws std::logic_error, with a text of few letters, for a wrong result.
  void run(const Device& device);

 private:
  std::vector<std::int32_t> input_;
  std::vector<std::int32_t> sums_;
  std::vector<std::int32_t> output_;
};

/// What fails, and how one knows.
struct Faults {
  std::function<void(int nth)> arm;         ///< The nth from now on fails.
  std::function<std::string()> disarm;      ///< What has failed; "" where nothing has.
  std::function<std::vector<long>()> live;  ///< Counts of what is alive.
};

/// The distance between the calls that a sweep lets fail: $BIFOLD_TEST_FAULT_STRIDE, else this.
int fault_stride(int otherwise);

/// For every `stride`th number k, runs a Script in which the kth of all calls fails: on one device,
/// or each on a device of its own. Checks that it ends well or in an Error, that the same device
/// (or a fresh one, where none was opened) runs the script well then, and that nothing is left over
/// that was not logged as an error. Returns how many have failed.
int sweep_kept(const Faults& faults, const std::function<Device()>& open, int stride);
/// The same.
int sweep_fresh(const Faults& faults, const std::function<Device()>& open, int stride);

}  // namespace bifold::test
