#include "scalars.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>

namespace bifold::python {

namespace {

using Bytes = std::array<std::byte, 64>;

template <class T>
bool put_value(T value, Bytes& bytes) {
  std::memcpy(bytes.data(), &value, sizeof value);
  return true;
}

template <class T>
bool put_integer(long long value, Bytes& bytes) {
  return std::in_range<T>(value) && put_value(static_cast<T>(value), bytes);
}

/// A floating type holds integers of so many bits.
template <class T>
bool put_exact(long long value, Bytes& bytes) {
  constexpr long long most = 1LL << std::numeric_limits<T>::digits;
  return value >= -most && value <= most && put_value(static_cast<T>(value), bytes);
}

bool put_int(PyObject* number, bifold_type type, Bytes& bytes) {
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(number, &overflow);
  if (overflow != 0) return false;
  switch (type) {
    case BIFOLD_I8: return put_integer<std::int8_t>(value, bytes);
    case BIFOLD_I16: return put_integer<std::int16_t>(value, bytes);
    case BIFOLD_I32: return put_integer<std::int32_t>(value, bytes);
    case BIFOLD_I64: return put_integer<std::int64_t>(value, bytes);
    case BIFOLD_U8: return put_integer<std::uint8_t>(value, bytes);
    case BIFOLD_U16: return put_integer<std::uint16_t>(value, bytes);
    case BIFOLD_U32: return put_integer<std::uint32_t>(value, bytes);
    case BIFOLD_U64: return put_integer<std::uint64_t>(value, bytes);
    case BIFOLD_F32: return put_exact<float>(value, bytes);
    case BIFOLD_F64: return put_exact<double>(value, bytes);
    default: return false;
  }
}

bool put_float(PyObject* number, bifold_type type, Bytes& bytes) {
  const double value = PyFloat_AsDouble(number);
  if (type == BIFOLD_F64) return put_value(value, bytes);
  if (type != BIFOLD_F32) return false;
  const auto rounded = static_cast<float>(value);
  return std::isfinite(rounded) == std::isfinite(value) && put_value(rounded, bytes);
}

/// NumPy's scalars are of the type already.
bool put_scalar(PyObject* scalar, Bytes& bytes) {
  Py_buffer buffer;
  if (PyObject_GetBuffer(scalar, &buffer, PyBUF_SIMPLE) != 0) {
    PyErr_Clear();
    return false;
  }
  const auto size = static_cast<std::size_t>(buffer.len);
  if (size <= bytes.size()) std::memcpy(bytes.data(), buffer.buf, size);
  PyBuffer_Release(&buffer);
  return size <= bytes.size();
}

}  // namespace

Scalars::Scalars(const bifold_options& options) {
  for (std::size_t i = 0; i < options.scalar_count; ++i) {
    names_.emplace_back(options.scalars[i].name);
    types_.push_back(options.scalars[i].type);
  }
  for (std::size_t i = 0; i < options.result_map_scalar_count; ++i) {
    declared_names_.emplace_back(options.result_map_scalars[i].name);
    declared_.push_back({nullptr, options.result_map_scalars[i].type});
  }
  for (std::size_t i = 0; i < declared_.size(); ++i) declared_[i].name = declared_names_[i].c_str();
}

void Scalars::declare(bifold_options& options) const {
  options.result_map_scalars = declared_.data();
  options.result_map_scalar_count = declared_.size();
  options.scalars = nullptr;
  options.scalar_count = 0;
}

bool Scalars::put(const GivenScalars& given, PutScalars& place, bifold_options& options) const {
  if (given.count != types_.size()) return false;
  for (std::size_t i = 0; i < types_.size(); ++i) {
    PyObject* value = given.values[i];
    Bytes& bytes = place.bytes[i];
    const bool fits = PyFloat_CheckExact(value)  ? put_float(value, types_[i], bytes)
                      : PyLong_CheckExact(value) ? put_int(value, types_[i], bytes)
                                                 : put_scalar(value, bytes);
    if (!fits) return false;
    place.table[i] = {names_[i].c_str(), types_[i], bytes.data(), nullptr};
  }
  options.scalars = place.table.data();
  options.scalar_count = types_.size();
  return true;
}

}  // namespace bifold::python
