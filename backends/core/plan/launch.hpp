// Launches: arguments in the order of a kernel's parameters.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "core/plan/plan.hpp"

namespace bifold::core {

inline backend::Argument argument(const StoredAccumulator& value) {
  return {value.data(), value.size()};
}
inline backend::Argument argument(const std::uint64_t& value) { return {&value, sizeof value}; }

/// Indices and counts that kernels take in one parameter, as the structs of these names in
/// the kernels. Indices count elements of what lies there, from where its memory begins.
struct ScanPlaces {
  std::uint64_t output;
  std::uint64_t control;
  std::uint64_t capacity;
  std::uint64_t tiles;
};
struct ReducePlaces {
  std::uint64_t nodes;
  std::uint64_t control;
  std::uint64_t result;
  std::uint64_t per_set;  ///< Groups of a set.
};
inline backend::Argument argument(const ScanPlaces& places) { return {&places, sizeof places}; }
inline backend::Argument argument(const ReducePlaces& places) { return {&places, sizeof places}; }

inline backend::Argument argument(const detail::Memory& memory) {
  const bool pointer = memory.kind == detail::HandleKind::pointer;
  return {&memory.handle, sizeof memory.handle,
          pointer ? backend::ArgumentKind::pointer : backend::ArgumentKind::memory,
          memory.identity};
}

/// Arguments of one launch, in the order of the kernel's parameters. It refers to the values.
template <std::size_t Most>
class ArgumentList {
 public:
  template <class T>
  void add(const T& value) {
    list_[size_++] = argument(value);
  }
  void add(const Range& range) {
    add(range.memory);
    add(range.offset);
  }
  // As INPUT_PARAMETERS in the kernels.
  void add(const Input& input) {
    add(input.first);
    if (input.misalignment) add(*input.misalignment);
    if (input.second) add(*input.second);
  }
  // As COUNT_PARAMETERS, INIT_PARAMETERS, FIRST_PARAMETERS and TOTAL_PARAMETERS in
  // the kernels.
  void add(const Count& count) {
    if (count.memory) add(*count.memory);
    add(count.n);
  }
  void add(const Init& init) {
    if (init.memory) {
      add(*init.memory);
    } else {
      add(init.value);
    }
    if (!init.counted) return;
    add(init.counted->nothing);
    add(init.counted->count);
  }
  void add(const First& first) {
    if (first.given) add(*first.given);
  }
  void add(const Total& total) {
    if (total.memory) add(*total.memory);
    add(total.first);
  }
  [[nodiscard]] std::span<const backend::Argument> all() const {
    return std::span(list_).first(size_);
  }

 private:
  std::array<backend::Argument, Most> list_{};
  std::size_t size_ = 0;
};

/// Launches `groups` groups with the arguments in the order of the kernel's parameters.
template <class... Arguments>
void launch(backend::Queue& queue, const PlannedKernel& planned, std::uint64_t groups,
            const Arguments&... arguments) {
  constexpr std::size_t most_of_one = 5;  // Two arrays, their offsets, a misalignment.
  ArgumentList<sizeof...(Arguments) * most_of_one> list;
  (list.add(arguments), ...);
  queue.launch(*planned.kernel, groups, planned.group_size, list.all());
}

}  // namespace bifold::core
