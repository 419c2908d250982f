// Splits of an array over ranks that are hard for what joins them.
#pragma once

#include <algorithm>
#include <bifold/bifold.hpp>
#include <bifold/group/distributed.hpp>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "support/environment.hpp"
#include "support/values/random.hpp"

namespace bifold::test {

/// Where slices begin, and where the last one ends.
using Offsets = std::vector<std::uint64_t>;

inline std::string text_of(const Offsets& offsets) {
  std::string text;
  for (const std::uint64_t offset : offsets) text += std::to_string(offset) + " ";
  return text;
}

/// Up to eight slices of n elements in units of `unit`: empty ones, borders beside those of units,
/// several ranks in a unit, and `turns` random ones.
inline std::vector<Offsets> cuts(std::uint64_t n, std::uint64_t unit, int turns) {
  std::vector<Offsets> all{{0, n}, {0, 0, n}, {0, n, n}, {0, 0, n, n}};
  const auto add = [&](Offsets inner) {
    for (std::uint64_t& offset : inner) offset = std::min(offset, n);
    std::sort(inner.begin(), inner.end());
    inner.insert(inner.begin(), 0);
    inner.push_back(n);
    all.push_back(std::move(inner));
  };
  add({unit});
  add({unit - 1, 2 * unit + 1});
  add({unit + 1, unit + 1, 2 * unit - 1});
  add({n - 1});
  add({1, 2, 3});
  // Eight in one unit, and with what follows it.
  add({unit / 9, unit / 5, unit / 4, unit / 3, unit / 2, unit / 2 + 1, unit - 2});
  add({unit + 5, unit + 6, unit + 70, unit + 71, unit + 400, unit + 900, unit + 901});
  Random random(seed() + n);
  for (int turn = 0; turn < turns; ++turn) {
    Offsets inner(random.below(8));
    for (std::uint64_t& offset : inner) {
      offset = random.below(n + 1);
      if (random.one_in(3)) offset = offset / unit * unit + random.below(3) - 1;
    }
    add(inner);
  }
  return all;
}

/// Whether two arrays have the same bits.
template <class T>
bool same_bytes(std::span<const T> left, std::span<const T> right) {
  const auto a = std::as_bytes(left);
  const auto b = std::as_bytes(right);
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}
template <class T>
bool same_bytes(const std::vector<T>& left, const std::vector<T>& right) {
  return same_bytes(std::span<const T>(left), std::span<const T>(right));
}

/// The array on a device, with a queue for each rank.
template <class T>
class Sliced {
 public:
  explicit Sliced(const std::vector<T>& host) : Sliced(test::device(), host) {}
  Sliced(const Device& device, const std::vector<T>& host)
      : queues_(8, Queue(device)),
        input_(queues_.front().upload(std::span<const T>(host))),
        output_(device, host.size()) {
    for (Queue& queue : queues_) queue = Queue(device);
  }

  Queue& queue(std::size_t rank) { return queues_[rank % queues_.size()]; }
  Buffer<T>& input() { return input_; }
  Buffer<T>& output() { return output_; }

  std::vector<Slice> slices(const Offsets& offsets) {
    std::vector<Slice> slices;
    for (std::size_t rank = 0; rank + 1 < offsets.size(); ++rank)
      slices.push_back(slice(offsets, rank));
    return slices;
  }
  Slice slice(const Offsets& offsets, std::size_t rank) {
    return {queue(rank), of(input_, offsets, rank)};
  }
  std::vector<ScanSlice> scan_slices(const Offsets& offsets, bool in_place = false) {
    std::vector<ScanSlice> slices;
    for (std::size_t rank = 0; rank + 1 < offsets.size(); ++rank) {
      slices.push_back({queue(rank), of(in_place ? output_ : input_, offsets, rank),
                        of(output_, offsets, rank)});
    }
    return slices;
  }

  /// After the work of all ranks.
  std::vector<T> outputs() {
    for (Queue& queue : queues_) queue.finish();
    return queues_.front().download(output_);
  }

 private:
  static ErasedView of(Buffer<T>& buffer, const Offsets& offsets, std::size_t rank) {
    return buffer.view(offsets[rank], offsets[rank + 1] - offsets[rank]);
  }

  std::vector<Queue> queues_;
  Buffer<T> input_;
  Buffer<T> output_;
};

}  // namespace bifold::test
