# What kind of library bifold becomes, and how versions show in it.
set(bifold_abi ${PROJECT_VERSION_MAJOR})
if(PROJECT_VERSION_MAJOR EQUAL 0)
  # Before 1.0 every minor version has a binary interface of its own.
  string(APPEND bifold_abi .${PROJECT_VERSION_MINOR})
endif()
set(bifold_package_runtime libbifold${bifold_abi})
set(bifold_package_development libbifold-dev)
set(bifold_package_tools bifold-tools)

# Exactly what packaging/abi lists leaves a shared library, on whatever linker knows such a list.
function(bifold_limit_exports target)
  if(UNIX AND NOT APPLE)
    set(map ${PROJECT_SOURCE_DIR}/cmake/exports.map)
    target_link_options(${target} PRIVATE "LINKER:--version-script=${map}")
    set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${map})
  endif()
endfunction()

# The tests and the tool use internals, which a shared library hides: they link the same objects.
# No object depends on the kind of library, so that a compiler cache serves both kinds.
set_target_properties(bifold PROPERTIES DEFINE_SYMBOL "")
# All of them, and what they are linked with.
set(bifold_every_object $<TARGET_OBJECTS:bifold_objects> $<TARGET_OBJECTS:bifold>)
set(bifold_linked Threads::Threads ${CMAKE_DL_LIBS} $<$<BOOL:${BIFOLD_HAS_OPENCL}>:OpenCL::OpenCL>
  ${BIFOLD_ZSTD})
get_target_property(kind bifold TYPE)
if(kind STREQUAL "SHARED_LIBRARY")
  set_target_properties(bifold PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${bifold_abi})
  bifold_limit_exports(bifold)
  add_library(bifold_internals STATIC EXCLUDE_FROM_ALL ${bifold_every_object})
  set_target_properties(bifold_internals PROPERTIES LINKER_LANGUAGE CXX)
  target_compile_features(bifold_internals PUBLIC cxx_std_20)
  target_include_directories(bifold_internals PUBLIC ${PROJECT_SOURCE_DIR}/include)
  target_link_libraries(bifold_internals PUBLIC ${bifold_linked})
else()
  add_library(bifold_internals ALIAS bifold)
endif()
