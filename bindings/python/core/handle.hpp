#pragma once
// Handles of the library, owned by objects of Python.

#include <cstdint>
#include <memory>
#include <mutex>

#include "api.hpp"

namespace bifold::python {

/// Gives up the interpreter's lock for what may take long. Once the interpreter ends, its threads
/// stay here but for the one that ends it: taking the lock back would unwind them.
class Released {
 public:
  Released() : state_(PyEval_SaveThread()) {}
  Released(const Released&) = delete;
  Released& operator=(const Released&) = delete;
  ~Released();

 private:
  PyThreadState* state_;
};

/// A number that no other thread has, or had.
std::uint64_t thread_number();

/// What is given back when the interpreter ends, while drivers are still there: the newest first,
/// and without what a call is using. All of this happens under the interpreter's lock.
class Ending {
 public:
  Ending();
  Ending(const Ending&) = delete;
  Ending& operator=(const Ending&) = delete;
  virtual void close() = 0;
  virtual bool is_used() const = 0;
  static void close_all();

 protected:
  ~Ending() { leave(); }
  /// Takes this from the list; further calls do nothing.
  void leave();

 private:
  Ending* older_;
  Ending* newer_ = nullptr;
  bool listed_ = true;
};

/// A handle of the C interface: destroyed by close(), else with the last that shares it.
class Handle final : public Ending, public std::enable_shared_from_this<Handle> {
 public:
  Handle(std::uintptr_t pointer, std::uintptr_t destroy);
  ~Handle() { close(); }
  /// nullptr once it is closed.
  void* get() const { return pointer_; }
  void close() override;
  bool is_used() const override { return weak_from_this().use_count() > 1; }

 private:
  void* pointer_;
  void (*destroy_)(void*);
};

/// What Python's objects hold.
struct Owner {
  std::shared_ptr<Handle> handle;
};

/// Calls on one stream follow each other: whose turn it is, and the completion of the last one.
class Turn final : public Ending, public std::enable_shared_from_this<Turn> {
 public:
  Turn();
  ~Turn() { close(); }
  /// Before lock(), under the interpreter's lock: in a fork nobody has the turn.
  void renew();
  void lock() { mutex_->lock(); }
  void unlock() { mutex_->unlock(); }
  void close() override;
  bool is_used() const override { return weak_from_this().use_count() > 1; }
  /// Whoever has the turn may use and replace it.
  bifold_event* last() const { return last_; }
  void put(bifold_event* event);

 private:
  bifold_event* last_ = nullptr;
  std::unique_ptr<std::recursive_mutex> mutex_;
  unsigned generation_;
};

struct SharedTurn {
  std::shared_ptr<Turn> turn = std::make_shared<Turn>();
};

/// The owner of an object's handle, as long as the object lives; nullptr where there is none.
Owner* owner_of(nb::handle object);

void define_handles(nb::module_& module);

}  // namespace bifold::python
