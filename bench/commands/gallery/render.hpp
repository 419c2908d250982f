// The gallery's tables for people: one walk over them, written twice.
#pragma once

#include <string>

#include "commands/gallery/gallery.hpp"

namespace bench {

/// Everything on one page for the terminal; for Markdown.
std::string gallery_as_text(const GalleryReport& report);
std::string gallery_as_markdown(const GalleryReport& report);

}  // namespace bench
