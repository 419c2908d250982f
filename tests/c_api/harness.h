/* Checks for tests in C: a failed one is counted and told, and the test goes on. */
#ifndef BIFOLD_TESTS_C_API_HARNESS_H
#define BIFOLD_TESTS_C_API_HARNESS_H

#include <bifold/bifold.h>
#include <stdbool.h>

extern int failures;
void check_true(bool holds, const char* what, const char* file, int line);
void check_status(bifold_status status, bifold_status expected, const char* what, const char* file,
                  int line);

#define CHECK(condition) check_true((condition), #condition, __FILE__, __LINE__)
/* A call that ends well, and one that fails with a status and a text. */
#define OK(call) check_status((call), BIFOLD_OK, #call, __FILE__, __LINE__)
#define FAILS(call, status) check_status((call), (status), #call, __FILE__, __LINE__)

/* What most tests work on. */
extern bifold_device* device;
extern bifold_queue* queue;

/* A new buffer with a copy of `count` elements, as a view. */
bifold_view uploaded(bifold_type type, const void* elements, uint64_t count);
/* A new buffer for `count` elements, as a view. */
bifold_view allocated(bifold_type type, uint64_t count);
/* Whether the last failure's message contains the text. */
bool says(const char* text);

void test_errors(void);
void test_backends(void);
void test_types(void);
void test_memory(void);
void test_events(void);
void test_half(void);
void test_complex(void);
void test_reduce(void);
void test_scan(void);
void test_plans(void);
void test_device_values(void);
void test_lines(void);
void test_several_arrays(void);
void test_order(void);
void test_no_identity(void);
void test_pairs(void);
void test_scalars(void);
void test_segmented_reductions(void);
void test_keys(void);
void test_selection(void);
void test_transform_scans(void);
void test_reductions(void);
void test_statistics(void);
void test_groups(void);
void test_accumulations(void);
void test_null(void);
void test_struct_sizes(void);
void test_fork(void);
/* On an OpenCL device; where the backend was left out, that it says so. */
void test_opencl(void);

#endif
