// A group over MPI: each process has a slice, and each compares with its own call on the whole
// array. Run by mpirun, and alone.
#include <bifold/bifold.hpp>
#include <bifold/group/distributed.hpp>
#include <bifold/interop/mpi.hpp>
#include <iostream>
#include <string>

#include "group/cuts.hpp"
#include "support/values/arithmetic.hpp"

namespace bifold {

namespace {

using test::Offsets;

int wrong = 0;

void check(bool right, const std::string& what) {
  if (right) return;
  ++wrong;
  std::cout << "FAILED: " << what << std::endl;
}

// As many slices as there are ranks.
Offsets fitted(const Offsets& offsets, std::uint32_t ranks) {
  Offsets fitted(offsets.begin(), offsets.end() - 1);
  const std::uint64_t n = offsets.back();
  fitted.resize(ranks, n);
  fitted.push_back(n);
  return fitted;
}

template <class T>
void check_splits(const Device& device, Group& group, std::uint32_t rank,
                  const std::vector<T>& host, std::uint64_t leaf, std::uint64_t tiles,
                  const Operator& op, T init, const std::string& name) {
  test::Sliced<T> data(device, host);
  Queue& queue = data.queue(0);
  const Value sum = transform_reduce(queue, erase(data.input()), type_of<T>(), op, Value(init), {});
  Buffer<T> total(device, 1);
  for (const std::uint64_t unit : {leaf, tiles}) {
    for (const Offsets& drawn : test::cuts(host.size(), unit, 3)) {
      const Offsets offsets = fitted(drawn, group.size());
      const std::string what = name + " of " + test::text_of(offsets);
      check(transform_reduce(group, {data.slice(offsets, rank)}, type_of<T>(), op, Value(init),
                             {}) == sum,
            "the sum, " + what);
      if (unit == leaf) continue;
      scan(queue, ScanKind::inclusive, erase(data.input()), erase(data.output()), op, Value(init),
           {.total = total});
      const std::vector<T> want = data.outputs();
      const std::vector<T> whole = queue.download(total);
      ScanSlice slice = data.scan_slices(offsets)[rank];
      slice.total = total;
      scan(group, ScanKind::inclusive, {slice}, op, Value(init));
      const std::vector<T> got = data.outputs();
      check(test::same_bytes(got, want), "scan, " + what);
      check(test::same_bytes(queue.download(total), whole), "total, " + what);
    }
  }
}

void run() {
  const Device device = open_device("opencl");
  Group group = interop::mpi::group(MPI_COMM_WORLD, {.deadline = std::chrono::seconds(60)});
  const std::uint32_t rank = group.local_ranks().front();
  const auto f32 = test::drawn(test::sums<float>(), 262'144 + 50'001);
  check_splits(device, group, rank, f32, 4096, 262'144, plus, 0.5F, "f32");
  const auto maps = test::maps<app::Map32>();
  check_splits(device, group, rank, test::drawn(maps, 10'001), 4096, 131'072, maps.op, maps.init,
               "maps");

  // Two groups do not mix their messages, and a rank that asks for something else is found out.
  Group other = interop::mpi::group(MPI_COMM_WORLD);
  Queue queue(device);
  Buffer<float> ones(device, 100);
  queue.fill(ones, 1.0F);
  check(reduce(queue, other, ones, plus, 0.0F) == 100.0F * static_cast<float>(group.size()),
        "another group");
  if (group.size() == 1) return;
  try {
    static_cast<void>(reduce(queue, other, ones, plus, rank == 1 ? 1.0F : 0.0F));
    check(false, "other initial values");
  } catch (const Error& error) {
    check(std::string(error.what()) == "the initial value differs between rank 0 and rank 1",
          error.what());
  }
  check(reduce(queue, other, ones, maximum, 0.0F) == 1.0F, "after a refusal");

  // A group's ranks are those of one communicator.
  MPI_Comm side = MPI_COMM_NULL;
  MPI_Comm between = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? 0 : 1, static_cast<int>(rank), &side);
  MPI_Intercomm_create(side, 0, MPI_COMM_WORLD, rank == 0 ? 1 : 0, 0, &between);
  for (MPI_Comm comm : {between, MPI_Comm(MPI_COMM_NULL)}) {
    try {
      static_cast<void>(interop::mpi::group(comm));
      check(false, "a communicator that no group takes");
    } catch (const Error& error) {
      check(error.category() == ErrorCategory::invalid_argument, error.what());
    }
  }
  MPI_Comm_free(&between);
  MPI_Comm_free(&side);

  // A rank that does not come is the others' timeout, and the deadline's.
  Group hasty = interop::mpi::group(MPI_COMM_WORLD, {.deadline = std::chrono::milliseconds(300)});
  const auto begin = std::chrono::steady_clock::now();
  if (rank != 0) {
    try {
      static_cast<void>(reduce(queue, hasty, ones, plus, 0.0F));
      check(false, "a rank that does not come");
    } catch (const Error& error) {
      check(error.category() == ErrorCategory::timeout, error.what());
    }
    check(std::chrono::steady_clock::now() - begin < std::chrono::seconds(20), "an early timeout");
    try {
      static_cast<void>(reduce(queue, hasty, ones, plus, 0.0F));
      check(false, "a group out of use");
    } catch (const Error& error) {
      check(error.category() == ErrorCategory::timeout, error.what());
    }
  }
  check(reduce(queue, other, ones, maximum, 0.0F) == 1.0F, "after a timeout of another group");
}

}  // namespace

}  // namespace bifold

int main(int argc, char** argv) {
  try {
    static_cast<void>(bifold::interop::mpi::group(MPI_COMM_WORLD));
    std::cout << "FAILED: a group before MPI_Init\n";
    return 1;
  } catch (const bifold::Error& error) {
    if (error.category() != bifold::ErrorCategory::invalid_argument) return 1;
  }
  MPI_Init(&argc, &argv);
  try {
    bifold::run();
  } catch (const std::exception& error) {
    std::cout << "FAILED: " << error.what() << std::endl;
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  try {
    static_cast<void>(bifold::interop::mpi::group(MPI_COMM_WORLD));
    std::cout << "FAILED: a group after MPI_Finalize\n";
    return 1;
  } catch (const bifold::Error& error) {
    if (error.category() != bifold::ErrorCategory::invalid_argument) return 1;
  }
  return bifold::wrong == 0 ? 0 : 1;
}
