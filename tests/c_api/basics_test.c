/* Backends, failures, types, operators: what needs no data. */
#include <stdio.h>
#include <string.h>

#include "harness.h"

void test_backends(void) {
  bifold_backend_list* backends = NULL;
  bifold_device_list* devices = NULL;
  bifold_device_info own = {.struct_size = sizeof own};
  bifold_capabilities can = {.struct_size = sizeof can};
  bool found = false;
  size_t i = 0;

  OK(bifold_backend_list_create(&backends));
  CHECK(bifold_backend_list_size(backends) == 2);
  for (i = 0; i < bifold_backend_list_size(backends); ++i) {
    bifold_backend_info info = {.struct_size = sizeof info};
    OK(bifold_backend_list_get(backends, i, &info));
    CHECK(strcmp(info.name, i == 0 ? "cuda" : "opencl") == 0);
    /* It has a device, or a reason for having none. */
    CHECK(info.available == (info.reason[0] == '\0'));
  }
  {
    bifold_backend_info info = {.struct_size = sizeof info};
    FAILS(bifold_backend_list_get(backends, 2, &info), BIFOLD_INVALID_ARGUMENT);
    CHECK(says("none of index 2"));
  }
  bifold_backend_list_destroy(backends);

  OK(bifold_device_get_info(device, &own));
  OK(bifold_device_list_create(&devices));
  CHECK(bifold_device_list_size(devices) >= 1);
  for (i = 0; i < bifold_device_list_size(devices); ++i) {
    bifold_device_info info = {.struct_size = sizeof info};
    OK(bifold_device_list_get(devices, i, &info));
    CHECK(info.name[0] != '\0' && info.backend[0] != '\0');
    if (strcmp(info.selector, own.selector) != 0) continue;
    found = true;
    CHECK(info.index == own.index && info.kind == own.kind && strcmp(info.name, own.name) == 0);
    CHECK(strcmp(info.vendor, own.vendor) == 0 && strcmp(info.driver, own.driver) == 0);
    CHECK(strcmp(info.platform, own.platform) == 0);
  }
  CHECK(found);
  bifold_device_list_destroy(devices);

  OK(bifold_device_get_capabilities(device, &can));
  CHECK(can.global_bytes > 0 && can.max_allocation_bytes > 0 && can.local_bytes > 0);
  CHECK(can.compute_units > 0 && can.max_group_size > 0 && can.architecture != NULL);
}

void test_errors(void) {
  static const char* const names[] = {"ok",          "invalid_argument", "unsupported",
                                      "unavailable", "build_failure",    "out_of_memory",
                                      "timeout",     "device_lost",      "backend_failure"};
  char version[32];
  bifold_device* none = NULL;
  bifold_buffer* buffer = NULL;
  bifold_error error = {.struct_size = sizeof error};
  int i = 0;

  for (i = 0; i <= BIFOLD_BACKEND_FAILURE; ++i) CHECK(!strcmp(bifold_status_name(i), names[i]));
  CHECK(strcmp(bifold_status_name(9), "unknown") == 0);
  CHECK(strcmp(bifold_status_name(-1), "unknown") == 0);

  snprintf(version, sizeof version, "%d.%d.%d", BIFOLD_VERSION_MAJOR, BIFOLD_VERSION_MINOR,
           BIFOLD_VERSION_PATCH);
  CHECK(strcmp(bifold_version(), version) == 0);

  FAILS(bifold_device_open("metal:0", NULL, &none), BIFOLD_INVALID_ARGUMENT);
  FAILS(bifold_device_open("opencl:no such vendor", NULL, &none), BIFOLD_UNAVAILABLE);
  CHECK(none == NULL && says("no such vendor"));

  /* No device has that much. What fails puts nothing out, and what ends well forgets nothing. */
  FAILS(bifold_buffer_create(device, UINT64_C(1) << 60, &buffer), BIFOLD_OUT_OF_MEMORY);
  CHECK(buffer == NULL);
  OK(bifold_queue_finish(queue, BIFOLD_NO_LIMIT));
  OK(bifold_last_error_details(&error));
  CHECK(error.status == BIFOLD_OUT_OF_MEMORY);
  CHECK(strcmp(error.message, bifold_last_error()) == 0);
  CHECK(error.log[0] == '\0' && error.source[0] == '\0');
}

