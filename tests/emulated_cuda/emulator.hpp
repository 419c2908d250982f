// Kernels of CUDA on a CPU: what they call, and what the stand-in driver launches them by. A group
// is a thread of the host's, and its work-items are fibers, which switch only where they wait, poll
// or arrive. The order of lane groups and which of their lanes begins are drawn anew each time
// round, and bulk copies land late: so much of what waits for too little is found out, and all that
// waits for what nobody does. Not seen are accesses beyond local memory, and the order in which
// words become visible, which is the host's.
#pragma once

#include <cstddef>
#include <cstdint>

// The driver that stands in exports them to kernels.
#pragma GCC visibility push(default)
namespace emulated {

/// A launch with its arguments, made by the kernel's library and run by groups.
struct Work {
  Work() = default;
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;
  virtual ~Work() = default;
  /// What one work-item does.
  virtual void run() const = 0;
};

/// Runs all groups, `at_once` of them together, a thread each, and the others in order; what is
/// drawn follows `seed`. False, with a word on the standard error, where all work-items of a group
/// wait and no copy is under way.
bool launch(const Work& work, unsigned groups, unsigned group_size, unsigned at_once,
            std::uint64_t seed);

// --- What a work-item calls ---

unsigned item();
unsigned group();
unsigned groups();

/// By all lanes of a lane group together: the value of lane `from`.
std::uint32_t shuffled(std::uint32_t value, unsigned from);
/// The same: a bit for each lane that says yes.
std::uint32_t ballot(bool yes);
/// By all work-items of the group together.
void barrier();
/// Lets others go on.
void pass();
/// Lets others go on until it is so, by what work-items of the group or its copies do; who waits
/// for another group polls, with pass().
void await(bool (*so)(const void* of), const void* of);

/// Does it later, at a step of the group that is drawn.
struct Later {
  void (*step)(const Later& what);
  void* to;
  const void* from;
  std::size_t bytes;
  void* signal;
};
void later(const Later& what);

}  // namespace emulated
#pragma GCC visibility pop
