/* The C interface from C, on the device that $BIFOLD_TEST_DEVICE names. Ends with 77 without it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"

int failures;
bifold_device* device;
bifold_queue* queue;

void check_true(bool holds, const char* what, const char* file, int line) {
  if (holds) return;
  ++failures;
  printf("%s:%d: does not hold: %s\n", file, line, what);
}

void check_status(bifold_status status, bifold_status expected, const char* what, const char* file,
                  int line) {
  if (status != expected) {
    ++failures;
    printf("%s:%d: %s instead of %s: %s\n  %s\n", file, line, bifold_status_name(status),
           bifold_status_name(expected), what, bifold_last_error());
  } else if (expected != BIFOLD_OK && bifold_last_error()[0] == '\0') {
    ++failures;
    printf("%s:%d: failed without a word: %s\n", file, line, what);
  }
}

bifold_view allocated(bifold_type type, uint64_t count) {
  bifold_view view = {NULL, type, 0, count};
  OK(bifold_buffer_create(device, count * bifold_type_size(type), &view.buffer));
  return view;
}

bifold_view uploaded(bifold_type type, const void* elements, uint64_t count) {
  const bifold_view view = allocated(type, count);
  OK(bifold_upload(queue, elements, view));
  return view;
}

bool says(const char* text) { return strstr(bifold_last_error(), text) != NULL; }

int main(void) {
  const char* selector = getenv("BIFOLD_TEST_DEVICE"); /* NOLINT(concurrency-mt-unsafe) */
  const struct {
    const char* name;
    void (*run)(void);
  } tests[] = {{"backends", test_backends},
               {"errors", test_errors},
               {"types", test_types},
               {"memory", test_memory},
               {"events", test_events},
               {"half", test_half},
               {"complex", test_complex},
               {"reduce", test_reduce},
               {"scan", test_scan},
               {"plans", test_plans},
               {"device values", test_device_values},
               {"lines", test_lines},
               {"several arrays", test_several_arrays},
               {"order", test_order},
               {"no identity", test_no_identity},
               {"pairs", test_pairs},
               {"scalars", test_scalars},
               {"transform scans", test_transform_scans},
               {"reductions", test_reductions},
               {"statistics", test_statistics},
               {"segments", test_segmented_reductions},
               {"keys", test_keys},
               {"selection", test_selection},
               {"groups", test_groups},
               {"accumulations", test_accumulations},
               {"null", test_null},
               {"struct sizes", test_struct_sizes},
               {"fork", test_fork},
               {"opencl", test_opencl}};

  CHECK(bifold_last_error()[0] == '\0');
  /* PoCL compiles every kernel once more when it is asked for a binary: one test opens a device
     that asks. */
  const bifold_device_options options = {
      .struct_size = sizeof options,
      .no_disk_cache = selector != NULL && strcmp(selector, "opencl") == 0};
  const bifold_status status = bifold_device_open(selector, &options, &device);
  if (status == BIFOLD_UNAVAILABLE) {
    printf("SKIPPED: %s\n", bifold_last_error());
    return 77;
  }
  OK(status);
  if (selector == NULL) selector = "";
  OK(bifold_queue_create(device, NULL, &queue));
  if (failures > 0) return 1;
  for (size_t i = 0; i < sizeof tests / sizeof tests[0]; ++i) {
    const int before = failures;
    if (tests[i].run == test_opencl && strncmp(selector, "opencl", 6) != 0) continue;
    tests[i].run();
    printf("%s: %s\n", tests[i].name, failures == before ? "passed" : "FAILED");
  }
  /* The queue keeps its device alive. */
  bifold_device_destroy(device);
  OK(bifold_queue_finish(queue, BIFOLD_NO_LIMIT));
  bifold_queue_destroy(queue);
  return failures > 0;
}
