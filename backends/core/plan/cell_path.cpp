#include "core/plan/cell_path.hpp"

#include <string_view>

namespace bifold::core {

namespace {

// The define that names the operation to the prelude file; empty where no device has it.
std::string_view operation(OperatorKind kind, Type type) {
  if (is_floating(type)) {
    if (kind != OperatorKind::plus) return {};
    return type == Type::f32 ? "CELL_PLUS_F32" : "CELL_PLUS_F64";
  }
  switch (kind) {
    case OperatorKind::plus: return "CELL_PLUS";
    case OperatorKind::minimum: return "CELL_MINIMUM";
    case OperatorKind::maximum: return "CELL_MAXIMUM";
    case OperatorKind::bit_and: return "CELL_BIT_AND";
    case OperatorKind::bit_or: return "CELL_BIT_OR";
    case OperatorKind::bit_xor: return "CELL_BIT_XOR";
    case OperatorKind::multiplies:
    case OperatorKind::logical_and:
    case OperatorKind::logical_or:
    case OperatorKind::user: break;
  }
  return {};
}

// The file with the device's own atomics on that type; empty where it has none.
std::string_view native_file(const Device& device, Type type) {
  if (size_of(type) < 4) return {};
  if (size_of(type) == 4 && !is_floating(type)) return "cell_native";
  return device.capabilities().atomics == "ptx" ? "cell_wide" : std::string_view{};
}

}  // namespace

void add_cell_path(const Device& device, KernelSpec& spec) {
  spec.prelude.emplace_back("cell_exchange");
  spec.defines.emplace_back("CELL_BYTES", size_of(spec.accumulator) == 8 ? 8 : 4);
  const std::string_view define = operation(spec.op.kind(), spec.accumulator);
  const std::string_view file = native_file(device, spec.accumulator);
  if (define.empty() || file.empty()) return;
  spec.prelude.emplace_back(file);
  spec.defines.emplace_back("CELL_NATIVE", 1);
  spec.defines.emplace_back(define, 1);
  if (spec.accumulator == Type::i64) spec.defines.emplace_back("CELL_SIGNED", 1);
}

}  // namespace bifold::core
