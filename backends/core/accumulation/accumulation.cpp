#include <bifold/accumulation/accumulation.hpp>
#include <string>
#include <utility>

#include "core/accumulation/running_reduction.hpp"
#include "core/accumulation/running_scan.hpp"
#include "core/base/process.hpp"
#include "core/call/reductions.hpp"

namespace bifold {

namespace detail {

struct ReduceAccumulationState : core::RunningReduction {
  using core::RunningReduction::RunningReduction;
};

struct ScanAccumulationState : core::RunningScan {
  using core::RunningScan::RunningScan;
};

}  // namespace detail

namespace {

[[noreturn]] void refuse(const std::string& why) {
  throw Error(ErrorCategory::invalid_argument, "an accumulation " + why);
}

void check_type(const char* what, Type given, Type wanted) {
  if (given == wanted) return;
  refuse("whose " + std::string(what) + " are " + std::string(name_of(wanted)) + " is given " +
         std::string(name_of(given)));
}

std::shared_ptr<detail::ReduceAccumulationState> first_of(const Queue& queue, Type element,
                                                          const Operator& op,
                                                          const AccumulationOptions& options) {
  const ReduceShape shape{.input = element,
                          .accumulator = core::indexed_type(element),
                          .op = op,
                          .map = core::indexed_map(element)};
  return core::make_state<detail::ReduceAccumulationState>(queue, shape, std::optional<Value>(),
                                                           options, true);
}

}  // namespace

ReduceAccumulation::ReduceAccumulation(const Queue& queue, const ReduceShape& shape,
                                       const std::optional<Value>& init,
                                       const AccumulationOptions& options) try
    : ReduceAccumulation(
          core::make_state<detail::ReduceAccumulationState>(queue, shape, init, options, false)) {
} catch (...) {
  detail::rethrow();
}

ReduceAccumulation::ReduceAccumulation(std::shared_ptr<detail::ReduceAccumulationState> state)
    : state_(std::move(state)) {}

ReduceAccumulation ReduceAccumulation::argmin(const Queue& queue, Type element,
                                              const AccumulationOptions& options) try {
  return ReduceAccumulation(first_of(queue, element, argmin_operator(element), options));
} catch (...) {
  detail::rethrow();
}

ReduceAccumulation ReduceAccumulation::argmax(const Queue& queue, Type element,
                                              const AccumulationOptions& options) try {
  return ReduceAccumulation(first_of(queue, element, argmax_operator(element), options));
} catch (...) {
  detail::rethrow();
}

detail::ReduceAccumulationState& ReduceAccumulation::state() const {
  if (!state_) core::refuse_moved_from("ReduceAccumulation");
  core::refuse_forked();
  return *state_;
}

std::uint64_t ReduceAccumulation::count() const try { return state().count(); } catch (...) {
  detail::rethrow();
}

// What changes the accumulation is not const, though its handle stays as it is.
// NOLINTBEGIN(readability-make-member-function-const)

void ReduceAccumulation::feed(const ErasedView& chunk) try { state().feed({chunk}); } catch (...) {
  detail::rethrow();
}

void ReduceAccumulation::feed(const ErasedView& chunk, const ErasedView& second) try {
  state().feed({chunk, second});
} catch (...) {
  detail::rethrow();
}

void ReduceAccumulation::feed_bytes(const void* elements, std::uint64_t count) try {
  state().feed_host(elements, nullptr, count);
} catch (...) {
  detail::rethrow();
}

void ReduceAccumulation::feed_bytes(const void* elements, const void* seconds,
                                    std::uint64_t count) try {
  state().feed_host(elements, seconds, count);
} catch (...) {
  detail::rethrow();
}

void ReduceAccumulation::check_input(Type type) const try {
  check_type("elements", type, state().input());
} catch (...) {
  detail::rethrow();
}

void ReduceAccumulation::check_inputs(Type type, Type second, std::uint64_t count,
                                      std::uint64_t seconds) const try {
  check_type("elements", type, state().input());
  if (const std::optional<Type> wanted = state().second()) {
    check_type("second elements", second, *wanted);
  }
  if (count == seconds) return;
  refuse("is fed " + std::to_string(count) + " elements, and of the second array " +
         std::to_string(seconds));
} catch (...) {
  detail::rethrow();
}

Value ReduceAccumulation::value() try { return state().value(); } catch (...) {
  detail::rethrow();
}

void ReduceAccumulation::value_into(const ErasedView& result) try {
  state().value_into(result);
} catch (...) {
  detail::rethrow();
}

std::vector<std::byte> ReduceAccumulation::save() try { return state().save(); } catch (...) {
  detail::rethrow();
}

void ReduceAccumulation::resume(std::span<const std::byte> saved) try {
  state().resume(saved);
} catch (...) {
  detail::rethrow();
}

ScanAccumulation::ScanAccumulation(const Queue& queue, const ScanShape& shape,
                                   const std::optional<Value>& init,
                                   const AccumulationOptions& options) try
    : state_(core::make_state<detail::ScanAccumulationState>(queue, shape, init, options)) {
} catch (...) {
  detail::rethrow();
}

detail::ScanAccumulationState& ScanAccumulation::state() const {
  if (!state_) core::refuse_moved_from("ScanAccumulation");
  core::refuse_forked();
  return *state_;
}

std::uint64_t ScanAccumulation::count() const try { return state().count(); } catch (...) {
  detail::rethrow();
}

void ScanAccumulation::feed(const ErasedView& chunk, const ErasedView& output) try {
  state().feed(chunk, output);
} catch (...) {
  detail::rethrow();
}

void ScanAccumulation::feed_bytes(const void* elements, void* outputs, std::uint64_t count) try {
  state().feed_host(elements, outputs, count);
} catch (...) {
  detail::rethrow();
}

void ScanAccumulation::check_types(Type input, Type output, std::uint64_t inputs,
                                   std::uint64_t outputs) const try {
  const ScanShape& shape = state().shape();
  check_type("elements", input, shape.input);
  check_type("outputs", output, shape.output);
  if (inputs == outputs) return;
  refuse("is given " + std::to_string(inputs) + " elements, and room for " +
         std::to_string(outputs) + " outputs");
} catch (...) {
  detail::rethrow();
}

Value ScanAccumulation::total() try { return state().total(); } catch (...) {
  detail::rethrow();
}

std::vector<std::byte> ScanAccumulation::save() try { return state().save(); } catch (...) {
  detail::rethrow();
}

void ScanAccumulation::resume(std::span<const std::byte> saved) try {
  state().resume(saved);
} catch (...) {
  detail::rethrow();
}

// NOLINTEND(readability-make-member-function-const)

}  // namespace bifold
