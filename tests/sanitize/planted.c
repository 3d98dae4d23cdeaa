/* SPDX-License-Identifier: Apache-2.0 */
/* Mistakes on purpose: a sanitizer that does not report them is not at work. */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

static int64_t shared;

static void *add_many(void *unused) {
  for (int i = 0; i < 100000; ++i) {
    shared += 1;
  }
  return unused;
}

int64_t race(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, add_many, NULL);
  add_many(NULL);
  pthread_join(thread, NULL);
  return shared;
}

int64_t overflow(volatile int64_t index) {
  int64_t *numbers = malloc(8 * sizeof(int64_t));
  numbers[index] = 1;
  const int64_t number = numbers[index];
  free(numbers);
  return number;
}

int32_t too_large(volatile int32_t number) {
  return number + INT32_MAX;
}
