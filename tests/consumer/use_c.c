/* A stranger's program in C. Ends with 77 where there is no OpenCL device. */
#include <bifold/bifold.h>
#include <stdio.h>

int main(void) {
  const int32_t host[3] = {11, 13, 18};
  bifold_device* device = NULL;
  bifold_queue* queue = NULL;
  bifold_buffer* buffer = NULL;
  bifold_view numbers = {NULL, BIFOLD_I32, 0, 3};
  int64_t sum = 0;
  bifold_status status = bifold_device_open("opencl", NULL, &device);
  if (status == BIFOLD_OK) status = bifold_queue_create(device, NULL, &queue);
  if (status == BIFOLD_OK) status = bifold_buffer_create(device, sizeof host, &buffer);
  numbers.buffer = buffer;
  if (status == BIFOLD_OK) status = bifold_upload(queue, host, numbers);
  if (status == BIFOLD_OK) {
    status = bifold_reduce(queue, numbers, bifold_builtin_operator(BIFOLD_PLUS), BIFOLD_I64, NULL,
                           &sum, NULL);
  }
  if (status != BIFOLD_OK) fprintf(stderr, "%s\n", bifold_last_error());
  bifold_buffer_destroy(buffer);
  bifold_queue_destroy(queue);
  bifold_device_destroy(device);
  if (status == BIFOLD_UNAVAILABLE) return 77;
  printf("bifold %s from C: %d\n", bifold_version(), (int)sum);
  return status != BIFOLD_OK || sum != 42;
}
