# Writes a C++ file that holds text files, as functions that return them.
#   cmake -DFILES=name=path,name=path -DNAMESPACE=bench::page -DOUTPUT=x.cpp -P EmbedTexts.cmake
# Each is NAMESPACE::NAME(), a string_view; where there is no such file, an empty one.
string(REPLACE "," ";" FILES "${FILES}")
set(arrays "")
set(functions "")
foreach(pair IN LISTS FILES)
  string(REGEX MATCH "^([^=]+)=(.*)$" matched "${pair}")
  set(name "${CMAKE_MATCH_1}")
  set(bytes "")
  if(EXISTS "${CMAKE_MATCH_2}")
    file(READ "${CMAKE_MATCH_2}" hex HEX)
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
  endif()
  string(APPEND arrays "constexpr unsigned char ${name}_text[] = {${bytes}0x00};\n")
  string(APPEND functions "std::string_view ${name}();
std::string_view ${name}() {
  return {reinterpret_cast<const char*>(${name}_text), sizeof ${name}_text - 1};
}\n")
endforeach()
file(WRITE "${OUTPUT}.new" "// Generated from text files.
#include <string_view>

namespace {
${arrays}}  // namespace

namespace ${NAMESPACE} {
${functions}}  // namespace ${NAMESPACE}
")
file(RENAME "${OUTPUT}.new" "${OUTPUT}")
