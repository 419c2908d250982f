// What ranks give to a call over a group, by the split alone.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "core/slices/split.hpp"

namespace bifold::core {

/// The values of a reduction: one for each of some parts of the array.
class ReductionParts {
 public:
  /// `one_total`: each rank gives one value, as any association gives the same.
  ReductionParts(Split split, bool one_total);

  [[nodiscard]] const Split& split() const noexcept { return split_; }
  /// Of which elements of the array a rank gives values.
  [[nodiscard]] const std::vector<Interval>& of(std::uint32_t rank) const { return parts_[rank]; }
  /// How many values a rank gives at most.
  [[nodiscard]] std::size_t most() const noexcept { return most_; }
  /// How often the two topmost of a stack become one behind each value, an initial value in front
  /// of all others included.
  [[nodiscard]] const std::vector<std::uint32_t>& merges(bool with_init) const {
    return with_init ? merges_with_init_ : merges_;
  }

 private:
  Split split_;
  std::vector<std::vector<Interval>> parts_;
  std::vector<std::uint32_t> merges_;
  std::vector<std::uint32_t> merges_with_init_;
  std::size_t most_ = 0;
};

/// The totals of a scan, and which of them come before a rank's elements. A rank's elements are the
/// rest of its first group of tiles, whose front other ranks have, and what follows from a group's
/// border on. Both are scanned from the fold of init and all totals before them.
class ScanTotals {
 public:
  /// `one_total`: each rank gives one, as any association gives the same. `with_total`: the fold of
  /// all is wanted, too.
  ScanTotals(Split split, bool one_total, bool with_init, bool with_total);

  [[nodiscard]] const Split& split() const noexcept { return split_; }
  /// Totals that a rank gives: of its slice, or of the groups that end in it.
  [[nodiscard]] std::uint64_t of(std::uint32_t rank) const { return counts_[rank]; }
  /// How many a rank gives at most.
  [[nodiscard]] std::uint64_t most() const noexcept { return most_; }
  /// Init and all totals.
  [[nodiscard]] std::uint64_t values() const noexcept { return before_.back(); }
  /// How many of these come before a rank's first element, and before its first whole group.
  [[nodiscard]] std::uint64_t before(std::uint32_t rank) const { return before_[rank]; }
  [[nodiscard]] std::uint64_t before_rest(std::uint32_t rank) const;
  /// Whether a rank has elements from its first group's border on.
  [[nodiscard]] bool has_rest(std::uint32_t rank) const;
  /// Whether the total of all is what this rank's scan ends with.
  [[nodiscard]] bool leaves_total(std::uint32_t rank) const;
  /// The last rank that has elements; 0 where none has any.
  [[nodiscard]] std::uint32_t last() const noexcept { return last_; }

 private:
  Split split_;
  bool one_total_;
  bool with_total_;
  std::vector<std::uint64_t> counts_;
  std::vector<std::uint64_t> before_;
  std::uint64_t most_ = 0;
  std::uint32_t last_ = 0;
};

/// Parts of the last few splits, as calls repeat theirs.
template <class Parts>
class KnownParts {
 public:
  /// Parts(Split(counts, unit, fronts), flags...).
  template <class... Flags>
  std::shared_ptr<const Parts> of(const std::vector<std::uint64_t>& counts, std::uint64_t unit,
                                  Fronts fronts, Flags... flags) {
    const std::array<bool, 3> all{flags...};
    for (const Entry& known : entries_) {
      if (known.parts && known.unit == unit && known.flags == all && known.counts == counts) {
        return known.parts;
      }
    }
    Entry& next = entries_.at(next_);
    next = {counts, unit, all,
            std::make_shared<const Parts>(Split(counts, unit, fronts), flags...)};
    next_ = (next_ + 1) % entries_.size();
    return next.parts;
  }

 private:
  struct Entry {
    std::vector<std::uint64_t> counts;
    std::uint64_t unit = 0;
    std::array<bool, 3> flags{};
    std::shared_ptr<const Parts> parts;
  };
  std::array<Entry, 4> entries_;
  std::size_t next_ = 0;
};

}  // namespace bifold::core
