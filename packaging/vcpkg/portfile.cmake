# An overlay port that builds the tree it lies in:
#   vcpkg install bifold --overlay-ports=packaging/vcpkg
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)

vcpkg_check_features(OUT_FEATURE_OPTIONS features
  FEATURES
    cuda BIFOLD_CUDA
    opencl BIFOLD_OPENCL
    tools BIFOLD_BENCH)
vcpkg_cmake_configure(SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS ${features}
    -DBIFOLD_TESTS=OFF -DBIFOLD_EXAMPLES=OFF -DBIFOLD_CPACK=OFF -DBIFOLD_WARNINGS_AS_ERRORS=OFF
    -DBIFOLD_PEERS=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/bifold)
vcpkg_fixup_pkgconfig()
if("tools" IN_LIST FEATURES)
  vcpkg_copy_tools(TOOL_NAMES bifold-bench AUTO_CLEAN)
endif()
file(REMOVE_RECURSE
  "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share"
  "${CURRENT_PACKAGES_DIR}/share/doc")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
