// What compilers say of our templates, they say where these are used; and what must not compile.
#include <bifold/bifold.hpp>
#include <complex>
#include <concepts>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

struct HeaderPair {
  float low;
  float high;
};
BIFOLD_STRUCT(HeaderPair, low, high);

namespace bifold {

namespace {

template <class T>
void use_all(Queue& queue, Buffer<T>& data, const Buffer<T>& constant) {
  using Acc = accumulator_t<T>;
  std::vector<T> host(3);
  queue.upload(std::span<const T>(host), data);
  (void)queue.download(constant);
  queue.fill(data, T(1));
  queue.copy(constant, data);
  inclusive_scan(queue, constant, data, plus, T(1));
  exclusive_scan(queue, data.view(), data, logical_or, Acc(1));
  transform_inclusive_scan(queue, data, data, plus, T(1), "x");
  transform_exclusive_scan(queue, data, data, plus, "x");
  reduce_into(queue, data, data, plus, T(1));
  transform_reduce_into(queue, data, data, plus, T(1), "x");
  (void)reduce(queue, data, plus);
  Group group = Group::in_process(1);
  (void)reduce(queue, group, constant, plus);
  (void)reduce(queue, group, data.view(), plus, Acc(0));
  (void)transform_reduce(queue, group, data, plus, T(0), "x");
  (void)reduce({{queue, data}, {queue, constant}}, plus, T(0));
  inclusive_scan(queue, group, constant, data, plus);
  inclusive_scan(queue, group, constant, data, plus, T(1));
  exclusive_scan(queue, group, data.view(), data, plus);
  exclusive_scan(queue, group, data, data, plus, T(1));
  inclusive_scan({{queue, data, data}, {queue, constant, data}}, plus);
  exclusive_scan({{queue, data, data}}, plus, T(1));
  ReduceAccumulation sum(queue, {});
  sum.feed(constant);
  sum.feed(std::span<const T>(host));
  ScanAccumulation sums(queue, {});
  sums.feed(constant, data.view());
  sums.feed(std::span<const T>(host), std::span<T>(host));
  (void)reduce_many(queue, data, plus, maximum);
  (void)minmax(queue, data);
  (void)argmin(queue, data);
  (void)inner_product(queue, data, data, Acc(0));
  (void)reference::reduce<Acc>(OperatorKind::plus, std::span<const T>(host), Acc(0));
  reference::scan<Acc>(ScanKind::inclusive, OperatorKind::logical_and, std::span<const T>(host),
                       std::span<T>(host), Acc(0));
  if constexpr (std::floating_point<T>) {
    (void)sum_compensated(queue, data, T(0));
    (void)CompensatedSum<T>{1, 0}.value();
    (void)f16(T(1));
    (void)bf16(T(1));
  }
}

// A view, erased or not, of a buffer that ends with the statement.
template <class B>
concept has_view = requires(B&& buffer) { std::forward<B>(buffer).view(); };
template <class B>
concept has_subview = requires(B&& buffer) { std::forward<B>(buffer).view(0, 1); };
template <class B>
concept can_erase = requires(B&& buffer) { erase(std::forward<B>(buffer)); };
static_assert(has_view<Buffer<int>&> && has_subview<Buffer<int>&> && can_erase<Buffer<int>&>);
static_assert(has_view<const Buffer<int>&> && can_erase<const Buffer<int>&>);
static_assert(!has_view<Buffer<int>> && !has_subview<Buffer<int>> && !can_erase<Buffer<int>>);
static_assert(!has_view<const Buffer<int>> && !can_erase<const Buffer<int>>);
static_assert(can_erase<View<int>>);  // Its memory is another's.
static_assert(std::convertible_to<Buffer<int>&, ErasedView>);
static_assert(std::convertible_to<const Buffer<int>&, View<const int>>);
static_assert(!std::convertible_to<Buffer<int>, ErasedView>);
static_assert(!std::convertible_to<Buffer<int>, View<int>>);
static_assert(!std::convertible_to<Buffer<int>, View<const int>>);
static_assert(!std::convertible_to<const Buffer<int>, ErasedView>);
static_assert(!std::constructible_from<std::optional<ErasedView>, Buffer<int>>);
static_assert(std::constructible_from<Workspace, Buffer<std::uint8_t>&>);
static_assert(!std::constructible_from<Workspace, Buffer<std::uint8_t>>);

// A call itself takes such a buffer, which is freed behind its work.
template <class B>
concept can_scan =
    requires(Queue& queue, B&& in, Buffer<int>& out) { inclusive_scan(queue, in, out, plus); };
static_assert(can_scan<Buffer<int>>);

// What a handle refers to does not outlive it: of one that ends with the statement, it is a copy.
static_assert(std::is_same_v<decltype(std::declval<Device&>().info()), const DeviceInfo&>);
static_assert(std::is_same_v<decltype(std::declval<Device>().info()), DeviceInfo>);
static_assert(std::is_same_v<decltype(std::declval<Device>().capabilities()), Capabilities>);
static_assert(std::is_same_v<decltype(std::declval<Queue>().device()), Device>);

// Initial values of a type that the accumulator's cannot hold, whatever the value.
template <class T, class Op, class Init>
concept scans_from = requires(Queue& queue, Buffer<T>& data, Op op, Init init) {
  inclusive_scan(queue, data, data, op, init);
  exclusive_scan(queue, data, data, op, init);
  transform_inclusive_scan(queue, data, data, op, init, "x");
  transform_exclusive_scan(queue, data, data, op, init, "x");
};
template <class T, class Op, class Init>
concept reduces_from = requires(Queue& queue, Buffer<T>& data, Op op, Init init) {
  reduce_into(queue, data, data, op, init);
} || requires(Queue& queue, Buffer<T>& data, Op op, Init init) {
  transform_reduce_into(queue, data, data, op, init, "x");
};
template <class T, class Op, class Init>
inline constexpr bool takes = scans_from<T, Op, Init> && reduces_from<T, Op, Init>;
template <class T, class Op, class Init>
inline constexpr bool refuses = !scans_from<T, Op, Init> && !reduces_from<T, Op, Init>;
using Plus = std::remove_const_t<decltype(plus)>;
using LogicalOr = std::remove_const_t<decltype(logical_or)>;
static_assert(takes<int, Plus, long> && takes<float, Plus, double> && takes<float, Plus, int>);
static_assert(takes<f16, Plus, float> && takes<double, Plus, f16>);
static_assert(refuses<int, Plus, double> && refuses<int, Plus, float> && refuses<int, Plus, f16>);
static_assert(takes<int, LogicalOr, double> && takes<int, Operator, double>);
static_assert(takes<HeaderPair, Operator, HeaderPair>);
using Complex = std::complex<float>;
static_assert(takes<Complex, Plus, Complex> && !scans_from<Complex, LogicalOr, Complex>);
static_assert(refuses<Complex, Plus, float> && refuses<float, Plus, Complex>);
template <class T>
concept has_many = requires(Queue& queue, Buffer<T>& data) { reduce_many(queue, data, plus); };
static_assert(has_many<float> && !has_many<Complex>);
static_assert(refuses<HeaderPair, Operator, float> && refuses<float, Operator, HeaderPair>);

}  // namespace

template <class... T>
void use_each(Queue& queue, Buffer<T>&... data) {
  (use_all(queue, data, data), ...);
}

void use_complex(Queue& queue, Buffer<Complex>& data) {
  (void)reduce(queue, data, multiplies);
  (void)inner_product(queue, data, data, Complex(0));
  exclusive_scan(queue, data, data, plus, Complex(1));
}

template void use_each(Queue&, Buffer<std::int8_t>&, Buffer<std::uint64_t>&, Buffer<float>&,
                       Buffer<double>&, Buffer<f16>&, Buffer<bf16>&);

}  // namespace bifold
