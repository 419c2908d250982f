// AMD's and Intel's devices without having one: what production plans on them goes through their
// compilers, and every kernel keeps to what it may take of the device. Nothing is executed.
#include <doctest/doctest.h>

#include <algorithm>
#include <bifold/error.hpp>
#include <bifold/struct.hpp>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/format.hpp"
#include "core/call/find_plan.hpp"
#include "core/shape/plan_shape.hpp"
#include "production.hpp"
#include "support/cases/hard_names.hpp"
#include "support/compiled/compiled_texts.hpp"
#include "targets.hpp"

// Of 16 and 32 bytes, for whose exchange a group of 256 or 128 takes all that OpenCL promises.
struct Wide {
  std::uint64_t a, b;
};
BIFOLD_STRUCT(Wide, a, b);

struct Wider {
  std::uint64_t a, b, c, d;
};
BIFOLD_STRUCT(Wider, a, b, c, d);

namespace bifold {

using test::Checked;
using test::KernelUse;
using test::Target;
using test::target;
using test::Vendor;

namespace {

core::PlanShape shape_of(Type type, Order order = Order::v1) {
  return {type, accumulator_of(type), type, ScanKind::inclusive, plus, {}, {}, order};
}

/// This target's place among those of its vendor, from 0 to less than 1.
double own_place() {
  std::size_t before = 0;
  std::size_t all = 0;
  for (const Target& one : test::targets()) {
    if (one.vendor != target().vendor) continue;
    before += &one < &target();
    ++all;
  }
  return static_cast<double>(before) / static_cast<double>(all);
}

std::string_view word_after(std::string_view text, std::string_view what) {
  const std::size_t at = text.find(what);
  if (at == std::string_view::npos) return "";
  const std::string_view rest = text.substr(at + what.size());
  return rest.substr(0, rest.find('\n'));
}

bool exchanges_registers(std::string_view text) {
  return text.find("\"lanes_subgroup.cl\"") != std::string_view::npos;
}

void check_budget(const Target& target, const KernelUse& kernel, std::string_view text) {
  INFO("kernel " << kernel.name);
  const bool ahead = kernel.name == "scan_order_ahead";
  const test::Budget& waiting = ahead ? target.ahead : target.look_back;
  const test::Budget& budget = ahead || kernel.name == "scan_order" ? waiting : target.budget;
  // Where no lanes exchange registers, Intel's compiler is free to choose.
  if (target.vendor == Vendor::amd || exchanges_registers(text))
    CHECK(kernel.width == target.width);
  CHECK(kernel.registers > 0);
  CHECK(kernel.registers <= budget.registers);
  CHECK(kernel.spilled <= budget.spilled);
  CHECK(kernel.scalars_spilled <= budget.scalars_spilled);
  CHECK(kernel.private_bytes <= budget.private_bytes);
  CHECK(kernel.local_bytes <= budget.local_bytes);
  std::cout << core::formatted("{:14} {:18} {:>8} -> {:8} {:>4} {:>4} {:>4} {:>6} {:>5} {:>6}\n",
                               target.name, kernel.name, word_after(text, "#define IN_NAME "),
                               word_after(text, "#define VALUE_NAME "), kernel.registers,
                               kernel.scalar_registers, kernel.scalars_spilled, kernel.spilled,
                               kernel.private_bytes, kernel.local_bytes);
}

/// The list of this target's texts.
test::CompiledTexts& listed_texts() {
  return test::compiled_texts("offline-" + std::string(target().name), test::compiler_name());
}

std::string text_of(const test::Budget& budget) {
  return core::formatted("{} {} {} {} {}", budget.registers, budget.spilled, budget.scalars_spilled,
                         budget.private_bytes, budget.local_bytes);
}

/// What check_program() compares a text with, beside what the text says.
std::string checks_of(const test::WantedProgram& program) {
  std::string checks = core::formatted("{}: {}, {}, {}", target().width, text_of(target().budget),
                                       text_of(target().look_back), text_of(target().ahead));
  for (const std::string& entry : program.entries) checks += " " + entry;
  return checks;
}

void check_program(const test::WantedProgram& program) {
  if (target().lanes_only && !exchanges_registers(program.source.text)) return;
  const std::string checks = checks_of(program);
  if (listed_texts().leave_out(program.source, checks)) return;
  INFO(program.source.name << " on " << target().name << "\n");
  std::string log;
  const std::vector<KernelUse> kernels = test::compile(target(), program.source, log);
  // Intel's front end warns of an extension whose functions it has.
  if (target().vendor == Vendor::amd) CHECK_MESSAGE(log.empty(), log);
  CHECK_MESSAGE(!kernels.empty(), log);
  for (const std::string& entry : program.entries) {
    CHECK_MESSAGE(std::any_of(kernels.begin(), kernels.end(),
                              [&](const KernelUse& kernel) { return kernel.name == entry; }),
                  "no kernel ", entry);
  }
  for (const KernelUse& kernel : kernels) check_budget(target(), kernel, program.source.text);
  listed_texts().add(program.source, checks);
}

/// With $BIFOLD_OFFLINE_ALL every text is compiled, which takes many minutes.
bool compiles_all() {
  return std::getenv("BIFOLD_OFFLINE_ALL") != nullptr;  // NOLINT(concurrency-mt-unsafe)
}

}  // namespace

TEST_SUITE_BEGIN("offline");

TEST_CASE("the list of texts that were compiled is of this compiler, where all are compiled") {
  if (test::wanted_digests() != test::Digests::all) return;
  CHECK_MESSAGE(listed_texts().of_this_compiler(), "./run digests compiles and lists them");
}

TEST_CASE("every kernel file of production compiles, and keeps to the budget") {
  std::map<std::string, test::WantedPrograms> families;
  for (const auto& program : test::production_programs(target().device)) {
    const std::string& name = program->source.name;
    families[name.substr(0, name.find(' '))].push_back(program);
  }
  // Those of the gallery's production rows for GPUs, and what combines their partial results. The
  // ring wants other devices, and "catanzaro" is behind a row that asks for nothing more.
  CHECK(families.size() == 18);
  std::cout << "target, kernel, elements -> accumulator: registers, scalar registers, of those "
               "spilled, of the others, bytes of private memory, of local memory\n";
  for (const auto& [name, programs] : families) {
    if (compiles_all()) {
      for (const auto& program : programs) check_program(*program);
      continue;
    }
    // The targets of a vendor take texts that lie far apart.
    const auto place = static_cast<std::size_t>(own_place() * static_cast<double>(programs.size()));
    check_program(*programs.at(place));
  }
}

TEST_CASE("production waits for no other group, unless a check was passed") {
  struct Expected {
    Checked checked;
    Algorithm algorithm;
    Type type;
    std::string_view row;
  };
  // Where 32 lanes exchange registers, the quickest single pass is in order v1.
  const bool shuffles = target().vendor == Vendor::intel && target().width == 32;
  for (const Expected& expected : {
           Expected{Checked::no, Algorithm::reduce, Type::i32, "order_v1_single"},
           {Checked::no, Algorithm::reduce, Type::f32, "order_v1_single"},
           {Checked::no, Algorithm::scan, Type::i32, "reduce_then_scan"},
           {Checked::no, Algorithm::scan, Type::f32, "order_v1_passes"},
           {Checked::passed, Algorithm::reduce, Type::f32, "order_v1_single"},
           {Checked::single_failed, Algorithm::reduce, Type::f32, "order_v1"},
           {Checked::order_failed, Algorithm::reduce, Type::i32, "vector"},
           {Checked::passed, Algorithm::scan, Type::i32, "order_v1_ahead"},
           {Checked::passed, Algorithm::scan, Type::f32, "order_v1_ahead"},
           {Checked::passed, Algorithm::scan, Type::i64, shuffles ? "order_v1" : "lookback_warp"},
           {Checked::passed, Algorithm::scan, Type::f16, "order_v1"},
       }) {
    test::WantedPrograms programs;
    const Device device = test::planned_device(target().device, expected.checked, programs);
    CHECK(test::production_row(device, expected.algorithm, shape_of(expected.type)) ==
          expected.row);
    CHECK_FALSE(programs.empty());
  }
}

// Two tiles are in registers at a time.
TEST_CASE("scans a tile ahead keep to their budget, of either kind") {
  test::WantedPrograms programs;
  const Device device = test::planned_device(target().device, Checked::passed, programs);
  for (const Type type : {Type::i32, Type::f32}) {
    for (const ScanKind kind : {ScanKind::inclusive, ScanKind::exclusive}) {
      core::PlanShape shape = shape_of(type);
      shape.kind = kind;
      static_cast<void>(core::find_plan(device, Algorithm::scan, "order_v1_ahead", shape));
    }
  }
  CHECK(programs.size() == 4);
  for (const auto& program : programs) check_program(*program);
}

// A pack of them is many values, in registers that every row takes anew.
TEST_CASE("scans of narrow elements keep to the budget") {
  test::WantedPrograms programs;
  const Device device = test::planned_device(target().device, Checked::passed, programs);
  for (const Type type : {Type::u8, Type::i16, Type::f16}) {
    for (const std::string_view row : {"reduce_then_scan", "lookback_warp"}) {
      static_cast<void>(core::find_plan(device, Algorithm::scan, row, shape_of(type, Order::any)));
    }
  }
  CHECK(programs.size() == 6);
  for (const auto& program : programs) check_program(*program);
}

// As oclgrind and drivers before ROCm have it.
TEST_CASE("scans keep to the least local memory that OpenCL promises") {
  test::Description device = target().device;
  device.capabilities.local_bytes = 32768;
  test::WantedPrograms programs;
  const Device planned = test::planned_device(device, Checked::passed, programs);
  for (const Type type : {type_of<Wide>(), type_of<Wider>()}) {
    core::PlanShape shape = shape_of(type);
    const std::size_t fields = size_of(type) / sizeof(std::uint64_t);
    shape.op = Operator::fieldwise(type, std::vector<Operator>(fields, plus));
    for (const std::string_view row : {"order_v1", "order_v1_passes", "lookback_warp"}) {
      static_cast<void>(core::find_plan(planned, Algorithm::scan, row, shape));
    }
  }
  CHECK(programs.size() == 6);
  for (const auto& program : programs) {
    INFO(program->source.name);
    const std::string checks =
        core::formatted("{} bytes of local memory", device.capabilities.local_bytes);
    if (listed_texts().leave_out(program->source, checks)) continue;
    std::string log;
    const std::vector<KernelUse> kernels = test::compile(target(), program->source, log);
    CHECK_MESSAGE(!kernels.empty(), log);
    for (const KernelUse& kernel : kernels) {
      INFO(kernel.name);
      CHECK(kernel.local_bytes <= device.capabilities.local_bytes);
    }
    listed_texts().add(program->source, checks);
  }
}

TEST_CASE("f64 is refused with the reason where a device has none") {
  test::WantedPrograms programs;
  const Device device = test::planned_device(target().device, Checked::no, programs);
  const auto plan = [&] {
    return test::production_row(device, Algorithm::reduce, shape_of(Type::f64));
  };
  if (device.capabilities().f64) {
    CHECK(plan() == "order_v1_single");
    return;
  }
  try {
    (void)plan();
    FAIL_CHECK("f64 was planned");
  } catch (const Error& error) {
    CHECK(error.category() == ErrorCategory::unsupported);
    CHECK(std::string(error.what()).find("the device has no f64 arithmetic") != std::string::npos);
  }
  CHECK(programs.empty());
}

TEST_CASE("names that mean something to compilers or kernels are those of structs and fields") {
  if (own_place() > 0) return;  // One target tells of its vendor's compiler.
  test::WantedPrograms programs;
  const Device device = test::planned_device(target().device, Checked::passed, programs);
  std::string log;
  CHECK_MESSAGE(!test::compile(target(), test::source_with_hard_names(device), log).empty(), log);
}

TEST_CASE("a mistake in a text is a failure with the compiler's message") {
  std::string log;
  CHECK(test::compile(target(), {"mistake.cl", "__kernel void k(void) { mistake(); }", ""}, log)
            .empty());
  CHECK(log.find("mistake") != std::string::npos);
}

// An array that is indexed by what only the device knows cannot stay in registers.
TEST_CASE("private memory is seen where a kernel takes it") {
  std::string log;
  const auto kernels =
      test::compile(target(),
                    {"private.cl",
                     "__kernel void hoards(__global uint* data) { uint kept[1000];"
                     " for (uint i = 0; i < 1000; ++i) kept[i] = data[i];"
                     " for (uint i = 0; i < 1000; ++i) data[i] = kept[data[i] % 1000]; }",
                     target().device.options},
                    log);
  REQUIRE(kernels.size() == 1);
  CHECK(kernels.front().private_bytes > target().budget.private_bytes);
}

TEST_SUITE_END();

}  // namespace bifold
