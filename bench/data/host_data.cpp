#include "data/host_data.hpp"

#include <algorithm>
#include <array>
#include <bifold/reference/v1.hpp>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <span>
#include <thread>
#include <tuple>
#include <type_traits>

#include "base/format.hpp"
#include "data/types.hpp"

namespace bench {
namespace {

using bifold::OperatorKind;

constexpr bool is_extremum(OperatorKind op) {
  return op == OperatorKind::minimum || op == OperatorKind::maximum;
}

/// Calls `use` with a zero of the type.
auto visit_measured_type(bifold::Type type, auto use) {
  return type.is_struct() ? visit_struct(type, use) : bifold::visit_scalar_type(type, use);
}

template <class T>
constexpr bool can_round = std::is_floating_point_v<T> || bifold::storage_element<T>;
template <bifold::struct_element T>
constexpr bool can_round<T> = std::is_floating_point_v<typename T::Field>;

/// The struct whose field i is what `make_field(i)` gives.
template <bifold::struct_element T>
T struct_of(auto make_field) {
  Fields<T> fields;
  for (std::size_t i = 0; i < fields.size(); ++i) fields[i] = make_field(i);
  return std::bit_cast<T>(fields);
}

/// The fields of structs are data of their own, one behind the other.
template <bifold::struct_element T>
T struct_at(std::uint64_t index, auto field_at) {
  return struct_of<T>(
      [&](std::size_t field) { return field_at(index * std::tuple_size_v<Fields<T>> + field); });
}

/// Element `index`. Some operators lose all trace of the elements on plain random data: a product
/// with many even factors is 0, an `and` of a hundred words is 0. Theirs changes seldom instead.
template <class T, OperatorKind Op>
T element_at(std::uint64_t index) {
  const std::uint64_t word = random_word(index);
  const std::uint64_t seldom = word >> 52;  // 0 for one element in 4096.
  if constexpr (bifold::struct_element<T>) {
    return struct_at<T>(index, element_at<typename T::Field, Op>);
  } else if constexpr (Op == OperatorKind::logical_and) {
    return static_cast<T>(seldom == 0 ? 0 : 1);
  } else if constexpr (Op == OperatorKind::logical_or) {
    return static_cast<T>(seldom == 0 ? 1 : 0);
  } else if constexpr (std::is_floating_point_v<T>) {
    if constexpr (Op == OperatorKind::multiplies) return static_cast<T>((word & 1) == 0 ? -1 : 1);
    if constexpr (Op == OperatorKind::plus) return static_cast<T>(static_cast<int>(word % 17) - 8);
    return static_cast<T>(static_cast<int>(word >> 40) - (1 << 23));
  } else if constexpr (bifold::storage_element<T>) {
    // Not far from those of float, but within the range.
    return T(element_at<float, Op>(index) / (is_extremum(Op) ? 1024 : 1));
  } else {
    const std::uint64_t one_bit = std::uint64_t{1} << (word % (8 * sizeof(T)));
    if constexpr (Op == OperatorKind::multiplies) return static_cast<T>(word | 1);
    if constexpr (Op == OperatorKind::bit_and)
      return static_cast<T>(seldom == 0 ? ~one_bit : ~0ull);
    if constexpr (Op == OperatorKind::bit_or) return static_cast<T>(seldom == 0 ? one_bit : 0);
    return static_cast<T>(word >> 8);
  }
}

/// Calls `fill(begin, end)` on shares of `count` elements, by as many threads as pay.
void in_shares(std::size_t count, auto fill) {
  const std::size_t threads = std::clamp(std::thread::hardware_concurrency(), 1u, 16u);
  if (threads == 1 || count < (std::size_t{1} << 18)) return fill(std::size_t{0}, count);
  std::vector<std::jthread> workers;
  const std::size_t share = (count + threads - 1) / threads;
  for (std::size_t begin = 0; begin < count; begin += share) {
    workers.emplace_back(fill, begin, std::min(begin + share, count));
  }
}

template <class T, OperatorKind Op>
void fill_input(std::span<T> input, std::span<T> inclusive) {
  constexpr std::size_t page = 4096 / sizeof(T);
  in_shares(input.size(), [=](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) input[i] = element_at<T, Op>(i);
    // The first touch of a page costs more than its scan, and can be done by many threads.
    for (std::size_t i = begin; i < end; i += page) inclusive[i] = T{};
  });
}

/// A fraction below 1 in magnitude, of one of eight powers of two: long sums of f16 stay in range.
template <class T>
T rounding_element_at(std::uint64_t index) {
  if constexpr (bifold::struct_element<T>) {
    return struct_at<T>(index, rounding_element_at<typename T::Field>);
  } else {
    const std::uint64_t word = random_word(index);
    const auto fraction = static_cast<float>(static_cast<std::int32_t>(word >> 40) - (1 << 23));
    return T(std::ldexp(fraction, -23 - static_cast<int>(word % 8)));
  }
}

/// An element as what its sums are made in.
template <class T>
bifold::accumulator_t<T> as_number(T element) {
  return static_cast<bifold::accumulator_t<T>>(element);
}

template <class Acc>
constexpr auto sum = std::plus<>();
/// A pointer: where this is inlined, GCC 12 takes what empty optionals hold for used.
template <bifold::struct_element Acc>
constexpr auto sum<Acc> = +[](const Acc& a, const Acc& b) { return a + b; };

template <class T>
void make_rounding(std::byte* input_bytes, std::byte* inclusive_bytes, std::uint64_t count,
                   bifold::accumulator_t<T> init) {
  const auto size = static_cast<std::size_t>(count);
  const std::span<T> input(reinterpret_cast<T*>(input_bytes), size);
  const std::span<T> inclusive(reinterpret_cast<T*>(inclusive_bytes), size);
  for (std::size_t i = 0; i < size; ++i) input[i] = rounding_element_at<T>(i);
  using Acc = bifold::accumulator_t<T>;
  bifold::reference::v1::scan(bifold::ScanKind::inclusive, std::span<const T>(input), inclusive,
                              init, as_number<T>, sum<Acc>);
}

/// The operator is a template parameter so that the loops contain no switch: at 2^30 elements that
/// is the difference between seconds and a minute.
template <class T, OperatorKind Op>
void make(std::byte* input_bytes, std::byte* inclusive_bytes, std::uint64_t count,
          bifold::accumulator_t<T> init) {
  const auto size = static_cast<std::size_t>(count);
  const std::span<T> input(reinterpret_cast<T*>(input_bytes), size);
  const std::span<T> inclusive(reinterpret_cast<T*>(inclusive_bytes), size);
  fill_input<T, Op>(input, inclusive);
  constexpr auto kind = bifold::ScanKind::inclusive;
  if constexpr (bifold::struct_element<T>) {
    bifold::reference::scan(kind, std::span<const T>(input), inclusive, init, std::identity{},
                            [](const T& a, const T& b) {
                              return struct_of<T>([x = fields_of(a), y = fields_of(b)](auto i) {
                                return bifold::reference::combine(Op, x[i], y[i]);
                              });
                            });
  } else {
    bifold::reference::scan(kind, Op, std::span<const T>(input), inclusive, init);
  }
}

template <OperatorKind Op>
using Constant = std::integral_constant<OperatorKind, Op>;

/// Calls `use` with the operator as a constant.
void with_operator(OperatorKind op, auto use) {
  switch (op) {
    case OperatorKind::plus: return use(Constant<OperatorKind::plus>{});
    case OperatorKind::multiplies: return use(Constant<OperatorKind::multiplies>{});
    case OperatorKind::minimum: return use(Constant<OperatorKind::minimum>{});
    case OperatorKind::maximum: return use(Constant<OperatorKind::maximum>{});
    case OperatorKind::bit_and: return use(Constant<OperatorKind::bit_and>{});
    case OperatorKind::bit_or: return use(Constant<OperatorKind::bit_or>{});
    case OperatorKind::bit_xor: return use(Constant<OperatorKind::bit_xor>{});
    case OperatorKind::logical_and: return use(Constant<OperatorKind::logical_and>{});
    case OperatorKind::logical_or: return use(Constant<OperatorKind::logical_or>{});
    case OperatorKind::user: break;
  }
  throw std::logic_error("only built-in operators have benchmark data");
}

/// Whether the data are others than those of which every sum is exact.
bool rounds(bifold::Type type, const bifold::Operator& op, DataKind kind) {
  return kind == DataKind::rounding && bifold::is_floating(field_type(type)) && op == bifold::plus;
}

template <class T>
std::string text_of(const T& value) {
  if constexpr (bifold::struct_element<T>) {
    std::vector<std::string> fields;
    for (const auto field : fields_of(value)) fields.push_back(text_of(field));
    return formatted("({})", joined(fields, ", "));
  } else if constexpr (can_round<T>) {
    // The sign of a zero is a difference worth seeing.
    return formatted("{:.9g}", bifold::accumulator_t<T>(value));
  } else {
    // A byte is a number here, not a character.
    return formatted("{}", +value);
  }
}

std::string value_text(const bifold::Value& value) {
  return visit_measured_type(value.type(),
                             [&](auto zero) { return text_of(value.as<decltype(zero)>()); });
}

bool equal(const bifold::Value& a, const bifold::Value& b, Equality equality) {
  if (equality == Equality::bits) return a == b;
  return visit_measured_type(a.type(), [&](auto zero) {
    using T = decltype(zero);
    if constexpr (bifold::struct_element<T>) {
      return fields_of(a.as<T>()) == fields_of(b.as<T>());
    } else {
      using Number = bifold::accumulator_t<T>;
      return static_cast<Number>(a.as<T>()) == static_cast<Number>(b.as<T>());
    }
  });
}

/// Compares `count` elements; the index of the mismatch counts from `first`.
std::optional<Mismatch> compare(const std::byte* expected, const std::byte* found,
                                std::uint64_t count, std::uint64_t first, bifold::Type type,
                                Equality equality) {
  const std::size_t size = bifold::size_of(type);
  if (std::memcmp(expected, found, static_cast<std::size_t>(count) * size) == 0) return {};
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::size_t at = static_cast<std::size_t>(i) * size;
    if (std::memcmp(expected + at, found + at, size) == 0) continue;
    Mismatch mismatch{first + i, bifold::Value::from_bytes(type, expected + at),
                      bifold::Value::from_bytes(type, found + at)};
    if (!equal(mismatch.expected, mismatch.found, equality)) return mismatch;
  }
  return {};
}

