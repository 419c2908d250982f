#pragma once
// The events of a call, as its arguments have them.

#include "call.hpp"

namespace bifold::python {

/// Takes the open events of a wait list. False: one is of a class that is not known.
bool take_events(PyObject* list, Operands& operands);

/// Whether an object is an event of the package.
bool is_event(PyObject* object);

void define_events(nb::module_& module);

}  // namespace bifold::python
