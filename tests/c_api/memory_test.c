/* Memory, queues, events. */
#include <string.h>
#include <sys/stat.h>

#include "harness.h"

static void messages(void* user, bifold_log_level level, const char* message) {
  *(int*)user += level >= BIFOLD_LOG_DEBUG && message[0] != '\0';
}

static void mentions_file(void* user, bifold_log_level level, const char* message) {
  *(int*)user += level == BIFOLD_LOG_WARNING && strstr(message, "c_api_no_tuning") != NULL;
}

void test_memory(void) {
  static const int32_t host[6] = {1, 2, 3, 4, 5, 6};
  int32_t back[6] = {0};
  const int32_t seven = 7;
  const bifold_view from = uploaded(BIFOLD_I32, host, 6);
  const bifold_view to = allocated(BIFOLD_I32, 6);
  bifold_view empty = allocated(BIFOLD_I32, 0);
  bifold_view part = {to.buffer, BIFOLD_I32, 2, 3};
  bifold_view bad = {from.buffer, BIFOLD_I32, 2, 5};

  CHECK(bifold_buffer_size(from.buffer) == sizeof host);
  OK(bifold_copy(queue, from, to));
  OK(bifold_fill(queue, part, &seven));
  OK(bifold_download(queue, to, back));
  CHECK(back[0] == 1 && back[1] == 2 && back[2] == 7 && back[4] == 7 && back[5] == 6);

  /* Ranges that do not lie in their memory, types that do not fit, ranges that overlap. */
  FAILS(bifold_download(queue, bad, back), BIFOLD_INVALID_ARGUMENT);
  bad.offset = UINT64_C(1) << 62; /* In bytes, 0 modulo 2^64. */
  FAILS(bifold_download(queue, bad, back), BIFOLD_INVALID_ARGUMENT);
  bad.offset = 0;
  bad.count = UINT64_MAX / 4 + 2; /* In bytes, 4 beyond 2^64. */
  FAILS(bifold_upload(queue, host, bad), BIFOLD_INVALID_ARGUMENT);
  bad.count = 6;
  bad.type = 12;
  FAILS(bifold_fill(queue, bad, &seven), BIFOLD_INVALID_ARGUMENT);
  FAILS(bifold_copy(queue, from, part), BIFOLD_INVALID_ARGUMENT);
  part.offset = 1;
  bad = to;
  bad.count = 3;
  FAILS(bifold_copy(queue, bad, part), BIFOLD_INVALID_ARGUMENT);
  CHECK(says("overlap"));

  /* Nothing is moved from and to nowhere. */
  OK(bifold_upload(queue, NULL, empty));
  OK(bifold_download(queue, empty, NULL));
  FAILS(bifold_upload(queue, NULL, to), BIFOLD_INVALID_ARGUMENT);
  CHECK(bifold_buffer_size(empty.buffer) == 0);

  /* Memory is bytes: the same ones as elements of another type. */
  bad = to;
  bad.type = BIFOLD_U8;
  bad.count = 24;
  memset(back, 0, sizeof back);
  OK(bifold_download(queue, bad, back));
  CHECK(back[0] == 1 && back[5] == 6);

  bifold_buffer_destroy(empty.buffer);
  bifold_buffer_destroy(to.buffer);
  bifold_buffer_destroy(from.buffer);
}

