# bifold_limit_tests(SECONDS TEST...): a test has ten times as long as SECONDS, which is at least
# what it takes on an idle machine of two cores. Only a hang takes longer, however busy the machine
# is. No test has a limit of its own inside.
function(bifold_limit_tests seconds)
  math(EXPR limit "10 * ${seconds}")
  set_tests_properties(${ARGN} PROPERTIES TIMEOUT ${limit})
endfunction()
