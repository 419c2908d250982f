#pragma once
// A call that was made once, ready to be made again on arrays of the same layout.

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "handle.hpp"
#include "scalars.hpp"

namespace bifold::python {

inline constexpr int max_arrays = 6;  // Two inputs, an output, and three beside these.
inline constexpr std::size_t max_events = 40;

/// An event of another library, by its native handle, which goes with the object that has it.
struct Foreign {
  bool of_cuda;
  void* event;
  nb::object owner;
};

/// The arrays of a call, those that are the same object once, and its events.
struct Operands {
  std::array<Seen, max_arrays> seen;
  std::array<bool, max_arrays> beside{};  // Arrays whose shapes matter in calls of any size.
  int count = 0;
  std::vector<std::shared_ptr<Handle>> wait;  // max_events at most, with the foreign ones.
  std::vector<Foreign> foreign;
  PyObject* done = nullptr;  // Borrowed. The package's Event for its completion.
  std::shared_ptr<Handle> workspace;
  GivenScalars scalars;
  bool any_size = false;  // Calls of another size are the same but for that.
  int of(PyObject* array) const {
    for (int i = 0; i < count; ++i) {
      if (seen[i].array == array) return i;
    }
    return -1;
  }
};

/// What a call does with an array, as the package numbers it.
enum class Use { input, output, init, total, count, output_beside };

/// What an array contributes: elements from an offset that moves with the array.
struct Part {
  int array;
  Use use;
  bifold_type type;
  std::int64_t offset;
  std::uint64_t count;
  std::uint64_t size;   // Of an element.
  std::int64_t low;     // Bytes from a CUDA array's first element to its lowest one.
  std::uint64_t bytes;  // From there to behind its highest one.
  bool written() const {
    return use == Use::output || use == Use::total || use == Use::output_beside;
  }
  bool beside() const { return use != Use::input && use != Use::output; }
};

/// How a function of the library is called, as the package numbers it. Results without "into" are
/// the host's.
enum class Form {
  into,        // Reductions and scans.
  map_into,    // With a map.
  pairs_into,  // With a map of two arrays.
  reduce,
  map_reduce,
  pairs_reduce,
  sum,      // As sum_compensated: without an operator.
  product,  // As inner_product.
  count,    // As count_if.
  two,      // As argmin and minmax: two results.
  many,     // As reduce_many.
  plan,     // With a plan instead of an operator.
  plan_pairs,
  found_into,  // As argmin_into and minmax_into: without an operator.
  count_into,  // As count_if_into.
  sum_into,    // As sum_compensated_into.
};

/// An array of NumPy that receives a result for the host.
struct Result {
  nb::object array;
  void* data;
  std::size_t bytes;
};

/// One of the reductions of a call that has many.
struct Reduced {
  const void* builtin;
  std::weak_ptr<Handle> map;
  std::shared_ptr<Handle> kept_map;
  bool has_map;
  std::vector<std::byte> init;
  bifold_type type;
};

/// The last events that calls on an in-order queue have left to arrays of PyOpenCL. What is
/// enqueued there follows them anyway.
class Left {
 public:
  bool has(PyObject* event) const {
    return std::any_of(events_.begin(), events_.end(),
                       [event](const nb::object& one) { return one.ptr() == event; });
  }
  void put(nb::object event) {
    std::swap(events_[next_], event);  // What goes may run anything, so it goes last.
    next_ = (next_ + 1) % events_.size();
  }

 private:
  std::array<nb::object, 4> events_;
  std::size_t next_ = 0;
};

struct SharedLeft {
  std::shared_ptr<Left> left = std::make_shared<Left>();
};

class Call {
 public:
  /// As the package makes it the first time. Its options are copied, with all that they name.
  Call(std::string name, std::uintptr_t function, Form form, const bifold_options& options);
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  std::vector<Part> parts;  // Input, second input if any, output if any; what is beside them.
  std::weak_ptr<Handle> queue, device;
  bool on_cuda = false;
  bool has_turn = false;
  std::weak_ptr<Turn> turn;
  std::weak_ptr<Left> left;       // Of a queue that has some.
  const void* builtin = nullptr;  // An operator that the library has.
  bool has_op = false;            // Another one, or a plan.
  std::weak_ptr<Handle> op;
  bool has_map = false;
  std::weak_ptr<Handle> map;
  std::shared_ptr<Handle> kept_map;  // Of an expression given as a text.
  std::vector<std::byte> init;
  nb::object make;                  // Makes the output, where none is given, like the input
  nb::object shape;                 // and of this shape; None: as many elements.
  bool any_size = false;            // Sizes and shape are the arrays', which have no gaps.
  bifold_type type = 0;             // Of a result for the host.
  std::vector<Result> results;      // A call that has some has no output.
  std::vector<Reduced> reductions;  // One for each result, of a call that has many.
  nb::object finish;                // Makes the answer of them, or of the output.

  /// Makes the call. False: something is closed or gone, and nothing was done.
  bool run(Operands& operands, PyObject* output, nb::object& answer) const;

 private:
  struct Resources;
  std::uint64_t count_of(const Part& part, const Operands& operands) const {
    const Seen& seen = operands.seen[part.array];
    return any_size && !part.beside() ? static_cast<std::uint64_t>(seen.size) : part.count;
  }
  /// Whether all that the call names is still there; takes it.
  bool take(Operands& operands, Resources& used) const;
  bifold_status enqueue(const Operands& operands, Resources& used, bifold_options options,
                        std::byte* elements) const;
  bifold_status call(const Resources& used, const bifold_view* views, std::byte* elements,
                     const bifold_options& options) const;
  bifold_status reduce_many(const Resources& used, const bifold_view& input, std::byte* elements,
                            const bifold_options& options) const;
  /// The same where calls on a stream take turns.
  bifold_status enqueue_in_turn(const Operands& operands, Resources& used,
                                const bifold_options& options, std::byte* elements) const;
  /// A graph would go on writing what is fetched from its memory now.
  bifold_status check_not_captured(const Operands& operands, Resources& used) const;
  /// Brings results home and the completion to whoever wants it.
  bifold_status hand_on(const Operands& operands, Resources& used) const;
  static bifold_status pass_turn(const Operands& operands, Resources& used);
  nb::object answer_of(PyObject* output) const;
  nb::object answer_of(const std::byte* elements) const;

  std::string name_;
  std::uintptr_t function_;
  Form form_;
  bifold_options options_;
  std::string variant_;
  std::string result_map_;
  std::vector<bifold_output> outputs_;  // Beside the output, without their views.
  std::vector<std::string> output_maps_;
  bifold_type accumulate_ = 0;
  std::array<bifold_lines, 3> lines_;
  Scalars scalars_;
};

}  // namespace bifold::python
