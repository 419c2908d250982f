#include "core/call/ranks.hpp"

#include <array>
#include <bifold/reductions.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include "core/base/format.hpp"

namespace bifold {

namespace {

// Of one width, as loops over accumulators become vectors of a CPU then. A rank of 32 bits stands
// in the lower half.
struct Ranked {
  std::uint64_t rank;
  std::uint64_t index;
};

}  // namespace

template <>
struct StructTraits<Ranked> {
  static constexpr std::array fields{StructField{"rank", Type::u64, offsetof(Ranked, rank)},
                                     StructField{"index", Type::u64, offsetof(Ranked, index)}};
  static constexpr StructType definition{"Ranked", sizeof(Ranked), fields};
};

namespace core {

namespace {

// The bits of a value as they rise with it, and back: those of negative values turned over, and the
// sign of others. NaNs lie on both ends, as many as `nans` below all values.
template <class T, class Rank>
struct Bits {
  static constexpr Rank sign = Rank{1} << (8 * sizeof(Rank) - 1);
  static constexpr Rank nans = (Rank{1} << (std::numeric_limits<T>::digits - 1)) - 1;
  /// The ranks of NaNs, when those below have become the highest.
  static constexpr Rank first_nan = ~Rank{0} - 2 * nans + 1;

  static std::string literal(Rank value) {
    return formatted("{:#x}{}", value, sizeof(Rank) == 8 ? "ul" : "u");
  }
  /// All ones where the highest bit is set.
  static std::string spread(const std::string& bits) {
    return formatted("({0})(({1})({2}) >> {3})", name_of(type_of<Rank>()),
                     name_of(type_of<std::make_signed_t<Rank>>()), bits, 8 * sizeof(Rank) - 1);
  }
  static std::string rising(const std::string& bits) {
    return formatted("({0} ^ ({1} | {2}))", bits, spread(bits), literal(sign));
  }
  static std::string of_rising(const std::string& rising) {
    return formatted("({0} ^ (~{1} | {2}))", rising, spread(rising), literal(sign));
  }
};

// Of the higher rank, of equals the lower index: NaNs are equal, though they have ranks of their
// own, so that the bits of one are known from its rank. Of 64 bits, a minimum takes longer than
// another comparison.
template <class T, class Rank>
std::string higher_rank() {
  const std::string nan = Bits<T, Rank>::literal(Bits<T, Rank>::first_nan);
  if constexpr (sizeof(Rank) == 4) {
    return formatted(
        "(min((u32)a.rank, {0}) > min((u32)b.rank, {0})) | "
        "((min((u32)a.rank, {0}) == min((u32)b.rank, {0})) & (a.index < b.index)) ? a : b",
        nan);
  } else {
    return formatted(
        "((a.rank > b.rank) & (b.rank < {0})) | "
        "((a.index < b.index) & !((b.rank > a.rank) & (a.rank < {0}))) ? a : b",
        nan);
  }
}

template <class T, class Rank>
Search search(bool least) {
  using Of = Bits<T, Rank>;
  const std::string turned = least ? "~" : "";
  const std::string nans = Of::literal(Of::nans);
  const std::string back =
      formatted("({}(({})s.rank + {}))", turned, name_of(type_of<Rank>()), nans);
  return {type_of<Ranked>(),
          Operator::user("higher_rank", higher_rank<T, Rank>(), Value(Ranked{0, no_index}),
                         Commutativity::commutative),
          formatted("make_Ranked({}{} - {}, i)", turned, Of::rising("bits_of(x)"), nans),
          formatted("make_Indexed_{0}({0}_of_bits({1}), s.index)", name_of(type_of<T>()),
                    Of::of_rising(back)),
          "s.index"};
}

}  // namespace

const Search& search_by_rank(Type element, bool least) {
  if (accumulator_of(element) == Type::f32) {
    static const Search of_least = search<float, std::uint32_t>(true);
    static const Search of_greatest = search<float, std::uint32_t>(false);
    return least ? of_least : of_greatest;
  }
  static const Search of_least = search<double, std::uint64_t>(true);
  static const Search of_greatest = search<double, std::uint64_t>(false);
  return least ? of_least : of_greatest;
}

}  // namespace core

}  // namespace bifold
