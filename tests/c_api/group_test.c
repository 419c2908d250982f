/* Groups: several ranks of one process, and transports by functions. */
#include "numbers.h"

enum { n = 50000, middle = 12345 };
static float host[n];

static void in_process(bifold_view input) {
  const bifold_operator* plus = bifold_builtin_operator(BIFOLD_PLUS);
  const bifold_view output = allocated(BIFOLD_F32, n);
  const bifold_view totals = allocated(BIFOLD_F32, 2);
  const bifold_view total[2] = {part(totals, 0, 1), part(totals, 1, 1)};
  const bifold_slice slices[2] = {{queue, part(input, 0, middle), NULL},
                                  {queue, part(input, middle, n - middle), NULL}};
  const bifold_scan_slice scans[2] = {
      {queue, part(input, 0, middle), part(output, 0, middle), &total[0]},
      {queue, part(input, middle, n - middle), part(output, middle, n - middle), &total[1]}};
  static float want[n];
  static float got[n];
  float sums[2] = {0, 0};
  float sum = 0;
  float init = 0.5F;
  float least = 0;
  float least_over = 0;
  uint64_t index = 0;
  uint64_t index_over = 0;
  uint64_t offsets[3] = {1, 1, 1};
  const bifold_options any = {.struct_size = sizeof any, .order = BIFOLD_ORDER_ANY};
  const bifold_options variant = {.struct_size = sizeof variant, .variant = "production"};
  const bifold_type f64 = BIFOLD_F64;
  const bifold_options wide = {.struct_size = sizeof wide, .accumulate = &f64};
  bifold_map* squared = NULL;
  bifold_group* group = NULL;
  OK(bifold_map_create("x * x", &squared));
  OK(bifold_group_create_in_process(2, &group));

  OK(bifold_transform_reduce(queue, input, plus, squared, BIFOLD_F32, &init, &sum, NULL));
  OK(bifold_group_reduce(group, slices, 2, plus, squared, BIFOLD_F32, &init, &sums[0], NULL));
  CHECK(same(&sum, &sums[0], sizeof sum));
  OK(bifold_group_reduce(group, slices, 2, plus, squared, BIFOLD_F32, &init, &sums[1], &any));
  FAILS(bifold_group_reduce(group, slices, 1, plus, NULL, BIFOLD_F32, NULL, &sums[1], NULL),
        BIFOLD_INVALID_ARGUMENT);
  CHECK(says("slices of 1 ranks"));
  FAILS(bifold_group_reduce(group, slices, 2, plus, NULL, BIFOLD_F32, NULL, &sums[1], &variant),
        BIFOLD_INVALID_ARGUMENT);
  FAILS(bifold_group_reduce(group, slices, 2, plus, NULL, BIFOLD_F32, NULL, &sums[1], &wide),
        BIFOLD_INVALID_ARGUMENT);
  CHECK(says("accumulate"));

  OK(bifold_argmin(queue, input, &least, &index, NULL));
  OK(bifold_group_argmin(group, slices, 2, &least_over, &index_over, NULL));
  CHECK(same(&least, &least_over, sizeof least) && index == index_over);
  OK(bifold_argmax(queue, input, &least, &index, NULL));
  OK(bifold_group_argmax(group, slices, 2, &least_over, &index_over, NULL));
  CHECK(same(&least, &least_over, sizeof least) && index == index_over);

  OK(bifold_exclusive_scan(queue, input, output, plus, &init, NULL));
  OK(bifold_download(queue, output, want));
  OK(bifold_fill(queue, output, &init));
  OK(bifold_group_scan(group, BIFOLD_EXCLUSIVE, scans, 2, plus, NULL, &init, NULL));
  OK(bifold_download(queue, output, got));
  CHECK(same(want, got, sizeof want));
  OK(bifold_download(queue, totals, sums));
  CHECK(same(&sums[0], &sums[1], sizeof sum));
  FAILS(bifold_group_scan(group, 7, scans, 2, plus, NULL, NULL, NULL), BIFOLD_INVALID_ARGUMENT);

  OK(bifold_even_reduce_split(n, 2, plus, BIFOLD_F32, offsets));
  CHECK(offsets[0] == 0 && offsets[1] % 4096 == 0 && offsets[2] == n);
  OK(bifold_even_scan_split(n, 2, plus, BIFOLD_F32, offsets));
  CHECK(offsets[0] == 0 && offsets[1] == n && offsets[2] == n);
  bifold_group_destroy(group);
  bifold_map_destroy(squared);
  bifold_buffer_destroy(totals.buffer);
  bifold_buffer_destroy(output.buffer);
}

