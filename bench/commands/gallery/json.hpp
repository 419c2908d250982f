// The gallery's JSON documents, written and read back; docs/benchmark.md describes them.
#pragma once

#include <filesystem>
#include <string>

#include "commands/gallery/gallery.hpp"

namespace bench {

std::string gallery_as_json(const GalleryReport& report);

/// What gallery_as_json() wrote, as far as the tables need it, with `options`; without --paper the
/// papers are those of the file. Throws UsageError, which starts with "--from", for a file that is
/// none of these.
GalleryReport read_gallery(const GalleryOptions& options);

}  // namespace bench
