# Writes a C++ file that holds every kernel file below one folder as text.
#   cmake -DFOLDER=kernels_cl -DSUFFIX=.cl -DNAME=opencl -DOUTPUT=x.cpp -P EmbedKernels.cmake
# The table it defines is bifold::backend::NAME_kernel_files(): pairs of base name and text. The
# text goes out as byte values, which no literal length limit of any compiler cuts short.
file(GLOB_RECURSE files "${FOLDER}/*${SUFFIX}")
list(SORT files)
set(arrays "")
set(rows "")
foreach(file IN LISTS files)
  get_filename_component(base "${file}" NAME_WE)
  file(READ "${file}" hex HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
  string(APPEND arrays "constexpr unsigned char ${base}_text[] = {${bytes}0x00};\n")
  set(text "{reinterpret_cast<const char*>(${base}_text), sizeof ${base}_text - 1}")
  string(APPEND rows "      {\"${base}\", ${text}},\n")
endforeach()
file(WRITE "${OUTPUT}.new" "// Generated from ${NAME}'s kernel files.
#include <array>
#include <span>
#include <string_view>
#include <utility>

namespace {
${arrays}}  // namespace

namespace bifold::backend {
std::span<const std::pair<std::string_view, std::string_view>> ${NAME}_kernel_files();
std::span<const std::pair<std::string_view, std::string_view>> ${NAME}_kernel_files() {
  static const std::pair<std::string_view, std::string_view> table[] = {
${rows}  };
  return table;
}
}  // namespace bifold::backend
")
file(RENAME "${OUTPUT}.new" "${OUTPUT}")