/* The same made ready, and run twice. */
static void plans(bifold_view input) {
  const bifold_operator* plus = bifold_builtin_operator(BIFOLD_PLUS);
  const bifold_view output = allocated(BIFOLD_F32, n);
  const bifold_view totals = allocated(BIFOLD_F32, 2);
  const bifold_view total[2] = {part(totals, 0, 1), part(totals, 1, 1)};
  const bifold_slice slices[2] = {{queue, part(input, 0, middle), NULL},
                                  {queue, part(input, middle, n - middle), NULL}};
  const bifold_scan_slice scans[2] = {
      {queue, part(input, 0, middle), part(output, 0, middle), &total[0]},
      {queue, part(input, middle, n - middle), part(output, middle, n - middle), &total[1]}};
  const bifold_share shares[2] = {{queue, middle}, {queue, n - middle}};
  const bifold_reduce_shape reduction = {
      .struct_size = sizeof reduction, .op = plus, .input = BIFOLD_F32, .accumulator = BIFOLD_F32};
  const bifold_scan_shape scan = {.struct_size = sizeof scan,
                                  .op = plus,
                                  .input = BIFOLD_F32,
                                  .output = BIFOLD_F32,
                                  .accumulator = BIFOLD_F32,
                                  .on_device = BIFOLD_TOTAL};
  const float init = 0.5F;
  static float want[n];
  static float got[n];
  float sums[2] = {0, 0};
  float sum = 0;
  float over = 0;
  int run = 0;
  bifold_group* group = NULL;
  bifold_group_plan* reduced = NULL;
  bifold_group_plan* scanned = NULL;
  OK(bifold_group_create_in_process(2, &group));
  OK(bifold_reduce(queue, input, plus, BIFOLD_F32, &init, &sum, NULL));
  OK(bifold_inclusive_scan(queue, input, output, plus, &init, NULL));
  OK(bifold_download(queue, output, want));
  OK(bifold_group_reduce_plan_create(group, &reduction, shares, 2, &init, &reduced));
  OK(bifold_group_scan_plan_create(group, &scan, shares, 2, &init, &scanned));
  for (run = 0; run < 2; ++run) {
    over = 0;
    OK(bifold_group_plan_reduce(reduced, slices, 2, &over));
    CHECK(same(&sum, &over, sizeof sum));
    OK(bifold_group_plan_reduce_into(reduced, slices, 2, total));
    OK(bifold_group_plan_finish(reduced));
    OK(bifold_download(queue, totals, sums));
    CHECK(same(&sum, &sums[0], sizeof sum) && same(&sum, &sums[1], sizeof sum));
    OK(bifold_fill(queue, output, &init));
    OK(bifold_group_plan_scan(scanned, scans, 2));
    OK(bifold_group_plan_finish(scanned));
    OK(bifold_download(queue, output, got));
    CHECK(same(want, got, sizeof want));
    OK(bifold_download(queue, totals, sums));
    CHECK(same(&want[n - 1], &sums[0], sizeof sum) && same(&sums[0], &sums[1], sizeof sum));
  }
  FAILS(bifold_group_plan_reduce(scanned, slices, 2, &over), BIFOLD_INVALID_ARGUMENT);
  CHECK(says("of the other kind"));
  FAILS(bifold_group_plan_reduce(reduced, slices, 2, NULL), BIFOLD_INVALID_ARGUMENT);
  CHECK(says("result"));
  FAILS(bifold_group_plan_reduce(reduced, slices, 1, &over), BIFOLD_INVALID_ARGUMENT);
  CHECK(says("slices of 1 ranks"));
  FAILS(bifold_group_plan_scan(scanned, NULL, 2), BIFOLD_INVALID_ARGUMENT);
  FAILS(bifold_group_plan_finish(NULL), BIFOLD_INVALID_ARGUMENT);
  FAILS(bifold_group_reduce_plan_create(group, NULL, shares, 2, NULL, &reduced),
        BIFOLD_INVALID_ARGUMENT);
  FAILS(bifold_group_scan_plan_create(group, &scan, NULL, 2, NULL, &scanned),
        BIFOLD_INVALID_ARGUMENT);
  OK(bifold_group_plan_reduce(reduced, slices, 2, &over));
  CHECK(same(&sum, &over, sizeof sum));
  bifold_group_destroy(group);
  bifold_group_plan_destroy(reduced);
  bifold_group_plan_destroy(scanned);
  bifold_group_plan_destroy(NULL);
  bifold_buffer_destroy(totals.buffer);
  bifold_buffer_destroy(output.buffer);
}

