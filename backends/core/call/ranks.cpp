#include "core/call/ranks.hpp"

#include <array>
#include <bifold/reductions.hpp>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
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
  /// Rising with the value, or falling where `turned` turns its bits over; those of NaNs are
  /// highest.
  static std::string rank(const std::string& value, const std::string& turned) {
    return formatted("({}{} - {})", turned, rising("bits_of(" + value + ")"), literal(nans));
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
  const std::string back =
      formatted("({}(({})s.rank + {}))", turned, name_of(type_of<Rank>()), Of::literal(Of::nans));
  return {type_of<Ranked>(),
          Operator::user("higher_rank", higher_rank<T, Rank>(), Value(Ranked{0, no_index}),
                         Commutativity::commutative),
          formatted("make_Ranked({}, i)", Of::rank("x", turned)),
          formatted("make_Indexed_{0}({0}_of_bits({1}), s.index)", name_of(type_of<T>()),
                    Of::of_rising(back)),
          "s.index"};
}

// In one word of 64 bits, a rank stands above how far the index lies before `most_packed`. The
// greatest word is found, and 0 below the rank is of no element.
constexpr std::string_view before_most = "(0x80000000u - (u32)i)";
std::string index_before_most(const std::string& distance) {
  return formatted("({0}) == 0u ? ~0ul : 0x80000000ul - ({0})", distance);
}

template <std::integral T>
Search packed_search(bool least) {
  using Word = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
  constexpr std::size_t shift = 8 * (sizeof(Word) - sizeof(T));
  const std::string turned = least ? "~" : "";
  const std::string_view name = name_of(type_of<T>());
  return {type_of<Word>(), maximum,
          formatted("({})((u64)({}x) << {} | {})", name_of(type_of<Word>()), turned, shift,
                    before_most),
          formatted("make_Indexed_{0}(({0})({1}(s >> {2})), {3})", name, turned, shift,
                    index_before_most("(u32)s")),
          index_before_most("(u32)s")};
}

// NaNs are equal, so theirs is another order: a distance stands above what tells a NaN from others.
// As many ranks are theirs as 24 bits have values, and distances of 31 bits leave half of the
// words.
Search packed_search_f32(bool least) {
  using Of = Bits<float, std::uint32_t>;
  constexpr std::uint64_t first = std::uint64_t{Of::first_nan} << 32U;
  const std::string turned = least ? "~" : "";
  const std::string rank = Of::rank("x", turned);
  const std::string first_nan = formatted("{:#x}ul", first);
  const std::string found =
      formatted("(s < {} ? (u32)(s >> 32) : (u32)s & 0xffffffu | 0xff000000u)", first_nan);
  const std::string distance = formatted("s < {0} ? (u32)s : (u32)((s - {0}) >> 24)", first_nan);
  const std::string back = formatted("({}({} + {}))", turned, found, Of::literal(Of::nans));
  return {Type::u64, maximum,
          formatted("{0} < {1} ? (u64){0} << 32 | {2} : {3} + ((u64){2} << 24 | {0} & 0xffffffu)",
                    rank, Of::literal(Of::first_nan), before_most, first_nan),
          formatted("make_Indexed_f32(f32_of_bits({}), {})", Of::of_rising(back),
                    index_before_most(distance)),
          index_before_most(distance)};
}

struct Searches {
  Search least;
  Search greatest;
};
const Search& one_of(const Searches& searches, bool least) {
  return least ? searches.least : searches.greatest;
}

template <class T>
const Search& packed(bool least) {
  static const Searches both = [] {
    if constexpr (std::is_integral_v<T>) {
      return Searches{packed_search<T>(true), packed_search<T>(false)};
    } else {
      return Searches{packed_search_f32(true), packed_search_f32(false)};
    }
  }();
  return one_of(both, least);
}

template <class T, class Rank>
const Search& unpacked(bool least) {
  static const Searches both{search<T, Rank>(true), search<T, Rank>(false)};
  return one_of(both, least);
}

}  // namespace

const Search* search_by_rank(Type element, bool least, std::uint64_t length) {
  return visit_type(accumulator_of(element), [&](auto zero) -> const Search* {
    using T = decltype(zero);
    if constexpr (sizeof(T) <= 4) {
      if (length <= most_packed) return &packed<T>(least);
    }
    if constexpr (std::is_same_v<T, float>) return &unpacked<T, std::uint32_t>(least);
    if constexpr (std::is_same_v<T, double>) return &unpacked<T, std::uint64_t>(least);
    return nullptr;
  });
}

}  // namespace core

}  // namespace bifold
