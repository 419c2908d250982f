#pragma once
// Handles of the library, owned by objects of Python.

#include <cstdint>
#include <memory>
#include <mutex>

#include "api.hpp"

namespace bifold::python {

/// What is given back when the interpreter ends, while drivers are still there: the newest first.
/// All of this happens under the interpreter's lock.
class Ending {
 public:
  Ending();
  Ending(const Ending&) = delete;
  Ending& operator=(const Ending&) = delete;
  virtual void close() = 0;
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
class Handle final : public Ending {
 public:
  Handle(std::uintptr_t pointer, std::uintptr_t destroy);
  ~Handle() { close(); }
  /// nullptr once it is closed.
  void* get() const { return pointer_; }
  void close() override;

 private:
  void* pointer_;
  void (*destroy_)(void*);
};

/// What Python's objects hold.
struct Owner {
  std::shared_ptr<Handle> handle;
};

/// Calls on one stream follow each other: whose turn it is, and the completion of the last one.
class Turn final : public Ending {
 public:
  Turn();
  ~Turn() { close(); }
  void lock();
  void unlock() { mutex_->unlock(); }
  void close() override;
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
