#include "core/gallery/type_trials.hpp"

#include <algorithm>
#include <bifold/buffer.hpp>
#include <bifold/error.hpp>
#include <bifold/queue.hpp>
#include <cstring>
#include <span>
#include <vector>

#include "core/base/format.hpp"
#include "core/base/log.hpp"
#include "core/device/state.hpp"
#include "core/plan/part_choices.hpp"
#include "core/plan/planning.hpp"

namespace bifold::core {

namespace {

constexpr std::uint64_t count = 5;
constexpr std::uint64_t results = count + 2;

// Bytes of which no two neighbours are equal. Scalars of them may be anything: they are handed on.
std::vector<std::byte> elements_of(Type type) {
  std::vector<std::byte> bytes(count * size_of(type));
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(11 + 37 * i);
  return bytes;
}

// Whether fields are equal: what lies between them is nobody's.
bool same_fields(Type type, const std::byte* left, const std::byte* right) {
  if (!type.is_struct()) return std::memcmp(left, right, size_of(type)) == 0;
  const auto& fields = type.structure()->fields;
  return std::all_of(fields.begin(), fields.end(), [&](const StructField& field) {
    return std::memcmp(left + field.offset, right + field.offset, size_of(field.type)) == 0;
  });
}

// Everything that is combined is the later one, or what is there: no arithmetic is needed.
KernelSpec spec_of(const Device& device, Type type, bool adjoined) {
  KernelSpec spec;
  spec.family = spec.entry = "type_trial_chunks";
  spec.input = spec.accumulator = spec.output = type;
  const std::array<std::byte, max_element_bytes> zeros{};
  spec.op = adjoined ? Operator::user("trial", "b", type)
                     : Operator::user("trial", "b", Value::from_bytes(type, zeros.data()));
  add_parts(device, spec);
  return spec;
}

std::vector<std::byte> run(const Device& device, const KernelSpec& spec,
                           const std::vector<std::byte>& elements) {
  const PlannedKernel kernel = build_kernel(device, spec);
  const std::size_t bytes_each = size_of(spec.input);
  Queue queue(device);
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(elements.data());
  const auto input = queue.upload(std::span(bytes, elements.size()));
  auto output = queue.allocate<std::uint8_t>(results * bytes_each);
  queue.fill(output, std::uint8_t{0xa5});
  const StoredAccumulator given(spec.op, spec.input,
                                Value::from_bytes(spec.input, elements.data() + bytes_each));
  {
    const std::lock_guard lock(queue.state().mutex);
    launch(*queue.state().backend, kernel, 1, Range{input.view().memory(), 0}, count, given,
           Range{output.view().memory(), 0});
  }
  const std::vector<std::uint8_t> found = queue.download(output);
  std::vector<std::byte> left(found.size());
  std::memcpy(left.data(), found.data(), found.size());
  return left;
}

// Which of the results is wrong, in words, or nothing.
std::string wrong_in(Type type, const std::vector<std::byte>& elements,
                     const std::vector<std::byte>& found) {
  const std::size_t bytes_each = size_of(type);
  for (std::uint64_t i = 0; i < results; ++i) {
    const std::uint64_t wanted = i < count ? count - 1 - i : i == count ? count - 1 : 1;
    if (same_fields(type, found.data() + i * bytes_each, elements.data() + wanted * bytes_each)) {
      continue;
    }
    return i < count ? "in private arrays" : i == count ? "in a loop" : "as an argument by value";
  }
  return {};
}

}  // namespace

std::string TypeTrials::problem(const Device& device, const Operator& op, Type type) {
  const bool adjoined = !op.has_identity();
  if (!type.is_struct() && !adjoined) return {};
  const KernelSpec spec = spec_of(device, type, adjoined);
  const std::lock_guard lock(mutex_);
  const auto [known, fresh] =
      known_.try_emplace(kernel_source(*device.state()->backend, spec).text);
  if (!fresh) return known->second;
  const std::string what = formatted("{}{}{}", type.is_struct() ? "struct " : "", name_of(type),
                                     adjoined ? " by an operator without identity" : "");
  try {
    const std::vector<std::byte> elements = elements_of(type);
    const std::string where = wrong_in(type, elements, run(device, spec, elements));
    if (where.empty()) return {};
    known->second = formatted("the device's compiler gets {} wrong {}", what, where);
  } catch (const Error& error) {
    // A text that does not compile says so by itself, in the kernels that were asked for.
    if (error.category() == ErrorCategory::build_failure) return {};
    if (error.category() != ErrorCategory::backend_failure) {
      known_.erase(known);
      throw;
    }
    known->second = formatted("the device's driver does not take {}: {}", what, error.what());
  } catch (...) {
    known_.erase(known);
    throw;
  }
  log().warn("{}: {}", device.info().selector, known->second);
  return known->second;
}

std::string TypeTrials::problem(const Device& device, const PlanShape& shape) {
  if (!device.capabilities().tries_types) return {};
  for (const Type type : stored_types(shape)) {
    if (!type.is_struct()) continue;
    std::string found = problem(device, plus, type);
    if (!found.empty()) return found;
  }
  return problem(device, shape.op, shape.accumulator);
}

}  // namespace bifold::core
