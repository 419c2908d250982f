// When a group of the emulated device has come to a stop, which is no question of time.
#include "emulator.hpp"

#include <atomic>
#include <chrono>
#include <cstdio>
#include <thread>

namespace {

template <class Body>
struct Kernel final : emulated::Work {
  explicit Kernel(Body body) : body_(body) {}
  void run() const override { body_(); }
  Body body_;
};

/// Whether groups of two lane groups come to their end, all at once.
template <class Body>
bool ends(unsigned groups, Body body) {
  return emulated::launch(Kernel<Body>(body), groups, 64, groups, 1);
}

bool never(const void* /*of*/) { return false; }
bool is_set(const void* of) { return static_cast<const std::atomic<bool>*>(of)->load(); }

int failures = 0;

void check(bool right, const char* what) {
  if (right) return;
  std::printf("FAILED: %s\n", what);
  ++failures;
}

}  // namespace

int main() {
  check(ends(2, [] { emulated::barrier(); }), "a barrier that all reach");
  check(!ends(1,
              [] {
                if (emulated::item() != 5) emulated::barrier();
                if (emulated::item() == 5) emulated::await(&never, nullptr);
              }),
        "a barrier that one does not reach is a stop");
  check(ends(1,
             [] {
               static std::atomic<bool> landed{false};
               if (emulated::item() == 0) {
                 emulated::later({[](const emulated::Later& copy) {
                                    static_cast<std::atomic<bool>*>(copy.to)->store(true);
                                  },
                                  &landed, nullptr, 0, nullptr});
               }
               emulated::await(&is_set, &landed);
             }),
        "who waits for a copy goes on once it has landed");
  check(ends(2,
             [] {
               static std::atomic<bool> published{false};
               if (emulated::group() == 1) {
                 if (emulated::item() != 0) return;
                 std::this_thread::sleep_for(std::chrono::milliseconds(200));
                 published = true;
               }
               while (!published) emulated::pass();
             }),
        "who polls has patience with another group, however slow");
  return failures;
}