static void test_structs(void) {
  static const bifold_field pair[] = {{"low", BIFOLD_I16, 0}, {"high", BIFOLD_I32, 4}};
  static const bifold_field misplaced[] = {{"low", BIFOLD_I16, 0}, {"high", BIFOLD_I32, 2}};
  static const bifold_field twice[] = {{"x", BIFOLD_I32, 0}, {"x", BIFOLD_I32, 4}};
  static const bifold_field untyped[] = {{"x", 11, 0}};
  static const bifold_field nameless[] = {{NULL, BIFOLD_I32, 0}};
  static const bifold_field injected[] = {{"x; int y", BIFOLD_I32, 0}};
  char name[] = "Pair";
  bifold_type type = -1;
  bifold_type again = -1;
  bifold_type other = -1;

  OK(bifold_struct_type(name, 8, pair, 2, &type));
  CHECK(bifold_type_size(type) == 8);
  name[0] = 'B'; /* The definition has its own copy of the texts. */
  OK(bifold_struct_type(name, 8, pair, 2, &other));
  CHECK(other != type);
  OK(bifold_struct_type("Pair", 8, pair, 2, &again));
  CHECK(again == type);

  FAILS(bifold_struct_type("Pair", 12, pair, 2, &again), BIFOLD_INVALID_ARGUMENT);
  FAILS(bifold_struct_type("Pair", 6, misplaced, 2, &again), BIFOLD_INVALID_ARGUMENT);
  CHECK(says("C puts it at 4"));
  FAILS(bifold_struct_type("Pair", 8, twice, 2, &again), BIFOLD_INVALID_ARGUMENT);
  FAILS(bifold_struct_type("Pair", 4, untyped, 1, &again), BIFOLD_INVALID_ARGUMENT);
  FAILS(bifold_struct_type("Pair", 4, nameless, 1, &again), BIFOLD_INVALID_ARGUMENT);
  FAILS(bifold_struct_type("Pair", 4, injected, 1, &again), BIFOLD_INVALID_ARGUMENT);
  FAILS(bifold_struct_type("a b", 8, pair, 2, &again), BIFOLD_INVALID_ARGUMENT);
  FAILS(bifold_struct_type("", 8, pair, 2, &again), BIFOLD_INVALID_ARGUMENT);
  FAILS(bifold_struct_type("Pair", 8, pair, 0, &again), BIFOLD_INVALID_ARGUMENT);
  FAILS(bifold_struct_type("Pair", 8, pair, 9, &again), BIFOLD_INVALID_ARGUMENT);
  FAILS(bifold_struct_type("Pair", 8, NULL, 2, &again), BIFOLD_INVALID_ARGUMENT);
  CHECK(again == type);
}

void test_types(void) {
  static const size_t sizes[] = {1, 2, 4, 8, 1, 2, 4, 8, 4, 8, 2, 2, 8, 16};
  bifold_operator* op = NULL;
  bifold_map* map = NULL;
  const int32_t zero = 0;
  int32_t identity = 0;
  float real = 0;
  int i = 0;

  for (i = BIFOLD_I8; i <= BIFOLD_COMPLEX128; ++i) CHECK(bifold_type_size(i) == sizes[i]);
  CHECK(bifold_type_size(14) == 0 && bifold_type_size(-1) == 0 && bifold_type_size(99999) == 0);
  test_structs();

  for (i = BIFOLD_PLUS; i <= BIFOLD_LOGICAL_OR; ++i) CHECK(bifold_builtin_operator(i) != NULL);
  CHECK(bifold_builtin_operator(9) == NULL && bifold_builtin_operator(-1) == NULL);
  OK(bifold_operator_identity(bifold_builtin_operator(BIFOLD_MAXIMUM), BIFOLD_I32, &identity));
  CHECK(identity == INT32_MIN);
  FAILS(bifold_operator_identity(bifold_builtin_operator(BIFOLD_BIT_OR), BIFOLD_F32, &real),
        BIFOLD_INVALID_ARGUMENT);

  FAILS(bifold_operator_create("f", "(a", BIFOLD_I32, &zero, BIFOLD_COMMUTATIVE, &op),
        BIFOLD_INVALID_ARGUMENT);
  FAILS(bifold_operator_create("f", "a", 14, &zero, BIFOLD_COMMUTATIVE, &op),
        BIFOLD_INVALID_ARGUMENT);
  FAILS(bifold_operator_create("f", "a", BIFOLD_I32, &zero, 2, &op), BIFOLD_INVALID_ARGUMENT);
  FAILS(bifold_operator_create_fieldwise(BIFOLD_I32, NULL, 0, &op), BIFOLD_INVALID_ARGUMENT);
  CHECK(op == NULL);
  FAILS(bifold_map_create("x)(", &map), BIFOLD_INVALID_ARGUMENT);
  FAILS(bifold_map_create("", &map), BIFOLD_INVALID_ARGUMENT);
  CHECK(map == NULL);
}
