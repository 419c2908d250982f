/// @file
/// Selections: the elements of an array that are flagged, or their indices, one behind the other
/// in their order, and how many these are, left in device memory for later calls.
#pragma once

#include <bifold/buffer.hpp>
#include <bifold/device.hpp>
#include <bifold/device_values.hpp>
#include <bifold/event.hpp>
#include <bifold/export.hpp>
#include <bifold/gallery.hpp>
#include <bifold/map.hpp>
#include <bifold/queue.hpp>
#include <bifold/scalar.hpp>
#include <bifold/type.hpp>
#include <bifold/workspace.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace bifold {

/// @cond internal
namespace detail {
class Plan;
}  // namespace detail
/// @endcond

/// @addtogroup calls
/// @{

/// Everything about a selection that has a default.
struct SelectOptions {
  std::vector<Event> wait{};                ///< The call starts after these.
  Event* done = nullptr;                    ///< Receives the call's completion.
  const Workspace* workspace = nullptr;     ///< Scratch to use instead of the queue's own.
  std::string_view variant = "production";  ///< The name of a selection of the gallery.
  /// One u32 or u64 in device memory, read when the call runs: n. The input's count is then the
  /// most there can be, and what a larger n counts as. The `kept` of an earlier call may be it.
  std::optional<ErasedView> count_from{};
  /// A value for each scalar that the predicate declares, in any order.
  std::vector<Scalar> scalars{};
};

/// @}
/// @addtogroup plans
/// @{

/// What a selection stores of an element that is kept.
enum class Selected : std::uint8_t {
  elements,  ///< The element, converted to the output's type as a scan without a map would.
  indices,   ///< Its index in the input, as u32 or u64.
};

/// What becomes of the elements that a selection does not keep.
enum class Rejected : std::uint8_t {
  dropped,   ///< They are not stored.
  in_order,  ///< They lie behind those that are kept, in their order.
  reversed,  ///< They lie behind those that are kept, the last one first.
};

/// What a selection is, apart from its data.
struct SelectShape {
  Type input = Type::i32;       ///< Of the elements read.
  Type output = Type::i32;      ///< Of what is stored.
  Type kept = Type::u64;        ///< Of the number that is left: u32 or u64.
  Map predicate{};              ///< Over `x` and `i`: what it does not make 0 is kept. "x" without.
  std::optional<Type> flags{};  ///< Of flags beside the elements; the predicate is none then.
  Selected selected = Selected::elements;   ///< What is stored.
  std::string_view variant = "production";  ///< The name of a selection of the gallery.
  DeviceValues on_device{};               ///< What the options' count_from and scalars will bring.
  Rejected rejected = Rejected::dropped;  ///< What becomes of the others.
  /// The first element of each run is kept: of neighbours for which `predicate` is not 0, a text
  /// over an element `x`, the one before it `y`, and `i`. "x == y" without.
  bool first_of_runs = false;
  /// Of an array beside the keys of run_by_key(), which wants `first_of_runs`, elements and the
  /// rejected ones dropped.
  std::optional<Type> values{};
  std::optional<Type> stored_values{};  ///< Of what is stored of it; the same by default.
};

/// A selection made ready for a device; see ReducePlan.
class BIFOLD_API_CLASS SelectPlan {
 public:
  /// May compile. Throws unsupported when the device cannot run the shape, invalid_argument for an
  /// unknown variant, a predicate that does not fit its types or beside flags, a `kept` or indices
  /// of another type than u32 and u64, values beside other elements than first keys, or what does
  /// not convert to the output's type.
  SelectPlan(const Device& device, const SelectShape& shape);

  /// The row that runs: "production" resolved.
  [[nodiscard]] const gallery::Variant& variant() const;

  /// Bytes of workspace for any input of up to `n` elements. Touches no device; monotone in n.
  [[nodiscard]] std::uint64_t workspace_bytes(std::uint64_t n) const;

  /// Enqueues select() of a shape without flags. The options' variant is not looked at.
  void run(Queue& queue, const ErasedView& input, const ErasedView& output, const ErasedView& kept,
           const SelectOptions& options = {}) const;

  /// The same of a shape with flags, which are as many as elements.
  void run_flagged(Queue& queue, const ErasedView& input, const ErasedView& flags,
                   const ErasedView& output, const ErasedView& kept,
                   const SelectOptions& options = {}) const;

  /// The same of a shape with values, as unique_by_key().
  void run_by_key(Queue& queue, const ErasedView& keys, const ErasedView& values,
                  const ErasedView& unique, const ErasedView& stored_values, const ErasedView& kept,
                  const SelectOptions& options = {}) const;

  /// @cond internal
  // A handle on a plan made otherwise.
  explicit SelectPlan(std::shared_ptr<const detail::Plan> plan);
  /// @endcond

 private:
  [[nodiscard]] const detail::Plan& plan() const;
  std::shared_ptr<const detail::Plan> plan_;
};

/// Compiles what calls of this shape run, of any size, and keeps it for the device. Throws as
/// SelectPlan's constructor.
BIFOLD_API void warm(const Device& device, const SelectShape& shape);

/// @}
/// @addtogroup calls
/// @{

