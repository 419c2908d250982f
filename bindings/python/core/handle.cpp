#include "handle.hpp"

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <utility>

namespace bifold::python {

namespace {

Ending* newest = nullptr;
unsigned forks = 0;
PyObject* finalizer = nullptr;  // The attribute's name, interned.
PyObject* owner_type = nullptr;
int calls_by_number = 0;  // Of the library by ctypes, which keep no handle that they use.
std::atomic<bool> ended = false;
std::atomic<int> returning = 0;  // Threads that wait for the interpreter's lock.
pthread_t ends_it;

}  // namespace

Released::~Released() {
  ++returning;
  if (ended && !pthread_equal(pthread_self(), ends_it)) {
    --returning;
    for (;;) pause();
  }
  PyEval_RestoreThread(state_);
  --returning;
}

std::uint64_t thread_number() {
  static std::atomic<std::uint64_t> last = 0;
  thread_local const std::uint64_t own = ++last;
  return own;
}

Ending::Ending() : older_(newest) {
  if (older_) older_->newer_ = this;
  newest = this;
}

void Ending::leave() {
  if (!std::exchange(listed_, false)) return;
  if (older_) older_->newer_ = newer_;
  (newer_ ? newer_->older_ : newest) = older_;
}

void Ending::close_all() {
  ends_it = pthread_self();
  ended = true;
  while (returning > 0) {
    PyThreadState* const state = PyEval_SaveThread();
    sched_yield();
    PyEval_RestoreThread(state);
  }
  while (newest) {
    if (newest->is_used() || calls_by_number > 0) {
      newest->leave();
    } else {
      newest->close();
    }
  }
}

Handle::Handle(std::uintptr_t pointer, std::uintptr_t destroy)
    : pointer_(at_address<void*>(pointer)), destroy_(at_address<void (*)(void*)>(destroy)) {}

void Handle::close() {
  leave();
  void* pointer = std::exchange(pointer_, nullptr);
  if (!pointer) return;
  const Released released;  // It may wait for work.
  destroy_(pointer);
}

Turn::Turn() : mutex_(std::make_unique<std::recursive_mutex>()), generation_(forks) {}

void Turn::renew() {
  if (generation_ == forks) return;
  // Another thread of the parent may have had the turn; it is not there to give it back.
  static_cast<void>(mutex_.release());
  mutex_ = std::make_unique<std::recursive_mutex>();
  generation_ = forks;
}

void Turn::close() {
  leave();
  put(nullptr);
}

void Turn::put(bifold_event* event) {
  if (last_) api().event_destroy(last_);
  last_ = event;
}

Owner* owner_of(nb::handle object) {
  PyObject* owner = PyObject_GetAttr(object.ptr(), finalizer);
  if (!owner) {
    PyErr_Clear();
    return nullptr;
  }
  Py_DECREF(owner);  // The object keeps it.
  const bool is_owner = reinterpret_cast<PyObject*>(Py_TYPE(owner)) == owner_type;
  return is_owner ? nb::inst_ptr<Owner>(owner) : nullptr;
}

void define_handles(nb::module_& module) {
  finalizer = PyUnicode_InternFromString("_finalizer");
  pthread_atfork(nullptr, nullptr, [] {
    ++forks;
    returning = 0;  // The threads that waited are the parent's.
    calls_by_number = 0;
  });
  owner_type = nb::class_<Owner>(module, "Owner")
                   .def("__init__",
                        [](Owner* owner, std::uintptr_t pointer, std::uintptr_t destroy) {
                          new (owner) Owner{std::make_shared<Handle>(pointer, destroy)};
                        })
                   .def_prop_ro("alive",
                                [](const Owner& owner) {
                                  return owner.handle && owner.handle->get() != nullptr;
                                })
                   .def("__call__",
                        [](const Owner& owner) {
                          if (owner.handle) owner.handle->close();
                        })
                   .def("forget", [](Owner& owner) { owner.handle.reset(); })
                   .release()
                   .ptr();
  nb::class_<SharedTurn>(module, "Turn")
      .def(nb::init<>())
      .def("__enter__",
           [](SharedTurn& shared) {
             shared.turn->renew();
             const Released released;
             shared.turn->lock();
           })
      .def("__exit__", [](SharedTurn& shared, const nb::args&) { shared.turn->unlock(); })
      .def_prop_rw(
          "last",
          [](const SharedTurn& shared) {
            return reinterpret_cast<std::uintptr_t>(shared.turn->last());
          },
          [](SharedTurn& shared, std::uintptr_t event) {
            shared.turn->put(at_address<bifold_event*>(event));
          });
  module.def("close_all", &Ending::close_all);
  module.def("begin_call", [] { ++calls_by_number; });
  module.def("end_call", [] {
    if (calls_by_number > 0) --calls_by_number;
  });
}

}  // namespace bifold::python
