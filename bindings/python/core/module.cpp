// bifold._core: what lies on the way of a call.

#include "events.hpp"
#include "function.hpp"

NB_MODULE(_core, module) {
  // Functions live as long as the modules that they are made in.
  nanobind::set_leak_warnings(false);
  module.def("bind", &bifold::python::bind);
  bifold::python::define_handles(module);
  bifold::python::define_arrays(module);
  bifold::python::define_events(module);
  bifold::python::define_functions(module);
  bifold::python::define_learning(module);
}
