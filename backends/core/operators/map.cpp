#include "core/operators/map.hpp"

#include <algorithm>
#include <bifold/error.hpp>
#include <string_view>
#include <utility>

#include "core/base/hash.hpp"
#include "core/text/expression_text.hpp"
#include "core/text/scalar_names.hpp"

namespace bifold {

namespace core {

// The text that copies of a map share. The identity has none.
struct KeptText {
  std::string expression;
  std::vector<ScalarType> scalars;
  std::uint64_t id;
};

}  // namespace core

namespace {

std::shared_ptr<const core::KeptText> kept_text(std::string expression,
                                                std::vector<ScalarType> scalars) {
  core::keep_types(scalars);
  const std::uint64_t id = core::hash_of(scalars, core::hash(expression));
  return std::make_shared<const core::KeptText>(
      core::KeptText{std::move(expression), std::move(scalars), id});
}

std::string_view expression_of(const std::shared_ptr<const core::KeptText>& text) noexcept {
  return text ? std::string_view(text->expression) : std::string_view();
}

std::span<const ScalarType> scalars_of(const std::shared_ptr<const core::KeptText>& text) noexcept {
  if (!text) return {};
  return text->scalars;
}

std::uint64_t id_of(const std::shared_ptr<const core::KeptText>& text) noexcept {
  return text ? text->id : 0;
}

}  // namespace

Map::Map(std::string expression) try : Map(std::move(expression), std::vector<ScalarType>()) {
} catch (...) {
  detail::rethrow();
}

Map::Map(std::string expression, std::vector<ScalarType> scalars) try {
  core::check_map_text(expression, scalars);
  definition_ = kept_text(std::move(expression), std::move(scalars));
} catch (...) {
  detail::rethrow();
}

Map::Map(const char* expression) try : Map(std::string(expression)) {
} catch (...) {
  detail::rethrow();
}

std::string_view Map::expression() const noexcept { return expression_of(definition_); }

std::span<const ScalarType> Map::scalars() const noexcept { return scalars_of(definition_); }

std::uint64_t Map::id() const noexcept { return id_of(definition_); }

bool operator==(const Map& left, const Map& right) noexcept {
  if (left.definition_ == right.definition_) return true;
  return left.expression() == right.expression() &&
         core::same_scalars(left.scalars(), right.scalars());
}

ResultMap::ResultMap(std::string expression) try
    : ResultMap(std::move(expression), std::vector<ScalarType>()) {
} catch (...) {
  detail::rethrow();
}

ResultMap::ResultMap(std::string expression, std::vector<ScalarType> scalars) try {
  core::check_result_text(expression, scalars);
  definition_ = kept_text(std::move(expression), std::move(scalars));
} catch (...) {
  detail::rethrow();
}

ResultMap::ResultMap(const char* expression) try : ResultMap(std::string(expression)) {
} catch (...) {
  detail::rethrow();
}

std::string_view ResultMap::expression() const noexcept { return expression_of(definition_); }

std::span<const ScalarType> ResultMap::scalars() const noexcept { return scalars_of(definition_); }

std::uint64_t ResultMap::id() const noexcept { return id_of(definition_); }

bool operator==(const ResultMap& left, const ResultMap& right) noexcept {
  if (left.definition_ == right.definition_) return true;
  return left.expression() == right.expression() &&
         core::same_scalars(left.scalars(), right.scalars());
}

struct core::MapMaker {
  static Map map(std::string expression, std::vector<ScalarType> scalars) {
    Map made;
    made.definition_ = kept_text(std::move(expression), std::move(scalars));
    return made;
  }
};

std::vector<Scalar> core::PartMap::from(std::uint64_t index) const {
  if (first.empty()) return {};
  return {Scalar(first, Value(index))};
}

core::PartMap core::part_map(const Map& map) {
  const std::string_view expression = map.expression();
  if (!uses_word(expression, "i")) return {map};
  std::vector<ScalarType> scalars(map.scalars().begin(), map.scalars().end());
  std::string first = "first";
  const auto taken = [&](const ScalarType& of) { return of.name == first; };
  while (uses_word(expression, first) || std::ranges::any_of(scalars, taken)) first += '_';
  scalars.push_back({first, Type::u64});
  return {composed_map(with_word(expression, "i", "(i + " + first + ")"), std::move(scalars)),
          first};
}

Map core::composed_map(std::string expression, std::vector<ScalarType> scalars) {
  return MapMaker::map(std::move(expression), std::move(scalars));
}

Map core::around(const Map& map, std::string_view otherwise, std::string_view before,
                 std::string_view behind) {
  std::string text(before);
  text += map.is_identity() ? otherwise : map.expression();
  text += behind;
  return composed_map(std::move(text), {map.scalars().begin(), map.scalars().end()});
}

Map core::counting_map(const Map& predicate) {
  return around(predicate, "x != 0", "(", ") ? 1 : 0");
}

}  // namespace bifold
