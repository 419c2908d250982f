#include "core/operators/map.hpp"

#include <bifold/error.hpp>
#include <utility>

#include "core/base/hash.hpp"
#include "core/text/expression_text.hpp"

namespace bifold {

namespace core {

// The text that copies of a map share. The identity has none.
struct KeptText {
  std::string expression;
  std::uint64_t id;
};

}  // namespace core

namespace {

std::shared_ptr<const core::KeptText> kept_text(std::string expression) {
  const std::uint64_t id = core::hash(expression);
  return std::make_shared<const core::KeptText>(core::KeptText{std::move(expression), id});
}

std::string_view expression_of(const std::shared_ptr<const core::KeptText>& text) noexcept {
  return text ? std::string_view(text->expression) : std::string_view();
}

std::uint64_t id_of(const std::shared_ptr<const core::KeptText>& text) noexcept {
  return text ? text->id : 0;
}

}  // namespace

Map::Map(std::string expression) try {
  core::check_map_text(expression);
  definition_ = kept_text(std::move(expression));
} catch (...) {
  detail::rethrow();
}

Map::Map(const char* expression) try : Map(std::string(expression)) {
} catch (...) {
  detail::rethrow();
}

std::string_view Map::expression() const noexcept { return expression_of(definition_); }

std::uint64_t Map::id() const noexcept { return id_of(definition_); }

bool operator==(const Map& left, const Map& right) noexcept {
  return left.definition_ == right.definition_ || left.expression() == right.expression();
}

ResultMap::ResultMap(std::string expression) try {
  core::check_result_text(expression);
  definition_ = kept_text(std::move(expression));
} catch (...) {
  detail::rethrow();
}

ResultMap::ResultMap(const char* expression) try : ResultMap(std::string(expression)) {
} catch (...) {
  detail::rethrow();
}

std::string_view ResultMap::expression() const noexcept { return expression_of(definition_); }

std::uint64_t ResultMap::id() const noexcept { return id_of(definition_); }

bool operator==(const ResultMap& left, const ResultMap& right) noexcept {
  return left.definition_ == right.definition_ || left.expression() == right.expression();
}

struct core::MapMaker {
  static Map map(std::string expression) {
    Map made;
    made.definition_ = kept_text(std::move(expression));
    return made;
  }
};

Map core::composed_map(std::string expression) { return MapMaker::map(std::move(expression)); }

}  // namespace bifold
