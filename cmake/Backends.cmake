# Finds what each backend is compiled with, and says which backends this build leaves out.

# CUDA: headers only, as libcuda and NVRTC are opened at run time.
set(BIFOLD_HAS_CUDA OFF)
if(NOT BIFOLD_CUDA STREQUAL "OFF")
  find_path(BIFOLD_CUDA_INCLUDE_DIR nvrtc.h
    HINTS ENV CUDA_HOME ENV CUDA_PATH PATHS /usr/local/cuda /opt/cuda PATH_SUFFIXES include
    DOC "Folder of cuda.h and nvrtc.h")
  if(BIFOLD_CUDA_INCLUDE_DIR AND EXISTS "${BIFOLD_CUDA_INCLUDE_DIR}/cuda.h")
    set(BIFOLD_HAS_CUDA ON)
    message(STATUS "CUDA backend: headers in ${BIFOLD_CUDA_INCLUDE_DIR}")
  elseif(BIFOLD_CUDA STREQUAL "ON")
    message(FATAL_ERROR "BIFOLD_CUDA=ON, but cuda.h and nvrtc.h were not found; set CUDA_HOME")
  else()
    message(STATUS "CUDA backend: left out, no cuda.h and nvrtc.h found")
  endif()
else()
  message(STATUS "CUDA backend: left out, BIFOLD_CUDA=OFF")
endif()

set(BIFOLD_HAS_OPENCL OFF)
if(NOT BIFOLD_OPENCL STREQUAL "OFF")
  find_package(OpenCL QUIET)
  find_path(BIFOLD_CLHPP_INCLUDE_DIR CL/opencl.hpp DOC "Folder of CL/opencl.hpp")
  if(OpenCL_FOUND AND BIFOLD_CLHPP_INCLUDE_DIR)
    set(BIFOLD_HAS_OPENCL ON)
    message(STATUS "OpenCL backend: loader ${OpenCL_LIBRARIES}")
  elseif(BIFOLD_OPENCL STREQUAL "ON")
    message(FATAL_ERROR "BIFOLD_OPENCL=ON, but the ICD loader or CL/opencl.hpp was not found")
  else()
    message(STATUS "OpenCL backend: left out, no ICD loader or CL/opencl.hpp found")
  endif()
else()
  message(STATUS "OpenCL backend: left out, BIFOLD_OPENCL=OFF")
endif()

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

# Adds backends/NAME/*.cpp and the text of the kernels below FOLDER to the library.
function(bifold_add_backend name folder suffix)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS backends/${name}/*.cpp)
  target_sources(bifold_objects PRIVATE ${sources})
  set(folders ${PROJECT_SOURCE_DIR}/${folder})
  if(BIFOLD_TOY_VARIANT)
    list(APPEND folders ${PROJECT_SOURCE_DIR}/examples/toy_variant/${folder})
  endif()
  bifold_embed_kernels(bifold_objects ${name} ${suffix} ${folders})
endfunction()
