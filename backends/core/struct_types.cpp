#include "core/struct_types.hpp"

#include <algorithm>
#include <array>
#include <bifold/error.hpp>
#include <deque>
#include <mutex>
#include <string>
#include <vector>

#include "core/ascii.hpp"

namespace bifold::core {

namespace {

[[noreturn]] void refuse(const std::string& why) {
  throw Error(ErrorCategory::invalid_argument, why);
}

// A struct's definition with the texts it refers to; it stays where it was made.
struct Definition {
  std::string name;
  std::array<std::string, max_struct_fields> field_names;
  std::vector<StructField> fields;
  StructType type;
};

struct Definitions {
  std::mutex mutex;
  std::deque<Definition> all;
};

Definitions& definitions() {
  static auto* const kept = new Definitions;
  return *kept;
}

void check_identifier(std::string_view name, const char* what) {
  if (name.empty() || !std::all_of(name.begin(), name.end(), is_word) || is_digit(name.front())) {
    refuse(std::string(what) + " \"" + std::string(name) + "\" is no identifier");
  }
}

void check_layout(const Definition& definition, std::size_t size) {
  std::size_t end = 0;
  std::size_t alignment = 1;
  for (const StructField& field : definition.fields) {
    if (is_storage(field.type)) {
      refuse("struct " + definition.name + ": no field may be " + std::string(name_of(field.type)));
    }
    const std::size_t width = size_of(field.type);
    alignment = std::max(alignment, width);
    const std::size_t offset = (end + width - 1) / width * width;
    if (field.offset != offset) {
      refuse("struct " + definition.name + ": field " + std::string(field.name) +
             " is said to be at " + std::to_string(field.offset) + ", C puts it at " +
             std::to_string(offset));
    }
    for (const StructField& other : definition.fields) {
      if (&other != &field && other.name == field.name) {
        refuse("struct " + definition.name + " has two fields " + std::string(field.name));
      }
    }
    end = offset + width;
  }
  const std::size_t whole = (end + alignment - 1) / alignment * alignment;
  if (size != whole || size > max_element_bytes) {
    refuse("struct " + definition.name + " is said to have " + std::to_string(size) +
           " bytes; its fields fill " + std::to_string(whole) + ", and no element has more than " +
           std::to_string(max_element_bytes));
  }
}

}  // namespace

std::size_t keep_struct(std::string_view name, std::size_t size,
                        std::span<const StructField> fields) {
  check_identifier(name, "struct name");
  if (fields.empty() || fields.size() > max_struct_fields) refuse("a struct has 1 to 8 fields");

  Definitions& kept = definitions();
  const std::lock_guard lock(kept.mutex);
  Definition& made = kept.all.emplace_back();
  try {
    made.name = name;
    for (const StructField& field : fields) {
      std::string& field_name = made.field_names[made.fields.size()];
      field_name = field.name;
      check_identifier(field_name, "field name");
      made.fields.push_back({field_name, field.type, field.offset});
    }
    check_layout(made, size);
  } catch (...) {
    kept.all.pop_back();
    throw;
  }
  made.type = {made.name, size, made.fields};
  const auto same = std::find_if(
      kept.all.begin(), kept.all.end(),
      [&made](const Definition& other) { return Type(other.type) == Type(made.type); });
  const auto number = static_cast<std::size_t>(same - kept.all.begin());
  if (&*same != &made) kept.all.pop_back();
  return number;
}

const StructType* kept_struct(std::size_t number) {
  Definitions& kept = definitions();
  const std::lock_guard lock(kept.mutex);
  return number < kept.all.size() ? &kept.all[number].type : nullptr;
}

}  // namespace bifold::core
