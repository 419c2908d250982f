/// @file
/// Device memory: buffers that own it, views that name a range of it.
#pragma once

#include <bifold/device.hpp>
#include <bifold/export.hpp>
#include <bifold/type.hpp>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace bifold {

/// @addtogroup memory
/// @{

namespace detail {

struct AllocationState;

/// What the handle of device memory is.
enum class HandleKind : std::uint8_t {
  native,   ///< What the backend allocates: a CUDA device address, an OpenCL buffer object.
  pointer,  ///< An address in OpenCL's shared virtual memory.
};

/// The origin of memory that has an address, of whatever handle.
inline constexpr std::uintptr_t address_space = ~std::uintptr_t{0};

/// A block of device memory as the backends name it.
struct Memory {
  std::uintptr_t handle = 0;
  std::uint64_t bytes = 0;        ///< Size of the whole block.
  const void* context = nullptr;  ///< Identity of the context it lives in; null is "unknown".
  HandleKind kind = HandleKind::native;
  bool readable = true;  ///< By kernels.
  bool writable = true;
  /// Where the bytes lie, so that blocks of different handles can be seen to overlap: the object
  /// that they are a part of, or address_space; 0 is the block itself.
  std::uintptr_t origin = 0;
  std::uint64_t origin_offset = 0;  ///< Within the origin, in bytes; an address in address_space.
  /// Never given again, as handles are; 0 of memory that the backend has not made, or where it has
  /// no use for it.
  std::uint64_t identity = 0;
};

/// Throws invalid_argument unless `count` elements of `element_size` bytes from `byte_offset` on
/// lie in `memory` and start at a multiple of the element size.
BIFOLD_API void check_range(const Memory& memory, std::uint64_t byte_offset, std::uint64_t count,
                            std::size_t element_size);

BIFOLD_API std::shared_ptr<AllocationState> allocate(const Device& device, std::uint64_t count,
                                                     Type type);
BIFOLD_API const Memory& memory_of(const AllocationState& allocation) noexcept;

}  // namespace detail

/// A view whose element type is known at run time only. What every call takes in the end; typed
/// views and buffers convert to it.
struct ErasedView {
  detail::Memory memory;          ///< What the range lies in.
  std::uint64_t byte_offset = 0;  ///< From the memory's start to the first element, in bytes.
  std::uint64_t count = 0;        ///< In elements.
  Type type = Type::i32;          ///< Of the elements.
  bool writable = false;          ///< Whether calls may write through it.
};

/// A range of device memory: (memory, element offset, count). Owns nothing, as std::span: the
/// memory must outlive the work that uses it. Cheap to copy. View<const T> is for reading.
template <class T>
  requires element<T>
class View {
 public:
  using value_type = std::remove_const_t<T>;  ///< The element type, without const.

  /// A view of nothing.
  View() noexcept = default;

  /// `count` elements from `byte_offset` on. Throws invalid_argument when they do not lie in the
  /// memory or the offset is not a multiple of the element size.
  View(const detail::Memory& memory, std::uint64_t byte_offset, std::uint64_t count)
      : memory_(memory), byte_offset_(byte_offset), count_(count) {
    detail::check_range(memory, byte_offset, count, sizeof(T));
  }

  /// In elements.
  [[nodiscard]] std::uint64_t size() const noexcept { return count_; }
  /// Whether there are no elements.
  [[nodiscard]] bool empty() const noexcept { return count_ == 0; }
  /// What the range lies in.
  [[nodiscard]] const detail::Memory& memory() const noexcept { return memory_; }
  /// From the memory's start to the first element, in bytes.
  [[nodiscard]] std::uint64_t byte_offset() const noexcept { return byte_offset_; }

  /// The `count` elements from element `offset` of this view on. Throws invalid_argument when
  /// they reach beyond it.
  [[nodiscard]] View subview(std::uint64_t offset, std::uint64_t count) const {
    const detail::Memory visible{memory_.handle, byte_offset_ + count_ * sizeof(T),
                                 memory_.context};
    detail::check_range(visible, byte_offset_, offset, sizeof(T));
    View result(visible, byte_offset_ + offset * sizeof(T), count);
    result.memory_ = memory_;
    return result;
  }

  /// The same bytes as elements of U; bytes that do not fill a U are left out. Throws
  /// invalid_argument when this view does not start at a multiple of U's size.
  template <element U>
    requires(std::is_const_v<U> || !std::is_const_v<T>)
  [[nodiscard]] View<U> as() const {
    return View<U>(memory_, byte_offset_, count_ * sizeof(T) / sizeof(U));
  }

  /// A view for writing is one for reading too.
  template <class U>
    requires(!std::is_const_v<T> && std::is_same_v<U, const T>)
  operator View<U>() const noexcept {  // NOLINT(google-explicit-constructor)
    View<U> view;
    view.memory_ = memory_;
    view.byte_offset_ = byte_offset_;
    view.count_ = count_;
    return view;
  }

  /// The same range, its element type known at run time.
  operator ErasedView() const noexcept {  // NOLINT(google-explicit-constructor)
    return {memory_, byte_offset_, count_, type_of<T>(), !std::is_const_v<T>};
  }

 private:
  template <class U>
    requires element<U>
  friend class View;

