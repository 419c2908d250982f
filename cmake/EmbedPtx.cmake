# Compiled kernels of the built-in operators in the library, for machines that have a driver but no
# NVRTC, and for NVIDIA's OpenCL: PTX, and machine code for some GPUs. A program linked of the
# library's own objects makes them, so that it plans as the library does.
set(BIFOLD_HAS_PTX OFF)
if(BIFOLD_HAS_CUDA AND NOT BIFOLD_EMBED_PTX STREQUAL "OFF")
  find_package(zstd QUIET CONFIG)
  find_library(BIFOLD_NVRTC_LIBRARY NAMES nvrtc libnvrtc.so.13 libnvrtc.so.12 libnvrtc.so.11.2
    HINTS ${BIFOLD_CUDA_INCLUDE_DIR}/.. PATH_SUFFIXES lib64 lib DOC "NVRTC of the build machine")
  set(BIFOLD_ZSTD "")
  foreach(target zstd::libzstd zstd::libzstd_shared zstd::libzstd_static)
    if(TARGET ${target} AND NOT BIFOLD_ZSTD)
      set(BIFOLD_ZSTD ${target})
    endif()
  endforeach()
  set(missing "")
  if(CMAKE_CROSSCOMPILING)
    set(missing "it is made by a program of the build's, which is for another machine")
  elseif(BIFOLD_SANITIZE)
    set(missing "sanitizers look at other things")
  elseif(NOT BIFOLD_NVRTC_LIBRARY)
    set(missing "no NVRTC found")
  elseif(NOT BIFOLD_ZSTD)
    set(missing "no CMake package of zstd found")
  endif()
  if(missing STREQUAL "")
    set(BIFOLD_HAS_PTX ON)
    message(STATUS "Embedded PTX: made by ${BIFOLD_NVRTC_LIBRARY}")
  elseif(BIFOLD_EMBED_PTX STREQUAL "ON")
    message(FATAL_ERROR "BIFOLD_EMBED_PTX=ON, but ${missing}")
  else()
    message(STATUS "Embedded PTX: left out, ${missing}")
  endif()
endif()

# The devices to plan on without hardware, for the tool and for what makes the table. They are
# linked with the library's internals.
add_library(bifold_offline STATIC EXCLUDE_FROM_ALL
  backends/embed/live_text.cpp backends/embed/offline_device.cpp
  $<$<BOOL:${BIFOLD_HAS_CUDA}>:backends/embed/offline_cuda.cpp>
  $<$<BOOL:${BIFOLD_HAS_OPENCL}>:backends/embed/offline_opencl.cpp>
  $<$<AND:$<BOOL:${BIFOLD_HAS_CUDA}>,$<BOOL:${BIFOLD_HAS_OPENCL}>>:backends/embed/twins.cpp>)
target_include_directories(bifold_offline PUBLIC
  ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/backends)
target_include_directories(bifold_offline SYSTEM PUBLIC
  $<TARGET_PROPERTY:fmt::fmt-header-only,INTERFACE_INCLUDE_DIRECTORIES>)
if(BIFOLD_HAS_CUDA)
  target_include_directories(bifold_offline SYSTEM PUBLIC ${BIFOLD_CUDA_INCLUDE_DIR})
endif()
target_compile_definitions(bifold_offline PUBLIC FMT_HEADER_ONLY
  BIFOLD_HAS_CUDA=$<BOOL:${BIFOLD_HAS_CUDA}> BIFOLD_HAS_OPENCL=$<BOOL:${BIFOLD_HAS_OPENCL}>)
target_link_libraries(bifold_offline PRIVATE bifold_build_options)

# Adds the table to the library; call it once all its objects are known.
function(bifold_embed_ptx)
  set(nothing ${PROJECT_SOURCE_DIR}/backends/embed/nothing.cpp)
  set_property(SOURCE backends/core/kernel/embedded.cpp
    PROPERTY COMPILE_DEFINITIONS BIFOLD_EMBED_PTX=$<BOOL:${BIFOLD_HAS_PTX}>)
  if(NOT BIFOLD_HAS_PTX)
    target_sources(bifold_objects PRIVATE ${nothing})
    return()
  endif()
  target_link_libraries(bifold_objects PRIVATE ${BIFOLD_ZSTD})
  get_target_property(kind bifold TYPE)
  if(kind STREQUAL "SHARED_LIBRARY")
    # Not to be found by those who link to it.
    target_link_libraries(bifold PRIVATE $<BUILD_INTERFACE:${BIFOLD_ZSTD}>)
  else()
    target_link_libraries(bifold PRIVATE ${BIFOLD_ZSTD})
  endif()

  # What makes them; the tests look at it, too.
  add_library(bifold_embed_parts STATIC EXCLUDE_FROM_ALL
    backends/embed/offline_compiler.cpp backends/embed/shapes.cpp)
  target_compile_definitions(bifold_embed_parts PUBLIC
    BIFOLD_EMBED_TWINS=$<BOOL:${BIFOLD_HAS_OPENCL}>)
  target_link_libraries(bifold_embed_parts PUBLIC bifold_offline PRIVATE bifold_build_options)
  add_executable(bifold-embed EXCLUDE_FROM_ALL backends/embed/generate.cpp ${nothing}
    $<TARGET_OBJECTS:bifold_objects>)
  target_link_libraries(bifold-embed PRIVATE bifold_embed_parts bifold_build_options
    ${BIFOLD_ZSTD} Threads::Threads ${CMAKE_DL_LIBS} $<$<BOOL:${BIFOLD_HAS_OPENCL}>:OpenCL::OpenCL>)

  set(table ${PROJECT_BINARY_DIR}/cuda_embedded.cpp)
  cmake_path(GET BIFOLD_NVRTC_LIBRARY PARENT_PATH nvrtc_folder)
  add_custom_command(OUTPUT ${table}
    COMMAND ${CMAKE_COMMAND} -E env "LD_LIBRARY_PATH=${nvrtc_folder}:$ENV{LD_LIBRARY_PATH}"
            $<TARGET_FILE:bifold-embed> ${table} ${BIFOLD_PTX_CACHE}
            ${BIFOLD_EMBED_MACHINE_CODE}
    DEPENDS bifold-embed
    COMMENT "Compiling the kernels to embed" VERBATIM)
  target_sources(bifold PRIVATE ${table})
endfunction()
