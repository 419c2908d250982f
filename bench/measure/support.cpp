#include "measure/support.hpp"

#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "base/format.hpp"

namespace bench {
namespace {

/// The (type, operator) pairs that one reason refuses.
using Pairs = std::map<bifold::Type::Kind, std::set<std::string_view>>;

/// "f32, f64", with the operators behind a type that is not refused for all of them.
std::string describe(const Pairs& refused, const Pairs& possible) {
  if (refused == possible) return "everything";
  std::vector<std::string> parts;
  for (const auto& [type, operators] : refused) {
    std::string part(bifold::name_of(type));
    if (operators != possible.at(type)) part += formatted(" with {}", joined(operators, ", "));
    parts.push_back(std::move(part));
  }
  return joined(parts, ", ");
}

}  // namespace

VariantSupport support_of(const bifold::Device& device, const bifold::gallery::Variant& variant) {
  Pairs possible;
  std::map<std::string, Pairs> refused;
  VariantSupport support{&variant, false, {}};
  for (const bifold::Type type : bifold::all_types) {
    for (const bifold::Operator& op : bifold::builtin_operators()) {
      if (!op.supports(type)) continue;
      possible[type.kind()].insert(op.name());
      const auto answer = bifold::gallery::supports(device, variant, type, op);
      if (answer) {
        support.supported = true;
      } else {
        refused[one_line(answer.reason)][type.kind()].insert(op.name());
      }
    }
  }
  for (const auto& [reason, pairs] : refused) {
    support.refusals.push_back({describe(pairs, possible), reason});
  }
  return support;
}

}  // namespace bench
