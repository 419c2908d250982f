/* What tests of groups and of accumulations begin with. */
#ifndef BIFOLD_TESTS_C_API_NUMBERS_H
#define BIFOLD_TESTS_C_API_NUMBERS_H

#include <string.h>

#include "harness.h"

static inline void make_numbers(float* numbers, size_t count) {
  uint32_t state = 99;
  size_t i = 0;
  for (i = 0; i < count; ++i) {
    state = state * 1664525U + 1013904223U;
    numbers[i] = (float)(state >> 8) * 0x1p-20F - 8.0F;
  }
}

static inline bool same(const void* a, const void* b, size_t bytes) {
  return memcmp(a, b, bytes) == 0;
}

static inline bifold_view part(bifold_view view, uint64_t offset, uint64_t count) {
  view.offset += offset;
  view.count = count;
  return view;
}

#endif
