# The API reference of the public headers: the target `reference`, and a test that builds it.
find_package(Doxygen 1.9.4)
find_package(Python3 COMPONENTS Interpreter)
if(NOT DOXYGEN_FOUND OR NOT Python3_FOUND)
  message(STATUS "API reference: left out, and its test; it needs Doxygen 1.9.4 and Python 3")
  return()
endif()

# bifold_reference_command(VARIABLE FOLDER): the command that builds the reference in the folder.
function(bifold_reference_command variable bifold_reference_dir)
  configure_file(docs/Doxyfile.in ${bifold_reference_dir}/Doxyfile @ONLY)
  set(${variable} ${CMAKE_COMMAND} -DDOXYGEN=${DOXYGEN_EXECUTABLE} -DPYTHON=${Python3_EXECUTABLE}
      -DSOURCE_DIR=${PROJECT_SOURCE_DIR} -DREFERENCE_DIR=${bifold_reference_dir}
      -P ${PROJECT_SOURCE_DIR}/cmake/BuildReference.cmake PARENT_SCOPE)
endfunction()

bifold_reference_command(command ${PROJECT_BINARY_DIR}/reference)
add_custom_target(reference COMMAND ${command} VERBATIM)
if(BIFOLD_TESTS)
  # Not in the target's folder: somebody may be reading there.
  bifold_reference_command(command ${PROJECT_BINARY_DIR}/tests/reference)
  add_test(NAME host.api_reference COMMAND ${command})
  set_tests_properties(host.api_reference PROPERTIES LABELS host)
  bifold_limit_tests(60 host.api_reference)
endif()
