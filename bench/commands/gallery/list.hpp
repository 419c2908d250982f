// `bifold-bench gallery --list`.
#pragma once

#include "commands/gallery/gallery.hpp"

namespace bench {

/// The rows of the gallery, and what each device does with them; `devices` as in GalleryOptions.
int list_gallery(const GalleryOptions& options);

}  // namespace bench
