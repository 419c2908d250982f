#include "core/operators/map.hpp"

#include <bifold/error.hpp>

#include "core/base/hash.hpp"
#include "core/text/expression_text.hpp"

namespace bifold {

struct Map::Definition {
  std::string expression;
  std::uint64_t id;
};

Map::Map(std::string expression) try {
  core::check_map_text(expression);
  const std::uint64_t id = core::hash(expression);
  definition_ = std::make_shared<const Definition>(Definition{std::move(expression), id});
} catch (...) {
  detail::rethrow();
}

Map::Map(const char* expression) try : Map(std::string(expression)) {
} catch (...) {
  detail::rethrow();
}

std::string_view Map::expression() const noexcept {
  return definition_ ? std::string_view(definition_->expression) : std::string_view();
}

std::uint64_t Map::id() const noexcept { return definition_ ? definition_->id : 0; }

bool operator==(const Map& left, const Map& right) noexcept {
  return left.definition_ == right.definition_ || left.expression() == right.expression();
}

struct core::MapMaker {
  static Map map(std::string expression) {
    const std::uint64_t id = hash(expression);
    Map made;
    made.definition_ =
        std::make_shared<const Map::Definition>(Map::Definition{std::move(expression), id});
    return made;
  }
};

Map core::composed_map(std::string expression) { return MapMaker::map(std::move(expression)); }

}  // namespace bifold