  detail::Memory memory_;
  std::uint64_t byte_offset_ = 0;
  std::uint64_t count_ = 0;
};

/// Owns `size()` elements of device memory. Move-only; freed when destroyed, behind the work that
/// was enqueued on it, for which that may wait. So a call takes a buffer that ends with its
/// statement; a view of such a buffer does not compile. Keeps its device alive.
template <element T>
class Buffer {
 public:
  using value_type = T;  ///< The element type.

  /// Owns nothing.
  Buffer() noexcept = default;

  /// Uninitialised memory for `count` elements; 0 is allowed. Throws out_of_memory when the device
  /// has no room or no allocation may be that large, unsupported for a type the device lacks.
  Buffer(const Device& device, std::uint64_t count)
      : allocation_(detail::allocate(device, count, type_of<T>())), count_(count) {}

  /// Takes the memory over; `other` owns nothing then.
  Buffer(Buffer&& other) noexcept
      : allocation_(std::move(other.allocation_)), count_(std::exchange(other.count_, 0)) {}
  /// Frees what this one owned, and takes the memory over; `other` owns nothing then.
  Buffer& operator=(Buffer&& other) noexcept {
    allocation_ = std::move(other.allocation_);
    count_ = std::exchange(other.count_, 0);
    return *this;
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() = default;

  /// In elements.
  [[nodiscard]] std::uint64_t size() const noexcept { return count_; }
  /// Whether there are no elements.
  [[nodiscard]] bool empty() const noexcept { return count_ == 0; }

  /// All elements, for reading and writing. A view does not keep the buffer alive.
  [[nodiscard]] View<T> view() & noexcept { return whole<T>(); }
  /// All elements, for reading.
  [[nodiscard]] View<const T> view() const& noexcept { return whole<const T>(); }
  void view() const&& = delete;
  /// The `count` elements from element `offset` on. Throws invalid_argument when they reach beyond
  /// the buffer.
  [[nodiscard]] View<T> view(std::uint64_t offset, std::uint64_t count) & {
    return view().subview(offset, count);
  }
  /// The same, for reading.
  [[nodiscard]] View<const T> view(std::uint64_t offset, std::uint64_t count) const& {
    return view().subview(offset, count);
  }
  void view(std::uint64_t offset, std::uint64_t count) const&& = delete;

  // NOLINTBEGIN(google-explicit-constructor)
  /// All elements, their type known at run time.
  operator ErasedView() & noexcept { return view(); }
  /// All elements, for reading, their type known at run time.
  operator ErasedView() const& noexcept { return view(); }
  operator ErasedView() const&& = delete;
  /// All elements.
  operator View<T>() & noexcept { return view(); }
  /// All elements, for reading.
  operator View<const T>() const& noexcept { return view(); }
  operator View<T>() const&& = delete;
  operator View<const T>() const&& = delete;
  // NOLINTEND(google-explicit-constructor)

 private:
  template <class U>
  View<U> whole() const noexcept {
    return allocation_ ? View<U>(detail::memory_of(*allocation_), 0, count_) : View<U>();
  }

  std::shared_ptr<detail::AllocationState> allocation_;
  std::uint64_t count_ = 0;
};

namespace detail {
template <class Range>
struct range_element {};
template <class T>
struct range_element<Buffer<T>> {
  using type = T;
};
template <class T>
struct range_element<const Buffer<T>> {
  using type = const T;
};
template <class T>
struct range_element<View<T>> {
  using type = T;
};
template <class T>
struct range_element<const View<T>> {
  using type = T;
};
}  // namespace detail

/// Buffer<T>, View<T> and View<const T>: what the algorithms read.
template <class R>
concept device_range =
    requires { typename detail::range_element<std::remove_reference_t<R>>::type; };

/// Element type of a device range, without const.
template <device_range R>
using range_value_t =
    std::remove_const_t<typename detail::range_element<std::remove_reference_t<R>>::type>;

/// What the algorithms write: a mutable Buffer, or a View of non-const elements.
template <class R>
concept writable_range =
    device_range<R> &&
    !std::is_const_v<typename detail::range_element<std::remove_reference_t<R>>::type>;

/// The range as a view with the run-time type tag. Of a buffer that ends with the statement, there
/// is none.
template <device_range R>
ErasedView erase(R&& range) {
  using Element = typename detail::range_element<std::remove_reference_t<R>>::type;
  return View<Element>(range);
}
template <class T>
void erase(Buffer<T>&&) = delete;
template <class T>
void erase(const Buffer<T>&&) = delete;

/// The most arrays that a map takes together.
inline constexpr std::size_t max_inputs = 4;

/// Arrays of one length, whose elements of one index a map takes together. zip() makes it.
struct Zipped {
  ErasedView x;                    ///< The first array, whose elements the map names x.
  std::vector<ErasedView> more{};  ///< The others, whose elements it names y, z and w.
};

/// Two to four arrays as one input: `transform_inclusive_scan(queue, zip(x, y), out, plus,
/// "x * y")`.
template <device_range First, device_range... Others>
  requires(sizeof...(Others) >= 1 && sizeof...(Others) < max_inputs)
Zipped zip(First&& x, Others&&... more) {
  return {erase(x), {erase(more)...}};
}

/// @}

}  // namespace bifold