/// Compares elements `begin` to `begin + count` of a scan, which `found` points to.
std::optional<Mismatch> compare_scan(const std::byte* found, const HostData& data,
                                     std::uint64_t begin, std::uint64_t count,
                                     bifold::ScanKind kind, Equality equality) {
  const std::size_t size = bifold::size_of(data.type());
  // An exclusive scan is the inclusive one moved by an element, behind what comes of nothing.
  const std::uint64_t shift = kind == bifold::ScanKind::exclusive ? 1 : 0;
  const std::uint64_t head = begin == 0 ? shift : 0;
  if (head != 0) {
    auto wrong = compare(data.of_nothing().data(), found, 1, 0, data.type(), equality);
    if (wrong) return wrong;
  }
  const std::byte* expected =
      data.inclusive() + static_cast<std::size_t>(begin + head - shift) * size;
  return compare(expected, found + head * size, count - head, begin + head, data.type(), equality);
}

}  // namespace

std::string_view name_of(DataKind kind) { return kind == DataKind::exact ? "exact" : "rounding"; }

HostData::HostData(bifold::Type type, const bifold::Operator& op, std::uint64_t count,
                   DataKind kind)
    : type_(type), count_(count), rounds_(rounds(type, op, kind)) {
  const bifold::Operator on_type = operator_on(type, op);
  const bifold::Value identity = on_type.identity(bifold::accumulator_of(type));
  const bifold::Value nothing = on_type.of_nothing(bifold::accumulator_of(type));
  const auto bytes = static_cast<std::size_t>(count) * bifold::size_of(type);
  // Not initialised: the threads that fill the input are the first to touch its pages.
  input_ = std::make_unique_for_overwrite<std::byte[]>(bytes);
  inclusive_ = std::make_unique_for_overwrite<std::byte[]>(bytes);
  visit_measured_type(type, [&](auto zero) {
    using T = decltype(zero);
    const auto start = identity.as<bifold::accumulator_t<T>>();
    identity_ = static_cast<T>(start);
    of_nothing_ = static_cast<T>(nothing.as<bifold::accumulator_t<T>>());
    if constexpr (can_round<T>) {
      if (rounds_) return make_rounding<T>(input_.get(), inclusive_.get(), count, start);
    }
    with_operator(op.kind(), [&](auto constant) {
      make<T, decltype(constant)::value>(input_.get(), inclusive_.get(), count, start);
    });
  });
}

