#include "workload.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <sstream>

#include "core/call/reduce.hpp"
#include "core/call/scan.hpp"
#include "core/gallery/choose_row.hpp"
#include "core/tuning/parameters.hpp"
#include "support/cases/expected.hpp"
#include "support/cases/group_sizes.hpp"
#include "support/environment.hpp"

namespace bifold::test {

namespace {

constexpr auto guard_byte = std::byte{0xa5};
/// Elements of output per round trip: enough to make the transfers cheap, little enough to hold.
constexpr std::uint64_t batch_elements = std::uint64_t{4} << 20;

/// A run and where its results lie in the guarded output, in elements.
struct Slot {
  Run run;
  std::uint64_t begin = 0;
  std::uint64_t count = 0;
  Value init;
};

ErasedView elements(Buffer<std::uint8_t>& buffer, Type type, std::uint64_t offset,
                    std::uint64_t count) {
  ErasedView view = erase(buffer);
  view.type = type;
  view.byte_offset = offset * size_of(type);
  view.count = count;
  return view;
}

Value init_of(const Workload& workload, const Run& run) {
  if (!run.with_init) return workload.op.identity(workload.accumulator);
  return make_init(workload.accumulator, workload.op.kind(), seed() + run.n);
}

/// Slots behind one another, with guard zones of changing length so that their starts are
/// misaligned in every way.
std::vector<Slot> lay_out(const Workload& workload, std::span<const Run> runs,
                          std::uint64_t& total) {
  std::vector<Slot> slots;
  std::uint64_t at = 0;
  for (const Run& run : runs) {
    at += 3 + (run.n + run.offset) % 7;
    if (run.output_place) at = (at + 15) / 16 * 16 + *run.output_place;
    const std::uint64_t count = workload.row->algorithm == Algorithm::reduce ? 1 : run.n;
    slots.push_back({run, at, count, init_of(workload, run)});
    at += count;
  }
  total = at + 5;
  return slots;
}

std::string describe(const Run& run) {
  std::ostringstream text;
  text << "; n " << run.n << ", offset " << run.offset << (run.in_place ? ", in place" : "")
       << (run.with_init ? ", with init" : "")
       << (run.output_place ? ", output at " + std::to_string(*run.output_place) : "") << ", seed "
       << seed() << ": ";
  return text.str();
}

/// Compares one batch; the number of runs that failed.
int compare(const Workload& workload, std::span<const Slot> slots, const HostData& input,
            const std::vector<std::byte>& got) {
  const std::size_t width = size_of(workload.output);
  int failed = 0;
  std::uint64_t checked = 0;  // Elements of `got` known to be right.
  const auto guard_intact = [&](std::uint64_t begin, std::uint64_t end) {
    return std::all_of(got.begin() + static_cast<std::ptrdiff_t>(begin * width),
                       got.begin() + static_cast<std::ptrdiff_t>(end * width),
                       [](std::byte b) { return b == guard_byte; });
  };
  for (const Slot& slot : slots) {
    const Run& run = slot.run;
    const Expected expected = expected_of(workload, input, run.offset, run.n, slot.init);
    std::string problem = first_difference(expected, got.data() + slot.begin * width);
    if (!guard_intact(checked, slot.begin)) problem += " [guard zone before the output changed]";
    checked = slot.begin + slot.count;
    if (!guard_intact(checked, checked + 3)) problem += " [guard zone after the output changed]";
    CHECK_MESSAGE(problem.empty(), describe(workload), describe(run), problem);
    if (!problem.empty() && ++failed == 3) break;
  }
  return failed;
}

int check_batch(Queue& queue, const AnyPlan& plan, const Workload& workload,
                std::span<const Run> runs, const HostData& input,
                Buffer<std::uint8_t>& device_input) {
  std::uint64_t total = 0;
  const std::vector<Slot> slots = lay_out(workload, runs, total);
  const std::size_t width = size_of(workload.output);
  std::vector<std::byte> image(total * width, guard_byte);
  for (const Slot& slot : slots) {
    if (slot.run.in_place) {
      std::memcpy(image.data() + slot.begin * width, input.bytes() + slot.run.offset * width,
                  slot.count * width);
    }
  }
  Buffer<std::uint8_t> output(queue.device(), image.size());
  queue.upload_bytes(erase(output), image.data(), image.size());
  for (const Slot& slot : slots) {
    const ErasedView to = elements(output, workload.output, slot.begin, slot.count);
    const ErasedView from =
        slot.run.in_place ? to
                          : elements(device_input, workload.input, slot.run.offset, slot.run.n);
    plan.run(queue, from, to, slot.init);
  }
  queue.download_bytes(erase(output), image.data(), image.size());
  return compare(workload, slots, input, image);
}

/// The tuning that the plan is forced to have; none where nothing is forced.
std::optional<core::Tuning> forced_tuning(const Workload& workload) {
  if (workload.tuning || workload.hooks == core::TestHooks{}) return workload.tuning;
  return default_tuning_of(workload);
}

std::variant<ReducePlan, ScanPlan> plan_of(const Workload& workload) {
  const std::optional<core::Tuning> tuning = forced_tuning(workload);
  if (workload.row->algorithm == Algorithm::reduce) {
    ReduceShape shape{workload.input,    workload.accumulator, workload.op, workload.row->name, {},
                      workload.on_device};
    shape.result = workload.output;
    return tuning ? core::make_plan(device(), shape, *tuning, workload.hooks)
                  : ReducePlan(device(), shape);
  }
  const ScanShape shape{workload.input, workload.output,    workload.accumulator, workload.kind,
                        workload.op,    workload.row->name, workload.on_device};
  return tuning ? core::make_plan(device(), shape, *tuning, workload.hooks)
                : ScanPlan(device(), shape);
}

}  // namespace

Workload workload_of(const gallery::Variant& row, Type type, const Operator& op, ScanKind kind) {
  Workload workload;
  workload.row = &row;
  workload.input = workload.output = type;
  workload.accumulator = accumulator_of(type);
  workload.op = op;
  workload.kind = kind;
  return workload;
}

std::string describe(const Workload& workload) {
  std::ostringstream text;
  text << name_of(workload.row->algorithm) << ' ' << workload.row->name << ' '
       << name_of(workload.input);
  if (workload.accumulator != workload.input || workload.output != workload.input) {
    text << " in " << name_of(workload.accumulator) << " to " << name_of(workload.output);
  }
  text << ' ' << workload.op.name();
  if (workload.row->algorithm == Algorithm::scan) text << ' ' << name_of(workload.kind);
  if (workload.on_device.count) text << ", count in a " << name_of(*workload.on_device.count);
  if (workload.on_device.init) text << ", init on the device";
  if (workload.on_device.total) text << ", with its total";
  if (workload.tuning) text << ' ' << core::text_of(*workload.tuning);
  const core::TestHooks& hooks = workload.hooks;
  for (const auto& [name, value] : {std::pair{" spin limit ", hooks.spin_limit},
                                    {" epoch limit ", hooks.epoch_limit},
                                    {" published every ", hooks.published_every},
                                    {" held bytes ", hooks.held_bytes}}) {
    if (value) text << name << *value;
  }
  return text.str();
}

gallery::Support supports(const Workload& workload) {
  for (const Type type : {workload.input, workload.output}) {
    if (!device().supports(type)) {
      return {false, "the device has no " + std::string(name_of(type))};
    }
  }
  core::Choice choice = core::choose_row({device(),
                                          {workload.input, workload.accumulator, workload.output,
                                           workload.kind, workload.op, Map{}, workload.on_device}},
                                         *workload.row);
  return {choice.variant != nullptr, std::move(choice.reasons)};
}

AnyPlan::AnyPlan(const Workload& workload) : plan_(plan_of(workload)) {}

void AnyPlan::run(Queue& queue, const ErasedView& input, const ErasedView& output,
                  const Value& init, const Workspace* workspace, const ValueViews& values) const {
  if (const auto* const reduce = std::get_if<ReducePlan>(&plan_)) {
    ReduceOptions options;
    options.workspace = workspace;
    options.count_from = values.count;
    options.init_from = values.init;
    reduce->run(queue, input, output, init, options);
  } else {
    ScanOptions options;
    options.workspace = workspace;
    options.count_from = values.count;
    options.init_from = values.init;
    options.total = values.total;
    std::get<ScanPlan>(plan_).run(queue, input, output, init, options);
  }
}

std::uint64_t AnyPlan::workspace_bytes(std::uint64_t n) const {
  return std::visit([n](const auto& plan) { return plan.workspace_bytes(n); }, plan_);
}

const gallery::Variant& AnyPlan::variant() const {
  const auto row = [](const auto& plan) { return &plan.variant(); };
  return *std::visit(row, plan_);
}

void check_runs(Queue& queue, const AnyPlan& plan, const Workload& workload,
                std::span<const Run> runs) {
  std::uint64_t length = 1;
  for (const Run& run : runs) length = std::max(length, run.offset + run.n);
  const HostData input =
      make_input(workload.input, workload.op.kind(), length, seed(), workload.flavor);
  Buffer<std::uint8_t> device_input(queue.device(), input.size_bytes());
  queue.upload_bytes(erase(device_input), input.bytes(), input.size_bytes());

  int failed = 0;
  for (std::size_t begin = 0; begin < runs.size() && failed < 3;) {
    std::size_t end = begin;
    for (std::uint64_t sum = 0; end < runs.size() && (end == begin || sum < batch_elements);
         ++end) {
      sum += workload.row->algorithm == Algorithm::reduce ? 1 : runs[end].n;
    }
    failed +=
        check_batch(queue, plan, workload, runs.subspan(begin, end - begin), input, device_input);
    begin = end;
  }

  std::vector<std::byte> after(input.size_bytes());
  queue.download_bytes(erase(device_input), after.data(), after.size());
  CHECK_MESSAGE(std::memcmp(after.data(), input.bytes(), after.size()) == 0, describe(workload),
                ": the input changed");
}

void check_runs(Queue& queue, const Workload& workload, std::span<const Run> runs) {
  try {
    check_runs(queue, AnyPlan(workload), workload, runs);
  } catch (const std::exception& error) {
    FAIL_CHECK(describe(workload), ": ", std::string(error.what()));
  }
}

}  // namespace bifold::test
