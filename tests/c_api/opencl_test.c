/* bifold inside an OpenCL application in C. */
/* NOLINTNEXTLINE(bugprone-reserved-identifier): it is POSIX's own. */
#define _POSIX_C_SOURCE 199309L
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <time.h>

#include "harness.h"

enum { n = 1000 };

/* The first device of the first platform that has one. */
static cl_device_id any_device(void) {
  cl_platform_id platforms[8];
  cl_device_id found = NULL;
  cl_uint count = 0;
  if (clGetPlatformIDs(8, platforms, &count) != CL_SUCCESS) return NULL;
  for (cl_uint i = 0; i < count && i < 8 && found == NULL; ++i) {
    if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &found, NULL) != CL_SUCCESS) {
      found = NULL;
    }
  }
  return found;
}

/* Of the buffer and of the queue; drivers may start to count anywhere. */
static cl_uint references(cl_mem memory, cl_command_queue commands) {
  cl_uint of_memory = 0, of_queue = 0;
  CHECK(clGetMemObjectInfo(memory, CL_MEM_REFERENCE_COUNT, sizeof of_memory, &of_memory, NULL) ==
        CL_SUCCESS);
  CHECK(clGetCommandQueueInfo(commands, CL_QUEUE_REFERENCE_COUNT, sizeof of_queue, &of_queue,
                              NULL) == CL_SUCCESS);
  return 1000 * of_memory + of_queue;
}

static void sleep_milliseconds(long milliseconds) {
  const struct timespec span = {.tv_sec = 0, .tv_nsec = milliseconds * 1000000};
  nanosleep(&span, NULL);
}

/* The counts once they rest: a driver lets go of a finished command a little later. On a busy
 * machine that may be later still: then they are too high. */
static cl_uint settled_references(cl_mem memory, cl_command_queue commands) {
  cl_uint last = references(memory, commands);
  for (;;) {
    sleep_milliseconds(50);
    const cl_uint now = references(memory, commands);
    if (now == last) return now;
    last = now;
  }
}

/* Waits until the counts have fallen to that number, for however long. */
static void fall_to(cl_mem memory, cl_command_queue commands, cl_uint expected) {
  while (references(memory, commands) > expected) sleep_milliseconds(1);
}

static void test_refusals(cl_context context, cl_device_id id, cl_mem memory) {
  bifold_device* own = NULL;
  bifold_queue* adopted = NULL;
  bifold_buffer* buffer = NULL;
  bifold_event* event = NULL;
  void* native = NULL;
  FAILS(bifold_opencl_adopt_device(NULL, id, NULL, &own), BIFOLD_INVALID_ARGUMENT);
  FAILS(bifold_opencl_adopt_device(context, NULL, NULL, &own), BIFOLD_INVALID_ARGUMENT);
  FAILS(bifold_opencl_adopt_device(context, id, NULL, NULL), BIFOLD_INVALID_ARGUMENT);
  FAILS(bifold_opencl_adopt_queue(NULL, device, &adopted), BIFOLD_INVALID_ARGUMENT);
  FAILS(bifold_opencl_adopt_queue(NULL, NULL, &adopted), BIFOLD_INVALID_ARGUMENT);
  FAILS(bifold_opencl_adopt_buffer(NULL, &buffer), BIFOLD_INVALID_ARGUMENT);
  FAILS(bifold_opencl_adopt_buffer(memory, NULL), BIFOLD_INVALID_ARGUMENT);
  FAILS(bifold_opencl_adopt_svm(NULL, &native, 8, &buffer), BIFOLD_INVALID_ARGUMENT);
  FAILS(bifold_opencl_adopt_event(NULL, &event), BIFOLD_INVALID_ARGUMENT);
  FAILS(bifold_opencl_native_event(NULL, &native), BIFOLD_INVALID_ARGUMENT);
  CHECK(own == NULL && adopted == NULL && buffer == NULL && event == NULL && native == NULL);
}

/* What bifold retains it releases. PoCL keeps a reference for the last command of a queue, whoever
 * enqueued it, so that counting starts behind one of the application's. That it retains is checked
 * in C++. */
