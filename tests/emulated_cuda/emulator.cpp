#include "emulator.hpp"

#include <ucontext.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csetjmp>
#include <cstdio>
#include <memory>
#include <numeric>
#include <random>
#include <thread>
#include <vector>

namespace emulated {
namespace {

constexpr unsigned lanes = 32;
constexpr std::size_t stack_bytes = 64 << 10;

// Where a fiber goes on. Contexts begin fibers; to switch by them would ask the kernel each time.
struct Place {
  ucontext_t context{};
  jmp_buf jump{};
  bool began = true;
};

void go(Place& from, Place& to) {
  if (_setjmp(from.jump) != 0) return;
  if (to.began) _longjmp(to.jump, 1);
  to.began = true;
  setcontext(&to.context);
}

struct Fiber {
  Place place;
  std::unique_ptr<char[]> stack;
  bool ended = false;
  bool (*so)(const void*) = nullptr;  // What it waits for; null: nothing.
  const void* of = nullptr;
};

/// What lanes that meet leave for each other: of one meeting while some still read the last one.
struct Meeting {
  unsigned met = 0;
  unsigned round = 0;
  std::array<std::array<std::uint32_t, lanes>, 2> value{};
};

/// A copy under way, which lands after so many rounds on the average.
struct Copy {
  Later what;
  unsigned rounds;
};

class Group;
thread_local Group* running = nullptr;

class Group {
 public:
  Group(const Work& work, unsigned size, unsigned groups, std::uint64_t seed,
        const std::atomic<bool>& well)
      : work_(work),
        well_(well),
        groups_(groups),
        fibers_(size),
        lane_groups_((size + lanes - 1) / lanes),
        random_(seed) {
    for (Fiber& fiber : fibers_) fiber.stack = std::make_unique_for_overwrite<char[]>(stack_bytes);
  }

  bool run(unsigned index) {
    index_ = index;
    for (unsigned i = 0; i < fibers_.size(); ++i) start(i);
    running = this;
    const bool well = step_until_all_ended();
    running = nullptr;
    return well;
  }

  [[nodiscard]] unsigned item() const { return item_; }
  [[nodiscard]] unsigned index() const { return index_; }
  [[nodiscard]] unsigned groups() const { return groups_; }

  void await(bool (*so)(const void*), const void* of) {
    Fiber& own = fibers_[item_];
    own.so = so;
    own.of = of;
    go(own.place, scheduler_);
  }

  void pass() { await(nullptr, nullptr); }

  const std::array<std::uint32_t, lanes>& meet(std::uint32_t value) {
    Meeting& meeting = lane_groups_[item_ / lanes];
    const unsigned round = meeting.round;
    meeting.value[round % 2][item_ % lanes] = value;
    const auto size = static_cast<unsigned>(fibers_.size());
    if (++meeting.met == std::min(lanes, size - item_ / lanes * lanes)) {
      meeting.met = 0;
      ++meeting.round;
    } else {
      wait_for_next(meeting.round);
    }
    return meeting.value[round % 2];
  }

  void barrier() {
    if (++at_barrier_ == fibers_.size()) {
      at_barrier_ = 0;
      ++barriers_;
    } else {
      wait_for_next(barriers_);
    }
  }

  // Some copies are slow: others, and much else, come before them.
  void later(const Later& what) {
    constexpr unsigned quick = 4;
    constexpr unsigned slow = 1024;
    later_.push_back({what, random_() % 8 == 0 ? slow : quick});
  }

 private:
  static void enter() {
    running->work_.run();
    running->fibers_[running->item_].ended = true;
    go(running->fibers_[running->item_].place, running->scheduler_);
  }

  void start(unsigned i) {
    Fiber& fiber = fibers_[i];
    fiber.ended = false;
    fiber.so = nullptr;
    ucontext_t& context = fiber.place.context;
    getcontext(&context);
    context.uc_stack.ss_sp = fiber.stack.get();
    context.uc_stack.ss_size = stack_bytes;
    context.uc_link = nullptr;
    makecontext(&context, &Group::enter, 0);
    fiber.place.began = false;
  }