struct sums {
  float sum;
  double squares;
};

/* Plans of what is found and counted, and of several results. */
static void result_plans(bifold_view input) {
  const bifold_operator* plus = bifold_builtin_operator(BIFOLD_PLUS);
  const bifold_slice slices[2] = {{queue, part(input, 0, middle), NULL},
                                  {queue, part(input, middle, n - middle), NULL}};
  const bifold_share shares[2] = {{queue, middle}, {queue, n - middle}};
  struct {
    float value;
    uint64_t index;
  } found = {0, 0};
  struct {
    float minimum;
    float maximum;
  } ends = {0, 0};
  struct sums many = {0, 0};
  float least = 0;
  float greatest = 0;
  float sum = 0;
  double squares = 0;
  uint64_t index = 0;
  uint64_t count = 0;
  uint64_t counted = 0;
  const bifold_field fields[2] = {{"sum", BIFOLD_F32, offsetof(struct sums, sum)},
                                  {"squares", BIFOLD_F64, offsetof(struct sums, squares)}};
  bifold_type pair = 0;
  bifold_map* positive = NULL;
  bifold_map* squared = NULL;
  bifold_group* group = NULL;
  bifold_group_plan* plan = NULL;
  OK(bifold_map_create("x > 0", &positive));
  OK(bifold_map_create("x * x", &squared));
  OK(bifold_struct_type("SumAndSquares", sizeof many, fields, 2, &pair));
  const bifold_reduction reductions[2] = {{plus, NULL, NULL, &sum, BIFOLD_F32},
                                          {plus, squared, NULL, &squares, BIFOLD_F64}};
  OK(bifold_group_create_in_process(2, &group));

  OK(bifold_argmin(queue, input, &least, &index, NULL));
  OK(bifold_group_argmin_plan_create(group, BIFOLD_F32, shares, 2, &plan));
  OK(bifold_group_plan_reduce(plan, slices, 2, &found));
  CHECK(same(&least, &found.value, sizeof least) && index == found.index);
  bifold_group_plan_destroy(plan);
  OK(bifold_argmax(queue, input, &greatest, &index, NULL));
  OK(bifold_group_argmax_plan_create(group, BIFOLD_F32, shares, 2, &plan));
  OK(bifold_group_plan_reduce(plan, slices, 2, &found));
  CHECK(same(&greatest, &found.value, sizeof least) && index == found.index);
  bifold_group_plan_destroy(plan);
  OK(bifold_group_minmax_plan_create(group, BIFOLD_F32, shares, 2, &plan));
  OK(bifold_group_plan_reduce(plan, slices, 2, &ends));
  CHECK(ends.minimum == least && ends.maximum == greatest);
  bifold_group_plan_destroy(plan);
  OK(bifold_count_if(queue, input, positive, &count, NULL));
  OK(bifold_group_count_if_plan_create(group, BIFOLD_F32, positive, shares, 2, &plan));
  OK(bifold_group_plan_reduce(plan, slices, 2, &counted));
  CHECK(count > 0 && count == counted);
  bifold_group_plan_destroy(plan);
  OK(bifold_reduce_many(queue, input, reductions, 2, NULL));
  OK(bifold_group_reduce_many_plan_create(group, BIFOLD_F32, reductions, 2, pair, shares, 2,
                                          &plan));
  OK(bifold_group_plan_reduce(plan, slices, 2, &many));
  CHECK(same(&sum, &many.sum, sizeof sum) && same(&squares, &many.squares, sizeof squares));
  bifold_group_plan_destroy(plan);

  plan = NULL;
  FAILS(bifold_group_argmin_plan_create(group, BIFOLD_F32, NULL, 2, &plan),
        BIFOLD_INVALID_ARGUMENT);
  FAILS(bifold_group_minmax_plan_create(group, BIFOLD_F32, shares, 2, NULL),
        BIFOLD_INVALID_ARGUMENT);
  FAILS(bifold_group_count_if_plan_create(group, BIFOLD_F32, NULL, shares, 2, &plan),
        BIFOLD_INVALID_ARGUMENT);
  CHECK(says("predicate"));
  FAILS(bifold_group_reduce_many_plan_create(group, BIFOLD_F32, reductions, 1, pair, shares, 2,
                                             &plan),
        BIFOLD_INVALID_ARGUMENT);
  CHECK(plan == NULL);
  bifold_group_destroy(group);
  bifold_map_destroy(positive);
  bifold_map_destroy(squared);
}

