/* bifold inside an application in C that has its own OpenCL: platform, context, queue, kernels and
 * buffers. Readings are flagged by the application's kernel, the flags turned into places by an
 * exclusive scan of bifold's, and the flagged readings moved there by the application's kernel:
 * stream compaction. The queue is in order, so that nothing but it connects the three. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <bifold/bifold.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { count = 300007, skipped = 77 };

static const cl_uint limit = 0x40000000; /* A quarter of all readings lies below. */

static const char* const kernel_text =
    "kernel void flag(global const uint* readings, uint limit, global uint* flags) {\n"
    "  const size_t i = get_global_id(0);\n"
    "  flags[i] = readings[i] < limit;\n"
    "}\n"
    "kernel void scatter(global const uint* readings, global const uint* flags,\n"
    "                    global const uint* places, global uint* kept) {\n"
    "  const size_t i = get_global_id(0);\n"
    "  if (flags[i]) kept[places[i]] = readings[i];\n"
    "}\n";

/* Every call says how it went: the first failure is told, and ends what is going on. Both are
 * expressions, so that calls can be chained by && and all that was made is released in one place.
 */
static bool cl_ok(cl_int code, const char* call) {
  if (code != CL_SUCCESS) fprintf(stderr, "%s failed with %d\n", call, code);
  return code == CL_SUCCESS;
}
static bool bifold_ok(bifold_status status, const char* call) {
  if (status != BIFOLD_OK) {
    fprintf(stderr, "%s: %s: %s\n", call, bifold_status_name(status), bifold_last_error());
  }
  return status == BIFOLD_OK;
}
#define CL(call) cl_ok((call), #call)
#define BIFOLD(call) bifold_ok((call), #call)

/* What the application has without bifold. */
typedef struct application {
  cl_context context;
  cl_command_queue commands;
  cl_program program;
  cl_kernel flag, scatter;
  cl_mem readings, flags, places, kept;
} application;

/* What bifold makes of it: handles that own nothing of the application's. */
typedef struct adopted {
  bifold_device* device;
  bifold_queue* queue;
  bifold_buffer *flags, *places;
} adopted;

/* The first device of any platform; NULL where there is none. */
static cl_device_id first_device(void) {
  cl_platform_id platforms[16];
  cl_uint platform_count = 0;
  cl_device_id found = NULL;
  if (clGetPlatformIDs(16, platforms, &platform_count) != CL_SUCCESS) return NULL;
  for (cl_uint i = 0; i < platform_count && i < 16; ++i) {
    if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &found, NULL) == CL_SUCCESS) {
      return found;
    }
  }
  return NULL;
}

static bool make_buffer(cl_context context, cl_mem* buffer) {
  cl_int code = CL_SUCCESS;
  *buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, count * sizeof(cl_uint), NULL, &code);
  return cl_ok(code, "clCreateBuffer");
}

static bool make_kernel(cl_program program, const char* name, cl_kernel* kernel) {
  cl_int code = CL_SUCCESS;
  *kernel = clCreateKernel(program, name, &code);
  return cl_ok(code, "clCreateKernel");
}

static bool start(application* app, cl_device_id device) {
  cl_int code = CL_SUCCESS;
  app->context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
  if (!cl_ok(code, "clCreateContext")) return false;
  app->commands = clCreateCommandQueue(app->context, device, 0, &code);
  if (!cl_ok(code, "clCreateCommandQueue")) return false;
  const char* text = kernel_text;
  app->program = clCreateProgramWithSource(app->context, 1, &text, NULL, &code);
  if (!cl_ok(code, "clCreateProgramWithSource")) return false;
  return CL(clBuildProgram(app->program, 1, &device, "", NULL, NULL)) &&
         make_kernel(app->program, "flag", &app->flag) &&
         make_kernel(app->program, "scatter", &app->scatter) &&
         make_buffer(app->context, &app->readings) && make_buffer(app->context, &app->flags) &&
         make_buffer(app->context, &app->places) && make_buffer(app->context, &app->kept) &&
         CL(clSetKernelArg(app->flag, 0, sizeof(cl_mem), &app->readings)) &&
         CL(clSetKernelArg(app->flag, 1, sizeof limit, &limit)) &&
         CL(clSetKernelArg(app->flag, 2, sizeof(cl_mem), &app->flags)) &&
         CL(clSetKernelArg(app->scatter, 0, sizeof(cl_mem), &app->readings)) &&
         CL(clSetKernelArg(app->scatter, 1, sizeof(cl_mem), &app->flags)) &&
         CL(clSetKernelArg(app->scatter, 2, sizeof(cl_mem), &app->places)) &&
         CL(clSetKernelArg(app->scatter, 3, sizeof(cl_mem), &app->kept));
}

