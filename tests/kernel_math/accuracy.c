/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Measures the errors of the CPU's mathematics, precise and fast, against the C library in double.
 *
 *   accuracy quick                   some hundred thousand points of each function
 *   accuracy all NAME [PART PARTS]   every float, of a function of one argument
 *
 * The second computes an approximate truth first, and the exact one only where an error might be
 * the largest yet.
 *
 * Prints a line each: name, precise or fast, largest error in ulp, where (as hexadecimal floats),
 * what came out, what is true. Linked with functions.c, compiled with PREFIX=precise_ and
 * PREFIX=fast_, and with approximate.c.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "functions.h"
#include "reference.h"

#define DECLARE1(name)                    \
  unary_loop precise_##name, fast_##name; \
  void approximate_##name(const float *x, double *result, int count);
#define DECLARE2(name) binary_loop precise_##name, fast_##name;
#define DECLARE3(name) ternary_loop precise_##name, fast_##name;
UNARY_FUNCTIONS(DECLARE1)
BINARY_FUNCTIONS(DECLARE2)
TERNARY_FUNCTIONS(DECLARE3)

enum { BLOCK = 4096 };

typedef struct function {
  const char *name;
  int arguments;
  unary_loop *loops1[2]; /* precise, fast */
  binary_loop *loops2[2];
  ternary_loop *loops3[2];
  void (*approximate)(const float *x, double *result, int count);
  double (*truth1)(double);
  double (*truth2)(double, double);
  double (*truth3)(double, double, double);
} function;

#define LOOPS(name) {precise_##name, fast_##name}
#define ENTRY1(name) {#name, 1, LOOPS(name), {0, 0}, {0, 0}, approximate_##name, true_##name, 0, 0},
#define ENTRY2(name) {#name, 2, {0, 0}, LOOPS(name), {0, 0}, 0, 0, true_##name, 0},
#define ENTRY3(name) {#name, 3, {0, 0}, {0, 0}, LOOPS(name), 0, 0, 0, true_##name},
static const function FUNCTIONS[] = {UNARY_FUNCTIONS(ENTRY1) BINARY_FUNCTIONS(ENTRY2)
                                         TERNARY_FUNCTIONS(ENTRY3)};
enum { FUNCTION_COUNT = (int)(sizeof FUNCTIONS / sizeof FUNCTIONS[0]) };

typedef struct worst {
  double error;
  float at[3], got;
  double truth;
} worst;

