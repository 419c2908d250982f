#include "measure/production.hpp"

#include <algorithm>
#include <utility>

#include "base/format.hpp"
#include "core/call/find_plan.hpp"
#include "core/gallery/choose_row.hpp"
#include "core/gallery/shape_tuning.hpp"
#include "data/types.hpp"

namespace bench {
namespace {

using bifold::Algorithm;
using bifold::Type;
using bifold::core::PlanShape;

constexpr std::uint64_t mib = std::uint64_t{1} << 20;

std::string variants_text(const std::vector<ProductionVariant>& variants) {
  if (variants.empty()) return "none";
  std::string text(variants.front().variant->name);
  if (variants.front().from_bytes > 0) {
    text += " from " + bytes_text(variants.front().from_bytes);
  }
  for (std::size_t i = 1; i < variants.size(); ++i) {
    text += formatted(", {} below", variants[i].variant->name);
  }
  return text;
}

/// Adds a call to the line of its variants.
void add(std::vector<ProductionLine>& lines, Algorithm algorithm, std::string variants,
         std::string_view kind, std::string_view type) {
  const std::string prefix = kind.empty() ? std::string() : std::string(kind) + ": ";
  for (ProductionLine& line : lines) {
    if (line.algorithm != algorithm || line.variants != variants) continue;
    const bool known = prefix.empty() ? line.calls.find(": ") == std::string::npos
                                      : line.calls.find(prefix) != std::string::npos;
    line.calls += known ? " " : "; " + prefix;
    line.calls += type;
    return;
  }
  lines.push_back({algorithm, std::move(variants), prefix + std::string(type)});
}

}  // namespace

std::vector<ProductionVariant> production_variants(const bifold::Device& device,
                                                   Algorithm algorithm, const PlanShape& shape) {
  const auto& production = *bifold::gallery::find(algorithm, "production");
  const auto* const chosen = bifold::core::choose_row({device, shape}, production).variant;
  if (chosen == nullptr) return {};
  const std::uint64_t from_mib =
      bifold::core::built_in_tuning({device, shape}, *chosen).at_least_mib.value_or(0);
  std::vector<ProductionVariant> variants{{chosen, from_mib * mib}};
  if (variants.front().from_bytes == 0) return variants;
  const auto* const smaller = bifold::core::row_for_fewer({device, shape}, production, *chosen);
  if (smaller != nullptr) variants.push_back({smaller});
  return variants;
}

bifold::Operator ordered_operator(Type accumulator) {
  return bifold::Operator::user("last", "b != 0 ? b : a",
                                operator_on(accumulator, bifold::plus).identity(accumulator));
}

std::vector<ProductionLine> production_lines(const bifold::Device& device) {
  std::vector<ProductionLine> lines;
  for (const Algorithm algorithm : {Algorithm::reduce, Algorithm::scan}) {
    const auto ask = [&](Type type, const bifold::Operator& op, bifold::Order order,
                         std::string_view kind) {
      PlanShape shape{type, bifold::accumulator_of(type), type, bifold::ScanKind::inclusive, op};
      shape.order = order;
      add(lines, algorithm, variants_text(production_variants(device, algorithm, shape)), kind,
          bifold::name_of(type));
    };
    for (const Type type : builtin_types()) {
      if (device.supports(type)) ask(type, bifold::plus, bifold::Order::v1, "");
    }
    for (const Type type : {Type::i32, Type::f32}) {
      ask(type, bifold::plus, bifold::Order::any, "in any order");
      ask(type, ordered_operator(bifold::accumulator_of(type)), bifold::Order::v1,
          "not commutative");
    }
  }
  return lines;
}

}  // namespace bench