/* Another rank that says the same as this one, or one that does not come. */
static int released = 0;
static int gathers = 0;
static bifold_status echo(void* user, const void* mine, void* all, size_t bytes,
                          uint64_t nanoseconds) {
  (void)user;
  CHECK(nanoseconds > 0 && nanoseconds <= 5000000000U);
  ++gathers;
  memcpy(all, mine, bytes);
  memcpy((char*)all + bytes, mine, bytes);
  return BIFOLD_OK;
}
static bifold_status late(void* user, const void* mine, void* all, size_t bytes,
                          uint64_t nanoseconds) {
  (void)user;
  (void)mine;
  (void)all;
  (void)bytes;
  (void)nanoseconds;
  return BIFOLD_TIMEOUT;
}
static bifold_status no_messages(void* user, const bifold_message* sent, size_t sent_count,
                                 const bifold_message* received, size_t received_count,
                                 uint64_t nanoseconds) {
  (void)user;
  (void)sent;
  (void)sent_count;
  (void)received;
  (void)received_count;
  (void)nanoseconds;
  return BIFOLD_BACKEND_FAILURE;
}
static void release(void* user) { *(int*)user += 1; }

static void by_functions(bifold_view input) {
  const bifold_operator* plus = bifold_builtin_operator(BIFOLD_PLUS);
  const uint32_t local = 0;
  const bifold_slice slice = {queue, part(input, 0, 4096), NULL};
  bifold_transport transport = {.struct_size = sizeof transport,
                                .size = 2,
                                .local_ranks = &local,
                                .local_rank_count = 1,
                                .deadline = 5000000000U,
                                .user = &released,
                                .all_gather = echo,
                                .exchange = no_messages,
                                .release = release};
  bifold_group* group = NULL;
  float half = 0;
  float sum = 0;
  OK(bifold_group_create(&transport, &group));
  OK(bifold_reduce(queue, slice.input, plus, BIFOLD_F32, NULL, &half, NULL));
  OK(bifold_group_reduce(group, &slice, 1, plus, NULL, BIFOLD_F32, NULL, &sum, NULL));
  CHECK(sum == half + half);
  /* The other rank is told what is wrong with this one's arguments. */
  gathers = 0;
  FAILS(bifold_group_reduce(group, &slice, 1, NULL, NULL, BIFOLD_F32, NULL, &sum, NULL),
        BIFOLD_INVALID_ARGUMENT);
  CHECK(says("rank 0: op"));
  FAILS(bifold_group_argmin(group, &slice, 1, NULL, NULL, NULL), BIFOLD_INVALID_ARGUMENT);
  FAILS(bifold_group_scan(group, 7, NULL, 1, plus, NULL, NULL, NULL), BIFOLD_INVALID_ARGUMENT);
  CHECK(gathers == 3);
  CHECK(released == 0);
  bifold_group_destroy(group);
  CHECK(released == 1);

  transport.all_gather = late;
  OK(bifold_group_create(&transport, &group));
  FAILS(bifold_group_reduce(group, &slice, 1, plus, NULL, BIFOLD_F32, NULL, &sum, NULL),
        BIFOLD_TIMEOUT);
  FAILS(bifold_group_reduce(group, &slice, 1, plus, NULL, BIFOLD_F32, NULL, &sum, NULL),
        BIFOLD_TIMEOUT);
  CHECK(says("the group is out of use"));
  bifold_group_destroy(group);
  CHECK(released == 2);

  /* What is refused is not released: it is the caller's still. */
  transport.size = 0;
  FAILS(bifold_group_create(&transport, &group), BIFOLD_INVALID_ARGUMENT);
  transport.size = 2;
  transport.exchange = NULL;
  FAILS(bifold_group_create(&transport, &group), BIFOLD_INVALID_ARGUMENT);
  FAILS(bifold_group_create(NULL, &group), BIFOLD_INVALID_ARGUMENT);
  FAILS(bifold_group_create_in_process(2, NULL), BIFOLD_INVALID_ARGUMENT);
  CHECK(released == 2);
  bifold_group_destroy(NULL);
}

void test_groups(void) {
  make_numbers(host, n);
  const bifold_view input = uploaded(BIFOLD_F32, host, n);
  in_process(input);
  plans(input);
  result_plans(input);
  by_functions(input);
  bifold_buffer_destroy(input.buffer);
}
