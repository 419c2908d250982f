# Writes a C++ file that holds every kernel part below some folders as text.
#   cmake -DFOLDERS=kernels_cl -DSUFFIX=.cl -DNAME=opencl -DOUTPUT=x.cpp -P EmbedKernels.cmake
# A file is one part or several; each begins with a line "// Part NAME:". The table that is defined
# is bifold::backend::NAME_kernel_files(): pairs of a part's name and text. NAME_kernel_paths() has
# pairs of a part's name and file, from the folder on. The text goes out as byte values, which no
# literal length limit of any compiler cuts short.
cmake_policy(VERSION 3.25)
list(TRANSFORM FOLDERS APPEND "/*${SUFFIX}" OUTPUT_VARIABLE patterns)
file(GLOB_RECURSE files ${patterns})
list(SORT files)
set(arrays "")
set(rows "")
set(paths "")
set(parts "")
foreach(file IN LISTS files)
  foreach(folder IN LISTS FOLDERS)
    cmake_path(IS_PREFIX folder "${file}" is_in)
    if(is_in)
      cmake_path(GET folder PARENT_PATH above)
      file(RELATIVE_PATH path "${above}" "${file}")
    endif()
  endforeach()
  file(STRINGS "${file}" heads REGEX "^// Part [a-z0-9_]+:")
  file(READ "${file}" hex HEX)
  # In hexadecimal digits there is nothing that a list of CMake's would stumble over.
  string(HEX "\n// Part " begin)
  string(HEX "// Part " first)
  string(REPLACE "${begin}" ";${first}" texts "${hex}")
  list(LENGTH heads head_count)
  list(LENGTH texts text_count)
  if(NOT head_count EQUAL text_count OR NOT hex MATCHES "^${first}")
    message(FATAL_ERROR "${file}: a part begins with a line \"// Part NAME:\", the file with one")
  endif()
  foreach(head text IN ZIP_LISTS heads texts)
    string(REGEX REPLACE "^// Part ([a-z0-9_]+):.*" "\\1" part "${head}")
    if(part IN_LIST parts)
      message(FATAL_ERROR "${file}: there is a part ${part} elsewhere")
    endif()
    list(APPEND parts ${part})
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${text}")
    string(APPEND arrays "constexpr unsigned char ${part}_text[] = {${bytes}0x00};\n")
    set(value "{reinterpret_cast<const char*>(${part}_text), sizeof ${part}_text - 1}")
    string(APPEND rows "      {\"${part}\", ${value}},\n")
    string(APPEND paths "      {\"${part}\", \"${path}\"},\n")
  endforeach()
endforeach()
file(WRITE "${OUTPUT}.new" "// Generated from ${NAME}'s kernel files.
#include <array>
#include <span>
#include <string_view>
#include <utility>

namespace {
${arrays}}  // namespace

namespace bifold::backend {
using Table = std::span<const std::pair<std::string_view, std::string_view>>;
Table ${NAME}_kernel_files();
Table ${NAME}_kernel_files() {
  static const std::pair<std::string_view, std::string_view> table[] = {
${rows}  };
  return table;
}
Table ${NAME}_kernel_paths();
Table ${NAME}_kernel_paths() {
  static const std::pair<std::string_view, std::string_view> table[] = {
${paths}  };
  return table;
}
}  // namespace bifold::backend
")
file(RENAME "${OUTPUT}.new" "${OUTPUT}")