  void wait_for_next(const unsigned& round) {
    struct Round {
      const unsigned* now;
      unsigned before;
    };
    const Round of{&round, round};
    await(
        [](const void* what) {
          const auto* each = static_cast<const Round*>(what);
          return *each->now != each->before;
        },
        &of);
  }

  bool step_until_all_ended() {
    std::vector<unsigned> order(lane_groups_.size());
    std::iota(order.begin(), order.end(), 0U);
    for (;;) {
      std::shuffle(order.begin(), order.end(), random_);
      bool all_ended = true;
      bool stepped = land_some();
      const auto first = static_cast<unsigned>(random_() % lanes);
      for (const unsigned lane_group : order) {
        const unsigned begin = lane_group * lanes;
        const unsigned end = std::min(begin + lanes, static_cast<unsigned>(fibers_.size()));
        item_ = begin + first % (end - begin);
        for (unsigned lane = begin; lane < end; ++lane) {
          item_ = item_ + 1 < end ? item_ + 1 : begin;
          Fiber& fiber = fibers_[item_];
          if (fiber.ended) continue;
          all_ended = false;
          if (fiber.so != nullptr && !fiber.so(fiber.of)) continue;
          stepped = true;
          go(scheduler_, fiber.place);
        }
      }
      if (all_ended) return true;
      if (!well_) return false;
      // What they wait for is the group's own: nobody else will bring it.
      if (!stepped) {
        std::fprintf(stderr, "emulated: all of group %u wait\n", index_);
        return false;
      }
      std::this_thread::yield();
    }
  }

  // Whether any copy was under way.
  bool land_some() {
    const bool any = !later_.empty();
    std::erase_if(later_, [this](const Copy& copy) {
      if (random_() % copy.rounds != 0) return false;
      copy.what.step(copy.what);
      return true;
    });
    return any;
  }

  const Work& work_;
  const std::atomic<bool>& well_;  // False once a group has given up.
  unsigned groups_;
  unsigned index_ = 0;
  unsigned item_ = 0;
  std::vector<Fiber> fibers_;
  std::vector<Meeting> lane_groups_;
  unsigned at_barrier_ = 0;
  unsigned barriers_ = 0;
  std::vector<Copy> later_{};
  std::mt19937_64 random_;
  Place scheduler_{};
};

}  // namespace

bool launch(const Work& work, unsigned groups, unsigned group_size, unsigned at_once,
            std::uint64_t seed) {
  // Each launch draws anew.
  static std::atomic<std::uint64_t> launches{0};
  seed = seed * 1000003 + launches++;
  std::atomic<unsigned> next{0};
  std::atomic<bool> well{true};
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < std::min(at_once, groups); ++t) {
    threads.emplace_back([&, t] {
      Group group(work, group_size, groups, seed + t, well);
      for (unsigned index = next++; index < groups && well; index = next++) {
        if (!group.run(index)) well = false;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return well;
}

unsigned item() { return running->item(); }
unsigned group() { return running->index(); }
unsigned groups() { return running->groups(); }

std::uint32_t shuffled(std::uint32_t value, unsigned from) {
  return running->meet(value)[from % lanes];
}

std::uint32_t ballot(bool yes) {
  const auto& all = running->meet(yes ? 1 : 0);
  std::uint32_t bits = 0;
  for (unsigned lane = 0; lane < lanes; ++lane) bits |= (all[lane] & 1) << lane;
  return bits;
}

void barrier() { running->barrier(); }
void pass() { running->pass(); }
void await(bool (*so)(const void*), const void* of) {
  if (!so(of)) running->await(so, of);
}
void later(const Later& what) { running->later(what); }

}  // namespace emulated