void fill_elements(bifold::Type type, const bifold::Operator& op, DataKind kind,
                   std::uint64_t first, std::span<std::byte> elements) {
  visit_measured_type(type, [&](auto zero) {
    using T = decltype(zero);
    const auto fill = [&](auto element) {
      in_shares(elements.size() / sizeof(T), [=, to = reinterpret_cast<T*>(elements.data())](
                                                 std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) to[i] = element(first + i);
      });
    };
    if constexpr (can_round<T>) {
      if (rounds(type, op, kind)) return fill(rounding_element_at<T>);
    }
    with_operator(op.kind(),
                  [&](auto constant) { fill(element_at<T, decltype(constant)::value>); });
  });
}

bifold::Value HostData::inclusive(std::uint64_t index) const {
  return bifold::Value::from_bytes(
      type_, inclusive_.get() + static_cast<std::size_t>(index) * bifold::size_of(type_));
}

bifold::Value HostData::total(std::uint64_t n) const {
  if (!rounds_) return inclusive(n - 1);
  if (const auto known = totals_.find(n); known != totals_.end()) return known->second;
  const bifold::Value value = visit_measured_type(type_, [&](auto zero) -> bifold::Value {
    using T = decltype(zero);
    if constexpr (!can_round<T>) {
      throw std::logic_error("integers do not round");
    } else {
      using Acc = bifold::accumulator_t<T>;
      const std::span<const T> elements(reinterpret_cast<const T*>(input_.get()),
                                        static_cast<std::size_t>(n));
      const auto start = static_cast<Acc>(identity_.as<T>());
      return static_cast<T>(bifold::reference::v1::reduce(elements, start, as_number<T>, sum<Acc>));
    }
  });
  totals_.emplace(n, value);
  return value;
}