static void test_references(cl_context context, cl_device_id id, cl_command_queue commands,
                            cl_mem memory) {
  const int32_t one = 1;
  bifold_device* own = NULL;
  bifold_queue* adopted = NULL;
  bifold_event* done = NULL;
  bifold_view numbers = {NULL, BIFOLD_I32, 0, n};
  CHECK(clEnqueueWriteBuffer(commands, memory, CL_TRUE, 0, sizeof one, &one, 0, NULL, NULL) ==
        CL_SUCCESS);
  const cl_uint before = settled_references(memory, commands);
  OK(bifold_opencl_adopt_device(context, id, NULL, &own));
  OK(bifold_opencl_adopt_queue(commands, own, &adopted));
  bifold_device_destroy(own);
  OK(bifold_opencl_adopt_buffer(memory, &numbers.buffer));
  OK(bifold_fill(adopted, numbers, &one));
  OK(bifold_queue_record(adopted, &done));
  OK(bifold_queue_finish(adopted, BIFOLD_NO_LIMIT));
  bifold_queue_destroy(adopted);
  bifold_buffer_destroy(numbers.buffer);
  bifold_event_destroy(done);
  fall_to(memory, commands, before);
}

void test_opencl(void) {
  const cl_device_id id = any_device();
  const cl_context context = clCreateContext(NULL, 1, &id, NULL, NULL, NULL);
  const cl_command_queue commands = clCreateCommandQueue(context, id, 0, NULL);
  const cl_mem memory = clCreateBuffer(context, CL_MEM_READ_WRITE, n * sizeof(int32_t), NULL, NULL);
  const bifold_operator* plus = bifold_builtin_operator(BIFOLD_PLUS);
  int32_t host[n];
  bifold_device* own = NULL;
  bifold_queue *adopted = NULL, *other = NULL;
  bifold_event *written = NULL, *done = NULL;
  bifold_view numbers = {NULL, BIFOLD_I32, 0, n};
  bifold_options options = {.struct_size = sizeof options, .wait = &written, .wait_count = 1};
  cl_event write = NULL;
  void* native = NULL;
  cl_event scanned = NULL;

  CHECK(context != NULL && commands != NULL && memory != NULL);
  if (context == NULL || commands == NULL || memory == NULL) return;
  for (int i = 0; i < n; ++i) host[i] = i;
  test_references(context, id, commands, memory);
  OK(bifold_opencl_adopt_device(context, id, NULL, &own));
  OK(bifold_opencl_adopt_queue(commands, own, &adopted));
  OK(bifold_opencl_adopt_buffer(memory, &numbers.buffer));
  CHECK(bifold_buffer_size(numbers.buffer) == sizeof host);

  /* The application writes, bifold scans behind it, the application waits for that. */
  CHECK(clEnqueueWriteBuffer(commands, memory, CL_FALSE, 0, sizeof host, host, 0, NULL, &write) ==
        CL_SUCCESS);
  OK(bifold_opencl_adopt_event(write, &written));
  options.done = &done;
  OK(bifold_inclusive_scan(adopted, numbers, numbers, plus, NULL, &options));
  OK(bifold_opencl_native_event(done, &native));
  scanned = native;
  CHECK(clFlush(commands) == CL_SUCCESS && clWaitForEvents(1, &scanned) == CL_SUCCESS);
  CHECK(clEnqueueReadBuffer(commands, memory, CL_TRUE, 0, sizeof host, host, 0, NULL, NULL) ==
        CL_SUCCESS);
  CHECK(host[1] == 1 && host[n - 1] == (n - 1) * n / 2);

  /* The test's device lives in another context, which this memory is unknown to. */
  FAILS(bifold_inclusive_scan(queue, numbers, numbers, plus, NULL, NULL), BIFOLD_INVALID_ARGUMENT);
  FAILS(bifold_opencl_adopt_queue(commands, device, &other), BIFOLD_INVALID_ARGUMENT);
  test_refusals(context, id, memory);

  clReleaseEvent(scanned);
  clReleaseEvent(write);
  bifold_event_destroy(done);
  bifold_event_destroy(written);
  bifold_buffer_destroy(numbers.buffer);
  bifold_device_destroy(own);
  bifold_queue_destroy(adopted);

  clReleaseMemObject(memory);
  clReleaseCommandQueue(commands);
  clReleaseContext(context);
}
