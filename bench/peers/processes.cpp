#include "peers/processes.hpp"

#include <algorithm>
#include <array>
#include <bifold/error.hpp>
#include <bit>
#include <exception>

#include "base/format.hpp"
#include "base/usage_error.hpp"
#include "peers/modules.hpp"

namespace bench {
namespace {

class ThisProcess final : public Processes {
 public:
  [[nodiscard]] std::string version() const override { return "one process"; }
  [[nodiscard]] std::uint32_t size() const override { return 1; }
  [[nodiscard]] std::uint32_t rank() const override { return 0; }
  [[nodiscard]] std::uint32_t host() const override { return 0; }
  [[nodiscard]] std::uint32_t rank_on_host() const override { return 0; }
  void gather(std::span<const std::byte> mine, std::span<std::byte> all) const override {
    std::ranges::copy(mine, all.begin());
  }
  [[nodiscard]] std::unique_ptr<Team> team(std::uint32_t /*ranks*/) const override { return {}; }
  void abandon() const override {}
};

/// What a process tells the others of a step.
struct Told {
  std::uint64_t value = 0;
  bool failed = false;
  bifold::ErrorCategory category{};
  std::array<char, 240> why{};  ///< Ends with a zero.
};

Told told_of(const std::function<std::uint64_t()>& step) {
  Told told;
  std::string why;
  try {
    told.value = step();
    return told;
  } catch (const bifold::Error& error) {
    told.category = error.category();
    why = error.what();
  } catch (const std::exception& error) {
    told.category = bifold::ErrorCategory::backend_failure;
    why = error.what();
  }
  told.failed = true;
  why.copy(told.why.data(), told.why.size() - 1);
  return told;
}

}  // namespace

std::vector<std::uint64_t> in_all(const Processes& processes,
                                  const std::function<std::uint64_t()>& step) {
  const Told mine = told_of(step);
  std::vector<Told> all(processes.size());
  processes.gather(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(all)));
  std::vector<std::uint64_t> values;
  values.reserve(all.size());
  for (const Told& told : all) {
    if (told.failed) throw bifold::Error(told.category, told.why.data());
    values.push_back(told.value);
  }
  return values;
}

std::vector<double> numbers_in_all(const Processes& processes,
                                   const std::function<double()>& step) {
  const auto words = in_all(processes, [&step] { return std::bit_cast<std::uint64_t>(step()); });
  std::vector<double> values;
  values.reserve(words.size());
  for (const std::uint64_t word : words) values.push_back(std::bit_cast<double>(word));
  return values;
}

bool first_says(const Processes& processes, bool mine) {
  return in_all(processes, [mine] { return std::uint64_t{mine}; }).front() != 0;
}

std::unique_ptr<Processes> this_process() { return std::make_unique<ThisProcess>(); }

std::unique_ptr<Processes> mpi_processes(const std::string& option) {
  const ModuleEntry module = open_module_entry("mpi", processes_entry_name);
  if (module.entry == nullptr) throw UsageError(option + ": " + module.reason);
  std::unique_ptr<Processes> processes(reinterpret_cast<ProcessesEntry>(module.entry)());
  if (!processes) throw UsageError(option + ": MPI does not start");
  return processes;
}

}  // namespace bench
