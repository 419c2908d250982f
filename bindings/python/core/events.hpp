#pragma once
// The events of a call, as its arguments have them.

#include "call.hpp"

namespace bifold::python {

/// Takes the open events of a wait list. False: one is of a class that is not known.
bool take_events(PyObject* list, Operands& operands);

/// Whether an object is an event of the package.
bool is_event(PyObject* object);

/// An event of PyOpenCL for a cl_event, which it takes over.
nb::object event_of_opencl(void* event);

/// Leaves an array of PyOpenCL the completion of the call that wrote it, which stands for the
/// events that the call waited for.
void put_event(const Seen& seen, const nb::object& event);

/// Whether an event was recorded into a graph: nobody can ask after those.
bool is_in_graph(const bifold_event* event);

void define_events(nb::module_& module);

}  // namespace bifold::python
