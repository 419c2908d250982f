/* Every handle and every pointer as NULL, and every struct with sizes of other versions. */
#include <string.h>

#include "harness.h"

#define REFUSED(call) FAILS(call, BIFOLD_INVALID_ARGUMENT)

static void test_null_calls(bifold_view view) {
  const bifold_operator* plus = bifold_builtin_operator(BIFOLD_PLUS);
  const bifold_view none = {NULL, BIFOLD_I32, 0, 0};
  int32_t value = 0;
  REFUSED(bifold_reduce(NULL, view, plus, BIFOLD_I32, NULL, &value, NULL));
  REFUSED(bifold_reduce(queue, none, plus, BIFOLD_I32, NULL, &value, NULL));
  REFUSED(bifold_reduce(queue, view, NULL, BIFOLD_I32, NULL, &value, NULL));
  REFUSED(bifold_reduce(queue, view, plus, 77, NULL, &value, NULL));
  REFUSED(bifold_reduce(queue, view, plus, BIFOLD_I32, NULL, NULL, NULL));
  REFUSED(bifold_transform_reduce(queue, view, plus, NULL, BIFOLD_I32, NULL, &value, NULL));
  REFUSED(bifold_reduce_into(NULL, view, view, plus, NULL, NULL));
  REFUSED(bifold_reduce_into(queue, view, none, plus, NULL, NULL));
  REFUSED(bifold_reduce_into(queue, view, view, NULL, NULL, NULL));
  REFUSED(bifold_transform_reduce_into(queue, view, view, plus, NULL, NULL, NULL));
  REFUSED(
      bifold_transform_reduce_pairs(NULL, view, view, plus, NULL, BIFOLD_I32, NULL, &value, NULL));
  REFUSED(
      bifold_transform_reduce_pairs(queue, view, view, plus, NULL, BIFOLD_I32, NULL, &value, NULL));
  REFUSED(bifold_transform_reduce_pairs_into(queue, view, view, view, plus, NULL, NULL, NULL));
  REFUSED(bifold_transform_inclusive_scan(queue, view, view, plus, NULL, NULL, NULL));
  REFUSED(bifold_transform_exclusive_scan(queue, view, view, plus, NULL, NULL, NULL));
  REFUSED(bifold_transform_exclusive_scan(NULL, view, view, plus, NULL, NULL, NULL));
  REFUSED(bifold_inclusive_scan(NULL, view, view, plus, NULL, NULL));
  REFUSED(bifold_inclusive_scan(queue, none, view, plus, NULL, NULL));
  REFUSED(bifold_inclusive_scan(queue, view, none, plus, NULL, NULL));
  REFUSED(bifold_exclusive_scan(queue, view, view, NULL, NULL, NULL));
  REFUSED(bifold_reduce_plan_create(device, NULL, NULL));
  REFUSED(bifold_scan_plan_create(device, NULL, NULL));
  REFUSED(bifold_plan_run(NULL, queue, view, view, NULL, NULL));
  REFUSED(bifold_plan_run_pairs(NULL, queue, view, view, view, NULL, NULL));
}

static void test_null_plans(bifold_view view) {
  bifold_reduce_shape shape = {.struct_size = sizeof shape,
                               .op = bifold_builtin_operator(BIFOLD_PLUS),
                               .input = BIFOLD_I32,
                               .accumulator = BIFOLD_I32};
  bifold_plan* plan = NULL;
  uint64_t bytes = 0;
  REFUSED(bifold_reduce_plan_create(NULL, &shape, &plan));
  REFUSED(bifold_reduce_plan_create(device, &shape, NULL));
  REFUSED(bifold_reduce_plan_create(device, NULL, &plan));
  CHECK(plan == NULL);
  OK(bifold_reduce_plan_create(device, &shape, &plan));
  REFUSED(bifold_plan_run(plan, NULL, view, view, NULL, NULL));
  REFUSED(bifold_plan_workspace_bytes(plan, 1, NULL));
  REFUSED(bifold_plan_workspace_bytes(NULL, 1, &bytes));
  bifold_plan_destroy(plan);
}

