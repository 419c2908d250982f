#include "core/element/struct_types.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bifold/error.hpp>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/hash.hpp"

namespace bifold {

namespace {

// A definition with the texts it refers to. It stays where it was made: kernels, plans and
// operators refer to it, of which nobody else knows when the last one ends.
struct Definition {
  Definition(const StructType& definition, std::uint64_t content)
      : name(definition.name), id(content) {
    for (const StructField& field : definition.fields) {
      std::string& field_name = field_names[fields.size()];
      field_name = field.name;
      fields.push_back({field_name, field.type, field.offset});
    }
    type = {name, definition.size, fields};
  }
  Definition(const Definition&) = delete;
  Definition& operator=(const Definition&) = delete;
  ~Definition() = default;

  std::string name;
  std::array<std::string, max_struct_fields> field_names;
  std::vector<StructField> fields;
  StructType type{};
  std::uint64_t id;  // Of its content.
  std::size_t number = 0;
  const Definition* before = nullptr;
};

// The newest one leads to all others. Without a lock: a process that is forked while another thread
// holds one could make no type.
constinit std::atomic<const Definition*> newest{nullptr};

std::uint64_t id_of(const StructType& definition) {
  std::uint64_t id = core::hash(definition.name);
  for (const StructField& field : definition.fields) {
    id = core::hash(field.name, id);
    id = core::hash(name_of(field.type), id);
  }
  return id;
}

// Among those from `first` up to `end`, which is left out.
const Definition* find(const Definition* first, const Definition* end, const StructType& definition,
                       std::uint64_t id) {
  for (; first != end; first = first->before) {
    if (first->id == id && Type::of_kept(first->type) == Type::of_kept(definition)) return first;
  }
  return nullptr;
}

const Definition& keep(const StructType& definition) {
  const std::uint64_t id = id_of(definition);
  const Definition* looked_at = newest.load(std::memory_order_acquire);
  if (const Definition* known = find(looked_at, nullptr, definition, id)) return *known;
  auto made = std::make_unique<Definition>(definition, id);
  for (;;) {
    made->before = looked_at;
    made->number = looked_at == nullptr ? 0 : looked_at->number + 1;
    const Definition* seen = looked_at;
    if (newest.compare_exchange_strong(seen, made.get(), std::memory_order_acq_rel)) {
      return *made.release();
    }
    // Another thread was faster, maybe with the same one.
    if (const Definition* known = find(seen, looked_at, definition, id)) return *known;
    looked_at = seen;
  }
}

[[noreturn]] void refuse(const std::string& why) {
  throw Error(ErrorCategory::invalid_argument, why);
}

void check_identifier(std::string_view name, const char* what) {
  if (detail::is_identifier(name)) return;
  refuse(std::string(what) + " \"" + std::string(name) + "\" is no identifier");
}

const Definition& checked(const StructType& definition) {
  if (!detail::is_right(definition)) detail::refuse_struct(definition);
  return keep(definition);
}

}  // namespace

void detail::refuse_struct(const StructType& definition) {
  const std::span<const StructField> fields = definition.fields;
  if (fields.empty() || fields.size() > max_struct_fields) refuse("a struct has 1 to 8 fields");
  check_identifier(definition.name, "struct name");
  const std::string name(definition.name);
  std::size_t end = 0;
  std::size_t alignment = 1;
  for (const StructField& field : fields) {
    check_identifier(field.name, "field name");
    if (field.type.is_struct() || is_storage(field.type)) {
      refuse("struct " + name + ": no field may be " + std::string(name_of(field.type)));
    }
    const std::size_t width = size_of(field.type);
    alignment = std::max(alignment, width);
    const std::size_t offset = (end + width - 1) / width * width;
    if (field.offset != offset) {
      refuse("struct " + name + ": field " + std::string(field.name) + " is said to be at " +
             std::to_string(field.offset) + ", C puts it at " + std::to_string(offset));
    }
    for (const StructField& other : fields) {
      if (&other != &field && other.name == field.name) {
        refuse("struct " + name + " has two fields " + std::string(field.name));
      }
    }
    end = offset + width;
  }
  refuse("struct " + name + " is said to have " + std::to_string(definition.size) +
         " bytes; its fields fill " +
         std::to_string((end + alignment - 1) / alignment * alignment) +
         ", and no element has more than " + std::to_string(max_element_bytes));
}

const StructType& detail::keep_struct(const StructType& definition) try {
  return checked(definition).type;
} catch (...) {
  rethrow();
}

const StructType& detail::keep_right_struct(const StructType& definition) noexcept {
  try {
    return keep(definition).type;
  } catch (const std::bad_alloc&) {
    return definition;
  }
}

std::size_t core::number_of_struct(const StructType& definition) {
  return checked(definition).number;
}

std::optional<Type> core::struct_of_number(std::size_t number) noexcept {
  const Definition* definition = newest.load(std::memory_order_acquire);
  while (definition != nullptr && definition->number != number) definition = definition->before;
  if (definition == nullptr) return {};
  return Type::of_kept(definition->type);
}

}  // namespace bifold
