// What the ranks of a call have to agree on.
#pragma once

#include <array>
#include <bifold/type.hpp>
#include <bifold/value.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace bifold::core {

enum class Term : std::uint8_t {
  version,
  kind,
  order,
  input,
  second,
  accumulator,
  output,
  op,
  map,
  init,
  total,
};
inline constexpr std::size_t term_count = 11;

/// A number for each, the same on every rank of a right call.
using Terms = std::array<std::uint64_t, term_count>;

inline std::uint64_t& at(Terms& terms, Term term) {
  return terms.at(static_cast<std::size_t>(term));
}

/// "the operator" and so on.
std::string_view name_of(Term term) noexcept;

/// The version of what ranks send each other, and of the order.
std::uint64_t terms_version() noexcept;

std::uint64_t digest_of(Type type) noexcept;
std::uint64_t digest_of(const std::optional<Type>& type) noexcept;
/// Of nothing 0.
std::uint64_t digest_of(const std::optional<Value>& value) noexcept;

}  // namespace bifold::core
