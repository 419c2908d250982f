// Processes that were started to measure together, each with a rank: by mpirun. What connects them
// is a module beside the tool, as peers are, so that the tool starts without an MPI.
#pragma once

#include <bifold/group/group.hpp>
#include <bifold/type.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace bench {

/// The first of the processes, which make a group; this one is among them.
class Team {
 public:
  Team() = default;
  virtual ~Team() = default;
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  /// All of them call it.
  [[nodiscard]] virtual std::shared_ptr<bifold::Transport> transport() const = 0;
  /// Whether add_up() adds values of the type.
  [[nodiscard]] virtual bool adds(bifold::Type type) const = 0;
  /// Blocks. Replaces the value by the sum of all processes' values, in what order is not said.
  virtual void add_up(bifold::Type type, void* value) const = 0;
};

class Processes {
 public:
  Processes() = default;
  virtual ~Processes() = default;
  Processes(const Processes&) = delete;
  Processes& operator=(const Processes&) = delete;

  /// What connects them, with its version.
  [[nodiscard]] virtual std::string version() const = 0;
  [[nodiscard]] virtual std::uint32_t size() const = 0;
  [[nodiscard]] virtual std::uint32_t rank() const = 0;
  /// The number of this process' host, and that of the process on it.
  [[nodiscard]] virtual std::uint32_t host() const = 0;
  [[nodiscard]] virtual std::uint32_t rank_on_host() const = 0;
  /// Blocks. Every process gives as many bytes and gets those of all, in the order of ranks.
  virtual void gather(std::span<const std::byte> mine, std::span<std::byte> all) const = 0;
  /// Blocks. The first `ranks` processes; null in the others. All call it.
  [[nodiscard]] virtual std::unique_ptr<Team> team(std::uint32_t ranks) const = 0;
  /// Ends the other processes, which would wait for this one, if not this one, too.
  virtual void abandon() const = 0;
};

/// This process alone.
std::unique_ptr<Processes> this_process();

/// Those that mpirun started, this one among them. MPI runs until the object ends; there is one at
/// a time. Throws UsageError, which starts with `option`, where the module is missing.
std::unique_ptr<Processes> mpi_processes(const std::string& option);

/// What comes of a step in each process, in the order of ranks. A failure of one is thrown in all
/// of them, as a bifold::Error of its category.
std::vector<std::uint64_t> in_all(const Processes& processes,
                                  const std::function<std::uint64_t()>& step);
/// The same for numbers that are not whole.
std::vector<double> numbers_in_all(const Processes& processes, const std::function<double()>& step);
/// What the first process says.
bool first_says(const Processes& processes, bool mine);

/// What the module exports, under this name; null where MPI does not start. The number changes with
/// the classes above.
using ProcessesEntry = Processes* (*)();
inline constexpr const char* processes_entry_name = "bifold_bench_processes_1";

}  // namespace bench

/// Defines the module's entry, which gives what `start` does.
#define BIFOLD_BENCH_PROCESSES_MODULE(start)                                                      \
  extern "C" __attribute__((visibility("default"))) bench::Processes* bifold_bench_processes_1(); \
  extern "C" bench::Processes* bifold_bench_processes_1() { return start(); }
