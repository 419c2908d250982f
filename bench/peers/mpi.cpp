// Processes that mpirun started, over the MPI that this module is compiled with.
#include <mpi.h>

#include <bifold/interop/mpi.hpp>
#include <memory>
#include <string>
#include <vector>

#include "peers/processes.hpp"

namespace bench {
namespace {

using bifold::Type;
using bifold::interop::mpi::detail::check;

/// MPI_DATATYPE_NULL for what MPI does not add.
MPI_Datatype datatype_of(Type type) {
  if (type == Type::i8) return MPI_INT8_T;
  if (type == Type::i16) return MPI_INT16_T;
  if (type == Type::i32) return MPI_INT32_T;
  if (type == Type::i64) return MPI_INT64_T;
  if (type == Type::u8) return MPI_UINT8_T;
  if (type == Type::u16) return MPI_UINT16_T;
  if (type == Type::u32) return MPI_UINT32_T;
  if (type == Type::u64) return MPI_UINT64_T;
  if (type == Type::f32) return MPI_FLOAT;
  if (type == Type::f64) return MPI_DOUBLE;
  return MPI_DATATYPE_NULL;
}

class MpiTeam final : public Team {
 public:
  explicit MpiTeam(MPI_Comm comm) : comm_(comm) {}
  ~MpiTeam() override { MPI_Comm_free(&comm_); }
  MpiTeam(const MpiTeam&) = delete;
  MpiTeam& operator=(const MpiTeam&) = delete;

  [[nodiscard]] std::shared_ptr<bifold::Transport> transport() const override {
    return std::make_shared<bifold::interop::mpi::detail::Transport>(comm_);
  }
  [[nodiscard]] bool adds(Type type) const override {
    return datatype_of(type) != MPI_DATATYPE_NULL;
  }
  void add_up(Type type, void* value) const override {
    check(MPI_Allreduce(MPI_IN_PLACE, value, 1, datatype_of(type), MPI_SUM, comm_),
          "MPI_Allreduce");
  }

 private:
  MPI_Comm comm_;
};

class MpiProcesses final : public Processes {
 public:
  MpiProcesses() {
    check(MPI_Comm_size(MPI_COMM_WORLD, &size_), "MPI_Comm_size");
    check(MPI_Comm_rank(MPI_COMM_WORLD, &rank_), "MPI_Comm_rank");
    MPI_Comm here = MPI_COMM_NULL;
    check(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &here),
          "MPI_Comm_split_type");
    check(MPI_Comm_rank(here, &rank_on_host_), "MPI_Comm_rank");
    // Hosts are numbered by their first processes.
    int first = rank_on_host_ == 0 ? 1 : 0;
    check(MPI_Scan(&first, &host_, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD), "MPI_Scan");
    host_ -= 1;
    check(MPI_Bcast(&host_, 1, MPI_INT, 0, here), "MPI_Bcast");
    check(MPI_Comm_free(&here), "MPI_Comm_free");
  }
  ~MpiProcesses() override { MPI_Finalize(); }
  MpiProcesses(const MpiProcesses&) = delete;
  MpiProcesses& operator=(const MpiProcesses&) = delete;

  [[nodiscard]] std::string version() const override {
    std::string text(MPI_MAX_LIBRARY_VERSION_STRING, '\0');
    int length = 0;
    check(MPI_Get_library_version(text.data(), &length), "MPI_Get_library_version");
    text.resize(static_cast<std::size_t>(length));
    return text.substr(0, text.find_first_of(",\n"));
  }
  [[nodiscard]] std::uint32_t size() const override { return static_cast<std::uint32_t>(size_); }
  [[nodiscard]] std::uint32_t rank() const override { return static_cast<std::uint32_t>(rank_); }
  [[nodiscard]] std::uint32_t host() const override { return static_cast<std::uint32_t>(host_); }
  [[nodiscard]] std::uint32_t rank_on_host() const override {
    return static_cast<std::uint32_t>(rank_on_host_);
  }
  void gather(std::span<const std::byte> mine, std::span<std::byte> all) const override {
    const auto count = static_cast<int>(mine.size());
    check(MPI_Allgather(mine.data(), count, MPI_BYTE, all.data(), count, MPI_BYTE, MPI_COMM_WORLD),
          "MPI_Allgather");
  }
  [[nodiscard]] std::unique_ptr<Team> team(std::uint32_t ranks) const override {
    MPI_Comm comm = MPI_COMM_NULL;
    const int colour = rank() < ranks ? 0 : MPI_UNDEFINED;
    check(MPI_Comm_split(MPI_COMM_WORLD, colour, rank_, &comm), "MPI_Comm_split");
    if (comm == MPI_COMM_NULL) return {};
    return std::make_unique<MpiTeam>(comm);
  }
  void abandon() const override { MPI_Abort(MPI_COMM_WORLD, 1); }

 private:
  int size_ = 0;
  int rank_ = 0;
  int host_ = 0;
  int rank_on_host_ = 0;
};

Processes* start() {
  int given = 0;
  if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &given) != MPI_SUCCESS) {
    return nullptr;
  }
  return std::make_unique<MpiProcesses>().release();
}

}  // namespace
}  // namespace bench

BIFOLD_BENCH_PROCESSES_MODULE(bench::start)
