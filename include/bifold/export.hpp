// Marks what a shared library exports; everything else is hidden. Classes carry a tag in their
// names where the standard library's types are laid out in another way, so that objects which do
// not fit the library are refused by the linker: undefined `bifold::Device[abi:glibcxx_debug]`.
#pragma once

#if defined(__cplusplus)
#include <version>  // Of libstdc++: says which layouts it has.
#endif

#if defined(_WIN32)
#define BIFOLD_API
#define BIFOLD_API_CLASS
#else
#define BIFOLD_API __attribute__((visibility("default")))
#if defined(_GLIBCXX_DEBUG) && defined(_GLIBCXX_USE_CXX11_ABI) && !_GLIBCXX_USE_CXX11_ABI
#define BIFOLD_API_CLASS BIFOLD_API __attribute__((abi_tag("glibcxx_debug", "old_strings")))
#elif defined(_GLIBCXX_DEBUG)
#define BIFOLD_API_CLASS BIFOLD_API __attribute__((abi_tag("glibcxx_debug")))
#elif defined(_GLIBCXX_USE_CXX11_ABI) && !_GLIBCXX_USE_CXX11_ABI
#define BIFOLD_API_CLASS BIFOLD_API __attribute__((abi_tag("old_strings")))
#else
#define BIFOLD_API_CLASS BIFOLD_API
#endif
#endif
