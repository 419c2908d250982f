// Marks what a shared library exports; everything else is hidden.
#pragma once

#if defined(_WIN32)
#define BIFOLD_API
#else
#define BIFOLD_API __attribute__((visibility("default")))
#endif
