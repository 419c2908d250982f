/* A process that was forked: what needs a driver is refused, and handles can be destroyed. */
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness.h"

#define LOST(call) FAILS(call, BIFOLD_DEVICE_LOST)

/* In the child, which has the parent's handles. */
static int use_all(bifold_view view, bifold_event* event, bifold_plan* plan) {
  const bifold_operator* plus = bifold_builtin_operator(BIFOLD_PLUS);
  const int32_t host[2] = {1, 2};
  const bifold_field field = {"only_in_child", BIFOLD_I32, 0};
  bifold_device_list* devices = NULL;
  bifold_device* opened = NULL;
  bifold_queue* other = NULL;
  bifold_buffer* buffer = NULL;
  bifold_event* recorded = NULL;
  bifold_plan* planned = NULL;
  bifold_device_info info = {.struct_size = sizeof info};
  bifold_reduce_shape shape = {
      .struct_size = sizeof shape, .op = plus, .input = BIFOLD_I32, .accumulator = BIFOLD_I32};
  bifold_type type = 0;
  uint64_t bytes = 0;
  int32_t sum = 0;
  bool complete = false;

  LOST(bifold_device_list_create(&devices));
  CHECK(says("was forked from"));
  LOST(bifold_device_open(NULL, NULL, &opened));
  LOST(bifold_queue_create(device, NULL, &other));
  LOST(bifold_buffer_create(device, 8, &buffer));
  LOST(bifold_queue_finish(queue, BIFOLD_NO_LIMIT));
  LOST(bifold_queue_trim(queue));
  LOST(bifold_queue_record(queue, &recorded));
  LOST(bifold_queue_wait_for(queue, &event, 1));
  LOST(bifold_upload(queue, host, view));
  LOST(bifold_download(queue, view, &sum));
  LOST(bifold_fill(queue, view, host));
  LOST(bifold_reduce(queue, view, plus, BIFOLD_I32, NULL, &sum, NULL));
  LOST(bifold_inclusive_scan(queue, view, view, plus, NULL, NULL));
  LOST(bifold_reduce_plan_create(device, &shape, &planned));
  LOST(bifold_plan_run(plan, queue, view, view, NULL, NULL));
  LOST(bifold_event_wait(event, BIFOLD_NO_LIMIT));
  LOST(bifold_event_complete(event, &complete));

  OK(bifold_device_get_info(device, &info));
  OK(bifold_plan_workspace_bytes(plan, 2, &bytes));
  OK(bifold_struct_type("OfChild", 4, &field, 1, &type));
  CHECK(bifold_type_size(type) == 4);
  OK(bifold_set_log(BIFOLD_LOG_OFF, NULL, NULL));

  bifold_event_destroy(event);
  bifold_plan_destroy(plan);
  bifold_buffer_destroy(view.buffer);
  bifold_queue_destroy(queue);
  bifold_device_destroy(device);
  return failures > 0;
}

void test_fork(void) {
  const bifold_operator* plus = bifold_builtin_operator(BIFOLD_PLUS);
  const int32_t host[2] = {40, 2};
  const bifold_view view = uploaded(BIFOLD_I32, host, 2);
  const bifold_reduce_shape shape = {
      .struct_size = sizeof shape, .op = plus, .input = BIFOLD_I32, .accumulator = BIFOLD_I32};
  bifold_event* event = NULL;
  bifold_plan* plan = NULL;
  int32_t sum = 0;
  int status = 0;
  pid_t child = 0;

  OK(bifold_queue_record(queue, &event));
  OK(bifold_reduce_plan_create(device, &shape, &plan));
  fflush(stdout);
  child = fork();
  if (child == 0) {
    failures = 0;
    status = use_all(view, event, plan);
    fflush(stdout);
    _exit(status);
  }
  CHECK(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  OK(bifold_reduce(queue, view, plus, BIFOLD_I32, NULL, &sum, NULL));
  CHECK(sum == 42);
  bifold_event_destroy(event);
  bifold_plan_destroy(plan);
  bifold_buffer_destroy(view.buffer);
}
