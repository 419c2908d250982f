# The tiers of the tests. A test has the label `quick` if `./run quick` runs it; `sweep` if only
# `./run sweep` does; all others are of `./run test`. Sweeps go through types, operators, lengths,
# offsets, tunings and architectures, or are stress: they take a CPU about as long as all else
# together. Continuous integration takes one group of them a commit, by the label sweep_GROUP; the
# groups take about the same time.
set(bifold_quick
  # Cheap, whole: host, stand-in drivers.
  "host\\.(type|half|operator|reference|functions|selector|words|pairwise|comparison|gallery|lines)"
  "host\\.group_split"
  "host\\.compiled_texts"
  "host\\.(self_check|tuning|tuning_file|kept_files|house_rules|kernel_mirror|documents)"
  "host\\.(rate|accuracy|performance)_results" "host\\.results_schema" "host\\.fuzz_.*"
  "cuda_driver_(arch_9\\.0|without_nvrtc|no_device|absent|too_old)"
  "cuda_emulated\\.stops" "cuda_embedded\\.(plans_9\\.0|check|table)"
  # One suite a backend, with some that compile little.
  "opencl\\.(handles|bad_input|event)" "cuda_emulated\\.(handles|nothing)"
  "example\\.(quickstart|c_quickstart)"
  # The tool's parts.
  "host\\.bench_compare" "host\\.bench_tool_documents")
set(bifold_sweep_1
  "(cuda|opencl)\\.(pairwise_.*|lengths_.*|edges_.*|offsets|order_reduce)" "nvrtc\\.9\\.0_all"
  "cuda_emulated\\.all_faults" "(cuda|opencl|cuda_emulated)\\.(lines_scan.*|reverse)")
set(bifold_sweep_2
  "(cuda|opencl)\\.(production_.*|operands)" "cuda_embedded\\.ptxas" "opencl\\.lines_calls"
  "cuda_emulated\\.(scans|long_scans)" "python\\.opencl_complex")
set(bifold_sweep_3
  "(cuda|opencl)\\.(device_values|order_structs|surroundings|complex_all)" "nvrtc\\.7\\.5"
  "cuda_emulated\\.offsets_.*" "python\\.opencl_axes" "host\\.bench_runs")
set(bifold_sweep_4
  "(cuda|opencl)\\.half" "nvrtc\\.8\\.0" "host\\.bench_(check|graphs|peers|renew)"
  "offline\\..*_all" "opencl\\.order")
set(bifold_sweep_5
  "(cuda|opencl)\\.(order_scan_tunings|single_pass|lookback)" "nvrtc\\.10\\.0"
  "cuda_emulated\\.(order_structs|graphs)"
  "(cuda|opencl|cuda_emulated)\\.lines_values" "python\\.torch_functions")
set(bifold_sweep_6
  "opencl\\.all_faults" "opencl\\.single_pass_delayed" "nvrtc\\.12\\.0"
  "cuda_emulated\\.(long_rings|wide_rings)" "(cuda|opencl|cuda_emulated)\\.scalars_rows"
  "(cuda|opencl)\\.(narrow|group_splits|accumulation_scans)"
  "(cuda|opencl|cuda_emulated)\\.lines_layouts" "python\\.opencl_beside")
set(bifold_sweep_7
  "(cuda|opencl)\\.(order_scan|tuning)" "package\\.(subdirectory|shared|deb)"
  "python\\.opencl_repeated" "cuda\\.interop" "opencl_embedded\\.images_(7\\.5|12\\.1)")
set(bifold_sweep_8 "(cuda|opencl)\\.(struct|semantics|user_operator)"
  "(cuda|opencl|cuda_emulated)\\.lines_reduce" "cuda_emulated\\.(lines_calls|line_graphs)")
set(bifold_sweep_9 "(cuda|opencl)\\.(floating|workspace|searches|result_map|select)"
  "opencl_rusticl\\.loops" "cuda_emulated\\.select")
set(bifold_sweep_10 "(cuda|opencl)\\.(outputs|outputs_rows|zip)"
  "(cuda|opencl|cuda_emulated)\\.(outputs|zip)_lengths" "python\\.opencl_several_arrays")
set(bifold_sweep_groups 1 2 3 4 5 6 7 8 9 10)

# Gives a test the labels of its tier.
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
  set_property(GLOBAL APPEND PROPERTY bifold_tests_seen ${test})
endfunction()

# At the end of the configuration: what is listed here must be there, or else a misspelt name would
# leave a test in another tier, unseen. Where a backend is left out, so are its tests.
function(bifold_check_tiers)
  get_property(seen GLOBAL PROPERTY bifold_tests_seen)
  set(patterns ${bifold_quick})
  foreach(group IN LISTS bifold_sweep_groups)
    list(APPEND patterns ${bifold_sweep_${group}})
  endforeach()
  foreach(pattern IN LISTS patterns)
    set(found ${seen})
    list(FILTER found INCLUDE REGEX "^(${pattern})$")
    if(NOT found)
      message(SEND_ERROR "tests/tiers.cmake lists ${pattern}, which is no test")
    endif()
  endforeach()
endfunction()
