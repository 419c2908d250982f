#include "core/slices/terms.hpp"

#include <string>

#include "core/base/hash.hpp"

namespace bifold::core {

std::string_view name_of(Term term) noexcept {
  switch (term) {
    case Term::version: return "the version of bifold's messages";
    case Term::kind: return "the kind of the call";
    case Term::order: return "the order";
    case Term::input: return "the elements' type";
    case Term::second: return "the second array's type";
    case Term::accumulator: return "the accumulator's type";
    case Term::output: return "the results' type";
    case Term::op: return "the operator";
    case Term::map: return "the map";
    case Term::init: return "the initial value";
    case Term::total: break;
  }
  return "whether there is a total";
}

std::uint64_t terms_version() noexcept {
  constexpr std::uint64_t messages = 1;
  constexpr std::uint64_t order = 1;
  return messages << 32 | order;
}

std::uint64_t digest_of(Type type) noexcept {
  std::uint64_t digest = hash(name_of(type));
  if (!type.is_struct()) return digest;
  for (const StructField& field : type.structure()->fields) {
    digest = hash(name_of(field.type), hash(field.name, digest)) + field.offset;
  }
  return digest;
}

std::uint64_t digest_of(const std::optional<Type>& type) noexcept {
  return type ? digest_of(*type) : 0;
}

std::uint64_t digest_of(const std::optional<Value>& value) noexcept {
  if (!value) return 0;
  const auto bytes = [&value](std::size_t offset, std::size_t size) {
    return std::string_view(reinterpret_cast<const char*>(value->data()) + offset, size);
  };
  const Type type = value->type();
  std::uint64_t digest = digest_of(type);
  if (!type.is_struct()) return hash(bytes(0, value->size()), digest);
  // What lies between fields says nothing.
  for (const StructField& field : type.structure()->fields) {
    digest = hash(bytes(field.offset, size_of(field.type)), digest);
  }
  return digest;
}

}  // namespace bifold::core