std::uint64_t HostData::bytes_needed(bifold::Type type, std::uint64_t count) {
  return 2 * count * bifold::size_of(type);
}

std::string describe(const Mismatch& mismatch) {
  return formatted("WRONG at index {}: expected {}, found {}", mismatch.index,
                   value_text(mismatch.expected), value_text(mismatch.found));
}

bifold::Value poison(bifold::Type type) {
  std::array<std::uint64_t, bifold::max_element_bytes / sizeof(std::uint64_t)> pattern;
  pattern.fill(0xa5b6c7d8a5b6c7d8);
  return bifold::Value::from_bytes(type, pattern.data());
}

bifold::Value poison(const bifold::Value& expected) {
  std::array<std::byte, bifold::max_element_bytes> flipped{};
  std::transform(expected.data(), expected.data() + expected.size(), flipped.begin(),
                 std::bit_not<>());
  return bifold::Value::from_bytes(expected.type(), flipped.data());
}

std::optional<Mismatch> Verifier::check_host_reduce(const std::byte* result, const HostData& data,
                                                    std::uint64_t n, Equality equality) {
  return compare(data.total(n).data(), result, 1, 0, data.type(), equality);
}

std::optional<Mismatch> Verifier::check_host_scan(const std::byte* output, const HostData& data,
                                                  std::uint64_t n, bifold::ScanKind kind,
                                                  Equality equality) {
  return compare_scan(output, data, 0, n, kind, equality);
}

std::optional<Mismatch> Verifier::check_reduce(bifold::Queue& queue,
                                               const bifold::ErasedView& result,
                                               const HostData& data, std::uint64_t n,
                                               Equality equality) {
  std::array<std::byte, bifold::max_element_bytes> found{};
  queue.download_bytes(result, found.data(), 1);
  digest_ = {};
  digest_.add(found.data(), 1, data.type());
  return check_host_reduce(found.data(), data, n, equality);
}

template <class Compare>
std::optional<Mismatch> Verifier::check_parts(bifold::Queue& queue,
                                              const bifold::ErasedView& output,
                                              Compare compare_part) {
  const std::size_t size = bifold::size_of(output.type);
  const std::uint64_t largest_part = verifier_bytes / size;
  digest_ = {};
  part_.resize(static_cast<std::size_t>(std::min(output.count, largest_part)) * size);
  for (std::uint64_t begin = 0; begin < output.count; begin += largest_part) {
    const std::uint64_t count = std::min(largest_part, output.count - begin);
    bifold::ErasedView part = output;
    part.byte_offset += begin * size;
    part.count = count;
    queue.download_bytes(part, part_.data(), count);
    digest_.add(part_.data(), count, output.type);
    if (auto wrong = compare_part(part_.data(), begin, count)) return wrong;
  }
  return {};
}

std::optional<Mismatch> Verifier::check_scan(bifold::Queue& queue, const bifold::ErasedView& output,
                                             const HostData& data, bifold::ScanKind kind,
                                             Equality equality) {
  return check_parts(queue, output,
                     [&](const std::byte* found, std::uint64_t begin, std::uint64_t count) {
                       return compare_scan(found, data, begin, count, kind, equality);
                     });
}

std::optional<Mismatch> Verifier::check_host_elements(const std::byte* output,
                                                      const std::vector<std::byte>& expected,
                                                      bifold::Type type, Equality equality) {
  return compare(expected.data(), output, expected.size() / bifold::size_of(type), 0, type,
                 equality);
}

std::optional<Mismatch> Verifier::check_elements(bifold::Queue& queue,
                                                 const bifold::ErasedView& output,
                                                 const std::byte* expected, Equality equality) {
  const std::size_t size = bifold::size_of(output.type);
  return check_parts(queue, output,
                     [&](const std::byte* found, std::uint64_t begin, std::uint64_t count) {
                       return compare(expected + static_cast<std::size_t>(begin) * size, found,
                                      count, begin, output.type, equality);
                     });
}

}  // namespace bench