static void test_device_options(void) {
  int count = 0;
  bifold_device* second = NULL;
  bifold_device_info info = {.struct_size = sizeof info};
  bifold_queue* other = NULL;
  bifold_view ones;
  int64_t sum = 0;
  const int32_t host[2] = {20, 22};
  struct stat folder;
  bifold_device_options options = {.struct_size = sizeof options,
                                   .cache_directory = "c_api_unused_cache",
                                   .no_disk_cache = true};

  OK(bifold_device_get_info(device, &info));
  OK(bifold_set_log(BIFOLD_LOG_DEBUG, messages, &count));
  FAILS(bifold_set_log(5, messages, &count), BIFOLD_INVALID_ARGUMENT);
  OK(bifold_device_open(info.selector, &options, &second));
  OK(bifold_queue_create(second, NULL, &other));
  ones = uploaded(BIFOLD_I32, host, 2);
  bifold_buffer_destroy(ones.buffer);
  OK(bifold_buffer_create(second, sizeof host, &ones.buffer));
  OK(bifold_upload(other, host, ones));
  OK(bifold_reduce(other, ones, bifold_builtin_operator(BIFOLD_PLUS), BIFOLD_I64, NULL, &sum,
                   NULL));
  CHECK(sum == 42 && count > 0);
  CHECK(stat(options.cache_directory, &folder) != 0);
  OK(bifold_set_log(BIFOLD_LOG_DEBUG, NULL, NULL));

  /* Memory of one context is of no use on a queue of another. CUDA's devices that bifold opens
     share the primary context. */
  if (strcmp(info.backend, "cuda") == 0) {
    OK(bifold_reduce(queue, ones, bifold_builtin_operator(BIFOLD_PLUS), BIFOLD_I64, NULL, &sum,
                     NULL));
    CHECK(sum == 42);
  } else {
    FAILS(bifold_reduce(queue, ones, bifold_builtin_operator(BIFOLD_PLUS), BIFOLD_I64, NULL, &sum,
                        NULL),
          BIFOLD_INVALID_ARGUMENT);
  }
  bifold_buffer_destroy(ones.buffer);
  bifold_device_destroy(second);
  bifold_queue_destroy(other);

  options.no_disk_cache = false;
  options.cache_directory = "c_api_cache";
  /* A tuning file that is not there keeps nothing from being done. */
  options.tuning_file = "c_api_no_tuning";
  count = 0;
  OK(bifold_set_log(BIFOLD_LOG_WARNING, mentions_file, &count));
  OK(bifold_device_open(info.selector, &options, &second));
  OK(bifold_set_log(BIFOLD_LOG_WARNING, NULL, NULL));
  CHECK(count == 1);
  OK(bifold_queue_create(second, NULL, &other));
  OK(bifold_buffer_create(second, sizeof host, &ones.buffer));
  OK(bifold_upload(other, host, ones));
  OK(bifold_reduce(other, ones, bifold_builtin_operator(BIFOLD_PLUS), BIFOLD_I64, NULL, &sum,
                   NULL));
  CHECK(sum == 42 && stat(options.cache_directory, &folder) == 0);
  bifold_buffer_destroy(ones.buffer);
  bifold_queue_destroy(other);
  bifold_device_destroy(second);
}

void test_events(void) {
  enum { large = 1 << 24 };
  const bifold_queue_options timed = {.struct_size = sizeof timed, .timing = true};
  const int32_t one = 1;
  const bifold_operator* plus = bifold_builtin_operator(BIFOLD_PLUS);
  bifold_queue* other = NULL;
  bifold_event *first = NULL, *second = NULL, *done = NULL;
  bifold_event* waits[2];
  bifold_options options = {.struct_size = sizeof options};
  const bifold_view numbers = allocated(BIFOLD_I32, large);
  const bifold_view last = {numbers.buffer, BIFOLD_I32, large - 1, 1};
  int32_t value = 0;
  bool complete = false;
  double seconds = -1;

  OK(bifold_queue_create(device, &timed, &other));
  OK(bifold_queue_record(other, &first));
  OK(bifold_fill(other, numbers, &one));
  OK(bifold_queue_record(other, &second));

  /* The scan starts behind the fill of the other queue. */
  waits[0] = first;
  waits[1] = second;
  options.wait = waits;
  options.wait_count = 2;
  options.done = &done;
  OK(bifold_inclusive_scan(queue, numbers, numbers, plus, NULL, &options));
  CHECK(done != NULL);
  OK(bifold_event_wait(done, BIFOLD_NO_LIMIT));
  OK(bifold_event_complete(done, &complete));
  CHECK(complete);
  OK(bifold_download(queue, last, &value));
  CHECK(value == large);

  OK(bifold_event_elapsed(first, second, &seconds));
  CHECK(seconds >= 0);
  FAILS(bifold_event_elapsed(first, done, &seconds), BIFOLD_INVALID_ARGUMENT);

  OK(bifold_queue_wait_for(other, waits, 2));
  OK(bifold_queue_wait_for(other, NULL, 0));
  FAILS(bifold_queue_wait_for(other, NULL, 1), BIFOLD_INVALID_ARGUMENT);
  waits[1] = NULL;
  FAILS(bifold_queue_wait_for(other, waits, 2), BIFOLD_INVALID_ARGUMENT);

  /* A call that fails makes no event. */
  bifold_event_destroy(done);
  done = NULL;
  FAILS(bifold_inclusive_scan(queue, numbers, numbers, plus, NULL, &options),
        BIFOLD_INVALID_ARGUMENT);
  CHECK(done == NULL);
  options.wait_count = 0;
  FAILS(bifold_inclusive_scan(queue, last, numbers, plus, NULL, &options), BIFOLD_INVALID_ARGUMENT);
  CHECK(done == NULL);

  bifold_event_destroy(second);
  bifold_event_destroy(first);
  bifold_queue_destroy(other);
  bifold_buffer_destroy(numbers.buffer);
  test_device_options();
}
