#pragma once
// What tells one call from another: numbers, texts, and objects by their identity. Whoever keeps a
// key keeps these objects too, so that no other one comes by their address.

#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

#include "arrays.hpp"
#include "scalars.hpp"

namespace bifold::python {

class Key {
 public:
  void add(std::uint64_t word) {
    if (size_ < words_.size()) {
      words_[size_] = word;
      hash_ = (hash_ ^ word) * 0x9e3779b97f4a7c15u;
      hash_ ^= hash_ >> 29;
    }
    ++size_;
  }
  /// An object that is told by its identity; the key's holder keeps it.
  void add(nb::object object) {
    add(reinterpret_cast<std::uintptr_t>(object.ptr()));
    if (kept_ < objects_.size()) objects_[kept_] = std::move(object);
    ++kept_;
  }
  void add_text(PyObject* text);
  /// An array, of which `any_size`: neither its shape nor its strides matter.
  void add(const Seen& seen, bool any_size);
  /// A value of an argument. False: it is none that calls are told apart by.
  bool add_value(PyObject* value);
  /// A dict of scalars, told apart by names and kinds; takes the values.
  bool add_scalars(PyObject* scalars, GivenScalars& given);
  /// A list of values, and of records of some.
  bool add_all(PyObject* values);
  /// What a queue is given as: nothing, a Queue, or an object of a class that put_place() told.
  bool add_place(PyObject* place);

  bool fits() const {
    return size_ <= words_.size() && kept_ <= objects_.size() && named_ <= texts_.size();
  }
  std::uint64_t hash() const { return hash_; }
  std::vector<std::uint64_t> words() const { return {words_.begin(), words_.begin() + size_}; }
  std::vector<nb::object> objects() const { return {objects_.begin(), objects_.begin() + kept_}; }
  std::vector<nb::object> texts() const { return {texts_.begin(), texts_.begin() + named_}; }
  bool is(const std::vector<std::uint64_t>& words, const std::vector<nb::object>& texts) const;

 private:
  bool add_number(PyObject* integer);
  bool add_items(PyObject* values, bool nested);
  bool add_scalar(PyObject* scalar);

  std::array<std::uint64_t, 128> words_;
  std::array<nb::object, 16> objects_;
  std::array<nb::object, 16> texts_;
  std::size_t named_ = 0;
  std::size_t size_ = 0;
  std::size_t kept_ = 0;
  std::uint64_t hash_ = 0;
};

/// What an operator, a map and a queue of the package are told by: their classes.
void put_handles(nb::handle operator_type, nb::handle map_type, nb::handle queue_type);

/// NumPy's dtypes and scalars, which arguments name types by; scalars of structs among these.
void put_dtypes(nb::handle dtype, nb::handle scalar, nb::handle of_struct);

/// Objects of a class, which name types of elements, are told by identity.
void put_names(nb::handle type);

/// The class of tuples that lists of values may have.
void put_record(nb::handle record);

/// Has command queues and streams of a class be told by the number that an attribute has.
void put_place(nb::handle type, nb::handle attribute);

}  // namespace bifold::python