/* Releases what was made, in whatever state start() left it. */
static bool end(application* app) {
  bool good = true;
  if (app->kept != NULL) good = CL(clReleaseMemObject(app->kept)) && good;
  if (app->places != NULL) good = CL(clReleaseMemObject(app->places)) && good;
  if (app->flags != NULL) good = CL(clReleaseMemObject(app->flags)) && good;
  if (app->readings != NULL) good = CL(clReleaseMemObject(app->readings)) && good;
  if (app->scatter != NULL) good = CL(clReleaseKernel(app->scatter)) && good;
  if (app->flag != NULL) good = CL(clReleaseKernel(app->flag)) && good;
  if (app->program != NULL) good = CL(clReleaseProgram(app->program)) && good;
  if (app->commands != NULL) good = CL(clReleaseCommandQueue(app->commands)) && good;
  if (app->context != NULL) good = CL(clReleaseContext(app->context)) && good;
  return good;
}

/* Adopted once and kept: the handles own compiled kernels and scratch memory. */
static bool adopt(const application* app, cl_device_id device, adopted* scan) {
  return BIFOLD(bifold_opencl_adopt_device(app->context, device, NULL, &scan->device)) &&
         BIFOLD(bifold_opencl_adopt_queue(app->commands, scan->device, &scan->queue)) &&
         BIFOLD(bifold_opencl_adopt_buffer(app->flags, &scan->flags)) &&
         BIFOLD(bifold_opencl_adopt_buffer(app->places, &scan->places));
}

static void give_back(adopted* scan) {
  bifold_buffer_destroy(scan->places); /* Destroy functions take NULL, too. */
  bifold_buffer_destroy(scan->flags);
  bifold_queue_destroy(scan->queue);
  bifold_device_destroy(scan->device);
}

/* Flag, scan, scatter; then the readings that were kept, and how many, arrive on the host. */
static bool compact(const application* app, const adopted* scan, const cl_uint* readings,
                    cl_uint* kept, cl_uint* kept_count) {
  const size_t everything = count;
  const size_t last = (count - 1) * sizeof(cl_uint);
  const bifold_view flags = {scan->flags, BIFOLD_U32, 0, count};
  const bifold_view places = {scan->places, BIFOLD_U32, 0, count};
  const bifold_operator* plus = bifold_builtin_operator(BIFOLD_PLUS);
  cl_uint last_flag = 0, last_place = 0;

  /* Nothing waits between the upload and the first read. */
  const bool enqueued =
      CL(clEnqueueWriteBuffer(app->commands, app->readings, CL_FALSE, 0, count * sizeof *readings,
                              readings, 0, NULL, NULL)) &&
      CL(clEnqueueNDRangeKernel(app->commands, app->flag, 1, NULL, &everything, NULL, 0, NULL,
                                NULL)) &&
      BIFOLD(bifold_exclusive_scan(scan->queue, flags, places, plus, NULL, NULL)) &&
      CL(clEnqueueNDRangeKernel(app->commands, app->scatter, 1, NULL, &everything, NULL, 0, NULL,
                                NULL)) &&
      CL(clEnqueueReadBuffer(app->commands, app->flags, CL_FALSE, last, sizeof last_flag,
                             &last_flag, 0, NULL, NULL)) &&
      CL(clEnqueueReadBuffer(app->commands, app->places, CL_FALSE, last, sizeof last_place,
                             &last_place, 0, NULL, NULL));
  /* What has been enqueued works on the host's memory, also where something behind it failed. */
  if (!CL(clFinish(app->commands)) || !enqueued) return false;

  *kept_count = last_place + last_flag;
  if (*kept_count > count) return false;
  return *kept_count == 0 ||
         CL(clEnqueueReadBuffer(app->commands, app->kept, CL_TRUE, 0, *kept_count * sizeof *kept,
                                kept, 0, NULL, NULL));
}

/* The same on the host, in place. */
static cl_uint compact_on_host(cl_uint* readings) {
  cl_uint kept = 0;
  for (cl_uint i = 0; i < count; ++i) {
    if (readings[i] < limit) readings[kept++] = readings[i];
  }
  return kept;
}

int main(void) {
  const cl_device_id device = first_device();
  if (device == NULL) {
    fprintf(stderr, "no OpenCL device\n");
    return skipped;
  }
  cl_uint* readings = malloc(count * sizeof *readings);
  cl_uint* kept = malloc(count * sizeof *kept);
  application app = {0};
  adopted scan = {0};
  cl_uint kept_count = 0;
  bool good = readings != NULL && kept != NULL;
  for (cl_uint i = 0, state = 1; good && i < count; ++i) {
    state = state * 1664525u + 1013904223u; /* A linear congruential generator's high bits. */
    readings[i] = (state >> 16) * 0x9E3779B1u;
  }
  good = good && start(&app, device) && adopt(&app, device, &scan) &&
         compact(&app, &scan, readings, kept, &kept_count);
  if (good) {
    const cl_uint expected = compact_on_host(readings);
    good = kept_count == expected && memcmp(kept, readings, expected * sizeof *kept) == 0;
    printf("%u of %d readings are below the limit%s\n", kept_count, count, good ? "" : ", WRONG");
  }
  /* bifold retained what it needs: which side is released first does not matter. */
  give_back(&scan);
  good = end(&app) && good;
  free(kept);
  free(readings);
  return good ? 0 : 1;
}
