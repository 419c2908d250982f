#include "core/plan/cell_path.hpp"

#include <string_view>

namespace bifold::core {

namespace {

// The define that names the operation to the part; empty where no device has it.
std::string_view operation(OperatorKind kind, Type type) {
  if (is_floating(type)) {
    if (kind != OperatorKind::plus) return {};
    return type == Type::f32 ? "ATOMIC_PLUS_F32" : "ATOMIC_PLUS_F64";
  }
  switch (kind) {
    case OperatorKind::plus: return "ATOMIC_PLUS";
    case OperatorKind::minimum: return "ATOMIC_MINIMUM";
    case OperatorKind::maximum: return "ATOMIC_MAXIMUM";
    case OperatorKind::bit_and: return "ATOMIC_BIT_AND";
    case OperatorKind::bit_or: return "ATOMIC_BIT_OR";
    case OperatorKind::bit_xor: return "ATOMIC_BIT_XOR";
    case OperatorKind::multiplies:
    case OperatorKind::logical_and:
    case OperatorKind::logical_or:
    case OperatorKind::user: break;
  }
  return {};
}

// The part with the device's own atomics on that type; empty where it has none.
std::string_view native_part(const Capabilities& has, Type type) {
  if (size_of(type) < 4) return {};
  if (size_of(type) == 4 && !is_floating(type)) return "accumulator_native";
  return has.atomics == "ptx" ? "accumulator_wide" : std::string_view{};
}

}  // namespace

std::string_view cell_part(const Capabilities& has, OperatorKind kind, Type accumulator) {
  const std::string_view native = native_part(has, accumulator);
  return operation(kind, accumulator).empty() || native.empty() ? "accumulator_exchange" : native;
}

void define_cell(const Capabilities& has, KernelSpec& spec) {
  const OperatorKind kind = spec.op.kind();
  spec.defines.emplace_back("ATOMIC_BYTES", size_of(spec.accumulator) == 8 ? 8 : 4);
  if (cell_part(has, kind, spec.accumulator) == "accumulator_exchange") return;
  spec.defines.emplace_back("ATOMIC_NATIVE", 1);
  spec.defines.emplace_back(operation(kind, spec.accumulator), 1);
  if (spec.accumulator == Type::i64) spec.defines.emplace_back("ATOMIC_SIGNED", 1);
}

}  // namespace bifold::core