void test_null(void) {
  const bifold_view none = {NULL, BIFOLD_I32, 0, 0};
  const bifold_view view = allocated(BIFOLD_I32, 4);
  const bifold_field field = {"x", BIFOLD_I32, 0};
  bifold_backend_info backend = {.struct_size = sizeof backend};
  bifold_device_info info = {.struct_size = sizeof info};
  bifold_capabilities can = {.struct_size = sizeof can};
  bifold_buffer* buffer = NULL;
  bifold_queue* other = NULL;
  bifold_event* event = NULL;
  bifold_workspace* workspace = NULL;
  bifold_operator* op = NULL;
  bifold_type type = 0;
  int32_t value = 0;
  bool complete = false;
  double seconds = 0;

  REFUSED(bifold_backend_list_create(NULL));
  REFUSED(bifold_backend_list_get(NULL, 0, &backend));
  REFUSED(bifold_device_list_create(NULL));
  REFUSED(bifold_device_list_get(NULL, 0, &info));
  CHECK(bifold_backend_list_size(NULL) == 0 && bifold_device_list_size(NULL) == 0);
  REFUSED(bifold_device_open(NULL, NULL, NULL));
  REFUSED(bifold_device_get_info(NULL, &info));
  REFUSED(bifold_device_get_info(device, NULL));
  REFUSED(bifold_device_get_capabilities(NULL, &can));
  REFUSED(bifold_device_get_capabilities(device, NULL));
  REFUSED(bifold_queue_create(NULL, NULL, &other));
  REFUSED(bifold_queue_create(device, NULL, NULL));
  REFUSED(bifold_queue_finish(NULL, BIFOLD_NO_LIMIT));
  REFUSED(bifold_queue_trim(NULL));
  OK(bifold_queue_trim(queue));
  REFUSED(bifold_queue_record(NULL, &event));
  REFUSED(bifold_queue_record(queue, NULL));
  REFUSED(bifold_queue_wait_for(NULL, NULL, 0));
  REFUSED(bifold_buffer_create(NULL, 1, &buffer));
  REFUSED(bifold_buffer_create(device, 1, NULL));
  CHECK(bifold_buffer_size(NULL) == 0);
  REFUSED(bifold_upload(NULL, &value, view));
  REFUSED(bifold_upload(queue, &value, none));
  REFUSED(bifold_download(NULL, view, &value));
  REFUSED(bifold_download(queue, view, NULL));
  REFUSED(bifold_copy(NULL, view, view));
  REFUSED(bifold_copy(queue, none, view));
  REFUSED(bifold_copy(queue, view, none));
  REFUSED(bifold_fill(NULL, view, &value));
  REFUSED(bifold_fill(queue, view, NULL));
  REFUSED(bifold_event_wait(NULL, 0));
  REFUSED(bifold_event_complete(NULL, &complete));
  OK(bifold_queue_record(queue, &event));
  REFUSED(bifold_event_complete(event, NULL));
  REFUSED(bifold_event_elapsed(event, NULL, &seconds));
  REFUSED(bifold_event_elapsed(NULL, event, &seconds));
  REFUSED(bifold_event_elapsed(event, event, NULL));
  bifold_event_destroy(event);
  REFUSED(bifold_workspace_create(none, &workspace));
  REFUSED(bifold_workspace_create(view, &workspace)); /* Not of u8. */
  REFUSED(bifold_workspace_create(view, NULL));
  REFUSED(bifold_workspace_prepare(NULL, queue));
  REFUSED(bifold_workspace_release(NULL));
  REFUSED(bifold_struct_type(NULL, 4, &field, 1, &type));
  REFUSED(bifold_struct_type("S", 4, &field, 1, NULL));
  REFUSED(bifold_operator_create(NULL, "a", BIFOLD_I32, &value, BIFOLD_COMMUTATIVE, &op));
  REFUSED(bifold_operator_create("f", NULL, BIFOLD_I32, &value, BIFOLD_COMMUTATIVE, &op));
  REFUSED(bifold_operator_create("f", "a", BIFOLD_I32, &value, BIFOLD_COMMUTATIVE, NULL));
  REFUSED(bifold_operator_identity(NULL, BIFOLD_I32, &value));
  REFUSED(bifold_operator_identity(bifold_builtin_operator(BIFOLD_PLUS), BIFOLD_I32, NULL));
  REFUSED(bifold_map_create(NULL, NULL));
  REFUSED(bifold_last_error_details(NULL));
  CHECK(buffer == NULL && other == NULL && workspace == NULL && op == NULL);
  test_null_calls(view);
  test_null_plans(view);
  bifold_buffer_destroy(view.buffer);

  bifold_backend_list_destroy(NULL);
  bifold_device_list_destroy(NULL);
  bifold_device_destroy(NULL);
  bifold_queue_destroy(NULL);
  bifold_buffer_destroy(NULL);
  bifold_event_destroy(NULL);
  bifold_workspace_destroy(NULL);
  bifold_operator_destroy(NULL);
  bifold_map_destroy(NULL);
  bifold_plan_destroy(NULL);
}

