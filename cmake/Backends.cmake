# What a backend is compiled from, and which backends this build leaves out.

# Adds to a target the text of the kernels below the folders, for the backend of that name.
function(bifold_embed_kernels target name suffix)
  list(TRANSFORM ARGN APPEND "/*${suffix}" OUTPUT_VARIABLE patterns)
  file(GLOB_RECURSE kernels CONFIGURE_DEPENDS ${patterns})
  set(embedded ${CMAKE_CURRENT_BINARY_DIR}/${name}_kernel_files.cpp)
  # Written only when it changes, so that it is newer then: a file that is gone cannot be.
  file(CONFIGURE OUTPUT ${embedded}.list CONTENT "${kernels}" @ONLY)
  add_custom_command(OUTPUT ${embedded}
    COMMAND ${CMAKE_COMMAND} "-DFOLDERS=${ARGN}" -DSUFFIX=${suffix}
            -DNAME=${name} -DOUTPUT=${embedded} -P ${PROJECT_SOURCE_DIR}/cmake/EmbedKernels.cmake
    DEPENDS ${kernels} ${embedded}.list ${PROJECT_SOURCE_DIR}/cmake/EmbedKernels.cmake
    COMMENT "Embedding ${name}'s kernels" VERBATIM)
  target_sources(${target} PRIVATE ${embedded})
endfunction()

# bifold_add_backend(NAME KERNELS SUFFIX [PARENT]): the line that adds a backend to the library.
# PARENT/NAME, or backends/NAME, has the host code; KERNELS has the kernels, in files that end in
# SUFFIX. PARENT/NAME/backend.cmake, if there is one, finds what the host code is compiled with, and
# sets `missing` to what was not found. The cache variable BIFOLD_NAME is the option;
# BIFOLD_HAS_NAME tells whether this build has the backend.
macro(bifold_add_backend name kernels suffix)
  set(parent ${PROJECT_SOURCE_DIR}/backends)
  if(${ARGC} GREATER 3)
    set(parent ${PROJECT_SOURCE_DIR}/${ARGV3})
    target_include_directories(bifold_objects PRIVATE ${parent} ${parent}/include)
  endif()
  string(TOUPPER ${name} upper)
  set(BIFOLD_${upper} AUTO CACHE STRING "Backend ${name}: AUTO, ON or OFF")
  set_property(CACHE BIFOLD_${upper} PROPERTY STRINGS AUTO ON OFF)
  set(missing "BIFOLD_${upper}=OFF")
  if(NOT BIFOLD_${upper} STREQUAL "OFF")
    set(missing "")
    include(${parent}/${name}/backend.cmake OPTIONAL)
  endif()
  if(missing STREQUAL "")
    message(STATUS "Backend ${name}: built")
    set(BIFOLD_HAS_${upper} ON)
    bifold_build_backend(${parent} ${name} ${kernels} ${suffix})
  elseif(BIFOLD_${upper} STREQUAL "ON")
    message(FATAL_ERROR "BIFOLD_${upper}=ON, but ${missing}")
  else()
    message(STATUS "Backend ${name}: left out, ${missing}")
    set(BIFOLD_HAS_${upper} OFF)
    set_property(TARGET bifold_objects APPEND PROPERTY BIFOLD_BACKENDS "LEFT_OUT(${name})")
  endif()
  target_compile_definitions(bifold_objects PRIVATE
    BIFOLD_HAS_${upper}=$<BOOL:${BIFOLD_HAS_${upper}}>)
endmacro()

function(bifold_build_backend parent name kernels suffix)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${parent}/${name}/*.cpp)
  target_sources(bifold_objects PRIVATE ${sources})
  set(folders ${PROJECT_SOURCE_DIR}/${kernels})
  if(BIFOLD_TOY_VARIANT)
    list(APPEND folders ${PROJECT_SOURCE_DIR}/examples/toy_variant/${kernels})
  endif()
  bifold_embed_kernels(bifold_objects ${name} ${suffix} ${folders})
  set_property(TARGET bifold_objects APPEND PROPERTY BIFOLD_BACKENDS "BACKEND(${name})")
endfunction()

# Writes the list of backends that backends/registry.cpp includes: the library's, and more in ARGN.
function(bifold_write_backend_list file)
  file(GENERATE OUTPUT ${file} CONTENT
    "$<JOIN:$<TARGET_PROPERTY:bifold_objects,BIFOLD_BACKENDS>;${ARGN},\n>\n")
endfunction()
