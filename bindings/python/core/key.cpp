#include "key.hpp"

#include <bit>
#include <utility>

#include "handle.hpp"

namespace bifold::python {

namespace {

enum Tag : std::uint64_t {
  none,
  truth,
  text,
  integer,
  real,
  type,
  tuple,
  list,
  handle,
  place,
  scalar
};

PyObject *operator_class, *map_class, *dtype_class, *scalar_class, *struct_class, *queue_class;
PyObject* record_class = nullptr;
PyObject* name_class = nullptr;
// Classes of queues and what their numbers are called. Not destroyed: the interpreter ends earlier.
auto* places = new std::vector<std::pair<nb::object, nb::object>>;
constexpr std::size_t max_classes = 32;

bool is_a(PyObject* object, PyObject* of) {
  return reinterpret_cast<PyObject*>(Py_TYPE(object)) == of;
}

bool add_integer(Key& key, PyObject* value) {
  int overflow = 0;
  const long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
  if (overflow != 0) return false;
  key.add(Tag::integer);
  key.add(static_cast<std::uint64_t>(number));
  return true;
}

bool names_type(PyObject* value) {
  if (is_a(value, name_class)) return true;
  if (PyType_Check(value)) {
    return PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(value),
                            reinterpret_cast<PyTypeObject*>(scalar_class)) != 0;
  }
  return PyObject_TypeCheck(value, reinterpret_cast<PyTypeObject*>(dtype_class)) != 0;
}

}  // namespace

void Key::add(const Seen& seen, bool any_size) {
  add(static_cast<std::uint64_t>(seen.kind) | static_cast<std::uint64_t>(seen.dense) << 8 |
      static_cast<std::uint64_t>(any_size ? max_dimensions + 1 : seen.dimensions) << 16);
  add(seen.place);
  add(seen.stream);
  // The stream of a thread is another one in each.
  if (seen.stream == 2) add(thread_number());
  add(seen.dtype);
  for (int i = 0; i < seen.dimensions && !any_size; ++i) {
    add(static_cast<std::uint64_t>(seen.shape[i]));
    if (!seen.dense) add(static_cast<std::uint64_t>(seen.strides[i]));
  }
}

void Key::add_text(PyObject* text) {
  add(Tag::text);
  add(static_cast<std::uint64_t>(PyObject_Hash(text)));
  if (named_ < texts_.size()) texts_[named_] = nb::borrow(text);
  ++named_;
}

bool Key::is(const std::vector<std::uint64_t>& words, const std::vector<nb::object>& texts) const {
  if (words.size() != size_ || std::memcmp(words.data(), words_.data(), size_ * 8) != 0) {
    return false;
  }
  // As many texts are there, as each has its tag.
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (!texts[i].is(texts_[i]) && PyUnicode_Compare(texts[i].ptr(), texts_[i].ptr()) != 0) {
      return false;
    }
  }
  return true;
}

bool Key::add_value(PyObject* value) {
  if (value == Py_None) {
    add(Tag::none);
  } else if (value == Py_True || value == Py_False) {
    add(Tag::truth);
    add(static_cast<std::uint64_t>(value == Py_True));
  } else if (PyUnicode_CheckExact(value)) {
    add_text(value);
  } else if (PyLong_CheckExact(value)) {
    return add_integer(*this, value);
  } else if (PyFloat_CheckExact(value)) {
    add(Tag::real);
    add(std::bit_cast<std::uint64_t>(PyFloat_AsDouble(value)));
  } else if (PyTuple_CheckExact(value) || PyList_CheckExact(value)) {
    return add_items(value, false);
  } else if (is_a(value, operator_class) || is_a(value, map_class) || is_a(value, queue_class)) {
    // Not kept: an entry knows by its handle whether it is still the same object.
    add(Tag::handle);
    add(reinterpret_cast<std::uintptr_t>(value));
  } else if (names_type(value)) {
    add(Tag::type);
    add(nb::borrow(value));
  } else {
    return add_scalar(value);
  }
  return true;
}

