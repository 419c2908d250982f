/* A sum and its running sums from C, on the best device there is. */
#include <bifold/bifold.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Every call says how it went: the first failure ends the program. */
static void check(bifold_status status) {
  if (status == BIFOLD_OK) return;
  fprintf(stderr, "%s: %s\n", bifold_status_name(status), bifold_last_error());
  exit(status == BIFOLD_UNAVAILABLE ? 77 : 1); /* 77: skipped; NOLINT(concurrency-mt-unsafe) */
}

int main(void) {
  enum { count = 1000000 };
  bifold_device* device = NULL;
  bifold_queue* queue = NULL;
  bifold_buffer *numbers = NULL, *running = NULL;
  bifold_device_info info = {.struct_size = sizeof info};
  const bifold_operator* plus = bifold_builtin_operator(BIFOLD_PLUS);
  int32_t* host = malloc(count * sizeof *host);
  int64_t sum = 0, last = 0;
  if (host == NULL) return 1;
  for (int32_t i = 0; i < count; ++i) host[i] = i + 1;

  check(bifold_device_open(NULL, NULL, &device)); /* $BIFOLD_DEVICE, or the best there is */
  check(bifold_queue_create(device, NULL, &queue));
  check(bifold_device_get_info(device, &info));
  printf("on %s (%s)\n", info.name, info.selector);

  check(bifold_buffer_create(device, count * sizeof(int32_t), &numbers));
  check(bifold_buffer_create(device, count * sizeof(int64_t), &running));
  const bifold_view in = {numbers, BIFOLD_I32, 0, count};
  const bifold_view out = {running, BIFOLD_I64, 0, count};
  const bifold_view end = {running, BIFOLD_I64, count - 1, 1};
  check(bifold_upload(queue, host, in));
  check(bifold_reduce(queue, in, plus, BIFOLD_I64, NULL, &sum, NULL));
  check(bifold_inclusive_scan(queue, in, out, plus, NULL, NULL)); /* enqueued; download waits */
  check(bifold_download(queue, end, &last));
  printf("sum %" PRId64 ", last running sum %" PRId64 "\n", sum, last);

  bifold_buffer_destroy(running);
  bifold_buffer_destroy(numbers);
  bifold_queue_destroy(queue);
  bifold_device_destroy(device);
  free(host);
  return sum == last ? 0 : 1;
}
