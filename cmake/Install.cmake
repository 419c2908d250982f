# Installs the library, its headers, what find_package and pkg-config read, and the tool. No
# installed file names a folder of this machine: the tree can be moved.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(bifold_config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/bifold)
install(TARGETS bifold bifold_c EXPORT bifold
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT runtime
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT development
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY include/bifold DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development
  FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")
install(EXPORT bifold NAMESPACE bifold:: FILE bifoldTargets.cmake
  DESTINATION ${bifold_config_dir} COMPONENT development)
if(BIFOLD_BENCH)
  install(TARGETS bifold-bench DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tools)
endif()
foreach(component development tools runtime)
  if(component STREQUAL "tools" AND NOT BIFOLD_BENCH)
    continue()
  elseif(component STREQUAL "runtime" AND NOT BUILD_SHARED_LIBS)
    continue()
  endif()
  # Where Debian looks for a package's licence; elsewhere the three are the same file.
  set(doc ${CMAKE_INSTALL_DATAROOTDIR}/doc/${bifold_package_${component}})
  install(FILES LICENSE DESTINATION ${doc} RENAME copyright COMPONENT ${component})
endforeach()

# What a static library leaves for the program that uses it to link; of that, what a C++ compiler
# adds by itself.
set(bifold_cxx_runtime ${CMAKE_CXX_IMPLICIT_LINK_LIBRARIES})
list(FILTER bifold_cxx_runtime INCLUDE REGEX "^(stdc\\+\\+|c\\+\\+|c\\+\\+abi|m)$")
list(REMOVE_DUPLICATES bifold_cxx_runtime)
set(bifold_needs_opencl OFF)
set(bifold_needs_zstd OFF)
set(bifold_pc_libs "-L\${libdir} -lbifold")
if(NOT BUILD_SHARED_LIBS)
  string(APPEND bifold_pc_libs " -pthread -l${CMAKE_DL_LIBS}")
  foreach(library IN LISTS bifold_cxx_runtime)
    string(APPEND bifold_pc_libs " -l${library}")
  endforeach()
  if(BIFOLD_HAS_OPENCL)
    set(bifold_needs_opencl ON)
    string(APPEND bifold_pc_libs " -lOpenCL")
  endif()
  if(BIFOLD_HAS_PTX)
    set(bifold_needs_zstd ON)
    string(APPEND bifold_pc_libs " -lzstd")
  endif()
endif()

configure_package_config_file(cmake/bifoldConfig.cmake.in
  ${PROJECT_BINARY_DIR}/package/bifoldConfig.cmake INSTALL_DESTINATION ${bifold_config_dir}
  NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
# Before 1.0 a new minor version may break programs, and says so in the changelog.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/package/bifoldConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/package/bifoldConfig.cmake
              ${PROJECT_BINARY_DIR}/package/bifoldConfigVersion.cmake
  DESTINATION ${bifold_config_dir} COMPONENT development)

# The folders of the .pc file count from where it lies, unless a distribution fixes them.
set(bifold_pc_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
foreach(folder LIBDIR INCLUDEDIR)
  string(TOLOWER ${folder} name)
  if(IS_ABSOLUTE "${CMAKE_INSTALL_${folder}}")
    set(bifold_pc_${name} "${CMAKE_INSTALL_${folder}}")
  else()
    set(bifold_pc_${name} "\${prefix}/${CMAKE_INSTALL_${folder}}")
  endif()
endforeach()
file(RELATIVE_PATH bifold_pc_up "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig" "${CMAKE_INSTALL_PREFIX}")
string(REGEX REPLACE "/$" "" bifold_pc_up "${bifold_pc_up}")
configure_file(cmake/bifold.pc.in ${PROJECT_BINARY_DIR}/package/bifold.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/package/bifold.pc DESTINATION ${bifold_pc_dir}
  COMPONENT development)