/// Enqueues a selection: the elements for which the predicate is not 0 go to the output, one behind
/// the other in their order. The predicate is a text over `x` and the element's index `i`; the
/// empty one is "x". `kept` is one u32 or u64 in device memory, which receives how many elements
/// these are. The output may have any number of places, none too: what has no place is not stored,
/// and `kept` tells how many there would be. Behind the last one that is kept, nothing is written.
/// The output may be the input's memory if elements of both have one size: same memory, same
/// offset; devices whose groups may not wait for each other refuse that as unsupported. `kept` is
/// memory that the call does not use otherwise. Throws as SelectPlan, and invalid_argument for
/// more than 2^32 - 1 elements where `kept` is u32, and views that overlap otherwise.
BIFOLD_API void select(Queue& queue, const ErasedView& input, const ErasedView& output,
                       const ErasedView& kept, const Map& predicate,
                       const SelectOptions& options = {});

/// The same of the elements whose flag is not 0. Flags are numbers of any type, as many as
/// elements. The output may be the memory of either.
BIFOLD_API void select_flagged(Queue& queue, const ErasedView& input, const ErasedView& flags,
                               const ErasedView& output, const ErasedView& kept,
                               const SelectOptions& options = {});

/// The same, but the indices of these elements are stored, in rising order, as u32 or u64. An input
/// that u32 cannot count has u64 indices.
BIFOLD_API void select_index(Queue& queue, const ErasedView& input, const ErasedView& output,
                             const ErasedView& kept, const Map& predicate = {},
                             const SelectOptions& options = {});

/// Enqueues a partition: what select() keeps, and behind it all others, in their order, too. `kept`
/// receives how many there are in front. The output has as many places as the input has elements,
/// and no memory in common with it; behind n of `count_from` nothing is written. Reads the input
/// twice.
BIFOLD_API void partition(Queue& queue, const ErasedView& input, const ErasedView& output,
                          const ErasedView& kept, const Map& predicate,
                          const SelectOptions& options = {});

/// The same with the others in reverse order, the last one first. Reads the input once.
BIFOLD_API void partition_reversed(Queue& queue, const ErasedView& input, const ErasedView& output,
                                   const ErasedView& kept, const Map& predicate,
                                   const SelectOptions& options = {});

/// Enqueues a selection of the first element of each run of equal ones. `equality` is a text over
/// an element `x`, the one before it `y`, and the index `i` of `x`: where it is not 0, `x` goes on
/// with the run. Without one it is "x == y", by which -0 equals +0, and each NaN is a run of its
/// own; structs want one. In place as select(), but only if no element changes its type.
BIFOLD_API void unique(Queue& queue, const ErasedView& input, const ErasedView& output,
                       const ErasedView& kept, const Map& equality = {},
                       const SelectOptions& options = {});

/// Enqueues unique() of `keys`. Beside the first key of each run it stores the element of `values`
/// at the same index. There is a value for each key. `unique` and `stored_values` have equally many
/// places; `kept` receives the number of runs. Values convert as a scan without a map would. No
/// output overlaps an input.
BIFOLD_API void unique_by_key(Queue& queue, const ErasedView& keys, const ErasedView& values,
                              const ErasedView& unique, const ErasedView& stored_values,
                              const ErasedView& kept, const Map& equality = {},
                              const SelectOptions& options = {});

/// Enqueues a partition. Errors as the call of views.
template <device_range R, writable_range Out, writable_range Kept>
void partition(Queue& queue, R&& input, Out&& output, Kept&& kept, const Map& predicate,
               const SelectOptions& options = {}) {
  partition(queue, erase(input), erase(output), erase(kept), predicate, options);
}

/// Enqueues a partition whose end is in reverse. Errors as the call of views.
template <device_range R, writable_range Out, writable_range Kept>
void partition_reversed(Queue& queue, R&& input, Out&& output, Kept&& kept, const Map& predicate,
                        const SelectOptions& options = {}) {
  partition_reversed(queue, erase(input), erase(output), erase(kept), predicate, options);
}

/// Enqueues a selection of the first elements of runs. Errors as the call of views.
template <device_range R, writable_range Out, writable_range Kept>
void unique(Queue& queue, R&& input, Out&& output, Kept&& kept, const Map& equality = {},
            const SelectOptions& options = {}) {
  unique(queue, erase(input), erase(output), erase(kept), equality, options);
}

/// Enqueues a selection of the first keys of runs and their values. Errors as the call of views.
template <device_range K, device_range V, writable_range Unique, writable_range Stored,
          writable_range Kept>
void unique_by_key(Queue& queue, K&& keys, V&& values, Unique&& unique, Stored&& stored_values,
                   Kept&& kept, const Map& equality = {}, const SelectOptions& options = {}) {
  unique_by_key(queue, erase(keys), erase(values), erase(unique), erase(stored_values), erase(kept),
                equality, options);
}

/// Enqueues a selection of elements that the predicate holds for. Errors as the call of views.
template <device_range R, writable_range Out, writable_range Kept>
void select(Queue& queue, R&& input, Out&& output, Kept&& kept, const Map& predicate,
            const SelectOptions& options = {}) {
  select(queue, erase(input), erase(output), erase(kept), predicate, options);
}

/// Enqueues a selection of elements whose flags are not 0. Errors as the call of views.
template <device_range R, device_range Flags, writable_range Out, writable_range Kept>
void select_flagged(Queue& queue, R&& input, Flags&& flags, Out&& output, Kept&& kept,
                    const SelectOptions& options = {}) {
  select_flagged(queue, erase(input), erase(flags), erase(output), erase(kept), options);
}

/// Enqueues a selection of indices. Errors as the call of views.
template <device_range R, writable_range Out, writable_range Kept>
void select_index(Queue& queue, R&& input, Out&& output, Kept&& kept, const Map& predicate = {},
                  const SelectOptions& options = {}) {
  select_index(queue, erase(input), erase(output), erase(kept), predicate, options);
}

/// @}

}  // namespace bifold
