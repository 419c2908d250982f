# The tiers of the tests. A test has the label `quick` if `./run quick` runs it; `sweep` if only
# `./run sweep` does; all others are of `./run test`. Sweeps go through types, operators, lengths,
# offsets, tunings and architectures, or are stress: they take a CPU about as long as all else
# together. Continuous integration takes one group of them a commit, by the label sweep_GROUP; the
# groups take about the same time.
set(bifold_quick
  # Cheap, whole: host, the C interface, stand-in drivers.
  "host\\.(type|half|operator|reference|selector|words|pairwise|comparison|verdict|tuning)"
  "host\\.(tuning_file|kept_files|house_rules|kernel_mirror|documents)"
  "host\\.(rate|accuracy|performance)_results" "host\\.results_schema" "host\\.fuzz_.*"
  "opencl\\.c_api" "cuda_driver_(arch_9\\.0|without_nvrtc|no_device|absent|too_old)"
  "cuda_emulated\\.stops" "cuda_embedded\\.(plans_9\\.0|check|table)"
  # One suite a backend, with some that compile little.
  "opencl\\.(semantics|handles|bad_input|event)" "cuda_emulated\\.(handles|nothing)"
  "example\\.(quickstart|c_quickstart)"
  # The tool's parts.
  "host\\.bench_compare" "host\\.bench_parts" "host\\.bench_tool_documents")
set(bifold_sweep_1
  "(cuda|opencl)\\.pairwise_.*" "(cuda|opencl)\\.lengths_.*" "(cuda|opencl)\\.edges_.*"
  "(cuda|opencl)\\.offsets" "cuda_emulated\\.all_faults")
set(bifold_sweep_2
  "(cuda|opencl)\\.production_.*" "(cuda|opencl)\\.operands" "cuda_embedded\\.ptxas")
set(bifold_sweep_3
  "(cuda|opencl)\\.device_values" "(cuda|opencl)\\.order_structs" "nvrtc\\.7\\.5"
  "cuda_emulated\\.offsets_21")
set(bifold_sweep_4 "(cuda|opencl)\\.half" "nvrtc\\.8\\.0" "host\\.bench_check")
set(bifold_sweep_5
  "(cuda|opencl)\\.order_scan_tunings" "(cuda|opencl)\\.single_pass" "nvrtc\\.10\\.0")
set(bifold_sweep_6
  "opencl\\.all_faults" "opencl\\.single_pass_delayed" "nvrtc\\.12\\.0"
  "cuda_emulated\\.long_rings")
set(bifold_sweep_groups 1 2 3 4 5 6)

# Gives a test the labels of its tier. A misspelt name would leave a test where it is, unseen: the
# test host.tiers compares what is listed with what there is.
function(bifold_label_tier test)
  list(JOIN bifold_quick "|" quick)
  if(test MATCHES "^(${quick})$")
    set_property(TEST ${test} APPEND PROPERTY LABELS quick)
  endif()
  foreach(group IN LISTS bifold_sweep_groups)
    list(JOIN bifold_sweep_${group} "|" sweeps)
    if(test MATCHES "^(${sweeps})$")
      set_property(TEST ${test} APPEND PROPERTY LABELS sweep sweep_${group})
    endif()
  endforeach()
endfunction()
