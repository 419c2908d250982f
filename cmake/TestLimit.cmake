include(${CMAKE_CURRENT_LIST_DIR}/../tests/tiers.cmake)

# Sanitized programs take the kernels that others have compiled: they are the same.
set(BIFOLD_POCL_CACHE ${PROJECT_BINARY_DIR}/tests/pocl-cache CACHE PATH
    "Where PoCL keeps the kernels that tests compile")
file(MAKE_DIRECTORY ${BIFOLD_POCL_CACHE})  # PoCL wants it to be there.

# bifold_limit_tests(SECONDS TEST...): a test has ten times as long as SECONDS, which is at least
# what it takes on an idle machine of two cores. Only a hang takes longer, however busy the machine
# is. No test has a limit of its own inside. Its tier's labels follow the others.
function(bifold_limit_tests seconds)
  math(EXPR limit "10 * ${seconds}")
  set_tests_properties(${ARGN} PROPERTIES TIMEOUT ${limit})
  foreach(test IN LISTS ARGN)
    # At the end of the folder, when its other labels are set.
    cmake_language(EVAL CODE "cmake_language(DEFER CALL bifold_label_tier [[${test}]])")
  endforeach()
endfunction()
