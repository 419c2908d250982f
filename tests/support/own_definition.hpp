// A definition of a struct that lives as long as its object, and is overwritten when it ends: as
// what BIFOLD_STRUCT makes in a library that is unloaded.
#pragma once

#include <algorithm>
#include <array>
#include <bifold/type.hpp>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

namespace bifold::test {

/// Two fields of i32.
class OwnDefinition {
 public:
  OwnDefinition(std::string_view name, std::array<const char*, 2> fields)
      : texts_(copy(name)), fields_(std::make_unique<std::array<StructField, 2>>()) {
    (*fields_)[0] = {fields[0], Type::i32, 0};
    (*fields_)[1] = {fields[1], Type::i32, 4};
    type_ = std::make_unique<StructType>(StructType{{texts_.get(), name.size()}, 8, *fields_});
  }
  OwnDefinition(const OwnDefinition&) = delete;
  OwnDefinition& operator=(const OwnDefinition&) = delete;
  ~OwnDefinition() {
    // Whoever follows such pointers ends the process, with a sanitizer or without.
    // NOLINTNEXTLINE(performance-no-int-to-ptr): no object has this address.
    const auto* const nowhere = reinterpret_cast<const char*>(std::uintptr_t{8});
    fields_->fill({{nowhere, 1U << 20U}, Type::i8, 77});
    *type_ = {{nowhere, texts_size()}, 1, *fields_};
  }

  [[nodiscard]] const StructType& type() const { return *type_; }

 private:
  static std::unique_ptr<char[]> copy(std::string_view text) {
    auto copied = std::make_unique<char[]>(text.size() + 1);
    std::copy(text.begin(), text.end(), copied.get());
    return copied;
  }
  [[nodiscard]] std::size_t texts_size() const { return type_->name.size(); }

  std::unique_ptr<char[]> texts_;
  std::unique_ptr<std::array<StructField, 2>> fields_;
  std::unique_ptr<StructType> type_;
};

}  // namespace bifold::test
