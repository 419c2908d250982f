#include <algorithm>
#include <bifold/map.hpp>
#include <bifold/reductions.hpp>
#include <bifold/scalar.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/operators/map.hpp"

namespace bifold {

namespace {

// The first piece: long enough that the launch of a GPU costs little of it.
constexpr std::uint64_t first_piece = std::uint64_t{1} << 22U;

Map indices(const Map& predicate) { return core::around(predicate, "x != 0", "(", ") ? i : ~0ul"); }

void check(const ReduceOptions& options) {
  const bool mapped = !options.result_map.is_identity();
  if (!options.lines && !options.segments && !options.keys && !options.count_from &&
      !options.init_from && !options.accumulate && !mapped)
    return;
  throw Error(ErrorCategory::invalid_argument,
              "find_if, any, all and none give a value of one array to the host: no lines, "
              "segments, keys, result map, accumulator, or values from device memory");
}

}  // namespace

std::optional<std::uint64_t> find_if(Queue& queue, const ErasedView& input, const Map& predicate,
                                     const ReduceOptions& options) try {
  check(options);
  const core::PartMap map = core::part_map(indices(predicate));
  ReduceOptions of_piece = options;
  of_piece.scalars.emplace_back(map.first, Value(std::uint64_t{0}));
  std::uint64_t first = 0;
  std::uint64_t most = first_piece;
  // Of nothing, too, one call checks the arguments.
  do {
    ErasedView piece = input;
    piece.byte_offset += first * size_of(input.type);
    piece.count = std::min(most, input.count - first);
    of_piece.scalars.back().value = Value(first);
    const auto found =
        transform_reduce(queue, piece, Type::u64, minimum, Value(no_index), map.map, of_piece)
            .as<std::uint64_t>();
    if (found != no_index) return found;
    of_piece.wait.clear();
    first += piece.count;
    most *= 2;
  } while (first < input.count);
  return std::nullopt;
} catch (...) {
  detail::rethrow();
}

void find_if_into(Queue& queue, const ErasedView& input, const ErasedView& result,
                  const Map& predicate, const ReduceOptions& options) try {
  ReduceOptions of_all = options;
  // A result of i64 is -1 as one of u64 is no_index.
  if (!of_all.accumulate) of_all.accumulate = Type::u64;
  transform_reduce_into(queue, input, result, minimum, {}, indices(predicate), of_all);
} catch (...) {
  detail::rethrow();
}

bool any(Queue& queue, const ErasedView& input, const Map& predicate,
         const ReduceOptions& options) {
  return find_if(queue, input, predicate, options).has_value();
}

bool none(Queue& queue, const ErasedView& input, const Map& predicate,
          const ReduceOptions& options) {
  return !find_if(queue, input, predicate, options).has_value();
}

bool all(Queue& queue, const ErasedView& input, const Map& predicate,
         const ReduceOptions& options) try {
  const Map fails = core::around(predicate, "x != 0", "!(", ")");
  return !find_if(queue, input, fails, options).has_value();
} catch (...) {
  detail::rethrow();
}

}  // namespace bifold
