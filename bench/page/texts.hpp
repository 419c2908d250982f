// The texts that a page of charts is made of, as the build embeds them.
#pragma once

#include <string_view>

namespace bench::page {

std::string_view frame();
std::string_view style();
std::string_view script();
std::string_view library();  ///< Chart.js; empty where the build did not find it.

}  // namespace bench::page