/* A struct as a later version of the header may have it. */
typedef struct {
  bifold_options known;
  uint64_t later[4];
} later_options;
typedef struct {
  bifold_device_info known;
  uint64_t later;
} later_info;

void test_struct_sizes(void) {
  const bifold_operator* plus = bifold_builtin_operator(BIFOLD_PLUS);
  const int32_t host[2] = {40, 2};
  const bifold_view view = uploaded(BIFOLD_I32, host, 2);
  later_options options = {.known = {.struct_size = sizeof options}};
  later_info info;
  later_info untouched;
  bifold_device_options opening = {.struct_size = 0};
  bifold_queue_options making = {.struct_size = sizeof(size_t)};
  bifold_reduce_shape shape = {.struct_size = 1, .op = plus};
  bifold_error error = {.struct_size = sizeof(size_t)};
  bifold_backend_list* backends = NULL;
  bifold_backend_info backend = {.struct_size = 0};
  bifold_capabilities can = {.struct_size = 8};
  bifold_device* opened = NULL;
  bifold_queue* other = NULL;
  bifold_plan* plan = NULL;
  int32_t sum = 0;

  memset(&untouched, 0xff, sizeof untouched);
  /* Later members that are not set change nothing; those that are set are refused. */
  OK(bifold_reduce(queue, view, plus, BIFOLD_I32, NULL, &sum, &options.known));
  CHECK(sum == 42);
  options.later[3] = 1;
  REFUSED(bifold_reduce(queue, view, plus, BIFOLD_I32, NULL, &sum, &options.known));
  CHECK(says("struct_size"));
  options.known.struct_size = SIZE_MAX; /* Never set. */
  REFUSED(bifold_reduce(queue, view, plus, BIFOLD_I32, NULL, &sum, &options.known));
  options.known.struct_size = 0;
  REFUSED(bifold_reduce(queue, view, plus, BIFOLD_I32, NULL, &sum, &options.known));

  /* Later members of what is put out are zero, as the caller has set them. */
  memset(&info, 0, sizeof info);
  info.known.struct_size = sizeof info;
  OK(bifold_device_get_info(device, &info.known));
  CHECK(info.known.struct_size == sizeof info && info.known.name[0] != '\0' && info.later == 0);
  /* A size that was never set, of a struct that is not so large: what lies behind stays. */
  memset(&info, 0xff, sizeof info);
  info.known.struct_size = sizeof info;
  REFUSED(bifold_device_get_info(device, &info.known));
  CHECK(says("struct_size") && info.known.selector == untouched.known.selector);
  CHECK(memcmp(&info.later, &untouched.later, sizeof info.later) == 0);
  info.known.struct_size = 4097;
  REFUSED(bifold_device_get_info(device, &info.known));
  info.known.struct_size = 16;
  REFUSED(bifold_device_get_info(device, &info.known));

  REFUSED(bifold_device_open(NULL, &opening, &opened));
  REFUSED(bifold_queue_create(device, &making, &other));
  REFUSED(bifold_reduce_plan_create(device, &shape, &plan));
  REFUSED(bifold_last_error_details(&error));
  REFUSED(bifold_device_get_capabilities(device, &can));
  OK(bifold_backend_list_create(&backends));
  REFUSED(bifold_backend_list_get(backends, 0, &backend));
  bifold_backend_list_destroy(backends);
  CHECK(opened == NULL && other == NULL && plan == NULL);
  bifold_buffer_destroy(view.buffer);
}

#if !BIFOLD_HAS_OPENCL
void test_opencl(void) {
  bifold_device* own = NULL;
  FAILS(bifold_opencl_adopt_device(NULL, NULL, NULL, &own), BIFOLD_UNAVAILABLE);
}
#endif
