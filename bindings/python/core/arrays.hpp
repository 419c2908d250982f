#pragma once
// The arrays of a warm call: what tells them apart, and where their elements are. Everything that
// is not as it mostly is, a slice of shared virtual memory say, is left to the package.

#include <array>
#include <cstdint>

#include "api.hpp"

namespace bifold::python {

inline constexpr int max_dimensions = 8;

/// Kinds of array, by what has to be asked for their memory.
/// What DLPack exports from the host is the host's once it was looked at.
enum class Kind : std::uint64_t { own, opencl, interface, cupy, torch, host, exported };

/// An array, as far as it was looked at.
struct Seen {
  Seen() = default;
  Seen(const Seen&) = delete;
  Seen& operator=(const Seen&) = delete;
  ~Seen() {
    if (host.obj) PyBuffer_Release(&host);
  }
  Kind kind;
  PyObject* array;   // Borrowed.
  nb::object dtype;  // Or the text that names it. Told apart by identity.
  int dimensions = 0;
  std::array<std::int64_t, max_dimensions> shape;
  std::array<std::int64_t, max_dimensions> strides;  // In bytes, of Arrays in elements.
  std::int64_t step = 1;                             // Of a stride, from an element to the next.
  bool dense = false;                                // There are no strides: it has no gaps.
  bool flat = false;                                 // It has none, and some elements:
  std::int64_t size = 0;                             // so many.
  bool read_only = false;
  std::uint64_t place = 0;      // Whose queue or device it is.
  std::uint64_t stream = 0;     // Of CUDA.
  std::uint64_t memory = 0;     // A handle of the library, a cl_mem, or an address.
  nb::object owner;             // Of PyOpenCL's and CuPy's memory, which an array may exchange;
                                // NumPy's array of what is exported.
  std::int64_t first = 0;       // Elements from the start of a buffer of the library.
  std::int64_t first_byte = 0;  // Of OpenCL.
  Py_buffer host{};             // Memory of the host, held.
  bool gaps = false;            // It is not contiguous, and only read.
  nb::object events;            // A list, of PyOpenCL, when it had so many:
  Py_ssize_t event_count = 0;
};

/// Remembers how arrays of a class are looked at.
void put_kind(nb::handle type, Kind kind);

/// Whether it is of a class that put_kind() was told of.
bool is_array(PyObject* object);

/// Whether DLPack exports it: it may be a copy, which nothing is written to.
bool is_exported(PyObject* object);

/// Has an array of the host with gaps be a copy without. False: there is no memory for one, say.
bool close_gaps(Seen& seen);

/// Looks at an array. False: it is not as those of known classes are; no error is left.
bool look_at(PyObject* array, Seen& seen);

/// Looks at an array of a shape that was made like another one. False, too, where it is another
/// kind.
bool look_at_made(PyObject* array, const Seen& like, const nb::object& shape, Seen& seen);

void define_arrays(nb::module_& module);

}  // namespace bifold::python