static float from_bits(uint32_t bits) {
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

/* Zero, or a normal number. */
static int is_plain(double x) {
  return x == 0.0 || (isfinite(x) && fabs(x) >= 0x1p-126);
}

/* The first argument's range outside of which fast mathematics promises nothing. */
static void fast_range(const char *name, float *low, float *high) {
  static const struct {
    const char *name;
    float low, high;
  } RANGES[] = {{"sin", -1e4f, 1e4f},    {"cos", -1e4f, 1e4f},   {"tan", -1e4f, 1e4f},
                {"exp", -87.0f, 88.0f},  {"exp2", -126, 127},    {"sinh", -88.0f, 88.0f},
                {"cosh", -88.0f, 88.0f}, {"erfc", -INFINITY, 9}, {"atan2", -1e37f, 1e37f}};
  *low = -INFINITY;
  *high = INFINITY;
  for (size_t i = 0; i < sizeof RANGES / sizeof RANGES[0]; ++i) {
    if (strcmp(name, RANGES[i].name)) continue;
    *low = RANGES[i].low;
    *high = RANGES[i].high;
  }
}

static int fast_applies(const function *f, const float *at, double truth) {
  float low, high;
  fast_range(f->name, &low, &high);
  int applies =
      is_plain(truth) & (fabs(truth) <= 0x1.fffffep127) & (at[0] >= low) & (at[0] <= high);
  for (int i = 0; i < f->arguments; ++i) applies &= is_plain((double)at[i]);
  if (!strcmp(f->name, "atan2")) {
    applies &= (at[0] != 0.0f || at[1] != 0.0f) && fabs((double)at[1]) <= 1e37;
  }
  return applies;
}

static void compute(const function *f, float at[3][BLOCK], int count, float got[2][BLOCK]) {
  for (int form = 0; form < 2; ++form) {
    if (f->arguments == 1) f->loops1[form](at[0], got[form], count);
    if (f->arguments == 2) f->loops2[form](at[0], at[1], got[form], count);
    if (f->arguments == 3) f->loops3[form](at[0], at[1], at[2], got[form], count);
  }
}

static double truth_at(const function *f, const float *x) {
  if (f->arguments == 1) return f->truth1((double)x[0]);
  if (f->arguments == 2) return f->truth2((double)x[0], (double)x[1]);
  return f->truth3((double)x[0], (double)x[1], (double)x[2]);
}

/* Of 0 and -0 these may give either, as the C library's. */
static int any_zero(const char *name) {
  return !strcmp(name, "min") || !strcmp(name, "max") || !strcmp(name, "clamp");
}

/* Keeps what came out at x if its error is the largest yet. */
static void judge(const function *f, const float x[3], double truth, const float got[2],
                  worst found[2]) {
  for (int form = 0; form < 2; ++form) {
    double error = error_in_ulp(got[form], truth);
    if (error <= found[form].error) continue;
    if (form == 1 && !fast_applies(f, x, truth)) continue;
    if (truth == 0.0 && got[form] == 0.0f && (form == 1 || any_zero(f->name))) continue;
    found[form].error = error;
    memcpy(found[form].at, x, sizeof found[form].at);
    found[form].got = got[form];
    found[form].truth = truth;
  }
}

/* Runs a block through both forms and keeps the largest errors. */
static void measure(const function *f, float at[3][BLOCK], int count, worst found[2]) {
  static float got[2][BLOCK];
  compute(f, at, count, got);
  for (int i = 0; i < count; ++i) {
    float x[3] = {at[0][i], at[1][i], at[2][i]}, both[2] = {got[0][i], got[1][i]};
    judge(f, x, truth_at(f, x), both, found);
  }
}

/* Whether an error may be above the limit, in ulp, given almost the truth. */
static int may_exceed(float got, double near, double limit) {
  uint64_t bits;
  memcpy(&bits, &near, sizeof bits);
  uint64_t exponent = bits >> 52 & 0x7ff;
  exponent = exponent < 1023 - 126 ? 1023 - 126 : exponent;
  uint64_t ulp_bits = (exponent - 23) << 52;
  double ulp;
  memcpy(&ulp, &ulp_bits, sizeof ulp);
  float rounded = (float)near;
  int endless = (rounded == got) & (fabsf(got) > 0x1.fffffep127f);
  int same = endless | ((got != got) & (near != near));
  return !same & !(fabs((double)got - near) <= limit * ulp);
}

/* The same for all floats of a block, whose first has these bits. */
static void measure_block(const function *f, uint32_t first, worst found[2]) {
  static float at[3][BLOCK], got[2][BLOCK];
  static double near[BLOCK];
  static int look[BLOCK];
  for (uint32_t i = 0; i < BLOCK; ++i) at[0][i] = from_bits(first + i);
  compute(f, at, BLOCK, got);
  f->approximate(at[0], near, BLOCK);
  double precise_limit = found[0].error - 1e-6, fast_limit = found[1].error - 1e-6;
  for (int i = 0; i < BLOCK; ++i) {
    look[i] =
        may_exceed(got[0][i], near[i], precise_limit) | may_exceed(got[1][i], near[i], fast_limit);
  }
  for (int i = 0; i < BLOCK; ++i) {
    float x[3] = {at[0][i], 0.0f, 0.0f}, both[2] = {got[0][i], got[1][i]};
    if (look[i]) judge(f, x, truth_at(f, x), both, found);
  }
}

static void report(const function *f, const worst found[2]) {
  for (int form = 0; form < 2; ++form) {
    const worst *w = &found[form];
    printf("%s %s %.4f at %a", f->name, form == 0 ? "precise" : "fast", w->error, (double)w->at[0]);
    if (f->arguments > 1) printf(" %a", (double)w->at[1]);
    if (f->arguments > 2) printf(" %a", (double)w->at[2]);
    printf(" got %a want %a\n", (double)w->got, w->truth);
  }
  fflush(stdout);
}

/* A generator of Marsaglia's kind, with a fixed seed: the same points on each run. */
static uint32_t next_random(void) {
  static uint64_t state = 0x9e3779b97f4a7c15u;
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (uint32_t)(state >> 32);
}

static const float SPECIAL[] = {0.0f,
                                0x1p-149f,
                                0x1.fffffcp-127f,
                                0x1p-126f,
                                0x1p-25f,
                                0.25f,
                                0.49999997f,
                                0.5f,
                                0.50000006f,
                                0.70710678f,
                                0.99999994f,
                                1.0f,
                                1.0000001f,
                                1.5f,
                                2.0f,
                                2.5f,
                                3.0f,
                                3.1415927f,
                                1.5707964f,
                                9.3f,
                                10.05f,
                                10.06f,
                                87.0f,
                                88.7f,
                                88.722839f,
                                88.73f,
                                89.41f,
                                89.5f,
                                103.9f,
                                103.98f,
                                127.0f,
                                127.99999f,
                                128.0f,
                                149.0f,
                                150.0f,
                                151.0f,
                                8388607.5f,
                                8388608.0f,
                                16777215.0f,
                                16777216.0f,
                                0x1p31f,
                                0x1p63f,
                                0x1.fffffep127f,
                                INFINITY,
                                NAN};
enum {
  SPECIAL_COUNT = (int)(sizeof SPECIAL / sizeof SPECIAL[0]),
  SIGNED_COUNT = 2 * SPECIAL_COUNT
};

static float special(int i) {
  float x = SPECIAL[i % SIGNED_COUNT / 2];
  return i % 2 ? -x : x;
}

/* Any float, or one of a size at which most functions do something. */
static float random_float(void) {
  uint32_t kind = next_random() % 4, bits = next_random();
  if (kind == 0) return from_bits(bits);
  if (kind == 1) return special((int)(bits % SIGNED_COUNT));
  float part = (float)(int32_t)bits * 0x1p-31f;
  return kind == 2 ? part * 2.0f : part * 110.0f;
}

static void quick(const function *f) {
  static float at[3][BLOCK];
  worst found[2];
  memset(found, 0, sizeof found);
  int filled = 0;
  int specials = f->arguments == 1   ? SIGNED_COUNT
                 : f->arguments == 2 ? SIGNED_COUNT * SIGNED_COUNT
                                     : SIGNED_COUNT * SIGNED_COUNT * SIGNED_COUNT;
  for (int i = 0; i < specials + 200000; ++i) {
    at[0][filled] = i < specials ? special(i) : random_float();
    at[1][filled] = i < specials ? special(i / SIGNED_COUNT) : random_float();
    at[2][filled] = i < specials ? special(i / SIGNED_COUNT / SIGNED_COUNT) : random_float();
    if (++filled == BLOCK) {
      measure(f, at, BLOCK, found);
      filled = 0;
    }
  }
  measure(f, at, filled, found);
  report(f, found);
}

static void every_float(const function *f, uint64_t part, uint64_t parts) {
  worst found[2];
  memset(found, 0, sizeof found);
  uint64_t blocks = (UINT64_C(1) << 32) / BLOCK;
  for (uint64_t block = blocks * part / parts; block < blocks * (part + 1) / parts; ++block) {
    measure_block(f, (uint32_t)(block * BLOCK), found);
  }
  report(f, found);
}

int main(int count, char **words) {
  int all = count > 2 && !strcmp(words[1], "all");
  if (!all && !(count == 2 && !strcmp(words[1], "quick"))) {
    fprintf(stderr, "usage: accuracy quick | accuracy all NAME [PART PARTS]\n");
    return 2;
  }
  for (int i = 0; i < FUNCTION_COUNT; ++i) {
    const function *f = &FUNCTIONS[i];
    if (!all) quick(f);
    if (!all || strcmp(words[2], f->name) || f->arguments != 1) continue;
    every_float(f, count > 4 ? strtoull(words[3], 0, 10) : 0,
                count > 4 ? strtoull(words[4], 0, 10) : 1);
  }
  return 0;
}
