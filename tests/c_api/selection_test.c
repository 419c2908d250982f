/* Selections: by a predicate, by flags, of indices, in a chain, and as plans. */
#include "harness.h"

enum { n = 5000 };

static int32_t host[n];

static uint64_t count_at(bifold_view kept) {
  uint64_t count = 0;
  OK(bifold_download(queue, kept, &count));
  return count;
}

/* How many elements are above `limit`; these go to `to`. */
static uint64_t above(int32_t limit, int32_t* to) {
  uint64_t count = 0;
  int i = 0;
  for (i = 0; i < n; ++i) {
    if (host[i] > limit) to[count++] = host[i];
  }
  return count;
}

static void check_kept(bifold_view out, const int32_t* want, uint64_t count) {
  static int32_t got[n];
  uint64_t i = 0;
  OK(bifold_download(queue, out, got));
  for (i = 0; i < count; ++i) CHECK(got[i] == want[i]);
}

static void test_chain(bifold_view input, bifold_view out, bifold_view kept) {
  static int32_t want[n];
  const bifold_view middle = allocated(BIFOLD_I32, n);
  const bifold_view fewer = allocated(BIFOLD_U64, 1);
  const bifold_scalar_type declared = {"limit", BIFOLD_I32};
  int32_t limit = 10;
  const bifold_scalar given = {.name = "limit", .type = BIFOLD_I32, .value = &limit};
  bifold_options options = {.struct_size = sizeof options, .scalars = &given, .scalar_count = 1};
  const uint64_t count = above(40, want);
  bifold_map* map = NULL;
  OK(bifold_map_create_with_scalars("x > limit", &declared, 1, &map));
  OK(bifold_select(queue, input, middle, kept, map, &options));
  options.count_from = &kept;
  limit = 40;
  OK(bifold_select(queue, middle, out, fewer, map, &options));
  CHECK(count_at(fewer) == count);
  check_kept(out, want, count);
  options.reverse = 1;
  FAILS(bifold_select(queue, middle, out, fewer, map, &options), BIFOLD_INVALID_ARGUMENT);
  CHECK(says("alone"));
  FAILS(bifold_select(queue, middle, out, kept, map, NULL), BIFOLD_INVALID_ARGUMENT);
  bifold_map_destroy(map);
  bifold_buffer_destroy(middle.buffer);
  bifold_buffer_destroy(fewer.buffer);
}

static void test_flags(bifold_view input, bifold_view out, bifold_view kept) {
  static uint8_t flags[n];
  static int32_t want[n];
  static uint64_t places[n];
  const bifold_view indices = allocated(BIFOLD_U64, n);
  bifold_view marks;
  uint64_t count = 0;
  uint64_t i = 0;
  for (i = 0; i < n; ++i) {
    flags[i] = (uint8_t)(i % 3 == 0 ? 5 : 0);
    if (flags[i] != 0) want[count++] = host[i];
  }
  marks = uploaded(BIFOLD_U8, flags, n);
  OK(bifold_select_flagged(queue, input, marks, out, kept, NULL));
  CHECK(count_at(kept) == count);
  check_kept(out, want, count);
  OK(bifold_select_index(queue, marks, indices, kept, NULL, NULL));
  CHECK(count_at(kept) == count);
  OK(bifold_download(queue, indices, places));
  for (i = 0; i < count; ++i) CHECK(places[i] == 3 * i);
  bifold_buffer_destroy(marks.buffer);
  bifold_buffer_destroy(indices.buffer);
}

static void test_kin(bifold_view input, bifold_view out, bifold_view kept) {
  static int32_t want[n];
  static int32_t got[n];
  bifold_map* map = NULL;
  bifold_map* equality = NULL;
  const uint64_t count = above(30, want);
  uint64_t place = count;
  int i = 0;
  OK(bifold_map_create("x > 30", &map));
  for (i = 0; i < n; ++i) {
    if (host[i] <= 30) want[place++] = host[i];
  }
  OK(bifold_partition(queue, input, out, kept, map, NULL));
  CHECK(count_at(kept) == count);
  check_kept(out, want, n);
  OK(bifold_partition_reversed(queue, input, out, kept, map, NULL));
  CHECK(count_at(kept) == count);
  OK(bifold_download(queue, out, got));
  for (i = 0; i < n; ++i) {
    CHECK(got[i] == want[(uint64_t)i < count ? (uint64_t)i : n - 1 - ((uint64_t)i - count)]);
  }
  FAILS(bifold_partition(queue, input, input, kept, map, NULL), BIFOLD_INVALID_ARGUMENT);
  OK(bifold_unique(queue, input, out, kept, NULL, NULL));
  CHECK(count_at(kept) == n);
  OK(bifold_map_create("x > 30 ? y > 30 : y <= 30", &equality));
  OK(bifold_unique(queue, input, out, kept, equality, NULL));
  place = 1;
  for (i = 1; i < n; ++i) place += (host[i] > 30) != (host[i - 1] > 30) ? 1 : 0;
  CHECK(count_at(kept) == place);
  bifold_map_destroy(map);
  bifold_map_destroy(equality);
}

static void test_plan(bifold_view input, bifold_view out, bifold_view kept) {
  static int32_t want[n];
  const bifold_type flags = BIFOLD_I32;
  bifold_select_shape shape = {
      .struct_size = sizeof shape, .input = BIFOLD_I32, .output = BIFOLD_I32, .kept = BIFOLD_U64};
  bifold_select_plan* plan = NULL;
  bifold_map* map = NULL;
  uint64_t bytes = 0;
  const uint64_t count = above(20, want);
  OK(bifold_map_create("x > 20", &map));
  shape.predicate = map;
  OK(bifold_select_plan_create(device, &shape, &plan));
  CHECK(bifold_select_plan_variant(plan)[0] != '\0');
  CHECK(bifold_select_plan_variant(NULL)[0] == '\0');
  OK(bifold_select_plan_workspace_bytes(plan, n, &bytes));
  CHECK(bytes > 0);
  OK(bifold_select_plan_run(plan, queue, input, NULL, out, kept, NULL));
  CHECK(count_at(kept) == count);
  check_kept(out, want, count);
  FAILS(bifold_select_plan_run(plan, queue, input, &input, out, kept, NULL),
        BIFOLD_INVALID_ARGUMENT);
  bifold_select_plan_destroy(plan);
  plan = NULL;
  shape.flags = &flags;
  FAILS(bifold_select_plan_create(device, &shape, &plan), BIFOLD_INVALID_ARGUMENT);
  CHECK(plan == NULL);
  shape.predicate = NULL;
  OK(bifold_select_plan_create(device, &shape, &plan));
  OK(bifold_select_plan_run(plan, queue, input, &input, out, kept, NULL));
  CHECK(count_at(kept) == n);
  bifold_select_plan_destroy(plan);
  bifold_select_plan_destroy(NULL);
  bifold_map_destroy(map);
}

void test_selection(void) {
  bifold_view input;
  const bifold_view out = allocated(BIFOLD_I32, n);
  const bifold_view kept = allocated(BIFOLD_U64, 1);
  int i = 0;
  for (i = 0; i < n; ++i) host[i] = (i * 37) % 71 + 1;
  input = uploaded(BIFOLD_I32, host, n);
  test_chain(input, out, kept);
  test_flags(input, out, kept);
  test_kin(input, out, kept);
  test_plan(input, out, kept);
  bifold_buffer_destroy(input.buffer);
  bifold_buffer_destroy(out.buffer);
  bifold_buffer_destroy(kept.buffer);
}