bool Key::add_items(PyObject* values, bool nested) {
  const bool is_tuple = PyTuple_Check(values);
  const Py_ssize_t count = is_tuple ? PyTuple_Size(values) : PyList_Size(values);
  add(is_tuple ? Tag::tuple : Tag::list);
  add(static_cast<std::uint64_t>(count));
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject* one = is_tuple ? PyTuple_GetItem(values, i) : PyList_GetItem(values, i);
    if (nested && is_a(one, record_class)) {
      if (!add_items(one, false)) return false;
    } else if (PyTuple_CheckExact(one) || PyList_CheckExact(one) || !add_value(one)) {
      return false;
    }
  }
  return true;
}

bool Key::add_scalars(PyObject* scalars, GivenScalars& given) {
  if (scalars == Py_None) return add_value(scalars);
  if (!PyDict_CheckExact(scalars)) return false;
  add(Tag::tuple);
  add(static_cast<std::uint64_t>(PyDict_Size(scalars)));
  PyObject* name = nullptr;
  PyObject* value = nullptr;
  Py_ssize_t position = 0;
  while (PyDict_Next(scalars, &position, &name, &value)) {
    if (!PyUnicode_CheckExact(name) || given.count == max_scalars) return false;
    add_text(name);
    auto* type = reinterpret_cast<PyObject*>(Py_TYPE(value));
    if (PyFloat_CheckExact(value)) {
      add(Tag::real);
    } else if (PyLong_CheckExact(value)) {
      add(Tag::integer);
    } else if (names_type(type) && type != struct_class) {
      add(Tag::scalar);
      add(nb::borrow(type));
    } else {
      return false;
    }
    given.values[given.count++] = value;
  }
  return true;
}

bool Key::add_all(PyObject* values) {
  const bool is_listed = PyTuple_CheckExact(values) || PyList_CheckExact(values);
  return is_listed && add_items(values, true);
}

bool Key::add_scalar(PyObject* scalar) {
  auto* type = reinterpret_cast<PyObject*>(Py_TYPE(scalar));
  // Structs of all dtypes have one class.
  if (!names_type(type) || type == struct_class) return false;
  Py_buffer bytes;
  if (PyObject_GetBuffer(scalar, &bytes, PyBUF_SIMPLE) != 0) {
    PyErr_Clear();
    return false;
  }
  std::array<std::uint64_t, 4> words{};
  const bool fits = static_cast<std::size_t>(bytes.len) <= sizeof words;
  if (fits) std::memcpy(words.data(), bytes.buf, static_cast<std::size_t>(bytes.len));
  PyBuffer_Release(&bytes);
  add(Tag::scalar);
  add(nb::borrow(type));
  for (const std::uint64_t word : words) add(word);
  return fits;
}

bool Key::add_place(PyObject* place) {
  if (place == Py_None || is_a(place, queue_class)) return add_value(place);
  for (const auto& [type, attribute] : *places) {
    if (!is_a(place, type.ptr())) continue;
    add(Tag::place);
    add(type);  // Numbers of a class are other ones than those of the next.
    const nb::object number = nb::steal(PyObject_GetAttr(place, attribute.ptr()));
    if (number.is_valid() && PyLong_CheckExact(number.ptr())) return add_number(number.ptr());
    PyErr_Clear();
    return false;
  }
  return false;
}

bool Key::add_number(PyObject* integer) {
  const std::uint64_t number = PyLong_AsUnsignedLongLong(integer);
  if (number == ~std::uint64_t{0} && PyErr_Occurred()) {
    PyErr_Clear();
    return false;
  }
  add(number);
  // The stream of a thread is another one in each.
  if (number == 2) add(thread_number());
  return true;
}

void put_place(nb::handle type, nb::handle attribute) {
  for (const auto& one : *places) {
    if (one.first.is(type)) return;
  }
  if (places->size() == max_classes) places->clear();
  places->emplace_back(nb::borrow(type), nb::borrow(attribute));
}

void put_handles(nb::handle operator_type, nb::handle map_type, nb::handle queue_type) {
  operator_class = operator_type.inc_ref().ptr();
  map_class = map_type.inc_ref().ptr();
  queue_class = queue_type.inc_ref().ptr();
}

void put_dtypes(nb::handle dtype, nb::handle scalar, nb::handle of_struct) {
  dtype_class = dtype.inc_ref().ptr();
  scalar_class = scalar.inc_ref().ptr();
  struct_class = of_struct.inc_ref().ptr();
}

void put_names(nb::handle type) { name_class = type.inc_ref().ptr(); }

void put_record(nb::handle record) { record_class = record.inc_ref().ptr(); }

}  // namespace bifold::python
