#pragma once
// Public functions of the package: calls that were made before are made again without it.

#include <list>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "call.hpp"
#include "key.hpp"

namespace bifold::python {

/// A call that the package is asked for because it is not known; it may become known thereby.
struct Unknown {
  Operands* operands;  // nullptr: it is no call that could be known.
  bool text_map;       // The map is a text, whose Map nobody else keeps.
  std::shared_ptr<Call> learned;
  Unknown* outer;
};

/// The call that this thread asks the package for; nullptr: none.
Unknown*& asked_for();

class Function {
 public:
  /// `full` does what the function does, of any arguments. `names` are its parameters' names, the
  /// first `positional` of which need no name in a call; those behind have `defaults`.
  Function(nb::object full, const nb::tuple& names, int positional, const nb::dict& defaults);

  nb::object call(PyObject* arguments, PyObject* named);
  void clear();
  std::size_t size() const { return entries_.size(); }
  const nb::object& full() const { return full_; }
  bool is_method() const { return is_method_; }

 private:
  enum class Role {
    self,
    array,
    init,    // A value, or an array of one for each line.
    beside,  // Other arrays of one for each line, or of one element.
    value,
    map,
    reductions,
    scalars,
    queue,
    wait,
    workspace,
    done
  };
  struct Parameter {
    PyObject* name;      // Interned; as long as the process.
    PyObject* fallback;  // nullptr: it has to be given.
    Role role;
  };
  struct Entry {
    std::uint64_t hash;
    std::vector<std::uint64_t> words;
    std::vector<nb::object> texts;
    std::vector<nb::object> objects;
    std::shared_ptr<Call> call;
  };
  using Place = std::list<Entry>::iterator;
  using Given = std::array<PyObject*, 20>;

  static Role role_of(std::string_view name);
  bool take(PyObject* arguments, PyObject* named, Given& given) const;
  bool look(const Given& given, Operands& operands, Key& key) const;
  static bool look_at_one(PyObject* array, Role role, Operands& operands);
  static bool look_at_init(PyObject* init, Operands& operands, Key& key);
  /// Whether a total in memory of the host shares none with the other arrays.
  bool totals_are_apart(const Given& given, const Operands& operands) const;
  bool look_at_arrays(const Given& given, Operands& operands) const;
  /// Where all arrays are read and written as a whole, without gaps: whether the output is as long
  /// as the input, and whether it is one element. Else 0: then their shapes matter.
  std::uint64_t relation_of(const Given& given, const Operands& operands) const;
  static bool repeat(const Call& call, Operands& operands, PyObject* given, nb::object& answer);
  std::shared_ptr<Call> find(const Key& key);
  void forget(const Key& key);
  void store(const Key& key, std::shared_ptr<Call> call);
  Place* place_of(const Key& key);

  nb::object full_;
  std::vector<Parameter> parameters_;
  Py_ssize_t positional_;
  bool is_method_ = false;
  int in_ = 0;
  int out_ = -1;
  int out_beside_ = -1;
  int total_ = -1;
  int second_ = -1;
  int map_ = -1;
  int axis_ = -1;
  int keepdims_ = -1;
  std::list<Entry> entries_;  // The one that was used last first.
  std::unordered_multimap<std::uint64_t, Place> places_;
};

/// Whether the package is asked for a call that may become known, and what makes one known.
void define_learning(nb::module_& module);

void define_functions(nb::module_& module);

}  // namespace bifold::python
